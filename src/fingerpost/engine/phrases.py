"""Write names, paths, values and calls for messages. Every text for clients uses these functions.

A simple name gets single quotes. Anything else is cleaned, shortened and JSON-quoted, so that text from a caller or
a server cannot look like ours. A call reads `search(pattern: "User")`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Call, Path
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import Described, clean, is_clean, is_harmless
from fingerpost.engine.safety.secret_forms import KNOWN_FORM
from fingerpost.engine.safety.secrets import hide_secrets

_NAME = lazy_pattern(r"[\w$@][\w$@.:/\-\[\]]*")
_MAX_DEPTH = 8
_MAX_NODES = 2_000
_LONGEST_NAME = 512
_LONGEST_LITERAL = 64


_SHORTEST_TOKEN = 11
encode_json = json.JSONEncoder(ensure_ascii=False).encode
"""Encode a value as JSON without escaping non-ASCII characters."""


class Placeholder(str):
    """A value that the caller has to supply, written `<string>` and never quoted."""

    __slots__ = ()


AS_SENT = Placeholder("<as sent>")
"""Stands for a value of the caller that is too long or too private to show."""


def quote(name: str) -> str:
    return f"'{name}'" if is_name(name) else encode_json(clean(hide_secrets(name[:_LONGEST_NAME])))


def quote_exactly(name: str) -> str:
    """Write a name in quotes, and say if there is more in it than can be seen."""
    visible = clean(name[:_LONGEST_NAME])
    if visible == name or not is_name(visible) or len(name) > _LONGEST_NAME:
        return quote(name)
    return f"{encode_json(visible)} with {'blanks' if name.strip() == visible else 'invisible characters'}"


def is_name(text: str) -> bool:
    """Whether a text can be repeated as a name: it is short and plain, and no token in the place of a name."""
    return len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None and is_clean(text) and not _is_token(text)


def _is_token(text: str) -> bool:
    if len(text) <= _SHORTEST_TOKEN:
        return False
    return KNOWN_FORM.search(text) is not None or (":" in text and hide_secrets(text) != text)


def show_name(name: str) -> str:
    """Return a name for a program; a secret in its place is hidden."""
    return name if is_name(name) else clean(hide_secrets(name[:_LONGEST_NAME]))


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
    name = format_path(at)
    return name if is_name(name) else encode_json(clean(hide_secrets(name[:_LONGEST_NAME])))


def key_of(at: Path) -> str:
    """Join all names on the path, because a value inside `credentials` is as secret as that."""
    return ".".join([step for step in at if isinstance(step, str)])


def quote_parameter(at: Path) -> str:
    """Name a place at the start of a message: `Parameter 'max'`."""
    return f"Parameter {quote_exactly(format_path(at))}" if at else "The arguments"


def format_call(call: Call, *, is_vetted: bool = False) -> str:
    """Write a call on one line, with `<as sent>` for values that may not be shown, unless the call is vetted.

    In a call that can be sent as it is, every value is JSON. In one with placeholders, which is no JSON anyway, the
    names inside objects are bare too: `order(customer: {name: <string>})`.
    """
    fields = cast("dict[str, Any]", call.arguments)
    is_bare = has_placeholder(fields)
    written = [f"{_key(key)}: {_write(value, key, 0, is_bare, is_vetted)}" for key, value in fields.items()]
    return f"{_key(call.tool)}({', '.join(written)})"


def literal(value: Any, key: str = "") -> str:
    """Write a value as JSON that a caller may copy, or as `<as sent>`."""
    is_bare = isinstance(value, dict | list) and has_placeholder(cast("Any", value))
    return _write(value, key, 0, is_bare, is_vetted=False)


def shorten_literal(value: Any, key: str = "") -> str:
    """Write a value of a schema, or one that we chose, as JSON. The middle of a long text is left out.

    The caller did not send it, so `<as sent>` would be wrong.
    """
    if not isinstance(value, str) or is_clean(value) or not is_harmless(value, key):
        return literal(value, key)
    whole = clean(value, len(value) + 1)
    return encode_json(whole if len(whole) <= _LONGEST_LITERAL else f"{whole[:40]}\u2026{whole[-20:]}")


def has_placeholder(value: Any) -> bool:
    """Whether a value is a placeholder, or an object or list that contains one."""
    if isinstance(value, Placeholder):
        return True
    pending: list[Any] = [value]
    for one in pending:
        inner = (*as_object(one).values(), *as_list(one)) if len(pending) <= _MAX_NODES else ()
        if any(isinstance(item, Placeholder) for item in inner):
            return True
        pending += [item for item in inner if isinstance(item, dict | list)]
    return False


def _write(value: Any, key: str, depth: int, is_bare: bool, is_vetted: bool) -> str:
    if isinstance(value, Placeholder | Described):
        return str(value)
    if isinstance(value, dict | list) and depth < _MAX_DEPTH:
        return _container(cast("dict[str, Any] | list[Any]", value), key, depth + 1, is_bare, is_vetted)
    if is_vetted and not isinstance(value, dict | list):
        return encode_json(value)
    if isinstance(value, str):
        return encode_json(value) if is_clean(value) and is_harmless(value, key) else AS_SENT
    return encode_json(value) if _is_scalar(value) and is_harmless(value, key) else AS_SENT


def _container(value: dict[str, Any] | list[Any], key: str, depth: int, is_bare: bool, is_vetted: bool) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_write(item, key, depth, is_bare, is_vetted) for item in value)}]"
    write_name = _key if is_bare else _quoted_key
    pairs = [
        f"{write_name(name)}: {_write(item, f'{key}.{name}', depth, is_bare, is_vetted)}"
        for name, item in value.items()
    ]
    return f"{{{', '.join(pairs)}}}"


def _quoted_key(name: str) -> str:
    return encode_json(show_name(name) if len(name) > _SHORTEST_TOKEN else clean(name))


def _is_scalar(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 10**20)


def _key(name: str) -> str:
    return name if is_name(name) else encode_json(clean(hide_secrets(name[:_LONGEST_NAME])))


def sentence(text: str) -> str:
    """Return `text` with a period at the end, unless it has an end mark."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def type_list(types: Sequence[str]) -> str:
    """Write types as `integer or string`, without quotes."""
    return " or ".join(types)
