"""Read untrusted JSON: each function accepts any value and never raises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeGuard, cast

from fingerpost.engine.lazy_pattern import lazy_pattern

_MAX_TEXT_LENGTH = 1 << 18
"""Longer text is not parsed: that would take longer than judging a call may."""
_MAX_DEPTH = 64
_SURROGATE = lazy_pattern(r"[\ud800-\udfff]")
_MAX_BITS, _FAR = 10_000, 10**300
"""Python writes no integer of more than 4,300 digits."""


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


def limit_integers(value: Any) -> Any:
    """Return a value with integers that no validator can read (thousands of digits) cut to ones that are as far off."""
    return _limit_integers(value) if any(map(_is_unreadable, _walk(value))) else value


def _is_unreadable(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > _MAX_BITS


def _limit_integers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _limit_integers(item) for key, item in as_object(value).items()}
    if isinstance(value, list):
        return [_limit_integers(item) for item in as_list(value)]
    return (_FAR if value > 0 else -_FAR) if _is_unreadable(value) else value


def make_encodable(value: Any) -> Any:
    """Return a value that has only text that can be encoded, and text as names; the same value if it already does.

    Half a character (a lone surrogate) gets into JSON as an escape. No validator reads it, and no reply can hold it.
    """
    has_names = all(map(_is_encodable, _walk_names(value)))
    return value if has_names and all(map(_is_encodable, walk_texts(value))) else _make_encodable(value)


def _is_encodable(text: Any) -> bool:
    return isinstance(text, str) and (text.isascii() or _SURROGATE.search(text) is None)


def _make_encodable(value: Any, depth: int = 0) -> Any:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        fields = as_object(value).items()
        return {_make_encodable(str(name)): _make_encodable(item, depth + 1) for name, item in fields}
    if isinstance(value, list) and depth < _MAX_DEPTH:
        return [_make_encodable(item, depth + 1) for item in as_list(value)]
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else cast("Any", value)


def _walk_names(value: Any) -> Iterator[Any]:
    return (name for node in (value, *_walk(value)) for name in as_object(node))


def _walk(value: Any) -> Iterator[Any]:
    """Yield each value inside a JSON value, those at the top first."""
    pending: list[Any] = [value]
    for node in pending:
        if isinstance(node, dict | list):
            inner: list[Any] = [*as_object(node).values(), *as_list(node)]
            yield from inner
            pending += [item for item in inner if isinstance(item, dict | list)]


def walk_texts(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value, those at the top first."""
    return (item for item in _walk(value) if isinstance(item, str))


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
