"""An undeclared flag says what a declared one says, or its opposite: `private: true` is `public: false`.

A flag is read as what it is about and whether it asks for it: `no_header`, `skip_header` and `exclude_header` are about
the header and do not ask for it. Two flags about the same thing can be exchanged, with the value turned around if one
of them asks and the other does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fingerpost.engine.matching.spelling import split_words

_ASKING = frozenset({
    "include", "including", "with", "show", "allow", "allowed", "permit", "enable", "enabled", "use", "run", "is",
    "has", "should", "do", "want", "on",
})  # fmt: skip
_DECLINING = frozenset({
    "no", "not", "non", "never", "dont", "disable", "disabled", "disallow", "forbid", "prevent", "deny", "skip", "off",
    "suppress",
})  # fmt: skip
_SELECTING = frozenset({"exclude", "excluding", "without", "hide", "omit", "ignore"})
"""Words that decline a part of a result. Asking for that part alone is something else: `archived: true`."""
_OPPOSITES = {
    "private": "public", "internal": "public", "offline": "online", "inactive": "active",
    "hidden": "visible", "temporary": "permanent", "async": "sync", "quiet": "verbose", "silent": "verbose",
    "invalid": "valid", "disconnected": "connected", "lowercase": "uppercase",
}  # fmt: skip
"""Adjectives that deny something, and what they deny."""
_SYNONYMS = {"external": "public"}
_NEGATIVE_PREFIXES = ("un", "in", "non", "dis")
_ADJECTIVE_ENDINGS = ("ed", "ive", "ble", "ete", "al", "ic", "ary", "ent", "ant", "en")
_MIN_ROOT = 4
_MAX_FLAGS = 64
_BARE = "enabled"
"""What a flag is about that is only `on`, `off`, `enable` or `disabled`."""


class FlagReading(NamedTuple):
    """A declared flag, and the value with which it says what the undeclared one says."""

    name: str
    value: bool


class _Flag(NamedTuple):
    about: frozenset[str]
    asks: bool
    selects: bool
    is_plain: bool
    """Whether no word says that it asks or declines."""


def read_flag(stray: str, value: object, flags: Iterable[str]) -> FlagReading | None:
    """Return the only one of the declared flags that is about the same thing as an undeclared one."""
    if not isinstance(value, bool):
        return None
    sent = _parse(stray)
    found = [(name, flag) for name in list(flags)[:_MAX_FLAGS] if (flag := _parse(name)).about == sent.about]
    if len(found) != 1:
        return None
    name, known = found[0]
    asks_for_it = value is sent.asks
    if asks_for_it and ((sent.is_plain and known.selects) or (known.is_plain and sent.selects)):
        return None
    return FlagReading(name, asks_for_it is known.asks)


def _parse(name: str) -> _Flag:
    asks, is_plain, selects = True, True, False
    about: set[str] = set()
    for word in split_words(name):
        if word in _DECLINING or word in _SELECTING:
            asks, is_plain, selects = not asks, False, selects or word in _SELECTING
        elif word in _ASKING:
            is_plain = False
        else:
            word = _SYNONYMS.get(word, word)
            root = _positive(word)
            asks = asks is (root == word)
            about.add(_without_ending(root))
    return _Flag(frozenset(about or {_BARE}), asks, selects, is_plain)


def _positive(word: str) -> str:
    """Return the opposite of an adjective that denies something, else the word itself."""
    if word in _OPPOSITES:
        return _OPPOSITES[word]
    for prefix in _NEGATIVE_PREFIXES:
        root = word.removeprefix(prefix)
        if root != word and len(root) >= _MIN_ROOT and root.endswith(_ADJECTIVE_ENDINGS):
            return root
    return word


def _without_ending(word: str) -> str:
    """Return a word without the ending of an inflection: `archived` and `archive`, `tests` and `test`."""
    for ending in ("ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_ROOT - 1:
            return word.removesuffix(ending)
    return word
