"""The stdio proxy as a process, and the client's side of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.paths import SUPPORT
from tests.support.waiting import PATIENCE

SAYSO = [sys.executable, "-S", str(SUPPORT / "sayso.py")]
PROXY = [sys.executable, "-m", "fingerpost", "proxy"]


class Proxy:
    """A proxy process, and the client's side of it."""

    def __init__(self, *words: str, env: dict[str, str] | None = None, command: Sequence[str] = PROXY) -> None:
        self.process = subprocess.Popen(
            [*command, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def next(self) -> Any:
        line = self.stdout.readline()
        assert line, "closed"
        return json.loads(line)

    def initialize(self) -> None:
        self.send({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}})
        assert "result" in self.next()
        self.send({"method": "notifications/initialized"})

    def call(self, name: str, id: Any = 1, **arguments: Any) -> Any:
        self.send({"id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        return self.next()

    def begin_call(self, name: str, id: Any = 4) -> None:
        """Send a call and wait until the server works on it, which it shows by its progress."""
        params: dict[str, Any] = {"name": name, "arguments": {}, "_meta": {"progressToken": "begun"}}
        self.send({"id": id, "method": "tools/call", "params": params})
        assert self.next()["method"] == "notifications/progress"

    def pid(self) -> int:
        return int(text(self.call("pid")))

    def close(self) -> None:
        """Close every stream, and wait for the end of the proxy; kill it if it does not end."""
        with suppress(BrokenPipeError):
            self.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.process.kill()
        self.process.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            with suppress(BrokenPipeError):
                stream.close()

    def end(self, seconds: float = PATIENCE) -> tuple[int, str]:
        """Close the client's side; the exit code and the standard error."""
        self.stdin.close()
        return self.process.wait(seconds), self.stderr.read().decode()


def text(reply: Any) -> str:
    return reply["result"]["content"][0]["text"]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def assert_neither_side_stalls(proxy: Proxy) -> None:
    """Send more than pipes and sockets hold, in both directions at once; nothing is read until all is written."""
    proxy.pid()
    for id in range(30):
        proxy.send({"id": id, "method": "mirror", "params": {"large": "x" * 300_000}})
    assert [proxy.next()["id"] for _ in range(30)] == list(range(30))
