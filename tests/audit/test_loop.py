"""A client that only does what errors say comes right, and nothing is done that was not asked for."""

# pyright: basic
from __future__ import annotations

import asyncio

import pytest

from bench.loop import Subject, run, subjects

pytestmark = pytest.mark.no_cover  # whose checks are many, and whose lines others reach too


@pytest.mark.parametrize("subject", list(subjects()), ids=lambda subject: subject.kind)
def test_wrong_calls_come_right_in_one_retry_and_none_does_harm(subject: Subject) -> None:
    bare = asyncio.run(run(subject, is_guided=False, rounds=1))
    guided = asyncio.run(run(subject, is_guided=True, rounds=1))
    assert guided.repairable > 15 and guided.share >= 0.95, guided.lost
    assert guided.wrong == []
    assert bare.share < 0.5
