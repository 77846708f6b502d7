"""A client on our standard streams and a server in a process of ours: bytes moved by one loop, without threads.

`poll`, one read, one write: nothing else happens to a call that is right. Writes never block, so neither side can
hold up the other; a side that does not read is not read from. What messages mean is the session's business.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager

from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.supervisor import CHUNK, FULL, Pipe, Supervised
from fingerpost.proxy.protocol.frames import Frames
from fingerpost.proxy.protocol.session import Session

_EOF_GRACE = 1.2
"""Seconds in which a server answers and ends by itself once the client has closed its side."""

_LONGEST_WAIT = 3600.0
"""Seconds after which to look again, whatever is due: `poll` counts milliseconds in an int."""

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
_DRAIN = 4.0
"""Seconds in which calls in flight are answered once we are told to end."""


class StdioProxy:
    """Runs until the client closes its side, or until it is told to end; `run` gives the exit code."""

    def __init__(self, server: Supervised, session: Session, *, limit: int, stdin: int = 0, stdout: int = 1) -> None:
        self._server, self._session = server, session
        self._stdin, self._client, self._frames = stdin, Pipe(stdout), Frames(limit)
        self._reads_client = True
        self._poll = select.poll()
        self._watched: dict[int, int] = {}
        self._steady_with: Child | None = None
        """The process with which everything has been as it nearly always is."""
        self._ends_at: float | None = None
        self._told = 0
        """The signal that told us to end."""

    def run(self) -> int:
        with self._signals() as wake:
            self._server.start()
            self._poll.register(wake, select.POLLIN)
            while not self._is_over():
                self._turn(wake)
            self._close()
        return 128 + signal.SIGINT if self._told == signal.SIGINT else self._server.status

    def _turn(self, wake: int) -> None:
        """Wait until something happens, and see to it. What came is handed on before anything else is thought of."""
        patience = None if self._is_steady() else self._prepared()
        for fd, _ in self._poll.poll(patience):
            child = self._server.child
            if child is not None and fd == child.stdout:
                self._server.read()
            elif fd == self._stdin:
                self._from_client()
            elif fd == wake:
                self._on_signals(os.read(wake, 512))
            else:
                for pipe in (self._client, self._server.pipe):
                    if pipe is not None and pipe.fd == fd:
                        pipe.flush()
        self._pass_on()

    def _prepared(self) -> float | None:
        """Do what time asks for, and listen to whoever can be served; for how many milliseconds, if not for ever."""
        if (deadline := self._session.deadline()) is not None and deadline <= time.monotonic():
            self._session.tick()
        self._server.see_to()
        self._pass_on()
        self._watch_streams()
        due = [at for at in (self._session.deadline(), self._ends_at, self._server.start_at) if at is not None]
        return min(max(0.0, min(due) - time.monotonic()), _LONGEST_WAIT) * 1000 + 1 if due else None

    def _pass_on(self) -> None:
        """Write what the session owes either side."""
        session = self._session
        if session.to_server:
            self._server.pass_on()
        if session.to_client:
            self._client.write(session.to_client)
            session.to_client.clear()

    def _from_client(self) -> None:
        try:
            chunk = os.read(self._stdin, CHUNK)
        except OSError:  # a terminal that is gone
            chunk = b""
        for frame in self._frames.completed_by(chunk):
            self._session.from_client(frame)
        if not chunk:
            if (rest := self._frames.rest()) is not None:
                self._session.from_client(rest)
            self._reads_client = False
            self._ends_at = time.monotonic() + _EOF_GRACE

    # ending

    def _is_over(self) -> bool:
        """Whether there is nothing more to wait for."""
        if self._ends_at is None or self._client.is_broken:
            return self._client.is_broken
        if self._told:
            return not self._session.in_flight or time.monotonic() >= self._ends_at
        pipe = self._server.pipe
        if not self._session.may_send_more and (pipe is None or not pipe.size):
            self._server.is_ending = True
            self._server.close_input()
        is_idle = self._server.child is None and not self._session.wants_server
        return is_idle or time.monotonic() >= self._ends_at

    def _close(self) -> None:
        """End the server, answer what is still owed, and leave."""
        child = self._server.let_go()
        self._client.write(self._session.to_client)
        if child is not None:
            child.end()
        self._client.finish()

    # waiting

    def _is_steady(self) -> bool:
        """Whether all is as it nearly always is: both sides are read from, nothing waits, and nothing becomes due."""
        server = self._server
        if self._steady_with is not server.child or server.child is None or server.pipe is None:
            return False
        if not self._reads_client or server.pipe.size or self._client.size:
            return False
        return self._session.is_up and self._session.deadline() is None

    def _watch_streams(self) -> None:
        """Listen to whoever can be served, and to whoever has room again."""
        child, pipe, client = self._server.child, self._server.pipe, self._client
        wanted = {self._stdin: select.POLLIN} if self._reads_client and (pipe is None or pipe.size < FULL) else {}
        if child is not None and client.size < FULL:
            wanted[child.stdout] = select.POLLIN
        if pipe is not None and pipe.size:
            wanted[pipe.fd] = select.POLLOUT
        if client.size:
            wanted[client.fd] = select.POLLOUT
        for fd in self._watched.keys() - wanted.keys():
            self._poll.unregister(fd)
        for fd, events in wanted.items():
            self._poll.register(fd, events)
        self._watched = wanted
        self._steady_with = child if pipe is not None and not pipe.size and not client.size else None

    # signals

    @contextmanager
    def _signals(self) -> Generator[int]:
        """The descriptor that tells of signals, each by its number."""
        wake, told = os.pipe()
        os.set_blocking(told, False)
        before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        numbers = (*_ENDING, signal.SIGCHLD)
        handlers = {number: signal.signal(number, _noted) for number in numbers}
        try:
            yield wake
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before)
            os.close(wake)
            os.close(told)

    def _on_signals(self, numbers: bytes) -> None:
        if self._server.has_exited():
            self._server.gone()
        for number in numbers:
            if number in _ENDING:
                self._ends_at = time.monotonic() + (0.0 if self._told else _DRAIN)
                self._told, self._reads_client = number, False


def _noted(number: int, frame: object) -> None:
    """A signal is seen by its byte on the wakeup descriptor; without a handler there would be none."""
