"""Redact calls and replies for reports: secrets and hidden characters are removed, long values are cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import HIDDEN, clean, is_harmless, scrub

_LONGEST_VALUE, _LONGEST_LINE, _MOST_LINES = 400, 400, 60
_DEEPEST = 12
CANARY = "audit-canary"
"""Part of every value that the audit makes up for a secret parameter."""
_SMALLEST_SECRET_NUMBER = 1_000


def redact_call(call: Call) -> dict[str, Any]:
    """Return the params of `tools/call` without secrets."""
    return {"name": clean(call.tool, 200), "arguments": _redact_value(call.arguments)}


def _redact_value(value: Any, key: str = "", depth: int = 0) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items() if depth < _DEEPEST else ()
        return {clean(name, 200): _redact_value(one, f"{key}.{name}", depth + 1) for name, one in fields}
    if isinstance(value, list):
        items = cast("list[Any]", value)[:50] if depth < _DEEPEST else []
        return [_redact_value(one, key, depth + 1) for one in items]
    if _may_be_secret(value) and not is_harmless(value, key):
        return HIDDEN
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return clean(value, _LONGEST_VALUE) if isinstance(value, str) else value


def _may_be_secret(value: Any) -> bool:
    """Null, booleans, single characters, small numbers and the audit's own values are never secret."""
    if isinstance(value, str):
        return len(value) > 1 and CANARY not in value
    return isinstance(value, int | float) and abs(value) >= _SMALLEST_SECRET_NUMBER


def redact_reply(reply: Mapping[str, Any], limit: int = 2_000) -> str:
    """Return the text of a reply, line by line, without secrets."""
    lines = (line for block in texts(reply) for line in block[: limit * 2].splitlines()[:_MOST_LINES])
    text = "\n".join(map(_redact_line, lines))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _redact_line(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return " " * min(indent, 24) + scrub(line, _LONGEST_LINE, keeps_ids=True)


def texts(reply: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text blocks of a result: the part that a model sees."""
    for block in as_list(reply.get("content")):
        if isinstance(text := as_object(block).get("text"), str):
            yield text
