"""What guidance adds to a correct call, compared with an empty middleware.

Two servers of a framework run in this process, and a client of each calls in turn. The result is the median of the
differences, so costs that both have cancel out.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
import time
from collections.abc import Iterator
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware
from mcp.client import Client
from mcp.server import MCPServer

from bench.table import Row
from fingerpost import fastmcp, sdk

_CALLS, _WARM_UP = 1_200, 200


def middleware() -> Iterator[Row]:
    logging.disable(logging.CRITICAL)
    for framework in ("mcp", "fastmcp"):
        for era in ("2025-11-25", "2026-07-28"):
            empty, ours = asyncio.run(_call_both(framework, era))
            added = statistics.median(more - less for less, more in zip(empty, ours, strict=True))
            ratio = statistics.median(ours) / statistics.median(empty)
            yield f"right call through {framework}, {era}: added", f"{added * 1e6:.0f} µs", "at most 30 µs"
            yield "  with guidance / with an empty middleware", f"{ratio:.2f} x", ""
    logging.disable(logging.NOTSET)


async def _call_both(framework: str, era: str) -> tuple[list[float], list[float]]:
    """Return the seconds of each call without and with guidance."""
    mode = "legacy" if era == "2025-11-25" else "auto"
    plain, guided = _server(framework, is_guided=False), _server(framework, is_guided=True)
    async with Client(plain, mode=mode) as empty, Client(guided, mode=mode) as ours:
        times: tuple[list[float], list[float]] = [], []
        for number in range(_CALLS):
            pairs = list(zip((empty, ours), times, strict=True))
            for client, spent in pairs if number % 2 else reversed(pairs):
                start = time.perf_counter()
                await client.call_tool("search", {"pattern": "User", "max": number})
                spent.append(time.perf_counter() - start)
    return times[0][_WARM_UP:], times[1][_WARM_UP:]


def _server(framework: str, *, is_guided: bool) -> Any:
    if framework == "mcp":
        middleware: Any = sdk.Guidance() if is_guided else _pass_on
        server = MCPServer[Any]("bench", middleware=[middleware])
        server.tool()(search)
        return server
    fast = FastMCP[Any]("bench")
    fast.add_middleware(fastmcp.Guidance() if is_guided else Middleware())
    fast.tool(search)
    return getattr(fast, "_mcp_server")  # noqa: B009


def search(pattern: str, max: int = 50) -> str:
    """Search the code."""
    return f"{pattern} {max}"


async def _pass_on(ctx: Any, call_next: Any) -> Any:
    return await call_next(ctx)
