"""Find the choices that a rejected value may stand for, without those that mean something else.

A similar choice is offered, but never the opposite of what was sent or one with another number, and none for a word
that means "not given" or for the negation of a choice. A word of its own is no misspelling of another one. Between a
choice and its negation (`listed`, `unlisted`), a misspelling decides only if it is clearly nearer to one. Codes of
currencies, countries and languages are too short for misspellings: each of their neighbours is a code too. They may be
short forms of the value, except in a well-known set: `mon` is no `month` beside `tue`. Where a word of the value is in
one of the choices, the others do not stand for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching import Match, Reading, find_readings
from fingerpost.engine.matching.actions import are_different, is_action
from fingerpost.engine.matching.evidence import Tier
from fingerpost.engine.matching.lexicon import (
    NEGATIONS,
    are_opposite,
    is_commonest,
    is_known_word,
    synonym_groups,
)
from fingerpost.engine.matching.spelling import count_edits, spelling, split_words, stem
from fingerpost.engine.rules.broad_states import covers_another
from fingerpost.engine.rules.choice_variants import have_other_numbers, is_other_variant
from fingerpost.engine.values.absent import is_absent_word
from fingerpost.engine.values.booleans import meaning_of
from fingerpost.engine.values.choices import is_negated, is_other_unit
from fingerpost.engine.values.known_codes import is_member, show_known_set
from fingerpost.engine.values.sort_orders import field_words, parse_sort_order

_MAX_LENGTH = 96
_MOST_CHOICES = 10_000
_LONGEST_CODE = 3
_FILLERS = frozenset(
    {"the", "a", "an", "only", "is", "be", "to", "set", "value", "option", "mode", "please", "ticket", "item"}
)
_MOST_WORDS = 200
_CODES = lazy_pattern(r"[A-Za-z0-9]{1,3}|[A-Z0-9]{1,4}|[a-z]{2,3}[-_][A-Za-z0-9]{2,4}")
_INFLECTION = lazy_pattern(r"[a-z]?(?:ing|ed|er|es|ions?|ly|al|s|d|ment|ive|ation|ally)")
_NEGATIVE_PREFIXES = ("un", "in", "non", "dis", "im", "ir", "il", "de", "anti", "ab", "a", "mis", "counter")
_NEGATIONS = ("un", "in", "non", "dis", "im", "ir", "il", "de", "no")
_MOST_EDITS = 9
_CLEAR_GAP = 2
_UNDECIDED = 0.85
_QUALIFIERS = frozenset({
    "acting", "almost", "anti", "assistant", "but", "co", "counter", "deputy", "ex", "extra", "former",
    "formerly", "half", "inter", "junior", "multi", "nearly", "non", "over", "partial", "partially", "post",
    "pre", "pseudo", "quasi", "re", "self", "semi", "senior", "sub", "super", "trans", "ultra", "un", "under",
    "vice", "x", "xx",
})  # fmt: skip
"""Words and prefixes that make another thing of the word behind them: a co-owner is no owner."""


def find_near_choices(value: Any, choices: Sequence[Any], names: Sequence[str] = ()) -> list[Match]:
    """Return the choices that resemble a value, best first, without those that mean something else.

    `names` are the names on the path of the value.
    """
    if not isinstance(value, str) or len(value) > _MAX_LENGTH or is_absent_word(value):
        return []
    readings = _find_readings(value, choices, names)
    return _add_negation(value, readings, choices) or [reading.match for reading in readings][:3]


def _find_readings(value: str, choices: Sequence[Any], names: Sequence[str]) -> list[Reading]:
    words = [choice for choice in choices[:_MOST_CHOICES] if isinstance(choice, str)]
    if is_negated(value):
        words = [choice for choice in words if is_negated(choice)]
    named = _find_named(value, words)
    if _denies_one(value, words) or named == set() or is_member(value, words, names[-1:]):
        return []
    near = find_readings(value, words, "value")
    if _are_codes(words):
        may_be_short = not show_known_set(words)
        near = [one for one in near if one.evidence.tier is Tier.MEANING or (may_be_short and _is_short_form(one))]
    near = [one for one in near if named is None or one.match.name in named]
    return [reading for reading in near if _may_mean(value, reading, names, words)]


def _add_negation(value: str, readings: Sequence[Reading], choices: Sequence[Any]) -> list[Match]:
    """Return a choice and its negation, if a misspelling of one is nearly as much one of the other; else nothing."""
    if not readings or readings[0].evidence.tier is not Tier.SPELLING:
        return []
    first = readings[0].match
    for other in choices[:_MOST_WORDS]:
        if (
            isinstance(other, str)
            and _is_negation(first.name, other)
            and not _is_clearly_nearer(value, first.name, other)
        ):
            shared = min(first.confidence, _UNDECIDED)
            return [replace(first, confidence=shared, is_clear=False), Match(other, shared, is_clear=False)]
    return []


def _is_negation(one: str, other: str) -> bool:
    """Whether one of two choices is the other with another beginning that turns it around: `unlisted`, `exclude`."""
    longer, shorter = sorted((spelling(one), spelling(other)), key=len, reverse=True)
    if any(prefix + shorter == longer for prefix in _NEGATIONS):
        return len(shorter) > 2
    pairs = zip(reversed(longer), reversed(shorter), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return 2 * same >= len(shorter) > 4 and are_opposite(stem(one.lower()), stem(other.lower()))


def _is_clearly_nearer(value: str, choice: str, other: str) -> bool:
    """Whether a text is a misspelling of a choice rather than of its negation, or negates in another way."""
    text, one, two = spelling(value), spelling(choice), spelling(other)
    if any(prefix + two == text for prefix in _NEGATIONS):
        return True  # `unactive` for `inactive`
    if text[:1] == one[:1] != two[:1] and not (one.endswith(two) or two.endswith(one)):
        return True  # `asscending`: the first letter is hardly ever wrong
    return count_edits(text, two, _MOST_EDITS) - count_edits(text, one, _MOST_EDITS) >= _CLEAR_GAP


def _is_short_form(reading: Reading) -> bool:
    """Whether a choice is a short form that first of all stands for the value: `min` is no `minute` beside `max`."""
    return reading.evidence.tier is Tier.SHORT and reading.match.is_clear


def _may_mean(value: str, reading: Reading, names: Sequence[str], choices: Sequence[str]) -> bool:
    choice = reading.match.name
    if any(differ(value, choice) for differ in _DIFFERENCES) or _names_other_too(choice, value, choices):
        return False
    known = choices[:_MOST_WORDS]
    if reading.evidence.tier is Tier.MEANING and (
        covers_another(value, choice, known) or _is_other_action(value, choice, known)
    ):
        return False
    if reading.evidence.tier in (Tier.SHORT, Tier.MEANING):
        return True
    if reading.evidence.tier is Tier.SPELLING and _is_other_word(value, choice):
        return False
    is_other = _has_other_prefix(value, choice) or _are_other_codes(value, choice)
    return not (is_other or _says_more(value, choice, names))


def _is_other_action(value: str, choice: str, choices: Sequence[str]) -> bool:
    """Whether a value does something else than a choice, where each choice is an action: to write is not to append."""
    return are_different(value.lower(), choice.lower()) and all(is_action(stem(one.lower())) for one in choices)


def _sorts_by_other(value: str, choice: str) -> bool:
    """Whether a value names a field to sort by, and the choice another one: `price:desc` and `name_desc`."""
    order = parse_sort_order(value)
    theirs = field_words(choice)
    return order is not None and all(is_known_word(word) and word not in theirs for word in order.field)


def _is_other_word(value: str, choice: str) -> bool:
    """Whether a value is a word itself, and no other form of the choice: `slow` is no misspelling of `low`."""
    word, other = value.strip().lower(), choice.lower()
    if stem(word) == stem(other) or not word.isalpha():
        return False
    if any(synonym_groups(stem(word), kind) for kind in ("value", "parameter")):
        return True
    is_word = is_commonest(word) if word[0] == other[0] else is_known_word(word)
    return is_word and not _is_inflected(word, other)


def _is_inflected(one: str, other: str) -> bool:
    """Whether one word is the other with an ending: `sorted` and `sort`."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) and _INFLECTION.fullmatch(longer[len(shorter) :]) is not None


def _denies(value: str, choice: str) -> bool:
    """Whether a value is a form of the choice with a negative prefix: `incomplete` and `completed`."""
    one, other = spelling(value), spelling(choice)
    rests = [one[len(prefix) :] for prefix in _NEGATIVE_PREFIXES if one.startswith(prefix)]
    return any(len(rest) > 3 and other.startswith(rest[:-1]) for rest in rests)


def _names_other_too(choice: str, value: str, choices: Sequence[str]) -> bool:
    """Whether what a choice has besides the words of the value is a choice itself: `stop_limit` beside `limit`."""
    more = {*split_words(choice)} - {*split_words(value)}
    is_part = len(split_words(value)) < len(split_words(choice))
    return is_part and any(spelling(other) in more for other in choices[:_MOST_WORDS])


def _has_other_prefix(value: str, choice: str) -> bool:
    """Whether one is the other with something in front of it, or a compound of it: `biweekly`, `weekday`."""
    longer, shorter = sorted((spelling(value), spelling(choice)), key=len, reverse=True)
    more = len(longer) - len(shorter)
    if len(shorter) < 3 or more < 1 or max(len(split_words(value)), len(split_words(choice))) > 1:
        return False
    if longer.endswith(shorter):
        return more > 1 or longer[0] == "a"
    is_compound = longer.startswith(shorter) and more > 1 and not _INFLECTION.fullmatch(longer[len(shorter) :])
    return is_compound and spelling(value) == longer


def _are_other_codes(value: str, choice: str) -> bool:
    """Whether both are so short that another letter makes another code: `gte` is no `gt`."""
    return max(len(value), len(choice)) <= _LONGEST_CODE and sorted(value.lower()) != sorted(choice.lower())


def _says_more(value: str, choice: str, names: Sequence[str]) -> bool:
    """Whether a value has words besides those of the choice that are not in the name of its parameter either.

    `high priority` is the priority `high`, but `public-read-write` is not `public-read`.
    """
    ours, theirs = ({stem(word) for word in split_words(text)} for text in (value, choice))
    if not theirs < ours:
        return False
    return not ours - theirs <= {*_FILLERS, *(stem(word) for name in names for word in split_words(name))}


def _are_codes(choices: Sequence[str]) -> bool:
    """Whether the choices are codes (`usd`, `DE`, `pt-BR`), which have neighbours instead of misspellings."""
    return bool(choices) and all(map(_CODES.fullmatch, choices))


def _denies_one(value: str, choices: Sequence[str]) -> bool:
    """Whether a value is a choice with a negative prefix, which leaves several others: `inactive`."""
    word = spelling(value)
    rests = {word.removeprefix(prefix) for prefix in _NEGATIVE_PREFIXES if word.startswith(prefix)}
    return bool(rests) and len(choices) > 2 and any(spelling(choice) in rests for choice in choices)


def _find_named(value: str, choices: Sequence[str]) -> set[str] | None:
    """Return the choices that have every word of a value that any choice has; None if none has any.

    What a word names has to be in the choice: `price:desc` is no `newest` beside `price_asc`. Different words may stand
    for different choices: `read-write` is neither `reader` nor `writer`.
    """
    words = [word for word in map(str.lower, split_words(value)) if len(word) > 2]
    if not 1 < len(words) <= 8 or len(choices) > _MOST_WORDS:
        return None
    named = [{choice for choice in choices if _begins_alike(word, choice)} for word in words]
    sets = [one for one in named if one]
    return set[str].intersection(*sets) if sets else None


def _begins_alike(word: str, choice: str) -> bool:
    others = [other for other in map(str.lower, split_words(choice)) if len(other) > 2]
    return any(other.startswith(word) or word.startswith(other) for other in others)


def _is_qualified(value: str, choice: str) -> bool:
    """Whether one of the two has a qualifier that the other does not have, as a word or as a prefix."""
    ours, theirs = ({*map(str.lower, split_words(text))} for text in (value, choice))
    if (ours ^ theirs) & _QUALIFIERS:
        return True
    one, other = spelling(value), spelling(choice)
    return any(prefix + one == other or prefix + other == one for prefix in _QUALIFIERS)


def _are_opposite(text: str, choice: str) -> bool:
    """Whether two values exclude each other: by one of their words, a negation, or what they mean as booleans."""
    meanings = {meaning_of(text), meaning_of(choice)}
    one, other = ({stem(word) for word in split_words(name)} for name in (text, choice))
    is_negated = bool(one & NEGATIONS) != bool(other & NEGATIONS)
    return meanings == {True, False} or is_negated or any(are_opposite(a, b) for a in one - other for b in other - one)


_DIFFERENCES = (
    have_other_numbers, is_other_variant, _are_opposite, _is_qualified, _sorts_by_other, _denies, is_other_unit,
)  # fmt: skip
"""What makes a value another one than a choice that is near."""
