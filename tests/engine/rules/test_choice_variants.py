"""Choices that differ from a value in a number, or by a word that makes another version."""

from __future__ import annotations

import pytest

from fingerpost.engine.rules.near_choices import find_near_choices

DOSES = ["once_daily", "twice_daily", "three_times_daily", "as_needed"]
SIZES = ["small", "large", "xlarge", "2xlarge"]


def names(value: str, choices: list[str]) -> list[str]:
    return [match.name for match in find_near_choices(value, choices, ["p"])]


@pytest.mark.parametrize(
    ("value", "choices"),
    [
        ("four_times_daily", DOSES), ("4 times daily", DOSES), ("daily", DOSES), ("8xlarge", SIZES), ("3xlarge", SIZES),
        ("ubuntu-20.04", ["ubuntu-22.04", "ubuntu-24.04"]), ("second_half", ["first_half", "third_half"]),
        ("double_room", ["single_room", "triple_room"]), ("sev-2", ["severity_one", "severity_three"]),
        ("gpt-4o", ["gpt-4", "gpt-4o-mini", "o3"]), ("claude-3", ["claude-3-opus", "claude-3-haiku"]),
        ("gemini", ["gemini_flash", "gemini-pro"]), ("two_weeks", ["one_week", "three_weeks"]),
    ],
)  # fmt: skip
def test_a_choice_with_another_number_or_version_is_not_offered(value: str, choices: list[str]) -> None:
    assert names(value, choices) == []


@pytest.mark.parametrize(
    ("value", "choices", "expected"),
    [
        ("3 times daily", DOSES, "three_times_daily"), ("three_time_daily", DOSES, "three_times_daily"),
        ("pending", ["pending_review", "done"], "pending_review"), ("gtp-4", ["gpt-4", "gpt-5"], "gpt-4"),
    ],
)  # fmt: skip
def test_a_choice_with_the_same_number_is_offered(value: str, choices: list[str], expected: str) -> None:
    assert names(value, choices) == [expected]
