"""Stop an audit on SIGINT or SIGTERM: the first signal cancels the audit, and its reports are still written."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, TypeVar

_MAX_SIGNALS = 5
"""This many signals also interrupt a report that blocks because nobody reads it."""
_T = TypeVar("_T")


class Signals:
    """Handlers for SIGINT and SIGTERM, installed from the start of an audit to its last report."""

    def __init__(self) -> None:
        self._received = list[int]()
        self._cancel: Callable[[], object] | None = None
        self._previous = dict[int, Any]()

    @property
    def exit_code(self) -> int:
        """128 plus the first signal, as is customary; 0 if there was none."""
        return 128 + self._received[0] if self._received else 0

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, signal.SIG_DFL if previous is None else previous)

    async def run_until_signal(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run the coroutine; the first signal cancels it, once."""
        loop, running = asyncio.get_running_loop(), asyncio.ensure_future(work)
        self._cancel = lambda: loop.call_soon_threadsafe(running.cancel)  # which also wakes the loop up
        if self._received:
            running.cancel()
        try:
            return await running
        finally:
            self._cancel = None

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self._received.append(number)
        if len(self._received) == 1 and self._cancel is not None:
            self._cancel()
        elif len(self._received) >= _MAX_SIGNALS:
            raise KeyboardInterrupt
