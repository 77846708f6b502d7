"""What speaks against taking one name for another, however alike they look. A guard never yields a fix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from fingerpost.engine.matching.alignment import SAME, SPELLING, Alignment, edits_between
from fingerpost.engine.matching.extra_words import LEAD
from fingerpost.engine.matching.index import is_telling
from fingerpost.engine.matching.lexicon import (
    LONGEST,
    are_glued_apart,
    are_opposite,
    full_forms,
    is_near_a_word,
    is_ordinary,
    is_term,
    is_word_against,
    unit_of,
)

_SYMBOL = re.compile(r"[^\w\s.\-]|^-|-$")
_SPACING = re.compile(r"[/:(){}\[\]<>]")
"""Signs that in the name of a tool are as good as a dot."""
_SIGNED = re.compile(r"(?:^|(?<=\d))[-._](?=\d)")
_DIRECTIONS = frozenset({
    "to", "from", "into", "by", "of", "in", "on", "at", "with", "as", "for", "per", "than", "vs", "before", "after",
    "2", "4",
})  # fmt: skip


def against_words(side: Alignment) -> Iterator[str]:
    """For names of which nothing is left unexplained, word by word."""
    asked, ours, theirs, their_words = side.asked, side.ours, side.theirs, side.their_words
    yield from against_letters(asked.text, side.known.names[side.at], asked.kind)
    if any(ours[i].isdigit() or theirs[j].isdigit() for i, j, how, _ in side.pairs if how != SAME):
        yield "number"
    same = sum([len(ours[i]) for i, _, how, _ in side.pairs if how == SAME])
    for i, j, how, _ in side.pairs:
        if how == SAME:
            if side.right and asked.words[i] != their_words[j]:
                yield "plural"
            continue
        if are_opposite(ours[i], theirs[j]):
            yield "opposite"
        if _differ_by_unit(asked.words[i], their_words[j]):
            yield "unit"
        if how == SPELLING:
            yield from _against_spelling(side, i, j, same)
        elif theirs[j] not in full_forms(ours[i])[:2] and ours[i] not in full_forms(theirs[j])[:2]:
            yield "short"  # `temp` is rather a temperature than a template
    if min(len(asked.key), len(side.key)) < (4 if any(pair.how == SPELLING for pair in side.pairs) else 3):
        yield "short"
    if not side.is_in_order:
        if asked.kind == "value" or _directions(ours) != _directions(theirs) or _swaps_equals(ours, theirs):
            yield "direction"
        if sum([how == SAME and asked.words[i] != their_words[j] for i, j, how, _ in side.pairs]) > 1:
            yield "plural"  # the owners of a gem are not the gems of an owner


def against_one_word(side: Alignment) -> Iterator[str]:
    """For names whose letters are near though their words are not."""
    ours, theirs = side.asked.words, side.their_words
    yield from against_letters(side.asked.text, side.known.names[side.at], side.asked.kind)
    if [word for word in ours if word.isdigit()] != [word for word in theirs if word.isdigit()]:
        yield "number"
    if sorted([word for word in ours if len(word) == 1]) != sorted([word for word in theirs if len(word) == 1]):
        yield "letter"
    if any(len(word) > 2 and word not in theirs and is_ordinary(word) for word in ours):
        yield "word"


def against_letters(text: str, name: str, kind: str) -> Iterator[str]:
    """Letters are not all of a name: `C++` is not `C`, and `10` is not `1.0`."""
    text, name = text[:LONGEST], name[:LONGEST]
    if kind == "tool":
        text, name = _SPACING.sub(".", text), _SPACING.sub(".", name)
    elif kind == "parameter" and (dotted := LEAD.match(text)):
        text = text[dotted.end() :]
    if _SYMBOL.findall(text) != _SYMBOL.findall(name) or _SIGNED.findall(text) != _SIGNED.findall(name):
        yield "symbols"


def against_leftovers(odd: list[tuple[str, str]]) -> Iterator[str]:
    """Whether what is left over on either side makes it another thing."""
    if not any(is_telling(one) or is_telling(other) for one, other in odd):
        yield "sibling"
    if any(_differ_by_unit(one, other) for one, other in odd):
        yield "unit"
    if any(one.isdigit() and other.isdigit() for one, other in odd):
        yield "number"


def _against_spelling(side: Alignment, at: int, to: int, same: int) -> Iterator[str]:
    """An unknown string may be a misspelling; a word may not, and of a few letters any few are near."""
    ours, one = side.asked.words[at], side.ours[at]
    word, other = side.their_words[to], side.theirs[to]
    if one in side.known.by_stem or is_word_against(ours, word) or is_word_against(one, other):
        yield "word"
    longest, shortest = max(len(ours), len(word)), min(len(ours), len(word))
    edits = min(edits_between(ours, word, 9), edits_between(one, other, 9))
    is_swapped, is_doubled = sorted(one) == sorted(other), _without_doubles(one) == _without_doubles(other)
    is_changed = len(one) == len(other) and not is_swapped
    if longest < 5 and (
        not is_ordinary(other)
        or (same < 4 and not is_swapped and not is_doubled)
        or (longest < 4 and (is_changed or is_term(other)))
    ):
        yield "short"
    if edits > (1 if longest < 6 else 2 if longest < 12 else 3):
        yield "far"
    is_beheaded = one == other[1:] and same > 7 and is_ordinary(other)
    has_other_head = one[0] != other[0] and not is_swapped and not is_beheaded
    if (has_other_head and shortest < 5) or (one[1:] == other and not is_doubled):
        yield "initial"
    if (edits > 1 and is_near_a_word(ours)) or (not is_doubled and are_glued_apart(one, other)):
        yield "word"
    if not is_swapped and not is_doubled:
        if (is_changed or edits > 1) and not is_ordinary(word) and not is_ordinary(other):
            yield "jargon"
        elif longest > 4 and side.known.has_twin(other, edits):
            yield "twins"


def _differ_by_unit(one: str, other: str) -> bool:
    units = unit_of(one), unit_of(other)
    return None not in units and units[0] != units[1]


def _without_doubles(word: str) -> str:
    return "".join([letter for letter, _ in groupby(word)])


def _directions(stems: Sequence[str]) -> list[tuple[str, str]]:
    """What each direction points at: `pdf_to_word` is not `word_to_pdf`."""
    return sorted([(one, then) for one, then in zip(stems, (*stems[1:], ""), strict=True) if one in _DIRECTIONS])


def _swaps_equals(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether neighbours that changed places are opposites, or two things of the trade (`csv_json`)."""
    turned = {(other, one) for one, other in pairwise(theirs)}
    return any(
        are_opposite(one, other) or (is_term(one) and is_term(other))
        for one, other in pairwise(ours)
        if (one, other) in turned
    )
