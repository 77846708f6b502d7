"""Choices in other words: with the noun for their class, as a length of time, and alone instead of in a list."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit
from fingerpost.engine.values import Slot, find_candidates
from tests.engine.values.readings import STRINGS, judge_value, lossless, offered, readings, text

CANDLES = ["1m", "5m", "1h", "4h", "1d", "1M"]


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("sick_leave", ["sick", "vacation", "unpaid"], "sick"), ("Sick Leave", ["sick", "vacation"], "sick"),
        ("pdf file", ["pdf", "csv"], "pdf"), ("darkTheme", ["dark", "light"], "dark"),
        ("owner-role", ["owner"], "owner"),
        ("public-read mode", ["private", "public-read"], "public-read"),
        ("vacations", ["sick", "vacation"], "vacation"),
        ("issue", ["issues", "pulls"], "issues"),
    ],
)  # fmt: skip
def test_a_choice_with_the_noun_for_its_class_is_offered(sent: str, choices: list[str], choice: str) -> None:
    assert readings(sent, {"enum": choices}) == offered(choice)


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("not_sick", ["sick", "vacation"]), ("sick_vacation", ["sick", "vacation"]), ("leave", ["sick", "vacation"]),
        ("public-read-write", ["private", "public-read"]), ("co-owner", ["owner", "member"]),
        ("json lines", ["json", "csv"]), ("open source", ["open", "closed"]), ("gold plus", ["gold", "silver"]),
        ("admin readonly", ["admin", "guest"]), ("unpaid vacation leave", ["unpaid", "vacation"]),
        ("user role", ["role", "user"]), ("x" * 100 + " type", ["x"]),
    ],
)  # fmt: skip
def test_a_word_that_makes_another_thing_of_a_choice_is_not_left_out(sent: str, choices: list[str]) -> None:
    assert readings(sent, {"enum": choices}) == []


@pytest.mark.parametrize(
    ("tool", "offers"), [("order_pizza", True), ("order_food", False), ("large_read_write", False)]
)
def test_the_noun_of_the_tool_names_the_class_too(tool: str, offers: bool) -> None:
    schema = {"type": "object", "properties": {"size": {"enum": ["small", "large"]}}}
    listed = Catalog.listed([{"name": tool, "inputSchema": schema}])
    corrected = admit(Call(tool, {"size": "large pizza"}), listed).report.corrected
    assert (corrected == Call(tool, {"size": "large"})) is offers


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("1 month", CANDLES, "1M"), ("1 minute", CANDLES, "1m"), ("5 minutes", CANDLES, "5m"),
        ("one month", CANDLES, "1M"),
        ("an hour", CANDLES, "1h"), ("1mo", CANDLES, "1M"), ("1 M", CANDLES, "1M"), ("5min", ["1m", "5m", "1h"], "5m"),
        ("3 months", ["1m", "3m", "1y"], "3m"), ("1 month", ["1d", "1mo"], "1mo"),
        ("1 month", ["1h", "1d", "1M"], "1M"),
        ("2 weeks", ["1w", "2w"], "2w"), ("1 hour", ["1H", "1D", "1M"], "1H"), ("1 month", ["1d", "1w", "1m"], "1m"),
    ],
)  # fmt: skip
def test_a_length_of_time_is_the_choice_that_is_as_long(sent: str, choices: list[str], choice: str) -> None:
    assert readings(sent, {"enum": choices}) == offered(choice)


@pytest.mark.parametrize(
    ("sent", "choices", "length"),
    [
        ("1 month", ["1m", "5m", "1h"], "1 month"), ("3 minutes", ["1m", "3m", "1y"], "3 minutes"),
        ("2 months", CANDLES, "2 months"), ("1 month", ["1H", "1D", "1M"], "1 month"),
        ("1 minute", ["1h", "1d", "1M"], "1 minute"), ("5 min", ["1m", "5m"], "5 minutes"),
    ],
)  # fmt: skip
def test_a_choice_of_another_length_is_never_offered(sent: str, choices: list[str], length: str) -> None:
    assert readings(sent, {"enum": choices}) == []
    assert f"None of the choices for p is certainly {length}." in text(sent, {"enum": choices})


@pytest.mark.parametrize(
    ("sent", "choices"),
    [("10 x", ["5 q", "20 z"]), ("1 month", ["day", "month"]), ("1 month" * 9, CANDLES), (5, ["5m"])],
)
def test_what_is_no_length_of_time_is_left_to_others(sent: Any, choices: list[str]) -> None:
    assert "certainly" not in text(sent, {"enum": choices})


FIELDS = {"type": "array", "items": {"type": "string", "enum": ["battery", "range", "odometer"]}}


@pytest.mark.parametrize("name", ["fields", "field"])
@pytest.mark.parametrize(
    ("sent", "items"),
    [
        ("batery", ["battery"]), ("odometr", ["odometer"]), ("battery", ["battery"]),
        ("batery, rnage", ["battery", "range"]),
    ],
)  # fmt: skip
def test_one_misspelt_choice_is_corrected_inside_its_list(name: str, sent: str, items: list[str]) -> None:
    schema = {"type": "object", "properties": {"fields": FIELDS}, "required": ["fields"], "additionalProperties": False}
    verdict = admit(Call("t", {name: sent}), Catalog.listed([{"name": "t", "inputSchema": schema}]))
    call = verdict.call if verdict.action == "repair" else verdict.report.corrected
    assert call == Call("t", {"fields": items})


def test_one_choice_in_another_case_is_converted_with_its_list() -> None:
    assert judge_value("Battery", FIELDS).call.arguments == {"p": ["battery"]}


@pytest.mark.parametrize("sent", ["speed", "not battery", "battery range"])
def test_a_word_that_is_no_choice_is_not_guessed_at(sent: str) -> None:
    corrected = judge_value(sent, FIELDS, required=True).report.corrected
    assert corrected == Call("t", {"p": ['<"battery" or "range" or "odometer">']})


def test_a_choice_that_is_sent_as_it_is_has_no_other_reading() -> None:
    assert list(find_candidates(Slot("1m", ("string",), "enum", choices=("1m", "1M")))) == []


@pytest.mark.parametrize(
    ("sent", "choices"),
    [("1M", ["1m", "1h", "1d"]), ("1m", ["1M", "1Y"]), ("1 M", ["1m", "5m"]), ("5MW", ["5mW", "10mW"]),
     ("1M", ["1m", "5m", "custom_range"])],
)  # fmt: skip
def test_a_quantity_that_means_another_one_in_the_other_case_is_not_offered(sent: str, choices: list[str]) -> None:
    assert readings(sent, {"enum": choices}) == []


@pytest.mark.parametrize(
    ("sent", "choice"),
    [("1H", "1h"), ("30D", "30d"), ("5k", "5K"), ("1080P", "1080p"), ("10mb", "10MB"), ("4 gb", "4 GB")],
)
def test_a_unit_behind_a_number_in_another_case_is_only_offered(sent: str, choice: str) -> None:
    assert readings(sent, {"enum": [choice, "none"]}, read_only=True) == offered(choice)


@pytest.mark.parametrize(
    ("sent", "choice"), [("5MIN", "5min"), ("2xl", "2XL"), ("a4", "A4"), ("T2.Micro", "t2.micro"), (" 1h ", "1h")]
)
def test_case_means_nothing_where_there_is_no_unit(sent: str, choice: str) -> None:
    assert readings(sent, {"enum": [choice, "none"]}) == lossless(choice)


@pytest.mark.parametrize(
    ("sent", "name"),
    [("P1 P2", "pupil_ids"), ("P1/P2", "pupil_ids"), ("P1|P2", "tags"), ("12 13", "rows"), ("#4 + #5", "issues"),
     ("anna ben", "user_ids"), ("a@x.de b@x.de", "emails"), ("red|blue", "colors"), ("A-1\tA-2", "parts")],
)  # fmt: skip
def test_a_text_that_may_be_several_items_is_not_one_item(sent: str, name: str) -> None:
    assert readings(sent, STRINGS, name=name) == []
    assert f"Fill in: t({name}: [" in text(sent, STRINGS, name=name)


@pytest.mark.parametrize(
    ("sent", "name"),
    [("Ada Lovelace", "authors"), ("release 12", "labels"), ("+49 30 1234", "phones"), ("New York", "cities")],
)
def test_a_text_of_several_words_may_be_one_item(sent: str, name: str) -> None:
    assert readings(sent, STRINGS, name=name) == offered([sent])


@pytest.mark.parametrize(("sent", "name"), [("src/main", "paths"), ("octocat/hello", "repos"), ("a|b", "patterns")])
def test_a_text_with_signs_that_separate_nothing_is_one_item(sent: str, name: str) -> None:
    assert readings(sent, STRINGS, name=name) == lossless([sent])


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("lax", ["Strict", "Lax", "None"], "Lax"), ("LAX", ["Strict", "Lax", "None"], "Lax"),
        ("get", ["Get", "Post"], "Get"), ("Asc", ["asc", "desc"], "asc"), ("Off", ["off", "auto"], "off"),
        ("us", ["US", "EU"], "US"), ("pdf", ["PDF", "Html"], "PDF"),
    ],
)  # fmt: skip
def test_the_case_of_a_short_word_has_no_meaning(sent: str, choices: list[str], choice: str) -> None:
    assert readings(sent, {"enum": choices}) == lossless(choice)
    nested = {"type": "array", "items": {"type": "object", "properties": {"q": {"enum": choices}}}}
    assert judge_value([{"q": sent}], nested).call.arguments == {"p": [{"q": choice}]}


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("mw", ["mW", "MW"]), ("Mm", ["mm", "cm", "inch"]), ("b", ["B", "Bytes"]), ("hz", ["Hz", "kHz"]),
        ("lAx", ["Lax", "Strict"]), ("mhz", ["mHz", "Kilo"]), ("OPEN", ["Open", "open"]),
    ],
)  # fmt: skip
def test_the_case_of_a_symbol_may_have_a_meaning(sent: str, choices: list[str]) -> None:
    assert judge_value(sent, {"enum": choices}).action == "refuse"


@pytest.mark.parametrize("sent", ["all", "*", "ALL", "any", "everything"])
def test_a_word_for_everything_is_no_id(sent: str) -> None:
    assert readings(sent, STRINGS, name="track_ids") == []
    assert readings(sent, STRINGS, name="tags") == offered([sent])
    assert readings(sent, STRINGS, name="track_ids", read_only=True) == lossless([sent])
    assert readings("t1", STRINGS, name="track_ids") == lossless(["t1"])
    choices = {"type": "array", "items": {"enum": [sent.lower(), "none"]}}
    assert judge_value(sent, choices, name="scope_ids").call.arguments == {"scope_ids": [sent.lower()]}
