"""Read the messages of an HTTP response while it passes, without holding it up."""

from __future__ import annotations

from collections.abc import Callable

from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.message import Message

_LONGEST = 1024 * 1024
"""Bytes of the longest message that is read."""


class PassingReply:
    """Calls `handle` with each message of a response, which is one body of JSON or a stream of events."""

    def __init__(self, handle: Callable[[Message], None], *, is_stream: bool) -> None:
        self._handle, self._is_stream = handle, is_stream
        self._body, self._events = b"", sse.EventSplitter(_LONGEST)
        self._is_over = False

    def push(self, chunk: bytes) -> None:
        """Read the next part of the response."""
        if self._is_over:
            return
        if not self._is_stream:
            self._body += chunk
            self._is_over = len(self._body) > _LONGEST or self._read(self._body)
            return
        try:
            for event in self._events.push(chunk):
                self._read(sse.data_of(event))
        except sse.EventTooLong:
            self._is_over = True

    def _read(self, data: bytes) -> bool:
        """Read data that may be a message; whether it is one."""
        message = messages.read_reply(data)
        if message is not None:
            self._handle(message)
        return message is not None
