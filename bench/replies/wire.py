"""Clients that write JSON-RPC by hand and keep the replies as they came: over pipes, and by HTTP."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Environment: TypeAlias = "dict[str, str] | None"

VERSIONS = ("2025-11-25", "2026-07-28")
_PATIENCE = 30.0
_CLIENT = {"name": "recorder", "version": "1"}
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Client(ABC):
    """One connection, in one version of the protocol."""

    def __init__(self, version: str) -> None:
        self.version, self.is_modern = version, version == VERSIONS[1]

    def greet(self) -> list[str]:
        """The replies to the handshake; `server/discover` in the version that has none."""
        if self.is_modern:
            return self.ask("server/discover", {})
        replies = self.ask("initialize", {"protocolVersion": self.version, "capabilities": {}, "clientInfo": _CLIENT})
        self.exchange({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return replies

    def ask(self, method: str, params: dict[str, Any]) -> list[str]:
        """All that comes back for a request, in the text it comes in."""
        sent = {**params, "_meta": self._meta()} if self.is_modern else params
        return self.exchange({"jsonrpc": "2.0", "id": 7, "method": method, "params": sent})

    def _meta(self) -> dict[str, Any]:
        prefix = "io.modelcontextprotocol/"
        return {
            f"{prefix}protocolVersion": self.version,
            f"{prefix}clientInfo": _CLIENT,
            f"{prefix}clientCapabilities": {},
        }

    @abstractmethod
    def exchange(self, frame: dict[str, Any]) -> list[str]: ...


class PipeClient(Client):
    """The standard input and output of a process."""

    def __init__(self, process: subprocess.Popen[str], version: str) -> None:
        super().__init__(version)
        self._process, self._lines = process, queue.Queue[str]()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))

    def exchange(self, frame: dict[str, Any]) -> list[str]:
        self._send(frame)
        replies: list[str] = []
        while "id" in frame:
            replies.append(line := self._next_line(frame))
            message = json.loads(line)
            if "method" not in message and message.get("id") == frame["id"]:
                break
            if "id" in message and "method" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Not here"}})
        return replies

    def _next_line(self, frame: dict[str, Any]) -> str:
        try:
            return self._lines.get(timeout=_PATIENCE)
        except queue.Empty:
            raise TimeoutError(f"no reply to {frame}") from None

    def _send(self, frame: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(frame) + "\n")
        self._process.stdin.flush()


class HttpClient(Client):
    """Streamable HTTP on one connection; the status and the type of a response are its first line."""

    def __init__(self, url: str, version: str) -> None:
        super().__init__(version)
        at = urlsplit(url)
        self._path, self._session = at.path, ""
        self._connection = HTTPConnection(str(at.hostname), at.port, timeout=_PATIENCE)

    def exchange(self, frame: dict[str, Any]) -> list[str]:
        self._connection.request("POST", self._path, json.dumps(frame), self._headers(frame))
        response = self._connection.getresponse()
        body = response.read().decode()
        self._session = response.headers.get("Mcp-Session-Id") or self._session
        media = str(response.headers.get("Content-Type"))
        events = [line[5:].strip() for line in body.splitlines() if line.startswith("data:")]
        return [f"{response.status} {media}", *(events if media.startswith("text/event-stream") else [body])]

    def _headers(self, frame: dict[str, Any]) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        if self._session or self.is_modern:
            headers["Mcp-Protocol-Version"] = self.version
        if self.is_modern:
            headers["Mcp-Method"] = frame["method"]
        if self.is_modern and frame["method"] in _NAMES:
            headers["Mcp-Name"] = _encode(str(frame["params"].get(_NAMES[frame["method"]], "")))
        return headers


def _encode(value: str) -> str:
    is_plain = value.isascii() and value.isprintable() and value == value.strip()
    return value if is_plain else f"=?base64?{b64encode(value.encode()).decode()}?="


@contextmanager
def open_pipe(command: Sequence[str], version: str, environment: Environment = None) -> Generator[PipeClient]:
    """A client of a program that is started for it, and ended after it."""
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, env=environment, text=True) as process:
        try:
            yield PipeClient(process, version)
        finally:
            process.terminate()


@contextmanager
def open_http(command: Sequence[str], version: str, environment: Environment = None) -> Generator[HttpClient]:
    """A client of a program that listens, and prints its address as the last word of its first line of errors."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True) as process:
        try:
            assert process.stderr
            url = process.stderr.readline().split()[-1]
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield HttpClient(url, version)
        finally:
            process.terminate()
