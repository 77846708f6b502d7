"""A server that searches code: ripgrep finds lines, and tree-sitter finds the definitions that they belong to."""

from __future__ import annotations

from pathlib import Path

from fingerpost.engine.policy import Policy
from fingerpost.servers.code.ripgrep import Ripgrep
from fingerpost.servers.code.tools import CodeTools
from fingerpost.servers.tool_server import ToolServer


def create_server(root: Path, *, ripgrep: Ripgrep | None = None) -> ToolServer:
    """Define the code server for one folder."""
    tools = CodeTools(root, ripgrep or Ripgrep(root))
    return ToolServer(
        "code",
        "Search a code base: search() finds definitions and lines, get_definition() reads what it found.",
        (tools.search, tools.get_definition, tools.list_files),
        {"readOnlyHint": True, "openWorldHint": False},
        {"policy": Policy(info_tool="info")},
    )
