"""A workspace: one folder whose files can be read and changed, and nothing outside of it.

`served` makes the server; `tools` has what it can do, each step of which is a module of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fingerpost.servers.tool_server import ToolServer
from fingerpost.servers.workspace.tools import Workspace

_INSTRUCTIONS = (
    "Read and change the files of one folder. Paths begin at its top. "
    "Every tool that changes something takes dry_run: true, which says what would happen."
)


def create_server(root: Path) -> ToolServer:
    """The server of one folder."""
    writing = ("write_file", "apply_patch", "move", "delete")
    write: dict[str, Any] = {**dict.fromkeys(writing, _writes), "read_content": False, "list_paths": False}
    return ToolServer("workspace", _INSTRUCTIONS, Workspace(root).tools, guidance={"shape": "envelope", "write": write})


def _writes(arguments: Mapping[str, Any]) -> bool:
    return not arguments.get("dry_run")
