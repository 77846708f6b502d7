"""The words that error texts share: type names, formats, quoted choices, numbers and places.

Texts may be hostile, so every pattern is a plain scan: bounded, and without one repetition inside another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, cast

from fingerpost.engine.model import Path

MOST_LINES = 2_000
"""How many lines of a text are looked at one by one."""

NUMBER = r"-?\d{1,22}(?:\.\d{1,22})?(?:[eE][+-]?\d{1,2})?(?![\deE])"
"""A limit as texts print it, whole: half of `1e-07` would be another limit."""

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

_CHOICE = re.compile(
    r"""'((?:[^'\\\n]|\\.){0,500})'|"((?:[^"\\\n]|\\.){0,500})"|`([^`\n]{0,500})`"""
    r"""|(-?\d[\d.eE+-]{0,30})|([A-Za-z_$][\w$.\[\]-]{0,99})"""
)
_BETWEEN = re.compile(r",? or |,? and |, ?| ?\| ?")
_ESCAPED = re.compile(r"\\(.)")
_CLAUSE_END = re.compile(r"[ \t\])]{0,9}(?:[.,;:!)\]\n]|\Z)")
_STEP = re.compile(r"`([^`]*)`|\[['\"]([^'\"]*)['\"]\]|([^.\[\]`]+)")


def json_types(words: Iterable[str]) -> list[str]:
    """JSON Schema's names for the types these words mean, each once; words it has no name for fall away."""
    return list(dict.fromkeys(_TYPES[word.lower()] for word in words if word.lower() in _TYPES))


def json_format(word: str) -> str | None:
    return _FORMATS.get(word.lower())


def number(said: object) -> int | float | None:
    """A limit as a finite number, whether it came as JSON or as digits; `1000.000000` is 1000."""
    if isinstance(said, bool) or not isinstance(said, (int, float, str)):
        return None
    if isinstance(said, int):
        return said
    try:
        value = float(said)
    except ValueError:
        return None
    return (int(value) if value.is_integer() and abs(value) < 1e15 else value) if math.isfinite(value) else None


def listed(said: object) -> list[Any]:
    """A JSON list of plain values; a list that holds anything else counts as unsaid rather than be told in part."""
    values = cast("list[Any]", said) if isinstance(said, list) else []
    return values if all(_is_plain(value) for value in values) else []


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))


def names(said: Iterable[object]) -> list[str]:
    """Those of some literals that can be the names of properties."""
    return [name for name in said if isinstance(name, str) and path(name)]


def choices(text: str, start: int = 0, *, bare: bool = False) -> tuple[list[Any], int]:
    """The literals listed from `start` (`'a', 'b' or 3`), and where the list stops. `bare` admits unquoted words."""
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
    """A bare word gives back the full stop that ends its sentence."""
    said, kind = token[token.lastindex or 0], token.lastindex
    if kind == 4:
        value = number(said.rstrip(".])"))
        return (said if value is None else value), token.end()
    if kind == 5:
        word = said.rstrip(".])")
        return _CONSTANTS.get(word, word), token.start() + len(word)
    return (said if kind == 3 else unescaped(said)), token.end()


def unescaped(said: str) -> str:
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), said)


def ends_clause(text: str, at: int) -> bool:
    """Whether nothing more is said about what stands before `at`."""
    return _CLAUSE_END.match(text, at) is not None


def path(said: str) -> Path:
    """`edits[0].oldText`, `edits.0.oldText`, `$.edits[0]` and `` `al.ias` `` as steps."""
    named = [step for match in _STEP.finditer(said[:400]) if (step := match[match.lastindex or 0])]
    return steps(named[1:] if named[:1] == ["$"] else named)


def place(said: str) -> Path:
    """A place in either notation."""
    return pointer(said) if said.startswith("/") else path(said)


def pointer(said: str) -> Path:
    """A JSON Pointer, `/edits/0/oldText`, as steps."""
    return steps([step.replace("~1", "/").replace("~0", "~") for step in said[:400].split("/")[1:]])


def steps(said: object) -> Path:
    """A list of steps as a path: a decimal number is an index, and what can be neither index nor key falls away."""
    named = cast("list[Any]", said) if isinstance(said, list) else []
    return tuple(_index(step) if isinstance(step, str) else step for step in named if isinstance(step, (str, int)))


def _index(step: str) -> str | int:
    return int(step) if step.isascii() and step.isdecimal() and len(step) < 10 else step
