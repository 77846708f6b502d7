"""Receive signals on a socket, which any loop on any system can wait for."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_STOP_NAMES = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGBREAK")
STOP_SIGNALS = frozenset(int(getattr(signal, name)) for name in _STOP_NAMES if hasattr(signal, name))
"""The signals that end the proxy. Windows has SIGBREAK (Ctrl+Break) and not SIGHUP and SIGQUIT."""
_CHILD_SIGNALS = frozenset(int(getattr(signal, name)) for name in ("SIGCHLD",) if hasattr(signal, name))


@contextmanager
def catch_signals() -> Generator[socket.socket]:
    """Yield a socket on which the signals that end the proxy and SIGCHLD arrive as bytes with their number."""
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        previous = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, _ignore) for number in STOP_SIGNALS | _CHILD_SIGNALS}
        try:
            yield reader
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(previous)


@contextmanager
def call_on_signals(loop: AbstractEventLoop, handle: Callable[[bytes], None]) -> Generator[None]:
    """Call `handle` with the numbers of the same signals. Windows has no `loop.add_signal_handler`."""
    with catch_signals() as wakeup:
        fd = wakeup.fileno()
        loop.add_reader(fd, lambda: handle(wakeup.recv(512)))
        try:
            yield
        finally:
            loop.remove_reader(fd)


def _ignore(number: int, frame: object) -> None:
    """Do nothing. Python writes to the wakeup descriptor only for signals that have a handler."""
