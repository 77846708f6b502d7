"""Trim the structure of an envelope until it fits beside the text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from fingerpost.engine.safety.redact import clean

LARGEST = 2048
"""The most bytes that are added to one reply, text and structure together."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_OVERHEAD = 80
"""The bytes that the largest of the three shapes needs for its own keys."""

_EXPENDABLE: tuple[tuple[str, ...], ...] = (
    ("debug",), ("trace",), ("schema_hint", "parameters"), ("schema_hint", "example"), ("schema_hint", "types"),
    ("schema_hint",), ("suggestions", "available_categories"), ("suggestions", "available_tools"),
    ("suggestions", "similar_tools"), ("hints",), ("details", "expected"), ("problems",), ("next_steps", "fix"),
    ("hint",), ("suggestions", "likely_fix"), ("suggestions", "alternatives"), ("details", "received_value"),
    ("possible_calls",), ("corrected_call",), ("suggestions",), ("tips",), ("warnings",),
    ("next_steps", "refine_search"), ("next_steps", "retry_failed"), ("corrections",), ("next_steps", "get_more"),
    ("details",), ("documentation_url",), ("routing_hint",), ("next_steps",),
)  # fmt: skip
"""What is removed first if the structure is too large: what can be requested, then what the text contains too."""


def fit_structure(
    structured: dict[str, Any], text: str, smaller_call: Callable[[], Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Remove whole fields until the structure fits beside `text`; the result is the same for every shape.

    `smaller_call` makes a smaller corrected call, which is tried before there is none.
    """
    holder: dict[str, Any] = structured.get("error", structured)
    repeated = _size(holder.get("message", ""))  # one of the shapes contains the message twice
    room = LARGEST - len(text.encode("utf-8", "replace")) - _OVERHEAD - repeated
    for *outer, name in _EXPENDABLE:
        if _size(structured) <= room:
            break
        if name == "corrected_call" and name in holder and smaller_call:
            holder[name] = min(holder[name], smaller_call(), key=_size)
            if _size(structured) <= room:
                break
        if name == "problems":
            _drop_problems(holder, structured, room)
        elif not outer and name in ("suggestions", "next_steps") and name in holder:
            holder[name] = {}
        else:
            (holder.get(outer[0], {}) if outer else holder).pop(name, None)
            if not outer:
                structured.pop(name, None)  # warnings and corrections are beside an error
    if _size(structured) > room and "message" in holder:
        holder["message"] = clean(holder["message"], 100)
    return structured


def _drop_problems(holder: dict[str, Any], structured: dict[str, Any], room: int) -> None:
    """Remove problems until the structure fits, and count them."""
    problems: list[Any] = holder.get("problems", [])
    while problems and _size(structured) > room:
        problems.pop()
        holder["more_problems"] = holder.get("more_problems", 0) + 1


def _size(value: Any) -> int:
    return len(_ENCODER.encode(value).encode("utf-8", "replace"))
