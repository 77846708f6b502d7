"""Messages of a server on their way to HTTP responses: a queue for one response, and a stream of one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fingerpost.proxy.http_to_stdio.history import Event, History, id_of

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
MAX_QUEUED = 1_000
"""Messages queued for one client."""


class StreamEnded(Exception):
    """A response ends before its stream does: another one sends the rest."""


class MessageQueue:
    """Messages of the server for one HTTP response. `on_room` is called when a full queue has room again."""

    def __init__(self, on_room: Callable[[], None]) -> None:
        self._on_room = on_room
        self._queue = asyncio.Queue[Event | None]()

    @property
    def is_full(self) -> bool:
        return self._queue.qsize() >= MAX_QUEUED

    @property
    def is_empty(self) -> bool:
        return self._queue.empty()

    def put(self, event: Event) -> None:
        self._queue.put_nowait(event)

    async def get(self) -> Event:
        """The next message; `StreamEnded` if there will be none."""
        was_full = self.is_full
        event = await self._queue.get()
        if event is None:
            raise StreamEnded
        if was_full and not self.is_full:
            self._on_room()
        return event

    def close(self) -> list[Event]:
        """Take what was not read; there will be no more."""
        unread = [event for _ in range(self._queue.qsize()) if (event := self._queue.get_nowait()) is not None]
        self._queue.put_nowait(None)
        return unread


class Stream:
    """The messages about one request, for one HTTP response at a time.

    Once a client knows the id of an event, messages are kept while it is away, and it can resume the stream.
    """

    def __init__(self, number: int, history: History, id: Any = None, token: Any = None) -> None:
        self.number, self.id, self.token = number, id, token
        self.queue: MessageQueue | None = None
        """The queue of the response that sends the stream; none while there is no response."""
        self.is_resumable = False
        self.is_over = False
        """Whether the reply is there."""
        self.reply_number = 0
        """The number of the reply among the events, once it has been sent or kept."""
        self._history = history

    def attach(self, queue: MessageQueue) -> list[Event]:
        """Send the stream with another response. An earlier one ends, because its client may be gone unnoticed.

        Return what the earlier one has not sent and the history does not keep.
        """
        unsent = self.detach(self.queue) if self.queue is not None else []
        self.queue = queue
        return unsent

    def detach(self, queue: MessageQueue) -> list[Event]:
        """End the response that reads a queue; return what it has not sent and the history does not keep."""
        if queue is not self.queue:
            return []
        self.queue = None
        unsent = [event for event in queue.close() if not event.number]
        if not self.is_resumable:
            return unsent
        for event in unsent:
            self.keep(event)
        return []

    def put(self, frame: bytes, *, is_reply: bool = False) -> None:
        """Take a message of the server."""
        self.is_over = self.is_over or is_reply
        if self.queue is not None:
            self.queue.put(Event(frame))
        else:
            self.keep(Event(frame))

    def keep(self, event: Event) -> bytes:
        """Keep an event that is sent now, or cannot be sent now; return its id."""
        self.is_resumable = self.number > 0  # messages outside of requests wait for the next stream instead
        if event.number:
            return id_of(self.number, event.number)
        number = self._history.add(self.number, event.frame)
        self.reply_number = number if self.is_over else 0  # the reply is the last event
        return id_of(self.number, number)

    def prime(self) -> bytes:
        """The id of the end of the stream so far, from which a client can resume it."""
        self.is_resumable = self.number > 0
        return id_of(self.number, self._history.last)
