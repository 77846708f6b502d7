"""JSON inside prose: `MCP error -32602: Invalid arguments for tool edit_file: [ {"code": …} ]`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

_ATTEMPTS = 16
"""How many openings are tried, so that a text of nothing but brackets costs no more than a few readings of it."""

_DEPTH = 4
"""How deep a list of issues may lie: `{"error": {"details": {"issues": […]}}}`."""

_OPENING = re.compile(r'\[\s*\{|\{\s*"')
_DECODER = json.JSONDecoder()
_MESSAGE_KEYS = ("error", "message", "detail", "msg")


def records(text: str, *keys: str) -> list[dict[str, Any]]:
    """The first list of objects that all carry `keys`, wherever the JSON in the text holds it."""
    needed = set(keys)
    for value in _values(text):
        for node in _nodes([value]):
            if isinstance(node, list) and node and all(_carries(item, needed) for item in cast("list[Any]", node)):
                return cast("list[dict[str, Any]]", node)
    return []


def messages(text: str) -> list[str]:
    """What a text that is one JSON object says in words, as in `{"error": "path is required"}`."""
    if not text.lstrip().startswith("{"):
        return []
    said = (found for value in _values(text) for node in _nodes([value]) for found in _said(node))
    return list(islice(said, _ATTEMPTS))


def _said(node: Any) -> list[str]:
    values = [cast("dict[str, Any]", node).get(key) for key in _MESSAGE_KEYS] if isinstance(node, dict) else []
    return [value for value in values if isinstance(value, str)]


def _values(text: str) -> Iterator[Any]:
    at = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, at)
        if not opening:
            return
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.start() + 1
        else:
            yield value


def _nodes(level: list[Any]) -> Iterator[Any]:
    """The values on the outer levels, outermost first."""
    for _ in range(_DEPTH):
        yield from level
        level = [child for node in level for child in _children(node)]


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return list(cast("dict[str, Any]", node).values())
    return cast("list[Any]", node) if isinstance(node, list) else []


def _carries(item: Any, needed: set[str]) -> bool:
    return isinstance(item, dict) and needed <= cast("dict[str, Any]", item).keys()
