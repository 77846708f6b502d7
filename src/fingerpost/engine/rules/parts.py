"""An argument that is the whole of what several parameters are parts of, or a part of what one parameter is.

`year` is the whole of `year_min` and `year_max`; `service` and `plan` are the parts of `serviceAndPlan`.

Given to one part, the value would mean something else: a year becomes a bound, a full name a first name. So the parts
are named, and none of them is offered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching import Match
from fingerpost.engine.matching.entities import is_head
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Path
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.rules.sides import is_side
from fingerpost.engine.safety.json_input import as_object

_MAX_NAMES = 64
_TIMES = frozenset({"date", "day", "time", "datetime", "timestamp", "when"})
_BOUNDS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "min minimum lower least lowest gt ge gte after since earliest from start begin beginning",
        "max maximum upper most highest lt le lte before until till latest to end finish",
    )
)
"""Words for the lower and for the upper bound."""
_DIRECTIONS = frozenset(map(stem, ["from", "to", "start", "end", "begin", "beginning", "finish"]))
_NUMBERS = ("integer", "number")
_MOMENTS = ("date", "date-time")
_SMALL = frozenset(map(stem, ["code", "line", "name", "no", "number", "of", "part"]))
_WHOLES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(map(stem, whole.split())), frozenset(map(stem, parts.split())))
    for whole, parts in (
        (
            "address location place",
            "street road house city town zip zipcode postal postcode country state region district apartment",
        ),
        ("name fullname person", "first last given family middle surname forename firstname lastname"),
        ("date birthday dob day", "day month year"),
        ("time", "hour minute second"),
        ("datetime timestamp when moment", "date time"),
        ("location place position coordinate coords point", "latitude longitude lat lon lng x y"),
        ("dimension size", "width height depth length"),
    )
)
"""Words for a whole, and words for its parts."""
_COMPOUND = lazy_pattern(r".*(?:,|[A-Za-z]\W.*[0-9]|[0-9]\W.*[A-Za-z]).*")
_MAX_LENGTH = 200
_CONNECTIVES = frozenset({"and", "or", "with"})


class _Whole(NamedTuple):
    """An undeclared argument, and what is known about the parameters."""

    name: str
    value: Any
    near: Sequence[str]
    """The parameters that resemble it."""
    missing: Collection[str]
    """The required parameters without a value."""
    given: Collection[str]
    """The parameters with a value."""


def find_places(
    case: Case,
    at: Path,
    readings: Mapping[str, Sequence[Match]],
    declared: Mapping[str, Any],
    nested: Mapping[str, Path],
) -> list[Path]:
    """Return the places of the parameters of which an argument names the whole, and of what else it may be.

    `readings` are the names that each undeclared argument beside it may stand for.
    """
    name = str(at[-1])
    matches = readings[name]
    if matches and (matches[0].is_clear or matches[0].differs_by_unit):
        return []
    known = {**{field: case.schema(path) for field, path in nested.items()}, **declared}
    missing = [str(violation.expected) for violation in case.violations if violation.keyword == "required"]
    near = [match.name for match in matches]
    parts = _find_parts(_Whole(name, case.value(at), near, missing, case.value(at[:-1])), known)
    others = {match.name for other, found in readings.items() if other != name for match in found[:1]}
    if not parts or not others.isdisjoint(parts):  # what another argument is for leaves one place
        return []
    rest = [one for one in near if one not in parts and not _stems(one).isdisjoint(_stems(name))]
    return [nested.get(one, (*at[:-1], one)) for one in (*parts, *rest)]


def describe_parts(name: str, parts: Sequence[str]) -> str:
    """Return the fact that a caller needs to send the parts instead."""
    return f"Instead of {quote(name)} there are {join_names(parts)}"


def find_whole(part: str, others: Iterable[str], declared: Iterable[str]) -> tuple[str, list[str]] | None:
    """Return the parameter that several arguments are parts of (`serviceAndPlan`), and those (`service`, `plan`).

    Given to the parameter, one part alone would mean something else.
    """
    stems = {other: _stems(other) for other in islice(others, _MAX_NAMES)}
    for name in islice(declared, _MAX_NAMES):
        words = _stems(name) - _CONNECTIVES
        if len(words) == len(_stems(name)):
            continue  # `sort_order` is the order of sorting
        parts = [other for other, own in stems.items() if own < words and not any(map(is_head, own))]
        if part in parts and words == frozenset[str]().union(*(stems[one] for one in parts)):
            return name, parts
    return None


def describe_whole(name: str, parts: Sequence[str]) -> str:
    """Return the fact that a caller needs to send the whole instead."""
    return f"{quote(name)} holds {join_names(parts)} in one value"


def _find_parts(sent: _Whole, known: Mapping[str, Any]) -> Sequence[str]:
    """Return the known parameters that are parts of what an argument stands for; `known` has the schema of each."""
    stems = {name: _stems(name) for name in islice(known, _MAX_NAMES)}
    bounds = (_find_bounds(sent, name, stems, known) for name in sent.near)
    return next(filter(None, bounds), ()) or _find_span(sent, known) or _find_pieces(sent, stems)


def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split_words(name))


def _find_bounds(
    sent: _Whole, near: str, stems: Mapping[str, frozenset[str]], known: Mapping[str, Any]
) -> Sequence[str]:
    """Return a near name and the one that is the other bound, if the argument leaves open which."""
    words, ours = _stems(sent.name), stems.get(near, frozenset[str]())
    for other, theirs in stems.items():
        is_pair = _are_bounds(ours - theirs, theirs - ours) and _may_be_bound(known[other], ours - theirs)
        is_only_left = other in sent.given and near in sent.missing
        is_open = (other in sent.near or words <= ours & theirs) and not any(map(_says_side, words))
        if is_pair and is_open and not is_only_left:
            return [name for name in stems if name in (near, other)]
    return ()


def _are_bounds(one: frozenset[str], other: frozenset[str]) -> bool:
    lowest, highest = _BOUNDS
    return len(one) == 1 == len(other) and (
        (one <= lowest and other <= highest) or (one <= highest and other <= lowest)
    )


def _may_be_bound(schema: Any, words: frozenset[str]) -> bool:
    """Whether a parameter limits something: by its own words, or as the start or the end of numbers or dates."""
    fields = as_object(schema)
    return words.isdisjoint(_DIRECTIONS) or fields.get("type") in _NUMBERS or fields.get("format") in _MOMENTS


def _says_side(word: str) -> bool:
    return is_side(word) or any(word in words for words in _BOUNDS)


def _find_span(sent: _Whole, known: Mapping[str, Any]) -> Sequence[str]:
    """Return the only two dates that are called by their sides alone, for a date: `after` and `before`."""
    if not isinstance(sent.value, str) or sent.name.lower() not in _TIMES:
        return ()
    dates = [name for name in islice(known, _MAX_NAMES) if as_object(known[name]).get("format") in _MOMENTS]
    pairs = [pair for pair in combinations(dates, 2) if _are_bounds(*map(_stems, pair))]
    return pairs[0] if len(pairs) == 1 else ()


def _find_pieces(sent: _Whole, stems: Mapping[str, frozenset[str]]) -> Sequence[str]:
    """Return the parts of a whole, if several are missing or the value says several things."""
    head = stem((split_words(sent.name) or ("",))[-1])
    for whole, parts in _WHOLES:
        pieces = [name for name, words in stems.items() if head in whole and _is_piece(words, whole, parts)]
        missing = [name for name in pieces if name in sent.missing]
        if len(missing) > 1 or (len(pieces) > 1 and (head == "name" or _is_compound(sent.value))):
            return missing if len(missing) > 1 else pieces
    return ()


def _is_piece(words: frozenset[str], whole: frozenset[str], parts: frozenset[str]) -> bool:
    return not words.isdisjoint(parts) and words <= parts | whole | _SMALL


def _is_compound(value: Any) -> bool:
    """Whether a text has a comma, or words and numbers."""
    return isinstance(value, str) and _COMPOUND.fullmatch(value[:_MAX_LENGTH]) is not None
