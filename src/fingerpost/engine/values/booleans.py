"""Booleans in words and digits: `"yes"`, `"off"`, `1`, `"0"`.

`"true"` and `"false"` in any case are the same value in another spelling. The other words have one meaning too, but
some tools give them another, so they are likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.values.slot import Candidate, Slot, likely, lossless

_LITERALS = {"true": True, "false": False}
_WORDS = {
    **dict.fromkeys(("yes", "y", "on", "t", "enabled", "enable", "1"), True),
    **dict.fromkeys(("no", "n", "off", "f", "disabled", "disable", "0"), False),
}


def read_boolean(slot: Slot) -> Iterator[Candidate]:
    """Yield the boolean that a value means."""
    if "boolean" in slot.kinds and (meaning := meaning_of(slot.value)) is not None:
        is_literal = isinstance(slot.value, str) and slot.value.strip().lower() in _LITERALS
        yield lossless(meaning) if is_literal else likely(meaning)


def meaning_of(value: Any) -> bool | None:
    """Return what a word or digit means as a boolean; None if that is not clear."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    if isinstance(value, str) and len(value) <= 16:
        word = value.strip().lower()
        return _LITERALS.get(word, _WORDS.get(word))
    return None
