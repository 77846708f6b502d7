"""Messages of a server that wait for one HTTP response."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
MAX_QUEUED = 1_000
"""Messages queued for one client."""


class MessageQueue:
    """Messages of the server for one HTTP response. `on_room` is called when a full queue has room again."""

    def __init__(self, on_room: Callable[[], None]) -> None:
        self._on_room = on_room
        self._queue = asyncio.Queue[bytes]()

    @property
    def is_full(self) -> bool:
        return self._queue.qsize() >= MAX_QUEUED

    def put(self, frame: bytes) -> None:
        self._queue.put_nowait(frame)

    async def get(self) -> bytes:
        was_full = self.is_full
        frame = await self._queue.get()
        if was_full and not self.is_full:
            self._on_room()
        return frame
