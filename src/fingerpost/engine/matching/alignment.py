"""Align two names word by word: which words correspond, and which are left over on either side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.evidence import Relation
from fingerpost.engine.matching.lexicon import full_forms, synonym_groups
from fingerpost.engine.matching.spelling import MAX_NAME_LENGTH, count_edits, split_words, stem
from fingerpost.engine.matching.units import unit_of

if TYPE_CHECKING:
    from fingerpost.engine.matching.index import Names


PREFIX = lazy_pattern(r"^[\s'\"`({\[]*((?:\w+?(?:\.|::?|/|__))+)")
"""Everything up to the last dot, colon, slash or double underscore."""

_CALL_SYNTAX = lazy_pattern(r"(?:\(.*|:\d+)$", re.DOTALL)
_PUNCTUATION = lazy_pattern(r"^[\s'\"`,;?*\\\u2018-\u201f\ufeff\u200b]+|[\s'\"`,;?!*\\\u2018-\u201f\ufeff\u200b]+$")
"""Quotes and punctuation around a name."""


class Query(NamedTuple):
    """The mistaken name, split once."""

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    key: str
    kind: str
    server: str
    tool: tuple[str, ...] = ()
    """For a parameter, the stems of the name of its tool."""
    may_write: bool = False
    """For a parameter, whether its tool is known and does not only read."""


class Pair(NamedTuple):
    """A word of the mistake and the corresponding word of the known name, by their positions."""

    ours: int
    theirs: int
    relation: Relation
    likeness: float


class Alignment(NamedTuple):
    """The mistake ("ours") aligned with one known name ("theirs")."""

    query: Query
    known: Names
    place: int
    pairs: tuple[Pair, ...]
    left: tuple[int, ...]
    """Positions in the mistake without a counterpart."""
    right: tuple[int, ...]
    """Positions in the known name without a counterpart."""
    is_in_order: bool
    ours: tuple[str, ...]
    """The stems of the mistake."""
    theirs: tuple[str, ...]
    """The stems of the known name."""

    @property
    def their_words(self) -> tuple[str, ...]:
        return self.known.words[self.place]

    @property
    def key(self) -> str:
        return self.known.keys[self.place]

    @property
    def word_pairs(self) -> tuple[tuple[str, str, Relation], ...]:
        return tuple([(self.query.words[i], self.their_words[j], relation) for i, j, relation, _ in self.pairs])


def parse_query(mistake: str, kind: str, server: str = "", tool: str = "", *, reads_only: bool = False) -> Query:
    """Strip punctuation and call syntax from the mistaken name and split it."""
    text = mistake
    if len(mistake) <= MAX_NAME_LENGTH:
        text = _PUNCTUATION.sub("", text.removeprefix("--") if kind == "parameter" else text)
        text = _CALL_SYNTAX.sub("", text) if kind == "tool" else text
    words = split_words(text)
    stems = tuple([stem(word) for word in words])
    server_words = strip_server_words("".join(split_words(server)))
    tool_words = tuple([stem(word) for word in split_words(tool)])
    may_write = kind == "parameter" and bool(tool) and not reads_only
    return Query(text, words, stems, "".join(words), kind, server_words, tool_words, may_write)


def strip_server_words(name: str) -> str:
    """Remove the words that the name of any server may contain."""
    return name.replace("mcp", "").replace("server", "")


def align(query: Query, known: Names, index: int) -> Alignment:
    """Pair the words of two names: equal words first, then the most similar."""
    ours, theirs = query.stems, known.stems[index]
    left, right = list(range(len(ours))), list(range(len(theirs)))
    pairs: list[Pair] = []
    for i in reversed(range(len(ours))):
        for j in reversed(right):
            if ours[i] == theirs[j]:
                pairs.append(Pair(i, j, Relation.SAME, 1.0))
                left.remove(i)
                right.remove(j)
                break
    if left and right:
        options = [(*relate_words(ours[i], theirs[j], query.kind), i, j) for i in left for j in right]
        for relation, likeness, i, j in sorted(options, key=lambda option: -option[1]):
            if relation and i in left and j in right:
                pairs.append(Pair(i, j, relation, likeness))
                left.remove(i)
                right.remove(j)
    places = [pair.theirs for pair in sorted(pairs)]
    is_in_order = places == sorted(places)
    return Alignment(query, known, index, tuple(pairs), tuple(left), tuple(right), is_in_order, ours, theirs)


def count_leading(places: Sequence[int]) -> int:
    """Count how many of the positions 0, 1, 2, … these begin with."""
    return next((number for number, place in enumerate(places) if number != place), len(places))


@lru_cache(maxsize=16384)
def relate_words(one: str, other: str, kind: str) -> tuple[Relation | None, float]:
    """Return how two different stems correspond, and how much alike they are."""
    ones, others = full_forms(one), full_forms(other)
    if one in others or other in ones:
        return Relation.SHORT, 0.95
    if kind == "parameter" and max(len(one), len(other)) > 2 and unit_of(one) and unit_of(one) == unit_of(other):
        return Relation.SHORT, 0.95
    likeness = _spelling_likeness(one, other)
    if likeness > 0.8:
        return Relation.SPELLING, likeness
    shared = max([len(synonym_groups(a, kind) & synonym_groups(b, kind)) for a in ones for b in others])
    if shared:
        return Relation.SENSE, 0.66 + 0.04 * min(shared, 3)
    return (Relation.SPELLING, likeness) if likeness else _relate_by_containment(one, other)


_OTHER_WORD_ENDINGS = frozenset({"isation", "ization", "ity", "itie", "ship", "itative", "itarian", "ism", "ist"})
"""Endings that make another thing of a word: an author gives no authorisation."""


def _relate_by_containment(one: str, other: str) -> tuple[Relation | None, float]:
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    if len(shorter) > (3 if len(longer) > 7 else 2) and longer.startswith(shorter):
        return (None, 0.0) if longer[len(shorter) :] in _OTHER_WORD_ENDINGS else (Relation.BEGINNING, 0.6)
    if len(shorter) > 3 and shorter in longer:
        return (Relation.ENDING, 0.55) if longer.endswith(shorter) else (Relation.INSIDE, 0.45)
    return None, 0.0


def _spelling_likeness(one: str, other: str) -> float:
    shortest, longest = sorted((len(one), len(other)))
    limit = 1 if longest < 5 and one[0] != other[0] else 2 if longest < 9 else 3
    if longest - shortest > limit or shortest < 2:
        return 0.0
    edits = count_edits(one, other, limit)
    return 0.97 - 0.9 * edits / longest if edits <= limit else 0.0
