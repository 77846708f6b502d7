"""Parse what error texts have in common: type names, formats, quoted choices, numbers and paths.

Texts may be hostile, so every pattern is bounded and has no nested repetition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path

MOST_LINES = 2_000
"""How many lines of a text are read one by one."""

NUMBER = r"-?\d{1,22}(?:\.\d{1,22})?(?:[eE][+-]?\d{1,2})?(?![\deE])"
"""A complete number: half of `1e-07` would be another limit."""

_TYPE_WORDS = {
    "string": "string str text character char bytes",
    "integer": "integer int bigint usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 int8 int16 int32 int64",
    "number": "number numeric float double decimal f32 f64 float32 float64",
    "boolean": "boolean bool",
    "array": "array list tuple set sequence slice iterable frozen_set",
    "object": "object dict dictionary map mapping record struct model model_attributes dataclass",
    "null": "null none nil unit",
}
_TYPES = {word: name for name, words in _TYPE_WORDS.items() for word in words.split()}

_FORMAT_WORDS = {
    "uri": "url uri",
    "email": "email",
    "uuid": "uuid guid",
    "date-time": "datetime date-time date_time",
    "date": "date",
    "time": "time",
    "duration": "duration",
    "ipv4": "ipv4 ip_v4",
    "ipv6": "ipv6 ip_v6",
    "hostname": "hostname",
}
_FORMATS = {word: name for name, words in _FORMAT_WORDS.items() for word in words.split()}

_CONSTANTS = {"None": None, "null": None, "True": True, "true": True, "False": False, "false": False}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}

_CHOICE = lazy_pattern(
    r"""'((?:[^'\\\n]|\\.){0,500})'|"((?:[^"\\\n]|\\.){0,500})"|`([^`\n]{0,500})`"""
    r"""|(-?\d[\d.eE+-]{0,30})|([A-Za-z_$][\w$.\[\]-]{0,99})"""
)
_BETWEEN = lazy_pattern(r",? or |,? and |, ?| ?\| ?")
_ESCAPED = lazy_pattern(r"\\(.)")
_CLAUSE_END = lazy_pattern(r"[ \t\])]{0,9}(?:[.,;:!)\]\n]|\Z)")
_STEP = lazy_pattern(r"`([^`]*)`|\[['\"]([^'\"]*)['\"]\]|([^.\[\]`]+)")


def json_types(words: Iterable[str]) -> list[str]:
    """Return JSON Schema's names for these type names, without duplicates; unknown ones are dropped."""
    return list(dict.fromkeys(_TYPES[word.lower()] for word in words if word.lower() in _TYPES))


def json_format(word: str) -> str | None:
    return _FORMATS.get(word.lower())


def number(limit: object) -> int | float | None:
    """Parse a limit, given as JSON or as digits; `1000.000000` is 1000, and infinity is None."""
    if isinstance(limit, bool) or not isinstance(limit, (int, float, str)):
        return None
    if isinstance(limit, int):
        return limit
    try:
        value = float(limit)
    except ValueError:
        return None
    return (int(value) if value.is_integer() and abs(value) < 1e15 else value) if math.isfinite(value) else None


def plain_list(literals: object) -> list[Any]:
    """Return a JSON list of plain values; a list with anything else counts as omitted."""
    values = cast("list[Any]", literals) if isinstance(literals, list) else []
    return values if all(_is_plain(value) for value in values) else []


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))


def property_names(literals: Iterable[object]) -> list[str]:
    """Return the values that can be property names."""
    return [name for name in literals if isinstance(name, str) and path(name)]


def choices(text: str, start: int = 0, *, bare: bool = False) -> tuple[list[Any], int]:
    """Parse the literals from `start` (`'a', 'b' or 3`); also return where they end. `bare` admits unquoted words."""
    found: list[Any] = []
    end = start
    while (token := _CHOICE.match(text, start)) and (bare or token.lastindex != 5 or token[5] in _CONSTANTS):
        value, end = _literal(token)
        found.append(value)
        between = _BETWEEN.match(text, end)
        if not between:
            break
        start = between.end()
    return found, end


def _literal(token: re.Match[str]) -> tuple[Any, int]:
    """Return the value of a literal and its end; a period after a bare word is not part of it."""
    text, kind = token[token.lastindex or 0], token.lastindex
    if kind == 4:
        value = number(text.rstrip(".])"))
        return (text if value is None else value), token.end()
    if kind == 5:
        word = text.rstrip(".])")
        return _CONSTANTS.get(word, word), token.start() + len(word)
    return (text if kind == 3 else unescape(text)), token.end()


def unescape(text: str) -> str:
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text)


def ends_clause(text: str, at: int) -> bool:
    """Whether the clause ends at `at`."""
    return _CLAUSE_END.match(text, at) is not None


def path(text: str) -> Path:
    """Parse `edits[0].oldText`, `edits.0.oldText`, `$.edits[0]` or `` `al.ias` ``."""
    named = [step for match in _STEP.finditer(text[:400]) if (step := match[match.lastindex or 0])]
    return path_from_steps(named[1:] if named[:1] == ["$"] else named)


def path_or_pointer(text: str) -> Path:
    """Parse a path in either notation."""
    return pointer(text) if text.startswith("/") else path(text)


def pointer(text: str) -> Path:
    """Parse a JSON Pointer: `/edits/0/oldText`."""
    return path_from_steps([step.replace("~1", "/").replace("~0", "~") for step in text[:400].split("/")[1:]])


def path_from_steps(steps: object) -> Path:
    """Turn a list of steps into a path: a decimal number is an index; what is neither text nor integer is dropped."""
    every = cast("list[Any]", steps) if isinstance(steps, list) else []
    return tuple(_as_index(step) if isinstance(step, str) else step for step in every if isinstance(step, (str, int)))


def _as_index(step: str) -> str | int:
    return int(step) if step.isascii() and step.isdecimal() and len(step) < 10 else step
