"""The ends of pipes as descriptors that do not block, for systems with `select.poll`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import partial

CHUNK = 64 * 1024


class InputDescriptor:
    """The reading end of a pipe. It may be blocking, if another process shares it: read it only when it is ready."""

    def __init__(self, fd: int, close: Callable[[], None]) -> None:
        self.fd, self.close = fd, close
        self.read = partial(os.read, fd)
        """Reads what is there, up to a number of bytes: `b""` at the end, `BlockingIOError` if there is nothing yet."""


class OutputDescriptor:
    """The writing end of a pipe."""

    def __init__(self, fd: int, close: Callable[[], None]) -> None:
        self.fd, self.close = fd, close
        self.write = partial(os.write, fd)
        """Writes as much as there is room for; raises `OSError`, which may be `BlockingIOError`."""
        self._was_blocking = os.get_blocking(fd)
        if _can_fill_up(fd):
            os.set_blocking(fd, False)

    def finish(self, seconds: float) -> None:
        """Restore the mode of the descriptor."""
        with suppress(OSError):
            os.set_blocking(self.fd, self._was_blocking)


def _can_fill_up(fd: int) -> bool:
    """Whether writes can block. Terminals and files stay as they are: other processes may share them."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
