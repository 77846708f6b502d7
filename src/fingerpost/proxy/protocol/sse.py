"""Server-sent events. Each event keeps its original bytes, so unchanged events are passed on byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n|\Z))")
"""A line end followed by an empty line. A lone CR at the end of the input may be half of a CR LF."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
"""A stream may begin with it."""


class EventTooLong(ValueError):
    """An event exceeds the size limit."""


class EventSplitter:
    """Splits one stream into events, whatever the chunk boundaries."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._seam = b""
        """The last bytes received: a blank line may begin in them."""

    def push(self, chunk: bytes) -> Iterator[bytes]:
        """Add a chunk and yield the events that end in it, each with its blank line."""
        text, self._seam = self._seam + chunk, (self._seam + chunk)[-3:]
        self._parts.append(chunk)
        self._size += len(chunk)
        if _BLANK_LINE.search(text) is not None:
            joined, start = b"".join(self._parts), 0
            for end in _BLANK_LINE.finditer(joined):
                yield joined[start : end.end()]
                start = end.end()
            self._parts, self._size = [joined[start:]], len(joined) - start
        if self._size > self._limit:
            raise EventTooLong(f"an event of more than {self._limit:,} bytes")

    def rest(self) -> bytes:
        """Return what follows the last event, once the stream has ended.

        It is a whole event if the stream ended in a CR that might have been half of a CR LF.
        """
        return b"".join(self._parts)


def is_complete(tail: bytes) -> bool:
    """Whether a stream whose last bytes are `tail` ends between two events."""
    return not tail or tail.replace(b"\r\n", b"\n").replace(b"\r", b"\n").endswith(b"\n\n")


def end_partial_event(tail: bytes) -> bytes:
    """The bytes that turn an interrupted event at the end of a stream into one that clients ignore."""
    return b"" if is_complete(tail) else b"\nevent: interrupted\n\n"


def _lines(event: bytes) -> list[bytes]:
    return _LINE_END.split(event.removeprefix(_BOM))


def data_of(event: bytes) -> bytes:
    """The data of an event, its lines joined."""
    lines = (line for line in _lines(event) if line.startswith(b"data"))
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines if line[4:5] == b":")


def field_of(event: bytes, name: bytes) -> bytes | None:
    """The last value of a field other than `data`."""
    lines = [line for line in _lines(event) if line.startswith(name + b":")]
    return lines[-1][len(name) + 1 :].removeprefix(b" ") if lines else None


def with_data(event: bytes, data: bytes) -> bytes:
    """A copy of an event with other data, in one line."""
    others = [line for line in _lines(event) if line and not line.startswith(b"data")]
    return b"\n".join([*others, b"data: " + data, b"", b""])


def encode_message(data: bytes, id: bytes = b"") -> bytes:
    """Write a message as an event."""
    return (b"id: " + id + b"\n" if id else b"") + b"event: message\ndata: " + data + b"\n\n"


def encode_empty(id: bytes, retry: int) -> bytes:
    """Write an event without a message. It tells a client from where, and after how many milliseconds, to resume."""
    return b"id: %b\nretry: %d\ndata: \n\n" % (id, retry)
