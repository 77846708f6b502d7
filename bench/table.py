"""Rows of measurements, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable

Row = tuple[str, str, str]
"""What is measured, the result, and the goal (empty for none)."""


def print_rows(rows: Iterable[Row]) -> None:
    """Print each row as soon as it is measured."""
    for name, measured, goal in rows:
        print(f"{name:70}  {measured:>16}  {goal}".rstrip(), flush=True)
