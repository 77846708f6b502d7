"""The ends of pipes as sockets, for systems that can wait for sockets only (Windows).

A thread copies between the pipe and one of two connected sockets; the other socket takes the place of the descriptor.
The thread owns the pipe and closes it: to close it while another thread reads or writes would block or hit a descriptor
that is in use again.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from fingerpost.proxy.process.descriptor import CHUNK


class InputBridge:
    """The reading end of a pipe: a thread reads it and sends what it reads to our socket."""

    def __init__(self, fd: int, close: Callable[[], None]) -> None:
        self._socket, self._source = socket.socketpair()
        self._socket.setblocking(False)
        self.fd, self.read = self._socket.fileno(), self._socket.recv
        self._steps = 0
        """Counts reads and sends; odd while a chunk is being sent."""
        self._thread = threading.Thread(target=self._copy, args=(fd, close), daemon=True)
        self._thread.start()

    def _copy(self, fd: int, close: Callable[[], None]) -> None:
        with suppress(OSError):  # the pipe is broken, or our socket is closed
            while chunk := os.read(fd, CHUNK):
                self._steps += 1
                self._source.sendall(chunk)
                self._steps += 1
        self._source.close()
        close()

    def end_when_idle(self, seconds: float) -> None:
        """End our socket once nothing more comes for `seconds`, even if a process still holds the pipe open."""
        steps = -1
        while self._thread.is_alive() and (steps != self._steps or steps % 2):
            steps = self._steps
            self._thread.join(seconds)
        with suppress(OSError):  # it has ended
            self._source.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._socket.close()


class OutputBridge:
    """The writing end of a pipe: a thread receives from our socket and writes to the pipe."""

    def __init__(self, fd: int, close: Callable[[], None]) -> None:
        self._socket, self._target = socket.socketpair()
        self._socket.setblocking(False)
        self.fd, self.write = self._socket.fileno(), self._socket.send
        self._thread = threading.Thread(target=self._copy, args=(fd, close), daemon=True)
        self._thread.start()

    def _copy(self, fd: int, close: Callable[[], None]) -> None:
        with suppress(OSError):  # the reader of the pipe is gone
            while rest := self._target.recv(CHUNK):
                while rest:
                    rest = rest[os.write(fd, rest) :]
        self._target.close()
        with suppress(OSError):
            close()

    def close(self) -> None:
        """Close the pipe as soon as everything is written."""
        self._socket.close()

    def finish(self, seconds: float) -> None:
        """Close, and wait up to `seconds` until everything is written."""
        self.close()
        self._thread.join(seconds)
