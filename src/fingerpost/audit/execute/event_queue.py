"""The queue between the workers of an audit and the reader of its events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fingerpost.audit.events import Event, Note


class EventQueue:
    """Events in the order they happen, with at most one plain note per tool."""

    def __init__(self) -> None:
        self._queue = asyncio.Queue[Event | None]()
        self._tools_with_note = set[str]()

    def emit(self, event: Event) -> None:
        self._queue.put_nowait(event)

    def emit_first_note(self, note: Note) -> None:
        """Emit a note unless its tool has one already."""
        if note.tool not in self._tools_with_note:
            self._tools_with_note.add(note.tool)
            self.emit(note)

    def close(self) -> None:
        self._queue.put_nowait(None)

    async def read(self) -> AsyncIterator[Event]:
        """Yield events until the queue is closed."""
        while (event := await self._queue.get()) is not None:
            yield event
