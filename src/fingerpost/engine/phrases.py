"""Write names, paths, values and calls for messages. Every text for clients uses these functions.

A simple name gets single quotes. Anything else is cleaned, shortened and JSON-quoted, so that text from a caller or
a server cannot look like ours. A call reads `search(pattern: "User")`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, cast

from fingerpost.engine.model import Call, Path
from fingerpost.engine.safety.redact import Described, clean, is_clean, is_harmless

_NAME = re.compile(r"[\w$@][\w$@.:/\-\[\]]*")
_MAX_DEPTH = 6


encode_json = json.JSONEncoder(ensure_ascii=False).encode
"""Encode a value as JSON without escaping non-ASCII characters."""


class Placeholder(str):
    """A value that the caller has to supply, written `<string>` and never quoted."""

    __slots__ = ()


AS_SENT = Placeholder("<as sent>")
"""Stands for a value of the caller that is too long or too private to show."""


def quote(name: str) -> str:
    return f"'{name}'" if is_name(name) else encode_json(clean(name))


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and is_clean(text)


def join_names(names: Iterable[str], *, limit: int = 8, last: str = "and") -> str:
    """Write `'a', 'b' and 'c'`, or the first few and how many more."""
    every = [quote(name) for name in names]
    if len(every) > limit:
        return f"{', '.join(every[:limit])} and {len(every) - limit:,} more"
    return f" {last} ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))


def count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_path(at: Path) -> str:
    """Write a path as `factors[1].numerator`. This is the caller's text: quote or clean it before showing it."""
    text = ""
    for step in at:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def parameter_label(at: Path) -> str:
    """Write a path in front of a colon: without quotes if it is a simple name."""
    return name if is_name(name := format_path(at)) else encode_json(clean(name))


def key_of(at: Path) -> str:
    """Join all names on the path, because a value inside `credentials` is as secret as that."""
    return ".".join(step for step in at if isinstance(step, str))


def quote_parameter(at: Path) -> str:
    """Name a place at the start of a message: `Parameter 'max'`."""
    return f"Parameter {quote(format_path(at))}" if at else "The arguments"


def format_call(call: Call, *, is_vetted: bool = False) -> str:
    """Write a call on one line, with `<as sent>` for values that may not be shown, unless the call is vetted."""
    fields = cast("dict[str, Any]", call.arguments).items()
    write = _literal_in_vetted_call if is_vetted else literal
    return f"{_key(call.tool)}({', '.join(f'{_key(key)}: {write(value, key)}' for key, value in fields)})"


def literal(value: Any, key: str = "", depth: int = 0) -> str:
    """Write a value as JSON that a caller may copy, or as `<as sent>`."""
    if isinstance(value, Placeholder | Described):
        return str(value)
    if isinstance(value, str):
        return encode_json(value) if is_clean(value) and is_harmless(value, key) else AS_SENT
    if isinstance(value, dict | list) and depth < _MAX_DEPTH:
        return _container(cast("dict[str, Any] | list[Any]", value), key, depth + 1)
    return encode_json(value) if _is_scalar(value) and is_harmless(value, key) else AS_SENT


def _literal_in_vetted_call(value: Any, key: str) -> str:
    """Write a value of a vetted call: only placeholders need care."""
    return literal(value, key) if isinstance(value, Placeholder | dict | list) else encode_json(value)


def _container(value: dict[str, Any] | list[Any], key: str, depth: int) -> str:
    if isinstance(value, list):
        return f"[{', '.join(literal(item, key, depth) for item in value)}]"
    pairs = [f"{encode_json(clean(name))}: {literal(item, f'{key}.{name}', depth)}" for name, item in value.items()]
    return f"{{{', '.join(pairs)}}}"


def _is_scalar(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 10**20)


def _key(name: str) -> str:
    return name if is_name(name) else encode_json(clean(name))


def sentence(text: str) -> str:
    """Return `text` with a period at the end, unless it has an end mark."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def type_list(types: Sequence[str]) -> str:
    """Write types as `integer or string`, without quotes."""
    return " or ".join(types)
