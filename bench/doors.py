"""What a right call costs more in a server that adopted guidance, beside one with an empty middleware.

Two servers of a framework stand side by side in this process, and one client of each calls in turn; what is
told is the median of the differences, so that what both pay does not count.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
import time
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware
from mcp.client import Client
from mcp.server import MCPServer

from fingerpost import fastmcp, sdk

Row = tuple[str, str, str]

_CALLS, _WARM = 3_000, 200


def doors() -> list[Row]:
    logging.disable(logging.CRITICAL)
    rows: list[Row] = []
    for framework in ("mcp", "fastmcp"):
        for era in ("2025-11-25", "2026-07-28"):
            empty, ours = asyncio.run(_measured(framework, era))
            added = statistics.median(more - less for less, more in zip(empty, ours, strict=True))
            ratio = statistics.median(ours) / statistics.median(empty)
            rows.append((f"right call through {framework}, {era}: added", f"{added * 1e6:.0f} µs", "at most 30 µs"))
            rows.append(("  with guidance / with an empty middleware", f"{ratio:.2f} x", ""))
    logging.disable(logging.NOTSET)
    return rows


async def _measured(framework: str, era: str) -> tuple[list[float], list[float]]:
    mode = "legacy" if era == "2025-11-25" else "auto"
    plain, guided = _server(framework, is_guided=False), _server(framework, is_guided=True)
    async with Client(plain, mode=mode) as empty, Client(guided, mode=mode) as ours:
        times: tuple[list[float], list[float]] = [], []
        for number in range(_CALLS):
            pairs = list(zip((empty, ours), times, strict=True))
            for client, taken in pairs if number % 2 else reversed(pairs):
                start = time.perf_counter()
                await client.call_tool("search", {"pattern": "User", "max": number})
                taken.append(time.perf_counter() - start)
    return times[0][_WARM:], times[1][_WARM:]


def _server(framework: str, *, is_guided: bool) -> Any:
    if framework == "mcp":
        middleware: Any = sdk.Guidance() if is_guided else _passing
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


async def _passing(ctx: Any, call_next: Any) -> Any:
    return await call_next(ctx)
