"""Two names laid side by side: which words answer which, and what is left over on either side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fingerpost.engine.matching.index import Names, distance_of_spelling
from fingerpost.engine.matching.lexicon import LONGEST, full_forms, senses, stem, words

SAME, SHORT, SPELLING, SENSE, BEGINNING = "same", "short", "spelling", "sense", "beginning"
EXACT = frozenset({SAME, SHORT, SPELLING})
"""The ways in which one word answers another that leave nothing to meaning."""

_CALL = re.compile(r"(?:\(.*|:\d+)$", re.DOTALL)
_QUOTES = re.compile(r"^[\s'\"`,;?*\\\u2018-\u201f\ufeff\u200b]+|[\s'\"`,;?!*\\\u2018-\u201f\ufeff\u200b]+$")
"""What stands around a name and is none of it."""


class Asked(NamedTuple):
    """The mistaken name, taken apart once."""

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    key: str
    kind: str
    server: str


class Pair(NamedTuple):
    """A word of the mistake and the word of the known name that answers it, by their places."""

    ours: int
    theirs: int
    how: str
    likeness: float


class Alignment(NamedTuple):
    """The mistake beside one known name."""

    asked: Asked
    known: Names
    at: int
    pairs: tuple[Pair, ...]
    left: tuple[int, ...]
    """Places in the mistake that nothing answers."""
    right: tuple[int, ...]
    """Places in the known name that answer nothing."""
    is_in_order: bool

    @property
    def ours(self) -> tuple[str, ...]:
        return self.asked.stems

    @property
    def theirs(self) -> tuple[str, ...]:
        return self.known.stems[self.at]

    @property
    def their_words(self) -> tuple[str, ...]:
        return self.known.words[self.at]

    @property
    def key(self) -> str:
        return self.known.keys[self.at]

    @property
    def shown(self) -> tuple[tuple[str, str, str], ...]:
        return tuple([(self.asked.words[i], self.their_words[j], how) for i, j, how, _ in self.pairs])


def asked_for(mistake: str, kind: str, server: str = "") -> Asked:
    text = mistake
    if len(mistake) <= LONGEST:
        text = _QUOTES.sub("", text.removeprefix("--") if kind == "parameter" else text)
        text = _CALL.sub("", text) if kind == "tool" else text
    found = words(text)
    stems = tuple([stem(word) for word in found])
    return Asked(text, found, stems, "".join(found), kind, core("".join(words(server))))


def core(server: str) -> str:
    """A server's name without the words that every server's name may have."""
    return server.replace("mcp", "").replace("server", "")


def aligned(asked: Asked, known: Names, index: int) -> Alignment:
    """The same words answer each other first, then the likeliest."""
    ours, theirs = asked.stems, known.stems[index]
    left, right = list(range(len(ours))), list(range(len(theirs)))
    pairs: list[Pair] = []
    for i in reversed(range(len(ours))):
        for j in reversed(right):
            if ours[i] == theirs[j]:
                pairs.append(Pair(i, j, SAME, 1.0))
                left.remove(i)
                right.remove(j)
                break
    if left and right:
        options = [(*relation(ours[i], theirs[j], asked.kind), i, j) for i in left for j in right]
        for how, likeness, i, j in sorted(options, key=lambda option: -option[1]):
            if how and i in left and j in right:
                pairs.append(Pair(i, j, how, likeness))
                left.remove(i)
                right.remove(j)
    places = [pair.theirs for pair in sorted(pairs)]
    return Alignment(asked, known, index, tuple(pairs), tuple(left), tuple(right), places == sorted(places))


def leading(places: Sequence[int]) -> int:
    """How many of the first places are among these."""
    return next((number for number, place in enumerate(places) if number != place), len(places))


def edits_between(one: str, other: str, most: int) -> int:
    """Letters to change, add, drop or swap; more than `most` where it takes more."""
    return distance_of_spelling()(one, other, score_cutoff=most)


@lru_cache(maxsize=16384)
def relation(one: str, other: str, kind: str) -> tuple[str, float]:
    """How two different stems may be the same word: by short form, spelling, sense or containment."""
    ones, others = full_forms(one), full_forms(other)
    if one in others or other in ones:
        return SHORT, 0.95
    near = _spelled(one, other)
    if near > 0.8:
        return SPELLING, near
    shared = max([len(senses(a, kind) & senses(b, kind)) for a in ones for b in others])
    if shared:
        return SENSE, 0.66 + 0.04 * min(shared, 3)
    if near:
        return SPELLING, near
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    if len(shorter) > (3 if len(longer) > 7 else 2) and longer.startswith(shorter):
        return BEGINNING, 0.6
    if len(shorter) > 3 and shorter in longer:
        return ("ending", 0.55) if longer.endswith(shorter) else ("inside", 0.45)
    return "", 0.0


def _spelled(one: str, other: str) -> float:
    shortest, longest = sorted((len(one), len(other)))
    most = 1 if longest < 5 and one[0] != other[0] else 2 if longest < 9 else 3
    if longest - shortest > most or shortest < 2:
        return 0.0
    edits = edits_between(one, other, most)
    return 0.97 - 0.9 * edits / longest if edits <= most else 0.0
