"""Redact secrets, control characters and long text before a value is shown.

Models read guidance as instructions. So text from a caller or a server is cleaned and shortened before it is shown,
and a value is shown only if it is harmless: not under a secret-like name, not declared secret, not random-looking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence, Sized
from itertools import pairwise
from operator import is_not
from typing import Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.safety.secrets import HIDDEN, KNOWN_FORM, classify_name, has_secret, hide_secrets, is_sentence

ECHO_LIMIT = 64
"""The most characters of untrusted text that are shown at one place."""

_MAX_SCAN_LENGTH = 1024
"""Longer text is never shown in full, so its end need not be scanned."""

_DIGEST = lazy_pattern(r"(?=.*\d)(?=.*[a-fA-F])[\da-fA-F]{15,}|(?=(?:.*\d){2})(?=(?:.*[A-Z]){5})[A-Z\d]{15,}")
"""Hexadecimal and base32 strings, which count as random however rarely they alternate."""

_ANSI = lazy_pattern(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\\\)?|\x1b[@-Z\\\\-_]?")
_TRACEBACK = lazy_pattern(
    r"Traceback \(most recent call last\):.*|^\s+File \"[^\"\n]*\", line \d+.*", re.DOTALL | re.MULTILINE
)
_BEARER = lazy_pattern(r"\bbearer [^\s,;\"']{6,}", re.IGNORECASE)
_ID = lazy_pattern(r"[\da-fA-F\-]+|[\w\-]*?[\d\-]+")
"""A hash, a UUID or a number, with a prefix if need be."""
_DEEPEST = 100
"""Containers below this level of a server's error are hidden whole."""
_BINARY = frozenset({"blob"})
_PROTOCOL_KEYS = frozenset({"progressToken"})
"""Keys of the protocol that only sound like secrets."""
_NAME_KEYS = ("name", "key", "header", "variable")
_SPACE = lazy_pattern(r"\s")
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
    plain = hide_secrets(_TRACEBACK.sub("", _ANSI.sub("", text[: limit * 8])))
    return clean(_TOKEN.sub(lambda word: _hide_if_random(word.group(), keeps_ids=keeps_ids), plain), limit)


def _hide_if_random(word: str, *, keeps_ids: bool) -> str:
    return word if (keeps_ids and _ID.fullmatch(word)) or not _is_random(word) else HIDDEN


def redact_error(value: Any, key: str = "", depth: int = 0) -> Any:
    """Hide the secrets in a part of a server's error, and change nothing else; the same object if there are none.

    Images, audio and other bytes stay as they are.
    """
    if isinstance(value, str):
        return HIDDEN if value and is_secret(key) and not is_sentence(value) else hide_secrets(value)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return HIDDEN
    if isinstance(value, dict):
        return _redact_fields(cast("dict[str, Any]", value), depth + 1)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        changed = [redact_error(item, key, depth + 1) for item in hide_neighbours(items)]
        return changed if any(map(is_not, changed, items)) else items
    return HIDDEN if is_number(value) and is_secret(key, value=value) else value


def _redact_fields(fields: dict[str, Any], depth: int) -> dict[str, Any]:
    kept = _kept_keys(fields)
    parts = {
        name: item if name in kept else redact_error(item, name_of_value(str(name), fields), depth)
        for name, item in fields.items()
    }
    return parts if any(map(is_not, parts.values(), fields.values())) else fields


def name_of_value(key: str, fields: Mapping[str, Any]) -> str:
    """Return the name of the value under a key, also where another field holds it: `{"name": "TOKEN", "value": …}`."""
    names = (fields.get(name) for name in _NAME_KEYS) if key == "value" else ()
    return next((name for name in names if isinstance(name, str)), key)


def hide_neighbours(items: Sequence[Any]) -> list[Any]:
    """Hide the secrets in a list that other items reveal: `["--password", "x"]`, `[["X-Api-Key", "x"]]`."""
    if all(isinstance(item, str) for item in items):
        return _hide_arguments(items)
    return [_hide_in_pair(item) for item in items]


def _hide_arguments(words: Sequence[str]) -> list[str]:
    """Hide the secrets in the arguments of a command."""
    if not any(word.startswith("-") for word in words):
        return [*words]
    coded = [_SPACE.sub("\0", word) for word in words]  # so that an argument stays one word
    hidden = hide_secrets(" ".join(coded)).split(" ")
    if len(hidden) != len(coded):
        return [*words]
    return [word if new == old else new.replace("\0", " ") for word, old, new in zip(words, coded, hidden, strict=True)]


def _hide_in_pair(item: Any) -> Any:
    match item:
        case [str(name), str(value)] if is_secret(name) and not is_sentence(value):
            return [name, HIDDEN]
        case _:
            return item


def _kept_keys(fields: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys whose values are bytes or belong to the protocol."""
    is_media = fields.get("type") in ("image", "audio") and "mimeType" in fields
    return _PROTOCOL_KEYS | _BINARY | {"data"} if is_media else _PROTOCOL_KEYS | _BINARY


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
    return len(pairs) <= 8 and all(is_clean(name, 24) and _is_small_part(item, name) for name, item in pairs)


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
