"""Units and first letters among choices."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import judge_value

LENGTHS = ["km", "mile", "metre", "yard"]
SIZES = ["60", "120", "240"]


@pytest.mark.parametrize(
    ("sent", "choices", "name"),
    [
        ("foot", LENGTHS, "unit"), ("cm", LENGTHS, "unit"), ("M", LENGTHS, "unit"), ("m", ["minute", "metre"], "unit"),
        ("mW", ["megawatt", "watt"], "unit"), ("Mb", ["megabyte", "kilobyte"], "unit"), ("b", ["bit", "byte"], "unit"),
        ("ton", ["tonne", "kilogram"], "unit"), ("MW", ["mW", "kW"], "unit"),
        ("mb", ["Mb", "kb"], "unit"), ("mw", ["mW", "kW"], "unit"),
        ("m", ["metre", "other", 5], "unit"), ("minutes", ["s", "m", "h"], "unit"),
        ("second", ["first", "last"], "which"),
        ("120 ml", SIZES, "size_l"), ("120 l", SIZES, "size"), ("100 l", SIZES, "size_l"),
        ("12k", ["12", "24"], "size_l"),
        ("metres", ["metre", "meter"], "unit"), ("kilometre" * 5, LENGTHS, "unit"),
        ("D", ["delete", "keep"], "action"), ("n", ["none", "all"], "scope"), ("P", ["pending", "paid"], "status"),
        ("F", ["first", "last"], "which"), ("R", ["red", "green", "blue", "white", "black", "orange"], "color"),
        ("r", ["red-ish", "blue"], "color"), ("r", ["rd", "bl"], "color"), ("1", ["small", "large"], "size"),
    ],
)  # fmt: skip
def test_another_unit_and_an_unclear_letter_stand_for_no_choice(sent: str, choices: list[Any], name: str) -> None:
    corrected = judge_value(sent, {"enum": choices}, name=name, required=True).report.corrected
    assert not corrected or corrected.arguments[name] not in choices


@pytest.mark.parametrize(
    ("sent", "choices", "name", "choice"),
    [
        ("m", LENGTHS, "unit", "metre"), ("kilometres", LENGTHS, "unit", "km"),
        ("lbs", ["kg", "pound"], "unit", "pound"),
        ("MB", ["kilobyte", "megabyte"], "unit", "megabyte"), ("C", ["celsius", "fahrenheit"], "scale", "celsius"),
        ("seconds", ["s", "ms"], "unit", "s"), ("120 l", SIZES, "size_l", "120"), ("60 litres", SIZES, "size_l", "60"),
        ("M", ["small", "medium", "large"], "size", "medium"), ("l", ["small", "medium", "large"], "size", "large"),
    ],
)  # fmt: skip
def test_the_same_unit_and_the_only_initial_are_offered(sent: str, choices: list[str], name: str, choice: str) -> None:
    verdict = judge_value(sent, {"enum": choices}, name=name, read_only=True)
    assert verdict.action == "refuse"
    assert verdict.report.corrected
    assert verdict.report.corrected.arguments == {name: choice}
