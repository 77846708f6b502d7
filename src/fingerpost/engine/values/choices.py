"""Choices in another spelling: `"ASC"` for `"asc"`, `"yes"` where the choices are `"true"` and `"false"`.

Case and separators carry no meaning, except in units and symbols. `rules/near_choices.py` finds similar choices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.values.booleans import meaning_of
from fingerpost.engine.values.slot import Candidate, Slot, likely, lossless

_MAX_LENGTH = 96
_MOST_CHOICES = 10_000
_NEGATION_MARKS = lazy_pattern(r"\s*(?:[!^~\u00ac-]|<>|(?i:not|no|non|anything but|everything but|all but)[\s_:(-])")


def read_choice(slot: Slot) -> Iterator[Candidate]:
    """Yield the choice that differs from the value only in case and separators, or means the same boolean."""
    if is_negated(slot.value) and slot.value not in slot.choices:
        return
    same = _find_same(slot)
    if len(same) == 1:
        yield lossless(same[0])
    elif 2 <= len(slot.choices) <= 3 and (meaning := meaning_of(slot.value)) is not None:
        alike = [choice for choice in slot.choices if meaning_of(choice) is meaning]
        if len(alike) == 1 and any(meaning_of(choice) is (not meaning) for choice in slot.choices):
            yield likely(alike[0])


def is_negated(value: Any) -> bool:
    """Whether a text excludes a choice: `!failed`, `-failed`, `not failed`."""
    return isinstance(value, str) and _NEGATION_MARKS.match(value[:_MAX_LENGTH]) is not None


def _find_same(slot: Slot) -> list[str]:
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH:
        return []
    text = slot.value.strip()
    words = [choice for choice in slot.choices[:_MOST_CHOICES] if isinstance(choice, str)]
    wanted = spelling(text)
    return [choice for choice in words if _is_same_choice(choice, text, wanted)]


def _is_same_choice(choice: str, text: str, wanted: str) -> bool:
    """Compare without case, except in units and symbols (`mW`, `MW`, `b`, `B`), where case has a meaning.

    `wanted` is the spelling of the text.
    """
    if choice != text and choice.isascii() and text.isascii() and _differ_at_ends(choice, text):
        return False  # the same verdict as below, without the cost for each of thousands of choices
    if spelling(choice) != wanted:
        return False
    if choice == text:
        return True
    is_word = len(choice) > 3 or (len(choice) > 1 and choice in (choice.lower(), choice.upper()))
    return is_word and (len(choice) > 3 or text in (text.lower(), text.upper()))


def _differ_at_ends(choice: str, text: str) -> bool:
    """Whether the first letters differ, or the last ones. Only between words does a spelling leave something out."""
    return choice[:1].lower() != text[:1].lower() or choice[-1:].lower() != text[-1:].lower()
