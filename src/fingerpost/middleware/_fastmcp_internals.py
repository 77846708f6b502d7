"""The parts of FastMCP that are not public. Each is verified before use. Known versions: fastmcp 4.0 to 4.1."""

from __future__ import annotations

from typing import Any

import mcp_types
from fastmcp import Context


def enclosing_context(context: Context) -> Context | None:
    """Return the context in which this one was entered, if any: FastMCP enters one for every request to a server."""
    tokens = getattr(context, "_tokens", ())
    outer = tokens[-1].old_value if tokens else None
    return outer if isinstance(outer, Context) else None


def server_info(context: Context) -> dict[str, Any]:
    """Return what results of the 2026-07-28 revision say about the server in `_meta`."""
    low_level = getattr(context.fastmcp, "_mcp_server", None)
    return {mcp_types.SERVER_INFO_META_KEY: low_level.server_info_stamp} if low_level is not None else {}
