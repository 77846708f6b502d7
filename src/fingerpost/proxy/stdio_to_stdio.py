"""Connect a client on our standard streams to a server in a child process, in one `poll` loop without threads.

A correct call costs one poll, one read and one write. Writes never block, so neither side can stall the other; the
proxy stops reading from one side while the other does not read. The session handles the content of messages.
"""

from __future__ import annotations

import signal
import time
from socket import socket

from fingerpost.proxy.poll import IN, OUT, make_poll
from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.descriptor import CHUNK
from fingerpost.proxy.process.pipe import FULL, Pipe, open_reader
from fingerpost.proxy.process.supervisor import Supervisor
from fingerpost.proxy.protocol.frames import FrameSplitter
from fingerpost.proxy.protocol.session import Session
from fingerpost.proxy.signals import STOP_SIGNALS, catch_signals

_EOF_GRACE = 1.2
"""Seconds for the server to answer and exit by itself after the client closes its side."""

_LONGEST_WAIT = 3600.0
"""Seconds of the longest wait, because `poll` counts milliseconds in an int."""

_DRAIN = 4.0
"""Seconds to answer calls in flight after a signal to stop."""


class StdioToStdio:
    """Runs until the client closes its side or a signal stops it; `run` returns the exit code."""

    def __init__(self, server: Supervisor, session: Session, *, limit: int, stdin: int = 0, stdout: int = 1) -> None:
        self._server, self._session = server, session
        self._input, self._client, self._frames = open_reader(stdin), Pipe(stdout), FrameSplitter(limit)
        self._reads_client = True
        self._poll = make_poll()
        self._watched: dict[int, int] = {}
        self._steady_child: Child | None = None
        """The process for which the watched descriptors are up to date and nothing is buffered."""
        self._ends_at: float | None = None
        self._stop_signal = 0

    def run(self) -> int:
        with catch_signals() as wakeup:
            self._server.start()
            self._poll.register(wakeup.fileno(), IN)
            while not self._is_over():
                self._step(wakeup)
            self._close()
        return 128 + signal.SIGINT if self._stop_signal == signal.SIGINT else self._server.status

    def _step(self, wakeup: socket) -> None:
        """Wait for events and handle them. What has arrived is passed on before anything else."""
        timeout = None if self._is_steady() else self._prepare_wait()
        for fd, _ in self._poll.poll(timeout):
            child = self._server.child
            if child is not None and fd == child.output.fd:
                self._server.read()
            elif fd == self._input.fd:
                self._read_client()
            elif fd == wakeup.fileno():
                self._handle_signals(wakeup.recv(512))
            else:
                self._flush(fd)
        self._write_pending()

    def _flush(self, fd: int) -> None:
        for pipe in (self._client, self._server.pipe):
            if pipe is not None and pipe.fd == fd:
                pipe.flush()

    def _prepare_wait(self) -> float | None:
        """Do what is due and update the watched descriptors; return how many milliseconds to wait, none for ever."""
        if (deadline := self._session.deadline()) is not None and deadline <= time.monotonic():
            self._session.tick()
        self._server.restart_if_needed()
        self._write_pending()
        self._watch_streams()
        due = [at for at in (self._session.deadline(), self._ends_at, self._server.restart_at) if at is not None]
        return min(max(0.0, min(due) - time.monotonic()), _LONGEST_WAIT) * 1000 + 1 if due else None

    def _write_pending(self) -> None:
        """Write the session's frames to both sides."""
        session = self._session
        if session.to_server:
            self._server.write_pending()
        if session.to_client:
            self._client.write(session.to_client)
            session.to_client.clear()

    def _read_client(self) -> None:
        try:
            chunk = self._input.read(CHUNK)
        except OSError:  # the terminal was closed
            chunk = b""
        for frame in self._frames.push(chunk):
            self._session.from_client(frame)
        if not chunk:
            if (rest := self._frames.take_rest()) is not None:
                self._session.from_client(rest)
            self._reads_client = False
            self._ends_at = time.monotonic() + _EOF_GRACE

    # ending

    def _is_over(self) -> bool:
        """Whether there is nothing more to wait for."""
        if self._ends_at is None or self._client.is_broken:
            return self._client.is_broken
        if self._stop_signal:
            return not self._session.in_flight or time.monotonic() >= self._ends_at
        pipe = self._server.pipe
        if not self._session.may_send_more and (pipe is None or not pipe.size):
            self._server.close_input()
        is_idle = self._server.child is None and not self._session.wants_server
        return is_idle or time.monotonic() >= self._ends_at

    def _close(self) -> None:
        """Stop the server and send the last replies."""
        child = self._server.release()
        self._client.write(self._session.to_client)
        if child is not None:
            child.stop()
        self._client.finish()

    # waiting

    def _is_steady(self) -> bool:
        """Whether both sides are read from, nothing is buffered and nothing is due, as is nearly always the case."""
        server = self._server
        if self._steady_child is not server.child or server.child is None or server.pipe is None:
            return False
        if not self._reads_client or server.pipe.size or self._client.size:
            return False
        return self._session.is_up and self._session.deadline() is None

    def _watch_streams(self) -> None:
        """Watch for input from each side whose counterpart has room, and for room where output is buffered."""
        child, pipe, client = self._server.child, self._server.pipe, self._client
        wanted = {self._input.fd: IN} if self._reads_client and (pipe is None or pipe.size < FULL) else {}
        if child is not None and client.size < FULL:
            wanted[child.output.fd] = IN
        if pipe is not None and pipe.size:
            wanted[pipe.fd] = OUT
        if client.size:
            wanted[client.fd] = OUT
        for fd in self._watched.keys() - wanted.keys():
            self._poll.unregister(fd)
        for fd, events in wanted.items():
            self._poll.register(fd, events)
        self._watched = wanted
        self._steady_child = child if pipe is not None and not pipe.size and not client.size else None

    # signals

    def _handle_signals(self, numbers: bytes) -> None:
        if self._server.has_exited():
            self._server.handle_exit()
        for number in numbers:
            if number in STOP_SIGNALS:
                self._ends_at = time.monotonic() + (0.0 if self._stop_signal else _DRAIN)
                self._stop_signal, self._reads_client = number, False
