"""Booleans, absent values and choices in words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import (
    BOOLEAN,
    INTEGER,
    LEFT_OUT,
    STRINGS,
    judge_value,
    likely,
    lossless,
    offered,
    readings,
    text,
)

DIRECTION = {"type": "string", "enum": ["asc", "desc"]}
TRUE = ["yes", "Y", "on", "t", "enabled", "enable", "1", 1, 1.0, " Yes "]
FALSE = ["no", "N", "off", "f", "disabled", "disable", "0", 0, "OFF"]


@pytest.mark.parametrize(("sent", "meaning"), [*((word, True) for word in TRUE), *((word, False) for word in FALSE)])
def test_a_word_for_a_boolean_is_converted_on_a_read_only_tool_only(sent: Any, meaning: bool) -> None:
    assert judge_value(sent, BOOLEAN, read_only=True).call.arguments == {"p": meaning}
    strict = judge_value(sent, BOOLEAN)
    assert strict.action == "refuse"
    assert strict.report.corrected
    assert strict.report.corrected.arguments == {"p": meaning}


@pytest.mark.parametrize("sent", ["true", "True", "TRUE", " false "])
def test_true_and_false_in_any_case_are_converted_on_every_tool(sent: str) -> None:
    assert readings(sent, BOOLEAN) == lossless(sent.strip().lower() == "true")


@pytest.mark.parametrize("sent", ["maybe", 2, -1, "yes please, all of them", [], {"a": 1}, "2"])
@pytest.mark.parametrize("default", [True, False])
def test_an_unclear_boolean_gets_neither_value_as_an_example(sent: Any, default: bool) -> None:
    schema = {"type": "boolean", "default": default, "examples": [default]}
    displayed = text(sent, schema, required=True)
    assert "Use true or false." in displayed
    assert "p: true" not in displayed
    assert "p: false" not in displayed


def test_an_example_for_a_value_of_the_wrong_type_is_never_one_of_two_opposites() -> None:
    displayed = text(5, {**DIRECTION, "default": "desc"}, required=True)
    assert '<"asc" or "desc">' in displayed
    assert 'p: "' not in displayed


@pytest.mark.parametrize("sent", ["null", "None", "undefined", "N/A", "", "nil", "-", "  ", "NULL", "not specified"])
@pytest.mark.parametrize("schema", [INTEGER, BOOLEAN, DIRECTION, STRINGS, {"type": "object"}])
def test_a_word_for_nothing_is_left_out_of_an_optional_parameter(sent: str, schema: dict[str, Any]) -> None:
    assert readings(sent, schema) == likely(LEFT_OUT)
    assert judge_value(sent, schema, read_only=True).call.arguments == {}
    assert judge_value(sent, schema).action == "refuse"


NULLABLE = {"anyOf": [INTEGER, {"type": "null"}]}


@pytest.mark.parametrize(("sent", "offered"), [("none", {"p": None}), ("N/A", {"p": None}), ("", {"p": "<integer>"})])
def test_a_word_for_nothing_clears_a_field_of_a_tool_that_may_write(sent: str, offered: dict[str, Any]) -> None:
    verdict = judge_value(sent, NULLABLE)
    assert verdict.action == "refuse"
    assert verdict.report.corrected is not None
    assert verdict.report.corrected.arguments == offered
    assert judge_value(sent, NULLABLE, read_only=True).call.arguments == {}


def test_a_word_for_nothing_that_the_schema_accepts_is_sent() -> None:
    assert judge_value("null", {"type": "string"}).action == "forward"
    assert readings("none", {"enum": ["none", "all"]}) == []


def test_a_word_for_nothing_that_a_choice_spells_in_another_case_is_only_offered_where_it_may_be_no_value() -> None:
    acks = {"enum": ["none", "all"]}
    assert readings("None", acks) == offered("none")
    assert readings("None", acks, read_only=True) == likely("none")
    assert readings("None", acks, required=True) == readings(" none ", acks) == lossless("none")
    assert readings("none", {"enum": ["Strict", "Lax", "None"]}) == lossless("None")
    assert readings("", acks) == readings("null", acks) == likely(LEFT_OUT)


def test_a_word_for_nothing_is_null_if_the_parameter_is_required_and_may_be_null() -> None:
    assert readings("None", {"anyOf": [INTEGER, {"type": "null"}]}, required=True) == likely(None)
    assert readings("", {"anyOf": [INTEGER, {"type": "null"}]}, required=True) == []
    assert readings([], {"anyOf": [INTEGER, {"type": "null"}]}, required=True) == []


@pytest.mark.parametrize("sent", ["none", "n/a", "null", "-"])
def test_a_word_for_nothing_never_becomes_a_similar_choice(sent: str) -> None:
    assert readings(sent, {"enum": ["one", "nano", "full"]}, required=True) == []


def test_null_is_left_out_on_a_read_only_tool_and_a_value_on_others() -> None:
    assert readings(None, INTEGER, read_only=True) == lossless(LEFT_OUT)
    assert readings(None, INTEGER) == []
    assert readings(None, INTEGER, required=True) == []
    assert readings([None], {"type": "array", "items": INTEGER}) == []


@pytest.mark.parametrize("sent", [[], {}])
def test_an_empty_container_is_left_out(sent: Any) -> None:
    assert readings(sent, INTEGER) == likely(LEFT_OUT)


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("on", ["off", "auto"]), ("public", ["private", "unlisted"]), ("open", ["closed", "all"]),
        ("unread", ["read", "all"]), ("enabled", ["disabled", "paused"]), ("not started", ["started", "done"]),
        ("inactive", ["active", "paused"]), ("no", ["yes", "maybe"]), ("unlocked", ["locked", "other"]),
        ("ascending", ["descending", "random"]), ("without_tags", ["with_tags", "all"]),
    ],
)  # fmt: skip
def test_the_opposite_of_what_was_sent_is_never_offered(sent: str, choices: list[str]) -> None:
    assert readings(sent, {"enum": choices}) == []


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("yes", ["true", "false"], "true"), (True, ["yes", "no"], "yes"), (False, ["on", "off"], "off"),
        ("off", ["enabled", "disabled", "auto"], "disabled"),
    ],
)  # fmt: skip
def test_a_choice_that_means_the_same_is_likely(sent: Any, choices: list[str], choice: str) -> None:
    assert readings(sent, {"type": "string", "enum": choices}) == likely(choice)


def test_case_and_spaces_of_a_choice_carry_no_meaning_except_in_symbols() -> None:
    assert readings(" ASC ", DIRECTION) == lossless("asc")
    assert readings(" mW ", {"enum": ["mW", "MW"]}) == lossless("mW")
    assert readings("MW", {"enum": ["mW", "kW"]}) == []
    assert readings("\uff21SC", DIRECTION) == lossless("asc")
    assert readings("x" * 200, DIRECTION) == []
    assert readings("ascend", {"enum": ["ascending", "random"]}) == offered("ascending")


@pytest.mark.parametrize(
    "sent", ["!{}", "-{}", "not {}", "^{}", "~{}", "NOT {}", "non-{}", "no {}", "all but {}", "<>{}"]
)
@pytest.mark.parametrize("choice", ["failed", "open", "eu-west"])
def test_a_negated_choice_is_not_that_choice(sent: str, choice: str) -> None:
    assert readings(sent.format(choice), {"enum": [choice, "other", "third"]}) == []
    assert readings(sent.format(choice), {"enum": [choice, "other"]}) == []


def test_a_misspelled_choice_that_is_a_negation_itself_is_offered() -> None:
    assert readings("not_plannd", {"enum": ["completed", "not_planned", "planned"]}) == offered("not_planned")


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("usdt", ["usd", "eur"]), ("gb", ["usd", "gbp"]), ("eu", ["usd", "eur"]), ("FRA", ["FR", "DE"]),
        ("dk", ["de", "dd"]), ("en-AU", ["en-US", "de-DE"]), ("USDC", ["USD", "USDT"]), ("cad", ["aud", "nzd"]),
    ],
)  # fmt: skip
def test_a_code_is_no_misspelling_of_another_code(sent: str, choices: list[str]) -> None:
    assert readings(sent, {"enum": choices}) == []


@pytest.mark.parametrize(("sent", "code"), [("euro", "eur"), ("english", "en"), ("USA", "us"), ("german", "de")])
def test_the_full_name_of_a_code_is_offered(sent: str, code: str) -> None:
    assert readings(sent, {"enum": [code, "xyz"]}) == offered(code)
    assert readings(code.upper(), {"enum": [code, "xyz"]}) == lossless(code)


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("P1", ["low", "high"]), ("sev-2", ["high", "critical"]), ("co-owner", ["reader", "owner"]),
        ("subproject", ["project", "issue"]), ("ex-member", ["member", "guest"]),
        ("vice president", ["president", "staff"]),
        ("pre-release", ["release", "draft"]), ("postpaid", ["paid", "open"]), ("x-large", ["small", "large"]),
        ("inactive", ["active", "future", "closed"]), ("read-write", ["reader", "writer"]), ("v3", ["v1", "v2"]),
    ],
)  # fmt: skip
def test_a_word_that_makes_another_thing_of_a_choice_is_respected(sent: str, choices: list[str]) -> None:
    assert readings(sent, {"enum": choices}) == []


@pytest.mark.parametrize("schema", [{"type": "string", "enum": ["open", "won"]}, {"const": "open"}])
def test_a_nullable_choice_is_described_by_its_choices(schema: dict[str, Any]) -> None:
    reply = text(5, {"anyOf": [schema, {"type": "null"}]})
    assert "null" not in reply
    assert '"open"' in reply


@pytest.mark.parametrize("sent", ["no-show", "No Show", "NO_SHOW"])
def test_a_choice_that_begins_with_a_negation_is_found_in_another_spelling(sent: str) -> None:
    assert readings(sent, {"enum": ["booked", "no_show"]}) == lossless("no_show")


def test_the_negation_of_a_choice_is_not_that_choice() -> None:
    assert lossless("show") != readings("!show", {"enum": ["show", "hide", "fade"]})
