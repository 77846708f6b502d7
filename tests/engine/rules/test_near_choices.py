"""Misspelled choices: between a choice and its negation, and words that are no misspelling at all."""

from __future__ import annotations

import pytest

from fingerpost import Call, Catalog, admit
from fingerpost.engine.rules.near_choices import find_near_choices

KIN = ["spouse", "parent", "child", "other"]


def find(value: str, choices: list[str]) -> list[str]:
    return [match.name for match in find_near_choices(value, choices)]


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("nlisted", ["unlisted", "listed"]), ("nactive", ["inactive", "active"]), ("isabled", ["disabled", "enabled"]),
        ("icomplete", ["incomplete", "complete"]), ("uread", ["unread", "read"]), ("mported", ["imported", "exported"]),
    ],
)  # fmt: skip
def test_a_misspelling_between_a_choice_and_its_negation_decides_nothing(sent: str, choices: list[str]) -> None:
    for listed in (choices, choices[::-1], [*choices, "pending"]):
        assert find(sent, listed) == choices
    schema = {"type": "object", "properties": {"state": {"enum": choices}}}
    report = admit(Call("set", {"state": sent}), Catalog.listed([{"name": "set", "inputSchema": schema}])).report
    assert report.corrected is None
    assert [call.arguments["state"] for call in report.readings] == choices


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("unlistd", ["listed", "unlisted"], "unlisted"), ("lsted", ["listed", "unlisted"], "listed"),
        ("actve", ["active", "inactive"], "active"), ("disbled", ["enabled", "disabled"], "disabled"),
        ("eabled", ["enabled", "disabled"], "enabled"), ("unactive", ["active", "inactive"], "inactive"),
        ("pul", ["push", "pull"], "pull"), ("opne", ["open", "closed"], "open"),
    ],
)  # fmt: skip
def test_a_misspelling_that_is_clearly_nearer_to_one_decides(sent: str, choices: list[str], choice: str) -> None:
    assert find(sent, choices) == [choice]


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("enlisted", ["listed", "unlisted"]), ("mother", ["other", "none"]), ("father", ["other", "none"]),
        ("lift", ["left", "right"]), ("fight", ["right", "left"]), ("dairy", ["daily", "weekly"]),
        ("pain", ["plain", "rich"]), ("median", ["low", "medium"]), ("fable", ["table", "chart"]),
    ],
)  # fmt: skip
def test_a_word_of_its_own_is_no_misspelling(sent: str, choices: list[str]) -> None:
    assert find(sent, choices) == []


@pytest.mark.parametrize(
    ("sent", "choice"), [("sorted", "sort"), ("sliver", "silver"), ("daft", "draft"), ("meduim", "medium")]
)
def test_other_forms_and_rare_words_may_be_slips(sent: str, choice: str) -> None:
    assert find(sent, [choice, "none"]) == [choice]


@pytest.mark.parametrize(
    ("sent", "choice"),
    [("mother", "parent"), ("dad", "parent"), ("daughter", "child"), ("wife", "spouse"), ("husband", "spouse")],
)
def test_a_relative_is_offered_as_the_relation(sent: str, choice: str) -> None:
    assert find(sent, KIN) == [choice]


def test_one_relative_is_not_another() -> None:
    assert find("mother", ["father", "child"]) == []
    assert find("aunt", KIN) == []
    assert find("parent", ["father", "mother", "child"]) == ["father", "mother"]


@pytest.mark.parametrize(
    ("sent", "choices"),
    [
        ("open", ["new", "triaged", "resolved", "closed"]), ("open", ["new", "reopened", "closed"]),
        ("finished", ["running", "succeeded", "failed"]), ("closed", ["open", "resolved", "wontfix"]),
        ("active", ["open", "in_progress", "closed"]), ("pending", ["queued", "scheduled", "running"]),
        ("open", ["new", "closed", "on_fire"]), ("resolved", ["open", "fixed", "duplicate"]),
        ("done", ["to_do", "succeeded", "shipped"]), ("inactive", ["disabled", "suspended", "enabled"]),
    ],
)  # fmt: skip
def test_a_word_for_several_of_the_choices_stands_for_none_of_them(sent: str, choices: list[str]) -> None:
    assert find(sent, choices) == []


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("open", ["new", "closed"], "new"), ("open", ["new", "closed", "all"], "new"),
        ("done", ["to_do", "doing", "completed", "cancelled"], "completed"),
        ("active", ["enabled", "disabled"], "enabled"),
        ("completed", ["queued", "finished", "failed"], "finished"), ("resolved", ["open", "closed"], "closed"),
        ("pending", ["todo", "in_progress", "done"], "todo"), ("open", ["new", "gone"], "new"),
    ],
)  # fmt: skip
def test_a_word_for_a_state_stands_for_the_only_choice_under_it(sent: str, choices: list[str], choice: str) -> None:
    assert find(sent, choices) == [choice]


@pytest.mark.parametrize("sent", ["write", "create"])
def test_a_verb_that_does_something_else_is_not_offered_for_another(sent: str) -> None:
    schema = {"type": "object", "properties": {"mode": {"enum": ["append", "overwrite"]}}, "required": ["mode"]}
    report = admit(Call("save", {"mode": sent}), Catalog.listed([{"name": "save", "inputSchema": schema}])).report
    assert report.corrected is not None
    assert report.corrected.arguments == {"mode": '<"append" or "overwrite">'}
