"""What the proxy promises, a module for each row: measured in short by the tests and at full length by `make soak`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from . import (
    additive,
    concurrency,
    deadlines,
    death,
    drain,
    eras,
    linear,
    silence,
    slow,
    soak,
    streams,
    transparency,
)
from .findings import Broken, Findings

Run: TypeAlias = Callable[[Findings, int, int], None]


class Row(NamedTuple):
    """A promise: how it is measured, how often by the tests, and how often in full."""

    run: Run
    short: int
    full: int


ROWS: dict[str, Row] = {
    "transparency": Row(transparency.run, 400, 20_000),
    "streams": Row(streams.run, 40, 2_000),
    "additive": Row(additive.run, 400, 20_000),
    "silence": Row(silence.run, 1_500, 200_000),
    "linear": Row(linear.run, 30, 100),
    "death": Row(death.run, 10, 300),
    "deadlines": Row(deadlines.run, 1, 50),
    "slow": Row(slow.run, 60, 500),
    "concurrency": Row(concurrency.run, 300, 10_000),
    "soak": Row(soak.run, 100_000, 1_000_000),
    "drain": Row(drain.run, 20, 100),
    "eras": Row(eras.run, 1, 6),
}


def measured(row: str, count: int, seed: int, *, is_talkative: bool = False, allows_for_load: bool = False) -> Findings:
    """Measure a row; `Broken` where the promise is."""
    found = Findings(row, is_talkative=is_talkative, allows_for_load=allows_for_load)
    ROWS[row].run(found, count, seed)
    return found.end()


__all__ = ["ROWS", "Broken", "Findings", "Row", "measured"]
