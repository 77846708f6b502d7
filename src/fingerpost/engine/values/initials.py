"""The first letter of a choice: `M` for `medium` where the choices are `small`, `medium` and `large`.

Only if there are few choices, each is one word with a first letter of its own, and the letter is no word for yes or no.
Verbs are never meant by a letter: `d` could delete.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.matching.lexicon import is_verb
from fingerpost.engine.values.booleans import meaning_of
from fingerpost.engine.values.slot import Candidate, Slot

_MOST_CHOICES = 5
_SHORTEST = 3


def read_initial(slot: Slot) -> Iterator[Candidate]:
    """Yield the only choice that begins with the letter."""
    letter = slot.value.strip().lower() if isinstance(slot.value, str) and len(slot.value) <= _SHORTEST else ""
    if len(letter) != 1 or not letter.isalpha() or meaning_of(letter) is not None:
        return
    words = [choice.lower() for choice in slot.choices if _is_word(choice)]
    if not 2 <= len(words) == len(slot.choices) <= _MOST_CHOICES or len({word[0] for word in words}) < len(words):
        return
    if not any(map(is_verb, words)):
        yield from (Candidate(choice, confidence=0.8) for choice in slot.choices if choice.lower()[0] == letter)


def _is_word(choice: object) -> bool:
    return isinstance(choice, str) and choice.isalpha() and len(choice) >= _SHORTEST
