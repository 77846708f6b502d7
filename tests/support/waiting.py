"""Wait for events instead of for a time, so that tests pass on a busy machine too."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds after which a test assumes that something will never happen."""

PIPE_SIZE = 65_536
"""Bytes that a pipe holds on Linux."""


def until(condition: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Poll until a condition is true and return its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not true within {seconds:g} s"
        time.sleep(0.01)
    return value


async def eventually(condition: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Poll until a condition is true, while other tasks of the loop run."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not true within {seconds:g} s"
        await asyncio.sleep(0.01)
    return value


def with_longer_timeouts(scenario: Callable[[float], T], first: float) -> T:
    """Run a scenario in which a timeout of the product expires.

    Everything else in the scenario has to be faster than the timeout. If the machine is too busy for that, the
    scenario fails and is run again with a timeout that is 4 and 16 times as long. A defect fails all three runs.
    """
    for seconds in (first, 4 * first):
        try:
            return scenario(seconds)
        except AssertionError as failure:
            print(f"failed with a timeout of {seconds:g} s: {failure}")
    return scenario(16 * first)


def buffered_bytes(descriptor: int) -> int:
    """How many bytes a pipe holds that were not read yet."""
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)


def is_signal_pending(pid: int, number: int) -> bool:
    """Whether a signal was sent to a process that has not received it yet. A second one would be lost until then."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd"))]
    return any(mask >> (number - 1) & 1 for mask in masks)


def cpu_seconds(work: Callable[[], object], enough: float = 0.0) -> float:
    """CPU time of this thread for some work: the least of three runs, because a busy machine only adds to it.

    A run that takes no longer than `enough` is the last one.
    """
    least = float("inf")
    for _ in range(3):
        start = time.thread_time()
        work()
        least = min(least, time.thread_time() - start)
        if least <= enough:
            break
    return least


def slowdown() -> float:
    """How many times longer than its CPU time a new process takes right now; 1 on a quiet machine."""
    start = time.monotonic()
    process = subprocess.Popen([sys.executable, "-S", "-E", "-c", "for _ in range(600_000): pass"])
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return max(1.0, (time.monotonic() - start) / (usage.ru_utime + usage.ru_stime))
