"""The servers and peers of the benchmarks, each a program: `python -m bench.programs NAME …`."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from typing import Any, Literal

from bench.corpus import many_tools


def small(transport: str, port: str = "0") -> None:
    """Run a server with one tool on the official SDK."""
    from mcp.server import MCPServer

    logging.disable(logging.CRITICAL)
    server = MCPServer[Any]("bench")

    @server.tool()
    def search(pattern: str, max: int = 50) -> str:  # pyright: ignore[reportUnusedFunction]
        return f"{pattern} {max}"

    if transport == "stdio":
        server.run("stdio")
    else:
        _keep_default_parser()
        server.run("streamable-http", port=int(port))


def several(count: str) -> None:
    """Run a server with `count` read-only tools on the official SDK."""
    from mcp.server import MCPServer
    from mcp_types import ToolAnnotations

    logging.disable(logging.CRITICAL)
    server = MCPServer[Any]("bench")

    def find(pattern: str, folder: str, order: Literal["ascending", "descending"] = "ascending", max: int = 50) -> str:
        return f"{pattern} {folder} {order} {max}"

    for number in range(int(count)):
        server.tool(name=f"find_{number}_things", annotations=ToolAnnotations(read_only_hint=True))(find)
    server.run("stdio")


def large(count: str) -> None:
    """Run a server without an SDK that has many tools and answers every call with an error."""
    import json

    tools = many_tools(int(count))
    names = {tool["name"] for tool in tools}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" not in request:
            continue
        name = request.get("params", {}).get("name")
        result: dict[str, Any] = {"tools": tools}
        if request["method"] == "tools/call":
            text = "Input validation error" if name in names else f"Unknown tool: {name}"
            result = {"content": [{"type": "text", "text": text}], "isError": True}
        elif request["method"] == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "l", "version": "1"}}
        sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")
        sys.stdout.buffer.flush()


def pipe(*command: str) -> None:
    """Copy bytes between two processes with two threads: the least that any proxy costs."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None and process.stdout is not None

    def copy(source: int, target: int) -> None:
        while data := os.read(source, 65_536):
            os.write(target, data)

    threading.Thread(target=copy, args=(process.stdout.fileno(), 1), daemon=True).start()
    copy(0, process.stdin.fileno())
    process.stdin.close()
    process.wait()


def fast_proxy(transport: str, *target: str) -> None:
    """Run FastMCP's proxy."""
    from fastmcp.client.transports import StdioTransport
    from fastmcp.server import create_proxy

    logging.disable(logging.CRITICAL)
    if transport == "stdio":
        create_proxy(StdioTransport(target[0], list(target[1:]))).run("stdio", show_banner=False)
    else:
        _keep_default_parser()
        port, url = target
        create_proxy(url).run("http", port=int(port), path="/mcp", show_banner=False, log_level="critical")


def _keep_default_parser() -> None:
    """Let uvicorn parse with h11, as it does where only the SDK is installed; it would take httptools if it could."""
    sys.modules["httptools"] = None  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    {"small": small, "several": several, "large": large, "pipe": pipe, "fast-proxy": fast_proxy}[sys.argv[1]](
        *sys.argv[2:]
    )
