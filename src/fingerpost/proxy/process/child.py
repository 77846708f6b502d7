"""The server as a process of ours: started without a shell, ended with everything it has started, and how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, cast

from fingerpost.proxy.protocol.frames import Frames

_PATIENCE = 0.3
"""Seconds between one way of asking a process to end and the next, ruder one."""


class Child:
    """A running server. Its errors go where ours go, its environment is ours, and it has a process group of its own.

    `errors` is another descriptor for what it writes to standard error.
    """

    def __init__(self, argv: Sequence[str], limit: int, errors: int | None = None) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            list(argv), stdin=pipe, stdout=pipe, stderr=errors, bufsize=0, start_new_session=True
        )
        self.frames = Frames(limit)
        self.stdin = cast("IO[bytes]", self._process.stdin).fileno()
        self.stdout = cast("IO[bytes]", self._process.stdout).fileno()
        os.set_blocking(self.stdout, False)

    def has_exited(self) -> bool:
        return self._process.poll() is not None

    @property
    def status(self) -> int:
        """The exit code, as a shell would give it."""
        code = self._process.returncode or 0
        return 128 - code if code < 0 else code

    def close_input(self) -> None:
        cast("IO[bytes]", self._process.stdin).close()

    def ended(self, otherwise: str) -> str:
        """Clear up after a process that has ended; how that was, as a clause. One that has not is ended now."""
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.end()
            return otherwise
        self.clear_up()
        return _told(code)

    def end(self) -> None:
        """End the process and all that it has started."""
        end_all([self])

    def is_over_within(self, seconds: float) -> bool:
        """Whether the process ends by itself in that time."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def terminate(self) -> None:
        self._kill(signal.SIGTERM)

    def clear_up(self) -> None:
        """End by force whatever is left, and leave nothing open that was shared with it."""
        self._kill(signal.SIGKILL)
        self.is_over_within(_PATIENCE)
        self.close_input()
        cast("IO[bytes]", self._process.stdout).close()

    def _kill(self, number: int) -> None:
        """Reach the whole group: what a launcher has started outlives it otherwise."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def end_all(children: Sequence[Child]) -> None:
    """End processes and all that they have started: first by a hint, then by a request, then by force."""
    for hint in (Child.close_input, Child.terminate):
        for child in children:
            hint(child)
        until = time.monotonic() + _PATIENCE
        if all(child.is_over_within(until - time.monotonic()) for child in children):
            break
    for child in children:
        child.clear_up()


def _told(code: int) -> str:
    if code >= 0:
        return f"exited with code {code}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"


class Restarts:
    """When a server that has ended may be started again: at once if it has served, ever later if it has not."""

    MOST = 5
    COOL_DOWN = 30.0

    def __init__(self) -> None:
        self.start_at = 0.0
        self.why = ""
        self._failures = 0
        self._died_at = 0.0

    def died(self, why: str, *, has_served: bool, now: float) -> None:
        self._failures = 0 if has_served else self._failures + 1
        self.why, self._died_at = why, now
        self.start_at = now + (min(0.25 * 2 ** (self._failures - 2), 4.0) if self._failures > 1 else 0.0)

    def is_given_up(self, now: float) -> bool:
        """Whether it has failed so often in a row that trying again makes no sense for a while."""
        if self._failures < self.MOST:
            return False
        if now - self._died_at < self.COOL_DOWN:
            return True
        self._failures = self.MOST - 1
        return False
