"""A session's server as a process that may end and is started again, whoever it is that waits for its output."""

from __future__ import annotations

import os
import select
import stat
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from fingerpost.proxy.process.child import Child, Restarts
from fingerpost.proxy.protocol.session import Session

CHUNK = 64 * 1024
FULL = 4 * 1024 * 1024
"""Bytes that may wait for a side that does not read, before the other side is no longer read from."""


class Supervised:
    """The process behind a session. It is started when needed, and nothing of it is left behind."""

    def __init__(self, argv: Sequence[str], session: Session, *, limit: int, say: Callable[[str], None]) -> None:
        self._argv, self._session, self._limit, self._say = argv, session, limit, say
        self._restarts = Restarts()
        self.child: Child | None = None
        self.pipe: Pipe | None = None
        """Where the server is written to; none where there is none, or its input is closed."""
        self.status = 0
        """How the last one ended."""
        self.is_ending = False

    def start(self) -> None:
        """Start the server; `OSError` where that cannot be done."""
        self.child = Child(self._argv, self._limit)
        self.pipe = Pipe(self.child.stdin)

    @property
    def start_at(self) -> float | None:
        """When to look again after a server that a request waits for."""
        return self._restarts.start_at if self._session.wants_server and self.child is None else None

    def see_to(self) -> None:
        """Start the server again where a request waits for it and enough time has passed."""
        now = time.monotonic()
        if self.is_ending or self.child is not None or not self._session.wants_server:
            return
        if self._restarts.is_given_up(now):
            self._session.server_refused(f"{self._restarts.why} each time it was started")
        elif now >= self._restarts.start_at:
            try:
                self.start()
            except OSError as error:
                self._restarts.died(f"could not be started ({error.strerror})", has_served=False, now=now)
                self._session.server_refused(self._restarts.why)
            else:
                self._session.server_started()

    def pass_on(self) -> None:
        """Write what the session owes the server."""
        if self._session.to_server and self.pipe is not None:
            self.pipe.write(self._session.to_server)
            self._session.to_server.clear()
            if self.pipe.is_broken:
                self.gone("closed its input")

    def read(self) -> None:
        """Take in what the server has said; when it will say no more, it is gone."""
        if self.child is not None and not self._took(self.child):
            self.gone()

    def _took(self, child: Child) -> bool:
        """Whether there may be more to come."""
        chunk = _read(child.stdout)
        for frame in child.frames.completed_by(chunk or b""):
            self._session.from_server(frame)
        return chunk != b""

    def has_exited(self) -> bool:
        return self.child is not None and self.child.has_exited()

    def gone(self, otherwise: str = "closed its output") -> None:
        """The server has ended, or does `otherwise`: hear what it said last, and answer what it owes."""
        child = cast("Child", self.child)
        self.child = self.pipe = None
        self._hear_out(child)
        why = child.ended(otherwise)
        self._restarts.died(why, has_served=self._session.has_served, now=time.monotonic())
        self.status = child.status
        if not self.is_ending:
            self._say(f"the server {why}; it is started again for the next request")
        self._session.server_gone(why)

    def _hear_out(self, child: Child) -> None:
        while chunk := _read(child.stdout):
            for frame in child.frames.completed_by(chunk):
                self._session.from_server(frame)
        if (rest := child.frames.rest()) is not None:
            self._session.from_server(rest)

    def close_input(self) -> None:
        """Tell the server that no more will come."""
        if self.child is not None and self.pipe is not None:
            self.pipe = None
            self.child.close_input()

    def let_go(self) -> Child | None:
        """Answer all that is owed, and have no more to do with the server; it is for the caller to end it."""
        self.is_ending = True
        child, self.child, self.pipe = self.child, None, None
        self.status = 0 if child is not None else self.status
        self._session.server_gone("was stopped")
        self._session.server_refused("was stopped")
        return child


class Pipe:
    """One end to write to, without ever blocking."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.size = 0
        """Bytes that wait for room."""
        self.is_broken = False
        self._waiting: deque[memoryview] = deque()
        self._was_blocking = os.get_blocking(fd)
        if _can_fill_up(fd):
            os.set_blocking(fd, False)

    def write(self, frames: list[bytes]) -> None:
        """Write frames, now or as soon as there is room."""
        data = b"\n".join([*frames, b""])
        count = 0 if self._waiting else self._written(data)
        if count < len(data) and not self.is_broken:
            self._waiting.append(memoryview(data)[count:])
            self.size += len(data) - count

    def flush(self) -> None:
        """Write what waits, as far as there is room for it."""
        while self._waiting:
            count = self._written(self._waiting[0])
            self.size -= count
            if count < len(self._waiting[0]):
                self._waiting[0] = self._waiting[0][count:]
                break
            self._waiting.popleft()
        if self.is_broken:
            self._waiting.clear()
            self.size = 0

    def _written(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0
        except OSError:  # nobody reads there any more; what follows from that is seen where we read
            self.is_broken = True
            return 0

    def finish(self, seconds: float = 1.0) -> None:
        """Write what still waits, as far as it is read in that time; leave the descriptor as it was found."""
        until, room = time.monotonic() + seconds, select.poll()
        room.register(self.fd, select.POLLOUT)
        while self.size and (left := until - time.monotonic()) > 0:
            room.poll(left * 1000)
            self.flush()
        with suppress(OSError):
            os.set_blocking(self.fd, self._was_blocking)


def _read(fd: int) -> bytes | None:
    """What there is to read; nothing (`b""`) at the end, and none where there is nothing yet."""
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return None


def _can_fill_up(fd: int) -> bool:
    """Terminals and files are written to as they are: others may hold them too, and they do not fill up."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
