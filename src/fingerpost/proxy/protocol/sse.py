"""Server-sent events, each kept in the bytes it came in, so that what is not changed is passed on as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n|\Z))")
"""The end of a line and an empty line. A lone CR at the very end of what has come may be half of a CR LF."""

_LINE = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
"""What a stream may begin with."""


class TooLong(ValueError):
    """An event that is longer than is let through."""


class Events:
    """The events of one stream, out of arbitrary chunks."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._seam = b""
        """The last bytes that came: an end may have begun in them."""

    def completed_by(self, chunk: bytes) -> Iterator[bytes]:
        """The events that end in `chunk`, with the empty line that ends them."""
        text, self._seam = self._seam + chunk, (self._seam + chunk)[-3:]
        self._parts.append(chunk)
        self._size += len(chunk)
        if _END.search(text) is not None:
            whole, at = b"".join(self._parts), 0
            for end in _END.finditer(whole):
                yield whole[at : end.end()]
                at = end.end()
            self._parts, self._size = [whole[at:]], len(whole) - at
        if self._size > self._limit:
            raise TooLong(f"an event of more than {self._limit:,} bytes")

    def rest(self) -> bytes:
        """What stands behind the last event once the stream has ended: an event, if only its end could not be seen."""
        return b"".join(self._parts)


def is_ended(text: bytes) -> bool:
    """Whether nothing has begun behind the last event of a text that ends with that."""
    return not text or text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").endswith(b"\n\n")


def cut_off(text: bytes) -> bytes:
    """What makes an event that broke off one that clients pass over, behind a text that ends with that."""
    return b"" if is_ended(text) else b"\nevent: interrupted\n\n"


def _lines(event: bytes) -> list[bytes]:
    return _LINE.split(event.removeprefix(_BOM))


def data_of(event: bytes) -> bytes:
    """What an event says."""
    lines = (line for line in _lines(event) if line.startswith(b"data"))
    return b"\n".join(line[5:].removeprefix(b" ") for line in lines if line[4:5] == b":")


def field_of(event: bytes, name: bytes) -> bytes | None:
    """The last value of another field of an event."""
    found = [line for line in _lines(event) if line.startswith(name + b":")]
    return found[-1][len(name) + 1 :].removeprefix(b" ") if found else None


def with_data(event: bytes, data: bytes) -> bytes:
    """The same event saying something else, in one line."""
    kept = [line for line in _lines(event) if line and not line.startswith(b"data")]
    return b"\n".join([*kept, b"data: " + data, b"", b""])


def event(data: bytes) -> bytes:
    """A message as an event of ours."""
    return b"event: message\ndata: " + data + b"\n\n"
