"""Measure the cost of the proxy over HTTP, in turns with no proxy, bare Envoy and FastMCP's proxy."""

from __future__ import annotations

import http.client
import json
import statistics
import time
from contextlib import ExitStack
from typing import Any, ClassVar

from bench.http_peers import open_ways
from bench.processes import cpu_of
from bench.proxy import RIGHT
from bench.table import Row, show_spread

_GOALS = {"fingerpost": ("at most 1.3 x", "at most 0.4 ms")}
_FEW = 4
"""Calls of FastMCP's proxy in a round: one takes tens of milliseconds."""


def over_http(rounds: int = 15, calls: int = 30) -> list[Row]:
    """Latency of single calls, and CPU per call of each proxy."""
    with ExitStack() as stack:
        ways = open_ways(stack, "fingerpost", "envoy", "fastmcp")
        posts = {name: Post(way.port) for name, way in ways.items()}
        taken, spent = ({name: list[float]() for name in ways} for _ in range(2))
        for post in posts.values():
            post.time_call()
        for _ in range(rounds):
            for name, post in posts.items():
                count = calls if name != "fastmcp" else _FEW
                before = cpu_of(ways[name].pid)
                taken[name].append(statistics.median(post.time_call() for _ in range(count)))
                spent[name].append((cpu_of(ways[name].pid) - before) / count)
    return _rows(taken, spent)


def _rows(taken: dict[str, list[float]], spent: dict[str, list[float]]) -> list[Row]:
    """One value per round each. The spread of the rounds is in brackets."""
    rows: list[Row] = [
        ("HTTP, right call, direct: p50", f"{statistics.median(taken['direct']) * 1e3:.2f} ms", ""),
        ("  CPU of the server per call", f"{statistics.median(spent['direct']) * 1e3:.2f} ms", ""),
    ]
    for name in list(taken)[1:]:
        p50, cpu = _GOALS.get(name, ("", ""))
        rows += [
            (f"HTTP through {name} / direct: p50", show_spread(taken[name], taken["direct"]), p50),
            ("  its own CPU per call", f"{statistics.median(spent[name]) * 1e3:.2f} ms", cpu),
        ]
    faster = statistics.median(taken["fastmcp"]) / statistics.median(taken["fingerpost"])
    return [*rows, ("  fastmcp / fingerpost: p50", f"{faster:.1f} x", "at least 20 x")]


class Post:
    """A client that posts 2026-07-28 calls on one connection."""

    HEADERS: ClassVar[dict[str, str]] = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "search",
    }

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)

    def time_call(self) -> float:
        body = right_call()
        start = time.perf_counter()
        self._connection.request("POST", "/mcp", body, self.HEADERS)
        answer = self._connection.getresponse().read()
        taken = time.perf_counter() - start
        assert b"User 5" in answer, answer[:500]
        return taken


def right_call() -> str:
    """The body of a call that is right."""
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**RIGHT, "_meta": meta}})
