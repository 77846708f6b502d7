"""Facts of the MCP protocol that every integration needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fingerpost.engine.safety.json_input import as_object

INVALID_PARAMS = -32602
"""JSON-RPC's code for wrong parameters, and MCP's for a tool that is not there."""

NOT_FOUND_CODES = frozenset({INVALID_PARAMS, -32002, 0})
"""The codes by which servers say that a resource does not exist; 0 is what the SDK makes of any exception."""

PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
"""The key of `_meta` by which each request of the stateless revisions names the revision it uses."""


def stamp_result(result: dict[str, Any], server_info: Mapping[str, Any]) -> dict[str, Any]:
    """Add what results of the 2026-07-28 revision carry; servers add it themselves to theirs, but not to ours."""
    return {"resultType": "complete", **result, "_meta": {**server_info, **as_object(result.get("_meta"))}}
