"""Arguments that are a bound of a quantity, in the style of a query: `votes_gte` and `at_least_votes` for `min_votes`.

A bound keeps its side, and is about the same quantity. `votes_gt` leaves out its own value and `min_votes` includes it,
so this value has to be filled in: numbers are not shifted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from fingerpost.engine.matching.spelling import split_words, stem

_LOWER = frozenset({"gte", "gt", "min", "minimum", "least", "more", "greater", "above", "over"})
_UPPER = frozenset({"lte", "lt", "max", "maximum", "most", "less", "fewer", "below", "under"})
_STRICT = frozenset({"gt", "lt", "more", "greater", "less", "fewer", "above", "over", "below", "under"})
_COMPARED = frozenset({"more", "greater", "less", "fewer"})
"""Words that are a bound only with `than`."""
_ALONE = frozenset({"gte", "gt", "lte", "lt", *_COMPARED})
"""Words that are a bound even if the name does not say of what, as `at least` and `at most` are."""
_JOINTS = frozenset({"at", "than", "or", "equal"})
_MAX_NAMES = 64


class BoundReading(NamedTuple):
    """A declared bound, and whether it includes its own value just as the undeclared one does."""

    name: str
    is_same: bool


class _Bound(NamedTuple):
    is_lower: bool
    is_strict: bool
    of: frozenset[str]
    """The words for the quantity."""
    may_be_alone: bool


def read_bound(stray: str, declared: Iterable[str], given: Collection[str]) -> BoundReading | None:
    """Return the only unset parameter that bounds the same quantity on the same side as an undeclared argument."""
    sent = _parse(stray)
    if sent is None or not (sent.of or sent.may_be_alone):
        return None
    bounds = {name: bound for name in islice(declared, _MAX_NAMES) if (bound := _parse(name)) and bound.of}
    if not sent.of and len({bound.of for bound in bounds.values()}) != 1:
        return None
    same = [
        name
        for name, bound in bounds.items()
        if bound.is_lower is sent.is_lower and (bound.of == sent.of or not sent.of)
    ]
    if len(same) != 1 or same[0] in given:
        return None
    return BoundReading(same[0], bounds[same[0]].is_strict is sent.is_strict)


def _parse(name: str) -> _Bound | None:
    words = split_words(name)
    sides = [word for word in words if word in _LOWER or word in _UPPER]
    if len(sides) != 1 or (sides[0] in _COMPARED and "than" not in words):
        return None
    word = sides[0]
    of = frozenset(stem(one) for one in words if one != word and one not in _JOINTS)
    may_be_alone = word in _ALONE or "at" in words
    return _Bound(word in _LOWER, word in _STRICT and "equal" not in words, of, may_be_alone)
