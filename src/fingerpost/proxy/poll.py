"""Wait for several descriptors at once, also on systems without `select.poll` (Windows)."""

from __future__ import annotations

import select
from typing import Protocol

IN: int = getattr(select, "POLLIN", 1)
OUT: int = getattr(select, "POLLOUT", 4)


class Poll(Protocol):
    """The part of `select.poll` that the proxy uses."""

    def register(self, fd: int, eventmask: int, /) -> None: ...
    def unregister(self, fd: int, /) -> None: ...
    def poll(self, timeout: float | None = None, /) -> list[tuple[int, int]]: ...


def has_poll() -> bool:
    """Whether the system can wait for pipes. If not, it can wait for sockets only."""
    return hasattr(select, "poll")


def make_poll() -> Poll:
    return select.poll() if has_poll() else _Select()


class _Select:
    """`select.poll` on top of `select.select`. The descriptors are sockets, and there is always one."""

    def __init__(self) -> None:
        self._events: dict[int, int] = {}

    def register(self, fd: int, eventmask: int, /) -> None:
        self._events[fd] = eventmask

    def unregister(self, fd: int, /) -> None:
        del self._events[fd]

    def poll(self, timeout: float | None = None, /) -> list[tuple[int, int]]:
        """Return the descriptors that are ready within `timeout` milliseconds."""
        readers = [fd for fd, events in self._events.items() if events & IN]
        writers = [fd for fd, events in self._events.items() if events & OUT]
        seconds = None if timeout is None else timeout / 1000
        readable, writable, _ = select.select(readers, writers, [], seconds)
        return [*((fd, IN) for fd in readable), *((fd, OUT) for fd in writable)]
