"""The promises of the proxy in short, with a fixed seed and a fresh one; `make soak` has them at full length."""

from __future__ import annotations

import random

import pytest

from tests.proxy.promises import ROWS, Findings, measured
from tests.proxy.promises.findings import Broken

_SEEDED = ("additive", "silence")
_FIXED = 20261116


@pytest.mark.parametrize("row", ROWS)
def test_a_promise_is_kept(row: str) -> None:
    """One that is broken on a busy machine is tried once more: half of them are about time."""
    try:
        measured(row, ROWS[row].short, _FIXED)
    except Broken as broken:
        print(broken)
        measured(row, ROWS[row].short, _FIXED)


@pytest.mark.parametrize("row", _SEEDED)
def test_a_promise_is_kept_with_a_fresh_seed(row: str) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}: python -m tests.promises {row} --count {ROWS[row].short} --seed {seed}")
    measured(row, ROWS[row].short, seed)


def test_what_is_broken_is_counted_and_shown() -> None:
    found = Findings("row")
    for number in range(20):
        found.hold(number < 3, f"number {number}")
    with pytest.raises(Broken, match="17 broken\nnumber 3\n"):
        found.end()
