"""Keep the server process of a session running: restart it on demand and answer what a crashed one owed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.guard import Guard
from fingerpost.proxy.process.pipe import Pipe, read_available
from fingerpost.proxy.protocol.frames import OversizedFrame

_STOPPED = "was stopped"


def describe_start_failure(error: OSError) -> str:
    """A clause that says why the server could not be started."""
    return f"could not be started ({error.strerror})"


class SupervisedSession(Protocol):
    """What a supervisor needs from a session."""

    to_server: list[bytes]
    """Frames to write to the server."""

    @property
    def wants_server(self) -> bool: ...
    @property
    def has_served(self) -> bool: ...
    def from_server(self, frame: bytes | OversizedFrame) -> None: ...
    def server_started(self) -> None: ...
    def server_gone(self, why: str) -> None: ...
    def server_refused(self, why: str) -> None: ...


class RestartPolicy:
    """When a server that ended may be restarted: at once if it has served, after growing pauses if it has not."""

    MAX_FAILURES = 5
    COOL_DOWN = 30.0

    def __init__(self) -> None:
        self.restart_at = 0.0
        self.why = ""
        """A clause that says how the server ended last."""
        self._failures = 0
        self._failed_at = 0.0

    def record_exit(self, why: str, *, has_served: bool, now: float) -> None:
        self._failures = 0 if has_served else self._failures + 1
        self.why, self._failed_at = why, now
        self.restart_at = now + (min(0.25 * 2 ** (self._failures - 2), 4.0) if self._failures > 1 else 0.0)

    def is_suspended(self, now: float) -> bool:
        """Whether the server failed so often in a row that it is not restarted for a while."""
        if self._failures < self.MAX_FAILURES:
            return False
        if now - self._failed_at < self.COOL_DOWN:
            return True
        self._failures = self.MAX_FAILURES - 1
        return False


class Supervisor:
    """Starts, restarts and stops the server process of one session."""

    def __init__(
        self,
        argv: Sequence[str],
        session: SupervisedSession,
        *,
        limit: int,
        notice: Callable[[str], None],
        guard: Guard | None = None,
    ) -> None:
        self._argv, self._session, self._limit, self._notice = argv, session, limit, notice
        self._guard = guard
        self._restarts = RestartPolicy()
        self.child: Child | None = None
        self.pipe: Pipe | None = None
        """The server's input; none if there is no server or its input is closed."""
        self.status = 0
        """The exit code of the last process."""
        self._is_ending = False

    def start(self) -> None:
        """Start the server; `OSError` if that fails."""
        self.child = Child(self._argv, self._limit, guard=self._guard)
        self.pipe = self.child.input

    @property
    def restart_at(self) -> float | None:
        """When to call `restart_if_needed` again, if a request waits for a server."""
        return self._restarts.restart_at if self._session.wants_server and self.child is None else None

    def restart_if_needed(self) -> None:
        """Restart the server if a request waits for it and the pause is over."""
        now = time.monotonic()
        if self._is_ending or self.child is not None or not self._session.wants_server:
            return
        if self._restarts.is_suspended(now):
            self._session.server_refused(f"{self._restarts.why} each time it was started")
        elif now >= self._restarts.restart_at:
            try:
                self.start()
            except OSError as error:
                self._restarts.record_exit(describe_start_failure(error), has_served=False, now=now)
                self._session.server_refused(self._restarts.why)
            else:
                self._session.server_started()

    def write_pending(self) -> None:
        """Write the session's frames for the server."""
        if self._session.to_server and self.pipe is not None:
            self.pipe.write(self._session.to_server)
            self._session.to_server.clear()
            if self.pipe.is_broken:
                self.handle_exit("closed its input")

    def read(self) -> None:
        """Pass what the server wrote to the session; handle the end of its output."""
        if self.child is not None and self._read_chunk(self.child) == b"":
            self.handle_exit()

    def _read_chunk(self, child: Child) -> bytes | None:
        chunk = read_available(child.output)
        for frame in child.frames.push(chunk or b""):
            self._session.from_server(frame)
        return chunk

    def has_exited(self) -> bool:
        return self.child is not None and self.child.has_exited()

    def handle_exit(self, otherwise: str = "closed its output") -> None:
        """Read the last output of a server that ended or did `otherwise`, and answer the requests it owes."""
        child = cast("Child", self.child)
        self.child = self.pipe = None
        self._read_rest(child)
        why = child.reap(otherwise)
        self._restarts.record_exit(why, has_served=self._session.has_served, now=time.monotonic())
        self.status = child.status
        if not self._is_ending:
            self._notice(f"the server {why}; it will be restarted for the next request")
        self._session.server_gone(why)

    def _read_rest(self, child: Child) -> None:
        while self._read_chunk(child):
            pass
        if (rest := child.frames.take_rest()) is not None:
            self._session.from_server(rest)

    def close_input(self) -> None:
        """Close the server's input, so that it ends by itself; it is not restarted."""
        self._is_ending = True
        if self.child is not None and self.pipe is not None:
            self.pipe = None
            self.child.close_input()

    def release(self) -> Child | None:
        """Answer everything owed and hand over the process, which the caller must stop."""
        self._is_ending = True
        child, self.child, self.pipe = self.child, None, None
        self.status = 0 if child is not None else self.status
        self._session.server_gone(_STOPPED)
        self._session.server_refused(_STOPPED)
        return child
