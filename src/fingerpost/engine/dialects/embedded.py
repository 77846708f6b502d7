"""Find JSON inside prose: `MCP error -32602: Invalid arguments for tool edit_file: [ {"code": …} ]`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern

_ATTEMPTS = 16
"""How many openings are tried, so that a text full of brackets stays cheap."""

_DEPTH = 4
"""How deep a list of issues may be nested: `{"error": {"details": {"issues": […]}}}`."""

_OPENING = lazy_pattern(r'\[\s*\{|\{\s*"')
_DECODER = json.JSONDecoder()
_MESSAGE_KEYS = ("error", "message", "detail", "msg")


def find_records(text: str, *keys: str) -> list[dict[str, Any]]:
    """Return the first list of objects that all have `keys`, at any level of the JSON in the text."""
    required = set(keys)
    for value in _values(text):
        for node in _nodes([value]):
            if isinstance(node, list) and node and all(_has_keys(item, required) for item in cast("list[Any]", node)):
                return cast("list[dict[str, Any]]", node)
    return []


def find_messages(text: str) -> list[str]:
    """Return the messages inside a text that is one JSON object, such as `{"error": "path is required"}`."""
    if not text.lstrip().startswith("{"):
        return []
    messages = (found for value in _values(text) for node in _nodes([value]) for found in _messages_of(node))
    return list(islice(messages, _ATTEMPTS))


def _messages_of(node: Any) -> list[str]:
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
    """Yield the values of the outer levels, outermost first."""
    for _ in range(_DEPTH):
        yield from level
        level = [child for node in level for child in _children(node)]


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return list(cast("dict[str, Any]", node).values())
    return cast("list[Any]", node) if isinstance(node, list) else []


def _has_keys(item: Any, required: set[str]) -> bool:
    return isinstance(item, dict) and required <= cast("dict[str, Any]", item).keys()
