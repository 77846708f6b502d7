"""Reading JSON that strangers wrote: each function takes anything and never raises."""

from __future__ import annotations

import json
from typing import Any, TypeGuard, cast

_LARGEST_TEXT = 1 << 20
_DEEPEST = 64


def as_object(value: Any) -> dict[str, Any]:
    """`value` where it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """`value` where it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_strings(value: Any) -> list[str]:
    """The strings of a list."""
    return [item for item in as_list(value) if isinstance(item, str)]


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether JSON would call it a number; Python calls `True` one too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_json(value: Any, depth: int = 0) -> Any:
    """The same JSON with nothing but the plain types in it."""
    if isinstance(value, dict) and depth < _DEEPEST:
        return {key: as_json(item, depth + 1) for key, item in as_object(value).items()}
    if isinstance(value, list) and depth < _DEEPEST:
        return [as_json(item, depth + 1) for item in as_list(value)]
    return str(value) if isinstance(value, str) else cast("Any", value)


def parse_json(text: str) -> Any:
    """The object or array that a text spells; the text itself when it spells neither."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LARGEST_TEXT:
        return text
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_exact, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        return text


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says a name twice has two readings, so it has none."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _exact(number: str) -> float:
    """A number that a float gives back digit by digit; any other would come out as its neighbour."""
    if sum(char.isdigit() for char in number.lower().partition("e")[0]) > 15:
        raise ValueError("too many digits")
    return float(number)


def _refused(word: str) -> Any:
    """`NaN` and `Infinity` are Python's words, not JSON's."""
    raise ValueError(word)
