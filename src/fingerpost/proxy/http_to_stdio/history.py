"""The events of a session, kept for a while, so that a client can resume a stream that broke off."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import NamedTuple

_MAX_EVENTS = 1_000
_MAX_BYTES = 4 * 1024 * 1024
_ID = re.compile(rb"(\d{1,9})-(\d{1,18})")


class Event(NamedTuple):
    """A message of the server. It gets its number when it is sent, or kept for later."""

    frame: bytes
    number: int = 0


class History:
    """The last events of all streams of a session. The newest is kept whatever its size."""

    def __init__(self) -> None:
        self._events: OrderedDict[int, tuple[int, bytes]] = OrderedDict()
        """The stream and the message of each event, by its number."""
        self._size = 0
        self.last = 0
        """The number of the newest event."""

    def add(self, stream: int, frame: bytes) -> int:
        """Keep an event of a stream and return its number."""
        self.last += 1
        self._events[self.last] = stream, frame
        self._size += len(frame)
        while len(self._events) > 1 and (self._size > _MAX_BYTES or len(self._events) > _MAX_EVENTS):
            _, (_, dropped) = self._events.popitem(last=False)
            self._size -= len(dropped)
        return self.last

    def after(self, stream: int, number: int) -> list[Event]:
        """The events of a stream that follow another one, as far as they are kept."""
        return [Event(frame, at) for at, (of, frame) in self._events.items() if of == stream and at > number]


def id_of(stream: int, number: int) -> bytes:
    return b"%d-%d" % (stream, number)


def read_id(id: bytes) -> tuple[int, int] | None:
    """The stream and the number in the id of an event; none if it is not one of ours."""
    found = _ID.fullmatch(id)
    return (int(found[1]), int(found[2])) if found else None
