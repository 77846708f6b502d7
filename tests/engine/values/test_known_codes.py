"""Choices of well-known sets in another form: weekdays, months, the compass, signs, languages."""

from __future__ import annotations

import pytest

from tests.engine.values.readings import judge_value, offered, readings

WORKDAYS = ["mon", "tue", "wed", "thu", "fri"]
LANGUAGES = ["en", "nl", "pl"]


@pytest.mark.parametrize(
    ("sent", "choices", "name"),
    [
        ("Saturday", WORKDAYS, "weekday"), ("month", WORKDAYS, "weekday"), ("june", ["july", "august"], "month"),
        ("east", ["north", "south"], "gate"), ("pt", LANGUAGES, "language"), ("portuguese", LANGUAGES, "language"),
        ("no", ["english", "norwegian"], "language"), ("polish", LANGUAGES, "country"),
        ("ukrainian", ["uk", "us"], "of"), ("FRA", ["FR", "DE"], "code"),
        ("arabic", ["ar", "br", "cl"], "site"), ("english", ["en-US", "en-GB"], "locale"),
        ("N", ["north", "up"], "side"),
        ("français", ["french", "maths", "physics"], "subject"), ("+", ["pos", "up"], "sign"),
        ("+-", ["pos", "neg"], "rh"),
        ("not neg", ["pos", "neg"], "rh"), ("possible", ["pos", "neg"], "rh"), ("minute", ["min", "max"], "agg"),
        ("negligible", ["pos", "neg"], "rh"),
        ("northern" * 9, ["north", "south"], "gate"), ("E", [1, 2], "side"),
        ("north", [f"c{at}" for at in range(300)], "gate"),
    ],
)  # fmt: skip
def test_another_member_and_what_only_looks_like_one_stand_for_no_choice(
    sent: str, choices: list[str], name: str
) -> None:
    corrected = judge_value(sent, {"enum": choices}, name=name, required=True).report.corrected
    assert not corrected or corrected.arguments[name] not in choices


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("Thursdays", WORKDAYS, "thu"), ("Tues", WORKDAYS, "tue"), ("fr", ["friday", "monday"], "friday"),
        ("Sept", ["august", "september"], "september"), ("december", ["nov", "dec"], "dec"),
        ("northern", ["north", "south"], "north"), ("N", ["north", "south", "center"], "north"),
        ("south-west", ["NE", "SW"], "SW"), ("+", ["pos", "neg"], "pos"), ("-", ["pos", "neg"], "neg"),
        ("\u2212", ["positive", "negative"], "negative"), ("minus", ["pos", "neg"], "neg"),
        ("polish", LANGUAGES, "pl"), ("Deutsch", ["en", "de", "auto"], "de"), ("fr", ["english", "french"], "french"),
        ("français", ["eng", "fra"], "fra"), ("negative", ["pos", "neg"], "neg"),
    ],
)  # fmt: skip
def test_the_same_member_in_another_form_is_offered(sent: str, choices: list[str], choice: str) -> None:
    assert readings(sent, {"enum": choices}, name="p", read_only=True) == offered(choice)


@pytest.mark.parametrize(
    ("sent", "choices", "choice"), [("medium", ["lo", "med", "hi"], "med"), ("integer", ["int", "str"], "int")]
)
def test_a_word_is_the_short_form_that_is_a_choice(sent: str, choices: list[str], choice: str) -> None:
    corrected = judge_value(sent, {"enum": choices}).report.corrected
    assert corrected
    assert corrected.arguments == {"p": choice}
