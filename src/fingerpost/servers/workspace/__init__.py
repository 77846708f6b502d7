"""A server to read and change the files of one folder, and nothing outside it.

`create_server` creates it from the tools in `tools`. A patch goes through `unified` or `freeform` (parse), `plan` and
`apply_hunks` (compute new files), and `transactions` (write them all or none).
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


def create_server(root: Path, *, allow_exec: bool = False) -> ToolServer:
    """Create the server of one folder. With `allow_exec`, patches can make files executable."""
    writing = ("write_file", "apply_patch", "move", "delete")
    write: dict[str, Any] = {**dict.fromkeys(writing, _writes), "read_content": False, "list_paths": False}
    tools = Workspace(root, allow_exec=allow_exec).tools
    return ToolServer("workspace", _INSTRUCTIONS, tools, guidance={"shape": "envelope", "write": write})


def _writes(arguments: Mapping[str, Any]) -> bool:
    return not arguments.get("dry_run")
