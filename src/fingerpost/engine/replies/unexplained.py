"""Describe a failure whose cause neither the call nor the reply reveals, in the server's own words.

Every failed call gets an envelope, so that a program can rely on it. Nothing is invented for it: the code is the
general one, the message is the server's first sentence without secrets, and there is no hint.
"""

from __future__ import annotations

import re
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Diagnosis, Severity
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.safety.redact import scrub

TOOL_FAILED = "The tool failed"
"""The message for a failure about which the server says nothing that can be quoted."""

_LONGEST_MESSAGE = 300
_LONGEST_READ = 4096
FRAMEWORK_PREFIX = lazy_pattern(r"^error (?:executing|calling) tool '?[\w.\-/]{1,128}'?: ", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last)"
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+(?=[^\s\d(a-z])|\n")
_WORD = lazy_pattern(r"[^\W\d_][^\W_]")
"""The beginning of a word, or of a code such as `E4711`."""

_INTERNAL = ("INTERNAL_ERROR", "internal")
_PROTOCOL_CODES: dict[Any, tuple[str, str]] = {
    None: _INTERNAL, -32603: _INTERNAL, -32000: _INTERNAL, 0: _INTERNAL, -32602: ("INVALID_INPUT", "validation"),
}  # fmt: skip
"""Protocol errors that say only that something failed, or that the call is wrong; None is a tool result. Other codes
(a header that does not match, a form to fill in) belong to the protocol, and clients act on them."""


def diagnose_unexplained(text: str, protocol_code: int | None = None) -> Diagnosis | None:
    """Build the diagnosis of a failed call; None for a protocol error that is not about the call."""
    if protocol_code not in _PROTOCOL_CODES:
        return None
    code, category = _PROTOCOL_CODES[protocol_code]
    return Diagnosis(
        code=code,
        message=first_sentence(text) or TOOL_FAILED,
        severity=Severity.MEDIUM,
        category=category,
        origin="server",
        retryable=category == "validation",
    )


def first_sentence(text: str) -> str:
    """Return the first sentence of a server's text, cleaned; an empty string if it has none that people can read."""
    plain = FRAMEWORK_PREFIX.sub("", text[:_LONGEST_READ].strip()).strip()
    if plain.startswith("<") or not isinstance(parse_json(plain), str):
        return ""
    if plain.startswith(_TRACEBACK):
        last = text.rstrip()[-_LONGEST_READ:].splitlines()[-1]  # the exception, if the text is whole
        plain = "" if last[:1].isspace() else last
    sentence = scrub(_SENTENCE_END.split(plain, maxsplit=1)[0], _LONGEST_MESSAGE).rstrip(" :.")
    return sentence if _WORD.search(sentence) else ""
