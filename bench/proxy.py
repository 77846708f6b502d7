"""Measure the cost of the proxy over stdio, in turns with no proxy, a byte pipe and FastMCP's proxy."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

from bench.corpus import many_tools
from bench.processes import ENV, cpu_of, resident
from bench.table import Row, show_spread

_PYTHON = sys.executable
_SERVER = [_PYTHON, "-m", "bench.programs", "small", "stdio"]
_WAYS = {
    "direct": [],
    "byte pipe": [_PYTHON, "-m", "bench.programs", "pipe"],
    "fingerpost": [_PYTHON, "-m", "fingerpost", "proxy", "--"],
    "fastmcp": [_PYTHON, "-m", "bench.programs", "fast-proxy", "stdio"],
}
RIGHT = {"name": "search", "arguments": {"pattern": "User", "max": 5}}


class Client:
    """A client that only writes and reads frames."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, env=ENV
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
                taken[way].append(statistics.median(_time_call(client, RIGHT) for _ in range(calls)))
                spent[way].append((client.cpu() - before) / calls)
        for _ in range(8):
            for way, client in clients.items():
                rate[way].append(_throughput(client))
    return _stdio_rows(taken, spent, rate)


def _throughput(client: Client, calls: int = 300) -> float:
    start, sent = time.perf_counter(), 0
    for answered in range(calls):
        while sent < calls and sent - answered < 32:
            client.send("tools/call", RIGHT)
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
    goals = {"one slip": "at most 0.8 ms", "nothing right": "", "an unknown tool": "at most 2.5 ms"}
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
                    client.ask("tools/call", RIGHT)
                sizes.append(resident(client.process.pid))
            client.close()
    added = statistics.median(started["fingerpost"]) - statistics.median(started["direct"])
    return [
        ("cold start to the first list, added", f"{added:.2f} s", "at most 0.15 s"),
        ("  resident memory of the proxy", f"{statistics.median(sizes):.0f} MB", "at most 30 MB"),
    ]


def heavy_imports() -> list[Row]:
    probe = (
        "import sys, fingerpost.cli.main, fingerpost.proxy.stdio_to_stdio, fingerpost.proxy.http_to_http.app;"
        "print(','.join(m for m in ('mcp', 'mcp_types', 'pydantic', 'anyio') if m in sys.modules))"
    )
    heavy = subprocess.check_output([_PYTHON, "-c", probe], text=True, env=ENV).strip()
    return [("heavy modules that the proxy pulls in", heavy or "none", "neither mcp nor pydantic")]
