"""The schema of one parameter, as the audit reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fingerpost.engine.model import EMPTY_OBJECT
from fingerpost.engine.schema.excerpt import first_choice
from fingerpost.engine.tool import Tool


def parameter_schema(tool: Tool, name: str) -> Mapping[str, Any]:
    """Return the schema of a parameter, the first alternative if it has several; empty for an unknown one."""
    return first_choice(tool.schema, tool.params[name]) if name in tool.params else EMPTY_OBJECT
