"""A small server as an author would write it, on either framework: `workbench.py sdk|fastmcp stdio|http [PORT]`."""

# pyright: basic
from __future__ import annotations

import sys
from typing import Any

from fastmcp import FastMCP
from mcp.server import MCPServer
from mcp_types import ToolAnnotations

from fingerpost import fastmcp, sdk
from fingerpost.errors import ToolOperationError, UnknownValue

UNITS = {"kilogram": "kilogram (kg)", "gram": "gram (g)", "meter": "meter (m)"}


def search(pattern: str, max: int = 50) -> list[str]:
    """Search the code."""
    return [f"{pattern} {number}" for number in range(min(max, 3))]


def weigh(value: float, unit: str) -> dict[str, Any]:
    """Weigh something."""
    if unit not in UNITS:
        raise UnknownValue(parameter="unit", got=unit, choices=UNITS)
    return {"value": value, "unit": unit}


def apply_patch(patch: str) -> str:
    """Apply a patch."""
    raise ToolOperationError("Patch failed", code="PATCH_MALFORMED", category="patch", hint="Use a unified diff")


def crash() -> str:
    """Fail in a way that nobody saw coming."""
    raise RuntimeError("canary-of-the-author")


def make(framework: str) -> Any:
    if framework == "sdk":
        server: Any = MCPServer("workbench", middleware=[sdk.Guidance()])
    else:
        server = FastMCP("workbench")
        server.add_middleware(fastmcp.Guidance())
    server.tool(annotations=ToolAnnotations(read_only_hint=True))(search)
    for tool in (weigh, apply_patch, crash):
        server.tool()(tool)
    return server


def main(framework: str, transport: str, port: str = "0") -> None:
    server = make(framework)
    quiet = {"show_banner": False} if framework == "fastmcp" else {}
    if transport == "stdio":
        server.run("stdio", **quiet)
    else:
        server.run("http" if quiet else "streamable-http", port=int(port), **quiet)


if __name__ == "__main__":
    main(*sys.argv[1:])
