"""Newline-delimited frames out of arbitrary chunks, in time that grows with the bytes and with nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_ENDS = 64 * 1024
"""How much of either end of a frame that is too long is kept, to find out whose it was."""


class Overlong(NamedTuple):
    """A frame that is longer than is let through: its two ends, and its whole size."""

    head: bytes
    tail: bytes
    size: int


class Frames:
    """Reassembles the frames of one stream; one that grows beyond `limit` is skipped as it arrives, never held."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def completed_by(self, chunk: bytes) -> Sequence[bytes | Overlong]:
        """The frames that end in `chunk`, without their newline."""
        *ended, rest = chunk.split(b"\n")
        if not self._size and not rest and len(chunk) <= self._limit:
            return ended
        whole = [self._completed(part) for part in ended]
        if rest:
            self._keep(rest)
        return whole

    def _completed(self, part: bytes) -> bytes | Overlong:
        if not self._size and len(part) <= self._limit:
            return part
        self._keep(part)
        return self._taken()

    def rest(self) -> bytes | Overlong | None:
        """What stands behind the last newline once the stream has ended."""
        return self._taken() if self._size else None

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        self._parts.append(part)
        if self._size > self._limit:
            whole = b"".join(self._parts)
            self._parts = [whole[:_ENDS], whole[_ENDS:][-_ENDS:]]

    def _taken(self) -> bytes | Overlong:
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        return b"".join(parts) if size <= self._limit else Overlong(parts[0], parts[1], size)
