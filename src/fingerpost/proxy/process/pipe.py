"""Read from and write to pipes without blocking."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from fingerpost.proxy.poll import OUT, has_poll, make_poll
from fingerpost.proxy.process.bridge import InputBridge, OutputBridge
from fingerpost.proxy.process.descriptor import CHUNK, InputDescriptor, OutputDescriptor

FULL = 4 * 1024 * 1024
"""Bytes that may wait for a slow reader before the proxy stops reading from the other side."""


def _leave_open() -> None:
    """Do nothing: our standard streams stay open."""


def open_reader(fd: int, close: Callable[[], None] = _leave_open) -> InputDescriptor | InputBridge:
    """Open the reading end of a pipe. A loop waits for its `fd`."""
    return InputDescriptor(fd, close) if has_poll() else InputBridge(fd, close)


def read_available(reader: InputDescriptor | InputBridge, size: int = CHUNK) -> bytes | None:
    """Read from the output of a process: `b""` at the end, none if there is nothing yet."""
    try:
        return reader.read(size)
    except BlockingIOError:
        return None


class Pipe:
    """The writing end of a pipe. Writes never block; what does not fit waits in a buffer."""

    def __init__(self, fd: int, close: Callable[[], None] = _leave_open) -> None:
        self._end = OutputDescriptor(fd, close) if has_poll() else OutputBridge(fd, close)
        self.fd = self._end.fd
        """The descriptor to wait for."""
        self.size = 0
        """Bytes waiting in the buffer."""
        self.is_broken = False
        self._buffer: deque[memoryview] = deque()

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
            return self._end.write(data)
        except BlockingIOError:
            return 0
        except OSError:  # the reader is gone; the reading side of the proxy handles the consequences
            self.is_broken = True
            return 0

    def close(self) -> None:
        """Close the pipe; what waits in the buffer is dropped."""
        self._end.close()

    def finish(self, seconds: float = 1.0) -> None:
        """Flush the buffer for up to `seconds`, then leave the descriptor as it was."""
        deadline, poll = time.monotonic() + seconds, make_poll()
        poll.register(self.fd, OUT)
        while self.size and (left := deadline - time.monotonic()) > 0:
            poll.poll(left * 1000)
            self.flush()
        self._end.finish(max(0.0, deadline - time.monotonic()))
