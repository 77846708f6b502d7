"""What of a call and of a reply may stand in a report: as it came, but for secrets, hidden characters and length."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import HIDDEN, clean, is_harmless, scrub

_LONGEST_VALUE, _LONGEST_LINE, _MOST_LINES = 400, 400, 60
_DEEPEST = 12
CANARY = "audit-canary"
"""In what the audit itself puts where a secret is asked for."""
_SHORTEST_PIN = 1_000


def call_shown(call: Call) -> dict[str, Any]:
    """A call as the parameters of `tools/call`, without what is secret in it."""
    return {"name": clean(call.tool, 200), "arguments": _value(call.arguments)}


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(value: Any, key: str = "", depth: int = 0) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items() if depth < _DEEPEST else ()
        return {clean(name, 200): _value(one, f"{key}.{name}", depth + 1) for name, one in fields}
    if isinstance(value, list):
        return [_value(one, key, depth + 1) for one in cast("list[Any]", value)[:50]] if depth < _DEEPEST else []
    if _may_be_secret(value) and not is_harmless(value, key):
        return HIDDEN
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return clean(value, _LONGEST_VALUE) if isinstance(value, str) else value


def _may_be_secret(value: Any) -> bool:
    """Whether there is anything to keep in it: null, a flag, a digit and what the audit has made up are no secrets."""
    if isinstance(value, str):
        return len(value) > 1 and CANARY not in value
    return isinstance(value, int | float) and abs(value) >= _SHORTEST_PIN


def reply_shown(reply: Mapping[str, Any], limit: int = 2_000) -> str:
    """The words of a reply, line by line."""
    text = "\n".join(_line(line) for block in texts(reply) for line in block[: limit * 2].splitlines()[:_MOST_LINES])
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _line(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return " " * min(indent, 24) + scrub(line, _LONGEST_LINE, keeps_ids=True)


def texts(reply: Mapping[str, Any]) -> Iterator[str]:
    """The text blocks of a result, which is what a model gets to see."""
    for block in as_list(reply.get("content")):
        if isinstance(text := as_object(block).get("text"), str):
            yield text
