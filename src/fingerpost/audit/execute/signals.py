"""Being told to stop: the first time ends the audit, whose reports are then written all the same."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, TypeVar

_INSISTENT = 5
"""So many signals end a report, too, that cannot be written because nobody reads it."""
_T = TypeVar("_T")


class Signals:
    """The signals that ask a process to end, from the beginning of an audit to its last report."""

    def __init__(self) -> None:
        self._told = list[int]()
        self._stop: Callable[[], object] | None = None

    @property
    def exit_code(self) -> int:
        """What is customary for a process that was told to end; 0 where it was not."""
        return 128 + self._told[0] if self._told else 0

    def __enter__(self) -> Signals:
        self._former = {number: signal.signal(number, self._heard) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, former in self._former.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)

    async def stopping(self, work: Coroutine[Any, Any, _T]) -> _T:
        """What the work comes to. It is cancelled, once, as soon as there is a signal."""
        loop, running = asyncio.get_running_loop(), asyncio.ensure_future(work)
        self._stop = lambda: loop.call_soon_threadsafe(running.cancel)  # which also wakes the loop up
        if self._told:
            running.cancel()
        try:
            return await running
        finally:
            self._stop = None

    def _heard(self, number: int, _: FrameType | None) -> None:
        self._told.append(number)
        if len(self._told) == 1 and self._stop is not None:
            self._stop()
        elif len(self._told) >= _INSISTENT:
            raise KeyboardInterrupt
