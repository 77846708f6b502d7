"""Read from and write to pipes without blocking."""

from __future__ import annotations

import os
import select
import stat
import time
from collections import deque
from contextlib import suppress

CHUNK = 64 * 1024
FULL = 4 * 1024 * 1024
"""Bytes that may wait for a slow reader before the proxy stops reading from the other side."""


class Pipe:
    """The writing end of a pipe. Writes never block; what does not fit waits in a buffer."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.size = 0
        """Bytes waiting in the buffer."""
        self.is_broken = False
        self._buffer: deque[memoryview] = deque()
        self._was_blocking = os.get_blocking(fd)
        if _can_fill_up(fd):
            os.set_blocking(fd, False)

    def write(self, frames: list[bytes]) -> None:
        """Write frames now, or as soon as there is room."""
        data = b"\n".join([*frames, b""])
        count = 0 if self._buffer else self._try_write(data)
        if count < len(data) and not self.is_broken:
            self._buffer.append(memoryview(data)[count:])
            self.size += len(data) - count

    def flush(self) -> None:
        """Write as much of the buffer as there is room for."""
        while self._buffer:
            count = self._try_write(self._buffer[0])
            self.size -= count
            if count < len(self._buffer[0]):
                self._buffer[0] = self._buffer[0][count:]
                break
            self._buffer.popleft()
        if self.is_broken:
            self._buffer.clear()
            self.size = 0

    def _try_write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0
        except OSError:  # the reader is gone; the reading side of the proxy handles the consequences
            self.is_broken = True
            return 0

    def finish(self, seconds: float = 1.0) -> None:
        """Flush the buffer for up to `seconds`, then restore the mode of the descriptor."""
        deadline, poll = time.monotonic() + seconds, select.poll()
        poll.register(self.fd, select.POLLOUT)
        while self.size and (left := deadline - time.monotonic()) > 0:
            poll.poll(left * 1000)
            self.flush()
        with suppress(OSError):
            os.set_blocking(self.fd, self._was_blocking)


def _can_fill_up(fd: int) -> bool:
    """Whether writes can block. Terminals and files stay as they are: other processes may share them."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def read_available(fd: int) -> bytes | None:
    """Read from a non-blocking descriptor: `b""` at the end, none if there is nothing yet."""
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return None
