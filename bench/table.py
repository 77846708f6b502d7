"""Rows of measurements, and how they are printed."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

Row = tuple[str, str, str]
"""What is measured, the result, and the goal (empty for none)."""


def print_rows(rows: Iterable[Row]) -> None:
    """Print each row as soon as it is measured."""
    for name, measured, goal in rows:
        print(f"{name:70}  {measured:>16}  {goal}".rstrip(), flush=True)


def show_spread(values: list[float], base: list[float]) -> str:
    """Write the median ratio of values measured in turns, and its least and greatest."""
    ratios = sorted(value / other for value, other in zip(values, base, strict=True))
    return f"{statistics.median(ratios):.2f} x ({ratios[0]:.2f} to {ratios[-1]:.2f})"
