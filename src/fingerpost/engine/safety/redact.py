"""What may never leave: secrets, control characters, and text long enough to give orders.

Guidance is written exactly where a model looks for instructions. So whatever a caller or a server
supplied is cleaned and clipped before it is repeated, and a value is repeated only when it is
plainly harmless: not under a secret-like name, not declared secret, not random-looking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

from fingerpost.engine.model import EMPTY_OBJECT

ECHO_LIMIT = 64
"""The most characters of anyone else's text that one echo repeats."""

_LONGEST_NAME = 256
_LONGEST_READ = 1024
"""Longer text is never repeated, so nobody needs to know whether its tail is secret."""

_SECRET_WORD = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|api_?key|(?:access|private|signing|encryption)_?key"
    r"|credential|authorization|bearer|cookie|(?<![a-z])(?:auth|otp|pin|ssn|cvv|cvc|jwt)s?(?![a-z]))"
)
_COUNTS_TOKENS = re.compile(
    r"(?:max|min|num|limit|count|total|budget|n)_?.*tokens?|tokens?_?(?:limit|count|budget|usage)"
)
_SECRET_VALUE = re.compile(
    r"sk-\w|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.|eyJ\w|npm_\w|hf_\w|-----BEGIN"
    r"|(?i:bearer )"
)
_DIGEST = re.compile(r"(?=.*\d)(?=.*[a-fA-F])[\da-fA-F]{15,}|(?=(?:.*\d){2})(?=(?:.*[A-Z]){5})[A-Z\d]{15,}")
"""Hexadecimal and base32, and card-like numbers, whatever their turns."""

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\\\)?|\x1b[@-Z\\\\-_]?")
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\):.*|^\s+File \"[^\"\n]*\", line \d+.*", re.DOTALL | re.MULTILINE
)
_SECRET_PAIR = re.compile(
    r"([\w.\-]{0,64}" + _SECRET_WORD.pattern + r"[\w.\-]{0,64}[\"']?(?:\s{0,3}[:=]\s{0,3}|\s+is\s+))"
    r"(?!(?:must|should|may|can|has|was|is|not|no|too|wrong|invalid|incorrect|missing|required|expired|unknown|empty"
    r"|expected|given|set|the|a|an)\b)"
    r"(\"[^\"\n]*\"|'[^'\n]*'|(?:(?:bearer|basic|token)\s+)?[^\s,;&)\]}]+)",
    re.IGNORECASE,
)
"""A secret's name and what stands behind it, unless that is plainly the rest of a sentence."""
_SOURCE = re.compile(
    r"\.(?:py|pyi|jsx?|mjs|cjs|tsx?|mts|cts|go|rs|java|c|h|cc|cpp|hpp|rb|cs|php|kts?|scala|swift|lua|sh|dart|md|rst|txt):$"
)
"""How a place in a source file begins: `auth.py:42` names no secret, although `auth` does."""
_BEARER = re.compile(r"\b(bearer|basic)\s+[^\s,;\"']{6,}", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^\s/@]{1,256}@")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOKEN = re.compile(r"[^\s,;|&?<>(){}\[\]\"']+")
_SEPARATOR = re.compile(r"[-_./:+=~@%\\]+")


def clean(text: str, limit: int = ECHO_LIMIT) -> str:
    """`text` on one line, without characters that hide, reorder or smuggle, at most `limit` long."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    kept = "".join(map(_visible, text[: limit * 4]))
    folded = " ".join(kept.split())
    return folded if len(folded) <= limit and len(text) <= limit * 4 else folded[: limit - 1] + "…"


def is_clean(text: str, limit: int = ECHO_LIMIT) -> bool:
    """Whether repeating `text` as it stands repeats all of it and nothing but it."""
    return len(text) <= limit and clean(text, limit) == text


def is_harmless(value: Any, key: str = "", schema: Mapping[str, Any] = EMPTY_OBJECT) -> bool:
    """Whether a received scalar may be repeated under this name. A container is judged leaf by leaf."""
    return not is_secret(key, schema, value) and not (isinstance(value, str) and looks_random(value))


def is_secret(key: str, schema: Mapping[str, Any] = EMPTY_OBJECT, value: Any = None) -> bool:
    """Whether the schema or the name says that what stands here is secret."""
    if schema.get("writeOnly") is True or schema.get("format") == "password":
        return True
    is_secret, is_count = _secrecy(key[-_LONGEST_NAME:])
    return is_secret and not (is_count and isinstance(value, int | float))


@lru_cache(maxsize=4096)
def _secrecy(key: str) -> tuple[bool, bool]:
    """Whether a name speaks of a secret, and whether it rather counts tokens than holds one."""
    name = _HUMP.sub("_", key).replace("-", "_").lower()
    return _SECRET_WORD.search(name) is not None, _COUNTS_TOKENS.search(name) is not None


def looks_random(text: str) -> bool:
    """Whether `text` holds a key, a hash or another string that no person would have typed."""
    if len(text) < 12:
        return False
    clipped = text[:_LONGEST_READ]
    return bool(_SECRET_VALUE.search(clipped)) or any(_is_random(word.group()) for word in _TOKEN.finditer(clipped))


HIDDEN = "<hidden>"
"""Stands in a sentence for what may not be repeated."""


def scrub(text: str, limit: int, *, keeps_ids: bool = False) -> str:
    """Someone's own sentence without what nobody meant to send: tracebacks, terminal codes, secrets, its tail.

    `keeps_ids` is for words that an author wrote for the caller: there a random-looking id is part of the advice.
    """
    plain = _TRACEBACK.sub("", _ANSI.sub("", text[: limit * 8]))
    plain = _SECRET_PAIR.sub(_without_secret, _BEARER.sub(rf"\1 {HIDDEN}", _USERINFO.sub(f"{HIDDEN}@", plain)))
    return clean(_TOKEN.sub(lambda word: _unless_secret(word.group(), keeps_ids=keeps_ids), plain), limit)


def _without_secret(pair: re.Match[str]) -> str:
    if _SOURCE.search(pair[1]):
        return pair[0]
    is_count = pair[2].isdigit() and _secrecy(pair[1].rstrip(" :=\"'"))[1]
    return pair[0] if is_count else f"{pair[1]}{HIDDEN}"


def _unless_secret(word: str, *, keeps_ids: bool) -> str:
    is_secret = len(word) >= 12 and (_SECRET_VALUE.match(word) or (not keeps_ids and _is_random(word)))
    return HIDDEN if is_secret else word


class Described(str):
    """A value that may not be shown, by its kind and size: our words, so never quoted."""

    __slots__ = ()


def describe(value: Any) -> Described:
    if isinstance(value, str):
        return Described(f"a string of {len(value)} characters")
    if isinstance(value, list):
        return Described(f"an array of {len(cast('list[Any]', value))} items")
    if isinstance(value, dict):
        return Described(f"an object with {len(cast('dict[str, Any]', value))} keys")
    return Described("a hidden value")


def safe_value(value: Any, key: str = "", schema: Mapping[str, Any] = EMPTY_OBJECT) -> Any:
    """The value itself where it is short and harmless, else what it is like."""
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
    """Whether a container is flat, short, and harmless in every part."""
    pairs = list(value.items()) if isinstance(value, dict) else [(key, item) for item in value[:9]]
    return len(pairs) <= 8 and all(is_clean(name, 24) and _is_small_part(item, name) for name, item in pairs)


def _is_small_part(item: Any, name: str) -> bool:
    if isinstance(item, str):
        return is_clean(item, 24) and is_harmless(item, name)
    return not isinstance(item, dict | list) and safe_value(item, name) is item


def _visible(char: str) -> str:
    """Printable characters pass; white space becomes a space; the rest (controls, bidi, tags, surrogates) goes."""
    if " " <= char <= "~":
        return char
    if char.isspace():
        return " "
    return "" if unicodedata.category(char)[0] == "C" or "\ufe00" <= char <= "\ufe0f" else char


def _is_random(token: str) -> bool:
    """Keys and hashes change between letters and digits, or between cases, far more often than names do."""
    letters = _SEPARATOR.sub("", token)
    if len(letters) < 12:
        return False
    if len(letters) >= 15 and (letters.isdigit() or _DIGEST.fullmatch(letters)):
        return True
    kinds = [_kind(char) for char in letters]
    digit_turns = sum(1 for a, b in pairwise(kinds) if a != b and "0" in (a, b))
    turns = sum(1 for a, b in pairwise(kinds) if a != b)
    has_words = sum(char in "aeiouAEIOU" for char in letters) > 0.26 * len(letters)
    mixed = 0.3 if {"0", "A", "a"} <= set(kinds) or not has_words else 0.45
    return digit_turns >= 5 or (len(letters) >= 16 and turns >= mixed * len(letters))


def _kind(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a"
