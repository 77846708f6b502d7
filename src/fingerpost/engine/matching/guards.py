"""When a guard applies: tables of named predicates, one table for each way in which two names were compared.

`Guard` (in `evidence.py`) lists the guards and what each means. A table may name a guard twice: then either
predicate is enough. The guards for misspelled words are in `misspelling.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.alignment import PREFIX, Alignment, Pair
from fingerpost.engine.matching.entities import is_head, names_other_entity
from fingerpost.engine.matching.evidence import Guard, GuardTable, Relation, apply_guards
from fingerpost.engine.matching.lexicon import (
    are_opposite,
    full_forms,
    is_common,
    is_distinctive,
    is_known_word,
    is_technical_term,
)
from fingerpost.engine.matching.misspelling import find_misspelling_guards
from fingerpost.engine.matching.qualifiers import has_extra_word, has_qualifier
from fingerpost.engine.matching.spelling import MAX_NAME_LENGTH, stem
from fingerpost.engine.matching.units import have_other_units, unit_of

_SYMBOL = lazy_pattern(r"[^\w\s.\-]|^-|-$")
_TOOL_SEPARATOR = lazy_pattern(r"[/:(){}\[\]<>]")
"""Signs that mean no more than a dot in the name of a tool."""
_SIGN_OF_NUMBER = lazy_pattern(r"(?:^|(?<=\d))[-._](?=\d)")
_LONGEST_ABBREVIATION = 3
_DIRECTIONS = frozenset({
    "to", "from", "into", "by", "of", "in", "on", "at", "with", "as", "for", "per", "than", "vs", "before", "after",
    "2", "4",
})  # fmt: skip


class WordPair(NamedTuple):
    """Two words that correspond, in an alignment."""

    side: Alignment
    pair: Pair

    @property
    def words(self) -> tuple[str, str]:
        return self.side.query.words[self.pair.ours], self.side.their_words[self.pair.theirs]

    @property
    def stems(self) -> tuple[str, str]:
        return self.side.ours[self.pair.ours], self.side.theirs[self.pair.theirs]


def find_letter_guards(text: str, name: str, kind: str) -> Iterator[Guard]:
    """Guards for names with the same letters and digits: signs may still differ."""
    if _differs_by_symbol(text[:MAX_NAME_LENGTH], name[:MAX_NAME_LENGTH], kind):
        yield Guard.SYMBOLS


def find_word_guards(side: Alignment) -> Iterator[Guard]:
    """Guards for names in which every word has a counterpart."""
    yield from find_letter_guards(side.query.text, side.known.names[side.place], side.query.kind)
    if _differs_by_digit(side):
        yield Guard.NUMBER
    for pair in side.pairs:
        words = WordPair(side, pair)
        yield from apply_guards(_PAIR_GUARDS.get(pair.relation, _OTHER_PAIR_GUARDS), words)
        if pair.relation is Relation.SPELLING:
            yield from find_misspelling_guards(side.known, words.words, words.stems, _count_equal_letters(side))
    yield from apply_guards(_NAME_GUARDS, side)


def find_joined_guards(side: Alignment) -> Iterator[Guard]:
    """Guards for names that are near as one string although their words are not."""
    yield from find_letter_guards(side.query.text, side.known.names[side.place], side.query.kind)
    yield from apply_guards(_JOINED_GUARDS, side)


def find_part_guards(side: Alignment) -> Iterator[Guard]:
    """Guards for names of which only some words correspond."""
    return apply_guards(_PART_GUARDS, side)


def find_leftover_guards(odd: Sequence[tuple[str, str]]) -> Iterator[Guard]:
    """Guards for the words of either name that have no counterpart, each with each."""
    return apply_guards(_LEFTOVER_GUARDS, odd)


def _differs_by_symbol(text: str, name: str, kind: str) -> bool:
    """Letters and digits are not all of a name: `C++` is not `C`, and `10` is not `1.0`."""
    if kind == "tool":
        text, name = _TOOL_SEPARATOR.sub(".", text), _TOOL_SEPARATOR.sub(".", name)
    elif kind == "parameter" and (prefix := PREFIX.match(text)):
        text = text[prefix.end() :]
    return any(signs.findall(text) != signs.findall(name) for signs in (_SYMBOL, _SIGN_OF_NUMBER))


def _differs_by_digit(side: Alignment) -> bool:
    others = [pair for pair in side.pairs if pair.relation is not Relation.SAME]
    return any(side.ours[pair.ours].isdigit() or side.theirs[pair.theirs].isdigit() for pair in others)


def _count_equal_letters(side: Alignment) -> int:
    return sum([len(side.ours[pair.ours]) for pair in side.pairs if pair.relation is Relation.SAME])


# Words that correspond


def _changes_number_in_part(pair: WordPair) -> bool:
    """The words differ by number, and the known name has more words."""
    return bool(pair.side.right) and pair.words[0] != pair.words[1]


def _are_opposite_stems(pair: WordPair) -> bool:
    return are_opposite(*pair.stems)


def _are_different_units(pair: WordPair) -> bool:
    return _differ_by_unit(*pair.words)


def _is_unusual_short_form(pair: WordPair) -> bool:
    """Only the first meaning of a short form counts: `temp` is more often a temperature than a template."""
    one, other = pair.stems
    return other not in full_forms(one)[:2] and one not in full_forms(other)[:2]


def _differ_by_unit(one: str, other: str) -> bool:
    units = unit_of(one), unit_of(other)
    return None not in units and units[0] != units[1]


_DIFFERENT_WORDS: GuardTable[WordPair] = ((Guard.OPPOSITE, _are_opposite_stems), (Guard.UNIT, _are_different_units))
_OTHER_PAIR_GUARDS: GuardTable[WordPair] = (*_DIFFERENT_WORDS, (Guard.SHORT, _is_unusual_short_form))
_PAIR_GUARDS: dict[Relation, GuardTable[WordPair]] = {
    Relation.SAME: ((Guard.PLURAL, _changes_number_in_part),),
    Relation.SPELLING: _DIFFERENT_WORDS,
}


# Whole names


def _has_too_few_letters(side: Alignment) -> bool:
    has_misspelling = any(pair.relation is Relation.SPELLING for pair in side.pairs)
    return min(len(side.query.key), len(side.key)) < (4 if has_misspelling else 3)


def _reverses_direction(side: Alignment) -> bool:
    if side.is_in_order:
        return False
    ours, theirs = side.ours, side.theirs
    return side.query.kind == "value" or _directions(ours) != _directions(theirs) or _swaps_equals(ours, theirs)


def _swaps_plurals(side: Alignment) -> bool:
    """The words differ in order and by number: the owners of a gem are not the gems of an owner."""
    equal = [WordPair(side, pair).words for pair in side.pairs if pair.relation is Relation.SAME]
    return not side.is_in_order and sum([one != other for one, other in equal]) > 1


def _directions(stems: Sequence[str]) -> list[tuple[str, str]]:
    """Each direction with the word after it: `pdf_to_word` is not `word_to_pdf`."""
    return sorted([(one, then) for one, then in zip(stems, (*stems[1:], ""), strict=True) if one in _DIRECTIONS])


def _swaps_equals(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether neighbors that changed places are opposites or two technical terms (`csv_json`)."""
    turned = {(other, one) for one, other in pairwise(theirs)}
    return any(
        are_opposite(one, other) or (is_technical_term(one) and is_technical_term(other))
        for one, other in pairwise(ours)
        if (one, other) in turned
    )


def _has_other_units(side: Alignment) -> bool:
    """A parameter with a unit is not one without, or with another."""
    return side.query.kind == "parameter" and have_other_units(side.query.words, side.their_words)


def _misspells_other_entity(side: Alignment) -> bool:
    """Whether a misspelling may be something else: a common word (`card_id`, `cart_id`), a unit, an abbreviation."""
    if side.query.kind != "parameter":
        return False
    spelled = [WordPair(side, pair).words for pair in side.pairs if pair.relation is Relation.SPELLING]
    return any(
        (is_common(sent) and is_known_word(word)) or _are_other_abbreviations(sent, word, side)
        for sent, word in spelled
    )


def _are_other_abbreviations(sent: str, word: str, side: Alignment) -> bool:
    """Whether two words are so short that each letter counts: `ssm_id` and `sms_id`, `fpm` and `fps`."""
    longest = max(len(sent), len(word))
    if unit_of(word) and longest <= _LONGEST_ABBREVIATION + 1:
        return True
    if longest > _LONGEST_ABBREVIATION or is_head(stem(word)):
        return False
    others = [one for one in side.their_words if one != word]
    return sorted(sent) != sorted(word) if not others else all(is_head(stem(one)) for one in others)


_NAME_GUARDS: GuardTable[Alignment] = (
    (Guard.ENTITY, _misspells_other_entity),
    (Guard.SHORT, _has_too_few_letters),
    (Guard.DIRECTION, _reverses_direction),
    (Guard.PLURAL, _swaps_plurals),
)


# Names that are near as one string


def _has_other_digits(side: Alignment) -> bool:
    ours, theirs = ([word for word in words if word.isdigit()] for words in _both_words(side))
    return ours != theirs


def _has_other_single_letters(side: Alignment) -> bool:
    ours, theirs = (sorted([word for word in words if len(word) == 1]) for words in _both_words(side))
    return ours != theirs


def _has_other_word(side: Alignment) -> bool:
    ours, theirs = _both_words(side)
    return any(len(word) > 2 and word not in theirs and is_known_word(word) for word in ours)


def _both_words(side: Alignment) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return side.query.words, side.their_words


def _loses_unit(side: Alignment) -> bool:
    """A slip may join a unit to its word (`timeotms`), but a unit that is not there is another."""
    return _has_other_units(side) and not side.query.key.endswith(side.their_words[-1])


_JOINED_GUARDS: GuardTable[Alignment] = (
    (Guard.UNIT, _loses_unit),
    (Guard.NUMBER, _has_other_digits),
    (Guard.LETTER, _has_other_single_letters),
    (Guard.WORD, _has_other_word),
)


# Names of which only some words correspond

_PART_GUARDS: GuardTable[Alignment] = (
    (Guard.UNIT, _has_other_units),
    (Guard.ENTITY, names_other_entity),
    (Guard.QUALIFIER, has_qualifier),
    (Guard.EXTRA, has_extra_word),
)


# Words without a counterpart


def _says_no_subject(odd: Iterable[tuple[str, str]]) -> bool:
    """Only verbs and small words differ."""
    return not any(is_distinctive(one) or is_distinctive(other) for one, other in odd)


def _has_other_unit(odd: Iterable[tuple[str, str]]) -> bool:
    return any(_differ_by_unit(one, other) for one, other in odd)


def _has_other_number(odd: Iterable[tuple[str, str]]) -> bool:
    return any(one.isdigit() and other.isdigit() for one, other in odd)


_LEFTOVER_GUARDS: GuardTable[Sequence[tuple[str, str]]] = (
    (Guard.SIBLING, _says_no_subject),
    (Guard.UNIT, _has_other_unit),
    (Guard.NUMBER, _has_other_number),
)
