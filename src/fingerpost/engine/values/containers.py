"""Objects and lists in text: JSON, JSON with decoration, Python literals.

The text is rewritten token by token to strict JSON (without fence, comments and trailing commas, with double quotes),
which the strict parser reads, so there is exactly one reading or none: text that ends too early, a name that occurs
twice, and escapes that mean different things in different languages are rejected. The work is linear and limited.

Tolerant parsers on PyPI were measured: `json5` needs 90 ms for 2 kB, `json-repair` completes truncated text, and
`pyjson5` accepts repeated names and rounds numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Grade
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.values.slot import Candidate, Slot, lossless

_encode = json.JSONEncoder(ensure_ascii=False).encode
_MAX_LENGTH = 1 << 15
_MAX_DEPTH = 64
_FENCE = lazy_pattern(r"(`{3,}|~{3,})[\w+-]*\s([^`~]*?)\s*\1")
_TOKEN = lazy_pattern(
    r"(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<curly>\u201c[^\u201c\u201d\\\n]*\u201d|\u2018[^\u2018\u2019\\\n]*\u2019)"
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.$]))"
    r"|(?P<word>[A-Za-z_$][\w$]*)"
    r"|(?P<open>[{\[(])|(?P<close>[}\])])|(?P<mark>[:,])"
)
_ESCAPE = lazy_pattern(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_SAME_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", '"': '"', "'": "'"}
"""Escapes that mean the same in JSON, JavaScript and Python. `\\d` is `d` in one and `\\d` in the other."""
_CONSTANTS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_AS_JSON = {"(": "[", ")": "]"}


def read_container(slot: Slot) -> Iterator[Candidate]:
    """Yield the object or list that a text contains."""
    text = slot.value
    if not isinstance(text, str) or not {"object", "array"} & {*slot.kinds}:
        return
    if not isinstance(whole := parse_json(text), str):
        yield lossless(whole)
    elif (found := parse_decorated(text)) is not None:
        yield found


def parse_decorated(text: str) -> Candidate | None:
    """Read JSON with decoration or a Python literal; none if there is no reading, or more than one."""
    if len(text) > _MAX_LENGTH:
        return None
    bare = text.strip()
    if fenced := _FENCE.fullmatch(bare):
        bare = fenced[2].strip()
    if bare[:1] not in _CLOSING:
        return None
    try:
        rewriter = _Rewriter()
        rewriter.read(bare)
    except _NoReadingError:
        return None
    whole = parse_json("".join(rewriter.pieces))
    if isinstance(whole, str):
        return None
    return Candidate(whole, Grade.OFFERED, 0.85) if rewriter.is_loose else lossless(whole)


class _NoReadingError(ValueError):
    """The text is no JSON with decoration, or could be read in two ways."""


class _Rewriter:
    """Rewrites a text to strict JSON, token by token."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.is_loose = False
        """Whether the text needs more than the removal of decoration."""
        self._open: list[str] = []
        self._has_comma: list[bool] = []

    def read(self, text: str) -> None:
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise _NoReadingError
            kind, piece = str(token.lastgroup), token.group()
            at = token.end()
            if kind == "word":
                self._add_word(piece, is_key=_is_before_colon(text, at))
            elif kind != "space":
                self._add(kind, piece)

    def _add(self, kind: str, piece: str) -> None:
        match kind:
            case "string":
                self.pieces.append(self._requote(piece))
            case "curly":
                self.is_loose = True
                self.pieces.append(_encode(piece[1:-1]))
            case "open":
                self._enter(piece)
            case "close":
                self._leave(piece)
            case "mark":
                self._add_mark(piece)
            case _:
                self.pieces.append(piece)

    def _requote(self, piece: str) -> str:
        body = piece[1:-1]
        self.is_loose |= "\n" in body
        if "\\" not in body:
            return _encode(body)
        if piece[0] == '"' and "\\'" not in body and "\\x" not in body:
            return piece.replace("\n", "\\n")  # the strict parser knows its escapes, surrogate pairs included
        return _encode(_ESCAPE.sub(_decode_escape, body))

    def _enter(self, piece: str) -> None:
        if len(self._open) >= _MAX_DEPTH:
            raise _NoReadingError
        self._open.append(piece)
        self._has_comma.append(False)
        self.pieces.append(_AS_JSON.get(piece, piece))

    def _leave(self, piece: str) -> None:
        if not self._open or _CLOSING[self._open.pop()] != piece:
            raise _NoReadingError
        has_comma = self._has_comma.pop()
        if piece == ")" and not has_comma and self.pieces[-1] != "[":
            raise _NoReadingError  # in Python, parentheses around one value are no tuple
        if self.pieces[-1] == "," and self.pieces[-2] not in ("{", "[", ","):
            self.pieces.pop()
        self.pieces.append(_AS_JSON.get(piece, piece))

    def _add_mark(self, piece: str) -> None:
        if piece == "," and self._has_comma:
            self._has_comma[-1] = True
        self.pieces.append(piece)

    def _add_word(self, word: str, *, is_key: bool) -> None:
        if is_key and word not in _CONSTANTS:
            self.is_loose = True
            self.pieces.append(_encode(word))
        elif not is_key and word in _CONSTANTS:
            self.pieces.append(_CONSTANTS[word])
        else:
            raise _NoReadingError


def _is_before_colon(text: str, at: int) -> bool:
    return text[at : at + 8].lstrip()[:1] == ":"


def _decode_escape(found: re.Match[str]) -> Any:
    code = found[1]
    if code[0] in "ux" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code not in _SAME_ESCAPES:
        raise _NoReadingError
    return _SAME_ESCAPES[code]
