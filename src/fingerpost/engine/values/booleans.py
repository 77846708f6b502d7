"""Booleans in words and digits: `"yes"`, `"off"`, `1`, `"0"`, and what a parameter is named after: `"not seen"`.

`"true"` and `"false"` in any case are the same value in another spelling. The other words have one meaning too, but
some tools give them another, so they are likely. `enabled` says nothing clear about a parameter that is named after
the opposite (`disabled`). The parameter's own name, its negation and its opposite are offered, but not a part of a name
that the rest turns around: `not archived` is no answer to `exclude_archived`, nor `run` to `dry_run`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.matching.lexicon import NEGATIONS, are_opposite, is_modifier, is_verb
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.slot import Candidate, Slot, likely, lossless

_LITERALS = {"true": True, "false": False}
_WORDS = {
    **dict.fromkeys(("yes", "y", "on", "t", "enabled", "enable", "1", "yep", "yup", "yeah"), True),
    **dict.fromkeys(("no", "n", "off", "f", "disabled", "disable", "0", "nope", "nah"), False),
}
_STATES = frozenset({"enabled", "enable", "disabled", "disable"})
_OFF_NAMES = frozenset({"disable", "disabled", "inactive", "deactivate", "deactivated"})
_NOT_YET = frozenset({"not yet", "not_yet", "not-yet"})
_FILLERS = frozenset({"is", "are", "was", "were", "be", "been", "has", "have", "the", "a", "an", "it"})
_NOT = frozenset({"not", "non", "isnt", "wasnt"})
_PARTICIPLES = ("ed", "en", "paid", "sent", "done", "found", "sold", "built")
_SELECTING = frozenset({"exclude", "excluding", "include", "including", "hide", "omit", "ignore", "only", "if", "when"})
_NEGATIVE_PREFIXES = ("un", "in", "non", "dis", "im", "ir")
_MIN_ROOT = 4
_MAX_LENGTH = 16
_MAX_WORDS = 4


def read_boolean(slot: Slot) -> Iterator[Candidate]:
    """Yield the boolean that a value means."""
    if "boolean" not in slot.kinds:
        return
    meaning = meaning_of(slot.value)
    if meaning is None:
        yield from _read_own_word(slot)
    elif not _is_unclear_state(slot):
        is_literal = isinstance(slot.value, str) and slot.value.strip().lower() in _LITERALS
        yield lossless(meaning) if is_literal else likely(meaning)


def meaning_of(value: Any) -> bool | None:
    """Return what a word or digit means as a boolean; None if that is not clear."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    if isinstance(value, str) and len(value) <= _MAX_LENGTH:
        word = value.strip().lower()
        return _LITERALS.get(word, _WORDS.get(word))
    return None


def _is_unclear_state(slot: Slot) -> bool:
    """Whether `enabled` or the like is sent for a parameter that says that something is disabled."""
    is_state = isinstance(slot.value, str) and slot.value.strip().lower() in _STATES
    return is_state and not _OFF_NAMES.isdisjoint(split_words(slot.name))


def _read_own_word(slot: Slot) -> Iterator[Candidate]:
    """Yield what a text says that repeats or denies the name of the parameter."""
    if not isinstance(slot.value, str) or len(slot.value) > 2 * _MAX_LENGTH:
        return
    if slot.value.strip().lower() in _NOT_YET:
        yield Candidate(value=False)
        return
    meaning = _compare_with_name(slot.value, slot.name)
    if meaning is False or (meaning and slot.is_read_only):  # `force: "force"` may not open what the caller leaves shut
        yield Candidate(meaning)


def _compare_with_name(text: str, name: str) -> bool | None:
    """Return whether a text says what the name says; None if it is about something else, or unclear."""
    own, words = _words_of(name), _words_of(text.replace("'", "").replace("\u2019", ""))
    if not own or len(own) > _MAX_WORDS or own[0] in NEGATIONS:
        return None
    is_negated = bool(words) and words[0] in _NOT
    rest = words[1:] if is_negated else words
    if rest == own:
        return not is_negated
    is_about_it = len(rest) == 1 and (len(own) == 1 or _tells_state(own))
    if is_about_it and (rest[0] == own[-1] if is_negated else _denies(rest[0], own[-1])):
        return False
    return None


def _words_of(text: str) -> list[str]:
    return [stem(word) for word in split_words(text) if word not in _FILLERS]


def _tells_state(own: list[str]) -> bool:
    """Whether a name is a thing and what happened to it: `queen_seen`, but not `exclude_archived` or `dry_run`."""
    is_state = own[-1].endswith(_PARTICIPLES)
    return is_state and not any(is_verb(word) or is_modifier(word) or word in _SELECTING for word in own[:-1])


def _denies(word: str, own: str) -> bool:
    """Whether a word is the opposite of the last word of a name: `private` of `public`, `unseen` of `seen`."""
    is_prefixed = any(word == prefix + own for prefix in _NEGATIVE_PREFIXES) and len(own) >= _MIN_ROOT
    return is_prefixed or are_opposite(word, own)
