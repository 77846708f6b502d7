"""Split a byte stream into newline-delimited frames, in time linear in the number of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_KEPT_BYTES = 64 * 1024
"""How much of each end of an oversized frame is kept, to find the id in it."""


class OversizedFrame(NamedTuple):
    """The beginning, the end and the full size of a frame that exceeds the limit."""

    head: bytes
    tail: bytes
    size: int


class FrameSplitter:
    """Reassembles the frames of one stream. It drops the middle of a frame longer than `limit` while reading."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def push(self, chunk: bytes) -> Sequence[bytes | OversizedFrame]:
        """Add a chunk and return the frames that end in it, without their newline."""
        *lines, rest = chunk.split(b"\n")
        if not self._size and not rest and len(chunk) <= self._limit:
            return lines
        frames = [self._complete(line) for line in lines]
        if rest:
            self._append(rest)
        return frames

    def _complete(self, part: bytes) -> bytes | OversizedFrame:
        if not self._size and len(part) <= self._limit:
            return part
        self._append(part)
        return self._take()

    def take_rest(self) -> bytes | OversizedFrame | None:
        """Return what follows the last newline, once the stream has ended."""
        return self._take() if self._size else None

    def _append(self, part: bytes) -> None:
        self._size += len(part)
        self._parts.append(part)
        if self._size > self._limit:
            joined = b"".join(self._parts)
            self._parts = [joined[:_KEPT_BYTES], joined[_KEPT_BYTES:][-_KEPT_BYTES:]]

    def _take(self) -> bytes | OversizedFrame:
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        return b"".join(parts) if size <= self._limit else OversizedFrame(parts[0], parts[1], size)
