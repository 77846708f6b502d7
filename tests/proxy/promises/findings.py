"""What a row of the table comes to: numbers that were measured, and where a promise was broken."""

from __future__ import annotations

import sys
import time

from tests.support.waiting import slowdown


class Broken(AssertionError):
    """A promise that was not kept, with examples."""


class Findings:
    """The numbers of one row. Examples of what is broken are few; how many there are is counted."""

    _SHOWN = 8
    _MOST = 100
    """So many are enough."""

    def __init__(self, row: str, *, is_talkative: bool = False, allows_for_load: bool = False) -> None:
        self.row = row
        self.numbers: dict[str, str] = {}
        self._broken: list[str] = []
        self._count = 0
        self._is_talkative, self._said = is_talkative, 0.0
        self._allows_for_load, self._slowdown, self._calibrated_at = allows_for_load, 1.0, 0.0

    def measured(self, what: str, number: str) -> None:
        self.numbers[what] = number

    def hold(self, is_so: bool, otherwise: str) -> bool:
        """Note what is broken unless it is so."""
        if not is_so:
            self._count += 1
            if len(self._broken) < self._SHOWN:
                self._broken.append(otherwise if len(otherwise) < 1_500 else f"{otherwise[:1_500]}…")
            if self._count >= self._MOST:
                self.end()
        return is_so

    def within(self, measured: float, limit: float, otherwise: str) -> bool:
        """Note what is broken unless a measurement keeps its limit.

        In the tests, which run on machines that are busy with other things, the limit grows with the load.
        """
        is_kept = measured <= limit or (self._allows_for_load and measured <= limit * self._current_slowdown())
        return self.hold(is_kept, f"{otherwise} ({measured:.2f} instead of {limit:g}, slowdown {self._slowdown:.1f})")

    def _current_slowdown(self) -> float:
        """How much slower than usual the machine is, measured at most every second."""
        if time.monotonic() - self._calibrated_at > 1:
            self._slowdown, self._calibrated_at = max(slowdown() for _ in range(2)), time.monotonic()
        return self._slowdown

    def progress(self, done: int, of: int) -> None:
        """Say now and then how far it is."""
        if self._is_talkative and time.monotonic() - self._said > 5:
            self._said = time.monotonic()
            print(f"{self.row}: {done:,} of {of:,}, {self._count} broken", file=sys.stderr, flush=True)

    @property
    def is_kept(self) -> bool:
        return not self._count

    def end(self) -> Findings:
        """Raise `Broken` where anything is."""
        if self._count:
            raise Broken("\n".join([f"{self.row}: {self._count} broken", *self._broken]))
        return self
