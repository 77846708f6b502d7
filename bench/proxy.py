"""Measure the cost of the proxy against no proxy, a plain byte pipe and FastMCP's proxy, in turns on one server."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar, NamedTuple

from bench.corpus import many_tools

Row = tuple[str, str, str]

_PYTHON = sys.executable
_SERVER = [_PYTHON, "-m", "bench.programs", "small", "stdio"]
_WAYS = {
    "direct": [],
    "byte pipe": [_PYTHON, "-m", "bench.programs", "pipe"],
    "fingerpost": [_PYTHON, "-m", "fingerpost", "proxy", "--"],
    "fastmcp": [_PYTHON, "-m", "bench.programs", "fast-proxy", "stdio"],
}
_RIGHT = {"name": "search", "arguments": {"pattern": "User", "max": 5}}
_ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def proxy() -> list[Row]:
    return [*over_stdio(), *over_http(), *guided_errors(), *cold_start(), *heavy_imports()]


class Client:
    """A client that only writes and reads frames."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, env=_ENV
        )
        self._rest, self._count = b"", 0

    def introduce(self) -> None:
        info = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
        self._write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.ask("tools/list", {})

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        self.send(method, params)
        return self.line()

    def send(self, method: str, params: dict[str, Any]) -> None:
        self._count += 1
        message = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self._write(json.dumps(message).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def line(self) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self._rest:
            self._rest += os.read(self.process.stdout.fileno(), 1 << 20)
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    def cpu(self) -> float:
        """CPU seconds of the process, without its children."""
        return cpu_of(self.process.pid)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def cpu_of(pid: int) -> float:
    """CPU seconds of a process, without its children."""
    tasks = f"/proc/{pid}/task"
    return sum(int(_text(f"{tasks}/{task}/schedstat").split()[0]) for task in os.listdir(tasks)) / 1e9


def _text(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.read()


def over_stdio(rounds: int = 30, calls: int = 60) -> list[Row]:
    """Latency of single calls, CPU per call, and throughput with 32 calls in flight."""
    with ExitStack() as stack:
        clients = {way: Client([*command, *_SERVER]) for way, command in _WAYS.items()}
        for client in clients.values():
            stack.callback(client.close)
            client.introduce()
        taken, spent, rate = ({way: list[float]() for way in clients} for _ in range(3))
        for _ in range(rounds):
            for way, client in clients.items():
                before = client.cpu()
                taken[way].append(statistics.median(_time_call(client, _RIGHT) for _ in range(calls)))
                spent[way].append((client.cpu() - before) / calls)
        for _ in range(8):
            for way, client in clients.items():
                rate[way].append(_throughput(client))
    return _stdio_rows(taken, spent, rate)


def _throughput(client: Client, calls: int = 300) -> float:
    start, sent = time.perf_counter(), 0
    for answered in range(calls):
        while sent < calls and sent - answered < 32:
            client.send("tools/call", _RIGHT)
            sent += 1
        client.line()
    return calls / (time.perf_counter() - start)


def _stdio_rows(
    taken: dict[str, list[float]], spent: dict[str, list[float]], rate: dict[str, list[float]]
) -> list[Row]:
    """One value per round each. The spread of the rounds is in brackets."""
    rows: list[Row] = [("stdio, right call, direct: p50", f"{statistics.median(taken['direct']) * 1e3:.2f} ms", "")]
    for way, p50, more, share in (
        ("byte pipe", "", "", ""),
        ("fingerpost", "at most 1.1 x", "at most 1.3 x", "at least 0.85"),
        ("fastmcp", "", "", ""),
    ):
        through = statistics.median(rate[way]) / statistics.median(rate["direct"])
        rows += [
            (f"stdio through {way} / direct: p50", show_spread(taken[way], taken["direct"]), p50),
            ("  its own CPU per call", f"{statistics.median(spent[way]) * 1e3:.3f} ms", ""),
            ("  its CPU per call / that of the byte pipe", show_spread(spent[way], spent["byte pipe"]), more),
            ("  throughput at 32 in flight", f"{through:.2f}", share),
        ]
    return rows


def show_spread(values: list[float], base: list[float]) -> str:
    """Write the median ratio of values measured in turns, and its least and greatest."""
    ratios = sorted(value / other for value, other in zip(values, base, strict=True))
    return f"{statistics.median(ratios):.2f} x ({ratios[0]:.2f} to {ratios[-1]:.2f})"


# HTTP


def over_http(rounds: int = 15, calls: int = 30) -> list[Row]:
    with ExitStack() as stack:
        port = _free_port()
        stack.enter_context(_running([_PYTHON, "-m", "bench.programs", "small", "http", str(port)], port))
        url = f"http://127.0.0.1:{port}/mcp"
        ours = stack.enter_context(_listening(["proxy", "--listen", "127.0.0.1:0", url]))
        theirs = _free_port()
        stack.enter_context(_running([_PYTHON, "-m", "bench.programs", "fast-proxy", "http", str(theirs), url], theirs))
        posts = {"direct": Post(port), "fingerpost": Post(ours.port), "fastmcp": Post(theirs)}
        taken, spent = {way: list[float]() for way in posts}, list[float]()
        for post in posts.values():
            post.time_call()
        for _ in range(rounds):
            for way, post in posts.items():
                count = calls if way != "fastmcp" else 4
                before = cpu_of(ours.process.pid)
                taken[way].append(statistics.median(post.time_call() for _ in range(count)))
                if way == "fingerpost":
                    spent.append((cpu_of(ours.process.pid) - before) / count)
    own, fast = statistics.median(taken["fingerpost"]), statistics.median(taken["fastmcp"])
    return [
        ("HTTP, right call, direct: p50", f"{statistics.median(taken['direct']) * 1e3:.2f} ms", ""),
        ("HTTP through fingerpost / direct: p50", show_spread(taken["fingerpost"], taken["direct"]), "at most 1.3 x"),
        ("  its own CPU per call", f"{statistics.median(spent) * 1e3:.2f} ms", "at most 0.4 ms"),
        ("HTTP through fastmcp / direct: p50", show_spread(taken["fastmcp"], taken["direct"]), ""),
        ("  fastmcp / fingerpost", f"{fast / own:.1f} x", "at least 20 x"),
    ]


class Post:
    """A client that posts 2026-07-28 calls on one connection."""

    _META: ClassVar[dict[str, Any]] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    _HEADERS: ClassVar[dict[str, str]] = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "search",
    }

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)

    def time_call(self) -> float:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**_RIGHT, "_meta": self._META}}
        start = time.perf_counter()
        self._connection.request("POST", "/mcp", json.dumps(message), self._HEADERS)
        answer = self._connection.getresponse().read()
        taken = time.perf_counter() - start
        assert b"User 5" in answer, answer[:500]
        return taken


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def _running(command: list[str], port: int) -> Generator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_ENV)
    try:
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(10)


class Listening(NamedTuple):
    """The proxy, listening on a port."""

    process: subprocess.Popen[str]
    port: int


@contextmanager
def _listening(words: list[str]) -> Generator[Listening]:
    process = subprocess.Popen([_PYTHON, "-m", "fingerpost", *words], stderr=subprocess.PIPE, text=True, env=_ENV)
    try:
        assert process.stderr is not None
        found = re.search(r":(\d+)/mcp", process.stderr.readline())
        assert found is not None
        yield Listening(process, int(found[1]))
    finally:
        process.terminate()
        process.communicate(timeout=10)


# errors, beginnings, sizes


def guided_errors(count: int = 5_000, sampled: int = 40) -> list[Row]:
    """The time that guidance adds to an error of a server with many tools."""
    server = [_PYTHON, "-m", "bench.programs", "large", str(count)]
    raw, guided = Client(server), Client([*_WAYS["fingerpost"], *server])
    added: dict[str, list[float]] = {"one slip": [], "nothing right": [], "an unknown tool": []}
    with ExitStack() as stack:
        for client in (raw, guided):
            stack.callback(client.close)
            client.introduce()
        tools = [tool for tool in many_tools(count) if tool["inputSchema"]["required"]]
        for number, tool in enumerate(tools[:: len(tools) // sampled]):
            for kind, call in _mistakes(tool, number):
                times = [_time_call(client, call) for client in (raw, guided)]
                added[kind].append(times[1] - times[0])
    goals = {"one slip": "at most 1 ms", "nothing right": "", "an unknown tool": "at most 3 ms"}
    return [
        (f"guided error, {kind}, {count:,} tools: added", f"{statistics.median(times) * 1e3:.2f} ms", goals[kind])
        for kind, times in added.items()
    ]


def _mistakes(tool: dict[str, Any], number: int) -> Generator[tuple[str, dict[str, Any]]]:
    """Calls of a tool with one mistake each, then two that are further off."""
    name, schema = tool["name"], tool["inputSchema"]
    right = {key: _EXAMPLES[schema["properties"].get(key, {}).get("type", "string")] for key in schema["required"]}
    key = next(iter(right))
    rest = {other: value for other, value in right.items() if other != key}
    yield "one slip", {"name": name, "arguments": rest}
    yield "one slip", {"name": name, "arguments": {f"{key}{key[-1]}": right[key], **rest}}
    yield "one slip", {"name": name, "arguments": {key: [number], **rest}}
    yield "one slip", {"name": name, "arguments": {**right, f"x{number}": 1}}
    yield "nothing right", {"name": name, "arguments": {f"x{number}": 1}}
    yield "an unknown tool", {"name": name[:4] + name[5:], "arguments": {"n": number}}


_EXAMPLES: dict[str, Any] = {"string": "a", "integer": 1, "number": 1.5, "boolean": True, "array": ["a"], "object": {}}


def _time_call(client: Client, call: dict[str, Any]) -> float:
    start = time.perf_counter()
    client.ask("tools/call", call)
    return time.perf_counter() - start


def cold_start(runs: int = 7) -> list[Row]:
    """Time from start to the first tool list, and the memory of the proxy after 150 calls."""
    started: dict[str, list[float]] = {"direct": [], "fingerpost": []}
    sizes: list[float] = []
    for _ in range(runs):
        for way, times in started.items():
            start = time.perf_counter()
            client = Client([*_WAYS[way], *_SERVER])
            client.introduce()
            times.append(time.perf_counter() - start)
            if way == "fingerpost":
                for _ in range(150):
                    client.ask("tools/call", _RIGHT)
                sizes.append(_resident(client.process.pid))
            client.close()
    added = statistics.median(started["fingerpost"]) - statistics.median(started["direct"])
    return [
        ("cold start to the first list, added", f"{added:.2f} s", "at most 0.25 s"),
        ("  resident memory of the proxy", f"{statistics.median(sizes):.0f} MB", "at most 45 MB"),
    ]


def _resident(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", _text(f"/proc/{pid}/status"))
    return int(found[1]) / 1024 if found else 0.0


def heavy_imports() -> list[Row]:
    probe = (
        "import sys, fingerpost.cli.main, fingerpost.proxy.stdio_to_stdio, fingerpost.proxy.http_to_http;"
        "print(','.join(m for m in ('mcp', 'mcp_types', 'pydantic', 'anyio') if m in sys.modules))"
    )
    heavy = subprocess.check_output([_PYTHON, "-c", probe], text=True, env=_ENV).strip()
    return [("heavy modules that the proxy pulls in", heavy or "none", "neither mcp nor pydantic")]


if __name__ == "__main__":
    for name, measured, goal in proxy():
        print(f"{name:62}  {measured:>12}  {goal}")
