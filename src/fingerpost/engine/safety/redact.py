"""Redact secrets, control characters and long text before a value is shown.

Models read guidance as instructions. So text from a caller or a server is cleaned and shortened before it is shown,
and a value is shown only if it is harmless: not under a secret-like name, not declared secret, not random-looking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sized
from itertools import pairwise
from typing import Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.disguises import ANSI
from fingerpost.engine.safety.secret_forms import KNOWN_FORM
from fingerpost.engine.safety.secret_names import classify_name
from fingerpost.engine.safety.secret_sentences import is_sentence
from fingerpost.engine.safety.secrets import HIDDEN, has_secret, hide_secrets

ECHO_LIMIT = 64
"""The most characters of untrusted text that are shown at one place."""

_MAX_SCAN_LENGTH = 1024
"""Longer text is never shown in full, so its end need not be scanned."""

_DIGEST = lazy_pattern(r"(?=.*\d)(?=.*[a-fA-F])[\da-fA-F]{15,}|(?=(?:.*\d){2})(?=(?:.*[A-Z]){5})[A-Z\d]{15,}")
"""Hexadecimal and base32 strings, which count as random however rarely they alternate."""

_TRACEBACK = lazy_pattern(
    r"Traceback \(most recent call last\):.*|^\s+File \"[^\"\n]*\", line \d+.*", re.DOTALL | re.MULTILINE
)
_BEARER = lazy_pattern(r"\bbearer [^\s,;\"']{6,}", re.IGNORECASE)
_ID = lazy_pattern(r"[\da-fA-F\-]+|[\w\-]*?[\d\-]+")
"""A hash, a UUID or a number, with a prefix if need be."""
_TOKEN = lazy_pattern(r"[^\s,;|&?<>(){}\[\]\"']+")
_SEPARATOR = lazy_pattern(r"[-_./:+=~@%\\]+")


def clean(text: str, limit: int = ECHO_LIMIT) -> str:
    """Return `text` on one line, without invisible or reordering characters, at most `limit` long."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    visible = "".join(map(_make_visible, text[: limit * 4]))
    line = " ".join(visible.split())
    return line if len(line) <= limit and len(text) <= limit * 4 else line[: limit - 1] + "…"


def is_clean(text: str, limit: int = ECHO_LIMIT) -> bool:
    """Whether `text` can be shown unchanged."""
    return len(text) <= limit and clean(text, limit) == text


def is_harmless(value: Any, key: str = "", schema: Mapping[str, Any] | None = None) -> bool:
    """Whether a scalar may be shown under this name. Check a container leaf by leaf."""
    if is_secret(key, schema, value):
        return False
    return not (isinstance(value, str) and (looks_random(value) or has_secret(value[:_MAX_SCAN_LENGTH])))


def is_secret(key: str, schema: Mapping[str, Any] | None = None, value: Any = None) -> bool:
    """Whether the schema or the name says that the value is secret."""
    if schema and (schema.get("writeOnly") is True or schema.get("format") == "password"):
        return True
    is_secret_name, is_count = classify_name(key)
    return is_secret_name and not (is_count and isinstance(value, int | float))


def looks_random(text: str) -> bool:
    """Whether `text` contains a key, a hash or another string that nobody types."""
    if len(text) < 12:
        return False
    clipped = text[:_MAX_SCAN_LENGTH]
    if KNOWN_FORM.search(clipped) or _BEARER.search(clipped):
        return True
    return any(_is_random(word.group()) for word in _TOKEN.finditer(clipped))


def scrub(text: str, limit: int, *, keeps_ids: bool = False) -> str:
    """Remove tracebacks, terminal codes and secrets from a message, and shorten it.

    `keeps_ids` is for messages that an author wrote for the caller: a hash, a UUID or a number is part of the advice.
    """
    plain = hide_secrets(_TRACEBACK.sub("", ANSI.sub("", text[: limit * 8])))
    return clean(_TOKEN.sub(lambda word: _hide_if_random(word.group(), keeps_ids=keeps_ids), plain), limit)


def _hide_if_random(word: str, *, keeps_ids: bool) -> str:
    return word if (keeps_ids and _ID.fullmatch(word)) or not _is_random(word) else HIDDEN


def is_sentence_about(key: str, text: str) -> bool:
    """Whether a text under the name of a secret is a sentence about it: `must be at least 8 characters`."""
    return is_secret(key) and is_sentence(text)


class Described(str):
    """A description of a value that may not be shown, by type and size. Our own text, so never quoted."""

    __slots__ = ()


def describe(value: Any) -> Described:
    """Describe a value by its type and size."""
    if isinstance(value, str):
        return Described(f"a string of {_count(value, 'character')}")
    if isinstance(value, list):
        return Described(f"an array of {_count(cast('list[Any]', value), 'item')}")
    if isinstance(value, dict):
        return Described(f"an object with {_count(cast('dict[str, Any]', value), 'key')}")
    return Described("a hidden value")


def _count(value: Sized, noun: str) -> str:
    return f"{len(value)} {noun}" if len(value) == 1 else f"{len(value)} {noun}s"


def safe_value(value: Any, key: str = "", schema: Mapping[str, Any] | None = None) -> Any:
    """Return the value if it is short and harmless, else a description."""
    if isinstance(value, dict | list):
        small = cast("dict[str, Any] | list[Any]", value)
        return small if _is_small(small, key) else describe(small)
    if not is_harmless(value, key, schema):
        return describe(value)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**20:
        return Described("an integer of more than 20 digits")
    return value


def _is_small(value: dict[str, Any] | list[Any], key: str) -> bool:
    """Whether a container is flat, short and harmless."""
    pairs = list(value.items()) if isinstance(value, dict) else [(key, item) for item in value[:9]]
    return len(pairs) <= 8 and all(_is_small_name(name) and _is_small_part(item, name) for name, item in pairs)


def _is_small_name(name: str) -> bool:
    return is_clean(name, 24) and not has_secret(name)


def _is_small_part(item: Any, name: str) -> bool:
    if isinstance(item, str):
        return is_clean(item, 24) and is_harmless(item, name)
    return not isinstance(item, dict | list) and safe_value(item, name) is item


def _make_visible(char: str) -> str:
    """Keep printable characters, turn white space into a space, drop controls, bidi marks, tags and surrogates."""
    if " " <= char <= "~":
        return char
    if char.isspace():
        return " "
    return "" if unicodedata.category(char)[0] == "C" or "\ufe00" <= char <= "\ufe0f" else char


def _is_random(token: str) -> bool:
    """Whether a token changes between letters and digits, or between cases, far more often than names do."""
    letters = _SEPARATOR.sub("", token)
    if len(letters) < 12:
        return False
    if len(letters) >= 15 and (letters.isdigit() or _DIGEST.fullmatch(letters)):
        return True
    kinds = [_character_class(char) for char in letters]
    digit_turns = sum(1 for a, b in pairwise(kinds) if a != b and "0" in (a, b))
    turns = sum(1 for a, b in pairwise(kinds) if a != b)
    has_words = sum(char in "aeiouAEIOU" for char in letters) > 0.26 * len(letters)
    mixed = 0.3 if {"0", "A", "a"} <= set(kinds) or not has_words else 0.45
    return digit_turns >= 5 or (len(letters) >= 16 and turns >= mixed * len(letters))


def _character_class(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a"
