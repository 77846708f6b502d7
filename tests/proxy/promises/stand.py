"""Proxies and servers as processes, and what can be asked of a process from outside."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, ClassVar, TypeAlias, cast

from tests.support.paths import SUPPORT
from tests.support.waiting import PATIENCE

Json: TypeAlias = "dict[str, Any]"

_SERVER = SUPPORT / "misbehaving.py"
MISBEHAVING = (sys.executable, "-S", "-E", str(_SERVER))
"""The server on standard streams, as a command."""

INITIALIZE: Json = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "promises", "version": "1"}},
}
MODERN_META: Json = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Running:
    """A process of ours: its pipes, its errors, what it costs."""

    def __init__(self, command: Sequence[str], config: Json | None = None, env: dict[str, str] | None = None) -> None:
        bare = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        reply = {"MISBEHAVE": json.dumps(config)} if config else {}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env={**bare, **reply, **(env or {})}
        )
        self.pid = self.process.pid
        self.errors = b""
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._drain, daemon=True)]
        self._threads[0].start()

    def _drain(self) -> None:
        """Keep what the process says on standard error."""
        with suppress(OSError, ValueError):  # it may be closed under our hands
            while chunk := os.read(cast("IO[bytes]", self.process.stderr).fileno(), 65_536):
                with self._changed:
                    self.errors += chunk
                    self._changed.notify_all()

    def waited(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, looking again whenever the process has said something."""
        with self._changed:
            return self._changed.wait_for(is_so, seconds)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def cpu(self) -> float:
        """Seconds of processor time so far, of all threads."""
        parts = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(part.read_text().split()[0]) for part in parts) / 1e9

    def rss(self) -> float:
        """Megabytes of memory that are in use."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def tell(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def close_input(self) -> None:
        with suppress(BrokenPipeError):
            cast("IO[bytes]", self.process.stdin).close()

    def ended(self, seconds: float) -> int | None:
        """The exit code; none where it has not ended by then."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        self.close_input()
        if self.ended(PATIENCE) is None:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(2)  # what the process has started may keep the pipe open
        for stream in (self.process.stdout, self.process.stderr):
            cast("IO[bytes]", stream).close()


class _Proxy(Running, ABC):
    """A proxy in front of a server that is a command, or an address."""

    own: ClassVar[tuple[str, ...]] = ()
    """Options of its kind."""

    def __init__(
        self,
        *options: str,
        config: Json | None = None,
        server: Sequence[str] = MISBEHAVING,
        env: dict[str, str] | None = None,
    ) -> None:
        where = list(server) if server[0].startswith("http") else ["--", *server]
        super().__init__([sys.executable, "-m", "fingerpost", "proxy", *self.own, *options, *where], config, env)
        self._begin()

    @abstractmethod
    def _begin(self) -> None:
        """Wait for it to be ready, or begin to listen to it."""


class Stdio(_Proxy):
    """A proxy on standard streams. What it says is kept line by line, each with the time at which it came."""

    def _begin(self) -> None:
        self.lines: list[tuple[float, bytes]] = []
        self._threads.append(threading.Thread(target=self._read, daemon=True))
        self._threads[1].start()

    def _read(self) -> None:
        rest: list[bytes] = []
        while chunk := os.read(cast("IO[bytes]", self.process.stdout).fileno(), 1 << 18):
            *ended, last = chunk.split(b"\n")
            if ended:
                ended[0] = b"".join([*rest, ended[0]])
                rest = []
                now = time.monotonic()
                with self._changed:
                    self.lines += [(now, line) for line in ended]
                    self._changed.notify_all()
            rest.append(last)

    def send(self, *frames: bytes) -> float:
        """Send frames; the time at which the last one was on its way."""
        data = memoryview(b"\n".join([*frames, b""]))
        descriptor = cast("IO[bytes]", self.process.stdin).fileno()
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(descriptor, data) :]
        return time.monotonic()

    def taken(self, count: int, seconds: float) -> list[tuple[float, bytes]]:
        """The next lines, as many as that, or as have come when time is up."""
        self.waited(lambda: len(self.lines) >= count, seconds)
        with self._changed:
            taken, self.lines = self.lines[:count], self.lines[count:]
        return taken

    def reply_to(self, id: Any, seconds: float = PATIENCE) -> tuple[float, Json] | None:
        """The reply to a request, taken out of what was said; everything else stays."""
        found: list[tuple[float, bytes]] = []

        def is_there() -> bool:
            found[:] = [line for line in self.lines if _answers(line[1], id)]
            return bool(found)

        if not self.waited(is_there, seconds):
            return None
        with self._changed:
            self.lines.remove(found[0])
        return found[0][0], json.loads(found[0][1])

    def ask(self, id: Any, method: str, params: Json | None = None, seconds: float = PATIENCE) -> Json | None:
        """Send a request and wait for its reply."""
        self.send(request(id, method, params))
        reply = self.reply_to(id, seconds)
        return reply[1] if reply else None

    def shake_hands(self) -> None:
        self.ask("hello", **INITIALIZE)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


class Listening(_Proxy):
    """A proxy that listens on a port of its own choice."""

    own = ("--listen", "127.0.0.1:0")

    def _begin(self) -> None:
        self.waited(lambda: b"/mcp" in self.errors or not self.is_alive, PATIENCE)
        found = re.search(rb"listening on http://127\.0\.0\.1:(\d+)/mcp", self.errors)
        if found is None:
            raise ChildProcessError(self.errors.decode())
        self.port = int(found[1])

    def close(self) -> None:
        if self.is_alive:
            self.tell(signal.SIGTERM)
        super().close()


@contextmanager
def web_server(config: Json | None = None) -> Generator[str]:
    """The server by HTTP; its address."""
    running = Running([*MISBEHAVING, "http"], config)
    try:
        port = cast("IO[bytes]", running.process.stdout).readline().decode().strip()
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        running.process.kill()
        running.close()


@contextmanager
def closing(running: Any) -> Generator[Any]:
    try:
        yield running
    finally:
        running.close()


def request(id: Any, method: str, params: Json | None = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params else {})}).encode()


def call(id: Any, tool: str, arguments: Any, **meta: Any) -> bytes:
    """A call of a tool; `do` says what the server is to do about it."""
    return request(id, "tools/call", {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})})


def _answers(line: bytes, id: Any) -> bool:
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and "method" not in message and cast("Json", message).get("id") == id


def is_running(pid: int) -> bool:
    """Whether a process is there and is no mere entry in a table."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def lines_of(path: Path) -> list[str]:
    return path.read_text().split("\n")[:-1] if path.exists() else []
