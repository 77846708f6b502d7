"""What is said about the failures of published servers: tests/data/failure_texts.txt."""

from __future__ import annotations

import pytest

from bench.failures import Failure, Outcome, count, explain, held_out, judge, load

OPEN = [one for one in load() if one.server not in held_out()]
HELD_OUT = [one for one in load() if one.server in held_out()]


def test_there_are_enough_failures_of_enough_servers() -> None:
    assert len(load()) >= 400
    assert len({one.server for one in load()}) >= 40
    assert min(len(OPEN), len(HELD_OUT)) > len(load()) * 0.4


@pytest.mark.parametrize("failure", OPEN, ids=lambda one: f"{one.server} {one.call.tool}")
def test_nothing_wrong_is_said_about_a_failure(failure: Failure) -> None:
    assert judge(failure) is not Outcome.WRONG, explain(failure)


def test_hardly_anything_wrong_is_said_about_failures_that_the_rules_were_not_made_for() -> None:
    assert (
        count(HELD_OUT)[Outcome.WRONG] <= len(HELD_OUT) / 100
    )  # which ones is not told, so that nobody fits the rules


def test_what_may_be_said_mostly_is() -> None:
    counts = count(load())
    assert counts[Outcome.RIGHT] > 8 * counts[Outcome.MISSED]


@pytest.mark.parametrize("failure", OPEN[:1])
def test_a_failure_is_explained_in_a_few_words(failure: Failure) -> None:
    assert explain(failure).startswith(f"{failure.server}: {failure.call.tool} ")
