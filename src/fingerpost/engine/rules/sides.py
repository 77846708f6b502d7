"""Arguments that are one side of two: `start` and `end` for `from_ts` and `to_ts`.

One side alone is weak evidence (`start` may be a place or a flag). Both sides together, or one beside a parameter that
is the other, leave one reading if only one pair of parameters differs by just these sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from fingerpost.engine.matching.qualifiers import is_filler
from fingerpost.engine.matching.spelling import split_words, stem

_Sides: TypeAlias = tuple[frozenset[str], frozenset[str]]

_SIDES: tuple[_Sides, ...] = tuple(
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for one, other in (
        ("from start begin since after earliest first", "to end finish until till before latest last"),
        ("from source src origin sender start old", "to into target dst dest destination recipient receiver end new"),
        ("source src head", "target dst dest destination base"),
        ("old search find original before from", "new replace replacement after to"),
        ("min minimum lower least from", "max maximum upper most to"),
    )
)
"""Words for the first and for the second of two, in each sense that they can have. The first is a span of time."""
_TIMES = frozenset({"date", "time"})
_PLACES = frozenset(map(stem, ["path", "file", "filename", "dir", "directory", "folder", "location", "uri"]))
"""What two sides are if their names do not say it: `old_path` and `new_path` for `source` and `destination`."""
_MAX_NAMES = 64
_BRANCHES = frozenset({"head", "base"})
"""Sides without an order: a pull request goes from head to base, a comparison from base to head."""
_ENDS = frozenset({"from", "to"})


class _Pair(NamedTuple):
    """Two names that differ only by the word that says which side they are."""

    names: tuple[str, str]
    rest: frozenset[str]
    """Their other words."""


def find_sides(strays: Sequence[str], declared: Collection[str], given: Collection[str]) -> Mapping[str, str]:
    """Return the unset parameter for each undeclared argument that is one side of a pair, if only one pair fits."""
    if not 1 <= len(strays) <= _MAX_NAMES:
        return {}
    known = list(islice(declared, _MAX_NAMES))
    places: dict[str, set[str]] = {}
    for sides in _SIDES:
        for pair in _find_pairs(known, sides):
            for sent in _find_sent(strays, pair, sides, given):
                for one, name in zip(sent, pair.names, strict=True):
                    places.setdefault(one, set()).add(name)
    claims = Counter(name for names in places.values() for name in names)
    only = {one: names.pop() for one, names in places.items() if len(names) == 1 and one in strays}
    return {one: name for one, name in only.items() if claims[name] == 1}


def has_two_orders(stray: str, declared: Collection[str]) -> bool:
    """Whether an argument may be either of two declared sides: `from` beside `head` and `base`."""
    return (
        not _ENDS.isdisjoint(split_words(stray))
        and {word for name in islice(declared, _MAX_NAMES) for word in split_words(name)} >= _BRANCHES
    )


def is_side(word: str) -> bool:
    """Whether a stem says which of two is meant."""
    return any(word in words for sides in _SIDES for words in sides)


def _find_pairs(names: Sequence[str], sides: _Sides) -> list[_Pair]:
    firsts, seconds = (_by_rest(names, words) for words in sides)
    return [_Pair((firsts[rest], seconds[rest]), rest) for rest in firsts if rest in seconds]


def _by_rest(names: Sequence[str], words: frozenset[str]) -> dict[frozenset[str], str]:
    """Return the only name with one of these words, for each set of other words."""
    found: dict[frozenset[str], list[str]] = {}
    for name in names:
        stems = {stem(word) for word in split_words(name)}
        if len(stems & words) == 1:
            found.setdefault(frozenset(stems - words), []).append(name)
    return {rest: same[0] for rest, same in found.items() if len(same) == 1}


def _find_sent(strays: Sequence[str], pair: _Pair, sides: _Sides, given: Collection[str]) -> list[tuple[str, str]]:
    """Return the two names under which the sides of a pair were sent: both undeclared, or one of them as declared."""
    is_given = [name in given for name in pair.names]
    if is_given == [False, False]:
        return [one.names for one in _find_pairs(strays, sides) if _says_nothing_else(one.rest, pair, sides)]
    if is_given == [True, True]:
        return []
    first, second = pair.names
    rests = _by_rest(strays, sides[is_given[0]])
    others = [name for rest, name in rests.items() if _says_nothing_else(rest, pair, sides)]
    return [(first, other) if is_given[0] else (other, second) for other in others]


def _says_nothing_else(rest: frozenset[str], pair: _Pair, sides: _Sides) -> bool:
    """Whether what a sent name says besides its side is said by the known ones too, or is nothing."""
    more = rest - pair.rest
    if sides is not _SIDES[0] and not more.isdisjoint(_TIMES):
        return False
    return all(map(is_filler, more)) or (not pair.rest and more <= _PLACES)
