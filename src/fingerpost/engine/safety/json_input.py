"""Read untrusted JSON: each function accepts any value and never raises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeGuard, cast

_MAX_TEXT_LENGTH = 1 << 18
"""Longer text is not parsed: that would take longer than judging a call may."""
_MAX_DEPTH = 64


def as_object(value: Any) -> dict[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] # `cast` costs a call


def as_list(value: Any) -> list[Any]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType] # the same


def as_strings(value: Any) -> list[str]:
    """Return the strings in a list."""
    return [item for item in as_list(value) if isinstance(item, str)]


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a JSON number. To Python, `True` is one too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_json(value: Any, depth: int = 0) -> Any:
    """Copy a JSON value with plain types only, without subclasses of `str`."""
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        return {key: as_json(item, depth + 1) for key, item in as_object(value).items()}
    if isinstance(value, list) and depth < _MAX_DEPTH:
        return [as_json(item, depth + 1) for item in as_list(value)]
    return str(value) if isinstance(value, str) else cast("Any", value)


def walk_texts(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value, those at the top first."""
    pending: list[Any] = [value]
    for node in pending:
        inner = [*as_object(node).values(), *as_list(node)]
        yield from (item for item in inner if isinstance(item, str))
        pending += [item for item in inner if isinstance(item, dict | list)]


def parse_json(text: str) -> Any:
    """Parse a text that is a JSON object or array; return the text itself if it is neither."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _MAX_TEXT_LENGTH:
        return text
    try:
        return json.loads(
            text, parse_constant=_reject_constant, parse_float=_parse_exact_float, object_pairs_hook=_unique_object
        )
    except (ValueError, RecursionError):
        return text


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object. Reject one with a repeated name, because it is ambiguous."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("repeated name")
    return found


def _parse_exact_float(number: str) -> float:
    """Parse a number that a float represents exactly. Reject longer ones, which would change."""
    if sum(char.isdigit() for char in number.lower().partition("e")[0]) > 15:
        raise ValueError("too many digits")
    return float(number)


def _reject_constant(word: str) -> Any:
    """Reject `NaN` and `Infinity`, which are not JSON."""
    raise ValueError(word)
