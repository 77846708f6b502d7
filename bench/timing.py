"""Measure seconds per call. Functions that are compared are measured in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def interleave(*functions: Callable[[], Any], loops: int, rounds: int = 9) -> list[float]:
    """Return the median seconds of each function, measured in turns so that noise affects all of them."""
    spent: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, times in zip(functions, spent, strict=True):
            times.append(measure(function, loops))
    return [statistics.median(times) for times in spent]


def measure(function: Callable[[], Any], loops: int = 1) -> float:
    """Return the mean seconds of a call."""
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return (time.perf_counter() - start) / loops
