"""Values as they are written in JSON, Python and JavaScript alike: `true` or `True`, "x" or 'x', `a: 1` or `a=1`."""

from __future__ import annotations

import json
import re
from typing import Any

_DEEPEST = 16
_SPACE = re.compile(r"\s*")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_PLAIN = re.compile(r"(?:true|false|null|True|False|None|-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?)(?![\w.]*\w)")
_TEXT = re.compile(r"\"((?:[^\"\\]|\\.){0,4000})\"|'((?:[^'\\]|\\.){0,4000})'", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w.\-$]{0,127}")
_JOINT = re.compile(r"\s*[:=]\s*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))|([\"\n\r\t])", re.DOTALL)


class Unread(Exception):
    """What stands there is no value, or one with a place to fill in."""


def object_at(text: str, at: int) -> tuple[dict[str, Any], int]:
    """The object that begins at a brace, and where it ends."""
    return fields_at(text, at + 1, "}")


def fields_at(text: str, at: int, close: str, depth: int = 0) -> tuple[dict[str, Any], int]:
    """Names with values up to a closing bracket, and the place behind that."""
    found = dict[str, Any]()
    at = _spaced(text, at)
    while text[at : at + 1] != close:
        name, at = _name_at(text, at)
        found[name], at = _value_at(text, at, depth)
        at = _next(text, at, close)
    return found, at + 1


def _value_at(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise Unread
    match text[at : at + 1]:
        case "{":
            return fields_at(text, at + 1, "}", depth + 1)
        case "[":
            return _items_at(text, at + 1, depth + 1)
        case '"' | "'":
            return _text_at(text, at)
        case _:
            return _plain_at(text, at)


def _items_at(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found = list[Any]()
    at = _spaced(text, at)
    while text[at : at + 1] != "]":
        value, at = _value_at(text, at, depth)
        found.append(value)
        at = _next(text, at, "]")
    return found, at + 1


def _name_at(text: str, at: int) -> tuple[str, int]:
    if bare := _NAME.match(text, at):
        name, at = bare[0], bare.end()
    else:
        name, at = _text_at(text, at)
    joint = _JOINT.match(text, at)
    if joint is None:
        raise Unread
    return name, joint.end()


def _text_at(text: str, at: int) -> tuple[str, int]:
    found = _TEXT.match(text, at)
    if found is None:
        raise Unread
    inner = found[2] if found[1] is None else found[1]
    try:
        return json.loads(f'"{_ESCAPE.sub(_as_json, inner)}"'), found.end()
    except ValueError:
        raise Unread from None


def _as_json(found: re.Match[str]) -> str:
    """An escape as JSON has it: Python has more of them, and needs none for the other quotation mark."""
    if found[1]:
        return f"\\u00{found[1]}"
    char = found[2] or found[3]
    return char if char == "'" else json.dumps(char)[1:-1] if found[3] or char == '"' else f"\\{char}"


def _plain_at(text: str, at: int) -> tuple[Any, int]:
    found = _PLAIN.match(text, at)
    if found is None:
        raise Unread
    try:
        return (_WORDS[found[0]] if found[0] in _WORDS else json.loads(found[0])), found.end()
    except ValueError:
        raise Unread from None


def _next(text: str, at: int, close: str) -> int:
    """Behind the comma, or at the end."""
    at = _spaced(text, at)
    if text[at : at + 1] == ",":
        return _spaced(text, at + 1)
    if text[at : at + 1] != close:
        raise Unread
    return at


def _spaced(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
