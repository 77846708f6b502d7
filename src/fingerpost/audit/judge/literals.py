"""Read values as JSON, Python and JavaScript write them: `true` or `True`, "x" or 'x', `a: 1` or `a=1`."""

from __future__ import annotations

import json
import re
from typing import Any

_MAX_DEPTH = 16
_SPACE = re.compile(r"\s*")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_SCALAR = re.compile(r"(?:true|false|null|True|False|None|-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)(?![\w.]*\w)")
_STRING = re.compile(r"\"((?:[^\"\\]|\\.){0,4000})\"|'((?:[^'\\]|\\.){0,4000})'", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w.\-$]{0,127}")
_SEPARATOR = re.compile(r"\s*[:=]\s*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))|([\"\n\r\t])", re.DOTALL)


class NotALiteral(Exception):
    """The text at this position is no value, or has a placeholder."""


def read_object(text: str, at: int) -> tuple[dict[str, Any], int]:
    """Read the object that begins at a brace, and return where it ends."""
    return read_fields(text, at + 1, "}")


def read_fields(text: str, at: int, close: str, depth: int = 0) -> tuple[dict[str, Any], int]:
    """Read names with values up to a closing bracket, and return the position after it."""
    found = dict[str, Any]()
    at = _skip_space(text, at)
    while text[at : at + 1] != close:
        name, at = _read_name(text, at)
        found[name], at = _read_value(text, at, depth)
        at = _skip_comma(text, at, close)
    return found, at + 1


def _read_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > _MAX_DEPTH:
        raise NotALiteral
    match text[at : at + 1]:
        case "{":
            return read_fields(text, at + 1, "}", depth + 1)
        case "[":
            return _read_items(text, at + 1, depth + 1)
        case '"' | "'":
            return _read_string(text, at)
        case _:
            return _read_scalar(text, at)


def _read_items(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found = list[Any]()
    at = _skip_space(text, at)
    while text[at : at + 1] != "]":
        value, at = _read_value(text, at, depth)
        found.append(value)
        at = _skip_comma(text, at, "]")
    return found, at + 1


def _read_name(text: str, at: int) -> tuple[str, int]:
    if bare := _NAME.match(text, at):
        name, at = bare[0], bare.end()
    else:
        name, at = _read_string(text, at)
    separator = _SEPARATOR.match(text, at)
    if separator is None:
        raise NotALiteral
    return name, separator.end()


def _read_string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if found is None:
        raise NotALiteral
    inner = found[2] if found[1] is None else found[1]
    try:
        return json.loads(f'"{_ESCAPE.sub(_escape_as_json, inner)}"'), found.end()
    except ValueError:
        raise NotALiteral from None


def _escape_as_json(found: re.Match[str]) -> str:
    """Rewrite an escape for JSON: Python has more of them, and needs none for the other quotation mark."""
    if found[1]:
        return f"\\u00{found[1]}"
    char = found[2] or found[3]
    return char if char == "'" else json.dumps(char)[1:-1] if found[3] or char == '"' else f"\\{char}"


def _read_scalar(text: str, at: int) -> tuple[Any, int]:
    found = _SCALAR.match(text, at)
    if found is None:
        raise NotALiteral
    try:
        return (_WORDS[found[0]] if found[0] in _WORDS else json.loads(found[0])), found.end()
    except ValueError:
        raise NotALiteral from None


def _skip_comma(text: str, at: int, close: str) -> int:
    """Skip a comma; stop at the closing bracket."""
    at = _skip_space(text, at)
    if text[at : at + 1] == ",":
        return _skip_space(text, at + 1)
    if text[at : at + 1] != close:
        raise NotALiteral
    return at


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
