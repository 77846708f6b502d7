"""Read the calls to unknown tools in tests/data/unknown_tools.txt."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fingerpost import Call, Catalog

_FILE = Path(__file__).resolve().parents[1] / "data" / "unknown_tools.txt"
_TYPES: dict[str, Any] = {
    "s": {"type": "string"},
    "i": {"type": "integer"},
    "n": {"type": "number"},
    "b": {"type": "boolean"},
    "l": {"type": "array", "items": {"type": "string"}},
}
_HINTS: dict[str, dict[str, bool]] = {
    "R": {"readOnlyHint": True},
    "W": {"readOnlyHint": False, "destructiveHint": False},
    "D": {"readOnlyHint": False, "destructiveHint": True},
    "N": {},
}


class UnknownTool(NamedTuple):
    """A call to a tool that is not in a list, and the call to offer instead, if any."""

    list_name: str
    call: Call
    intended: Call | None


@cache
def load_unknown_tools() -> tuple[dict[str, Catalog], list[UnknownTool]]:
    """Return the lists by name, and the calls."""
    tools: dict[str, list[Any]] = {}
    calls: list[UnknownTool] = []
    name = ""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            name = line[3:]
            tools[name] = []
        elif " => " in line and not line.startswith("#"):
            sent, intended = line.rsplit(" => ", 1)
            calls.append(UnknownTool(name, _read_call(sent), None if intended == "-" else _read_call(intended)))
        elif line and not line.startswith("#"):
            tools[name].append(_read_tool(line))
    return {name: Catalog.listed(each) for name, each in tools.items()}, calls


def _read_call(text: str) -> Call:
    name, arguments = text.split(" ", 1)
    return Call(name, json.loads(arguments))


def _read_tool(line: str) -> dict[str, Any]:
    effect, rest = line.split(" ", 1)
    [(name, params, description)] = re.findall(r"(\S+?)\((.*?)\) (.*)", rest)
    pairs = [param.split(":") for param in params.split(", ") if param]
    schema = {
        "type": "object",
        "properties": {key.rstrip("?"): _TYPES[kind] for key, kind in pairs},
        "required": [key for key, _ in pairs if not key.endswith("?")],
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "inputSchema": schema, "annotations": _HINTS[effect]}
