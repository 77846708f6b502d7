"""The two ends of a stay or a journey: `from` and `to` for `arrival` and `departure`, or the other way around.

A guest arrives before departing, a traveller departs before arriving. So the words alone do not say which end is the
first. Times say it by their order, parameters by the order in which they are declared. Places are ends of a journey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.qualifiers import is_filler
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.safety.json_input import as_object


class _Sides(NamedTuple):
    first: frozenset[str]
    second: frozenset[str]


class _Ends(NamedTuple):
    """Two names for the ends of one thing, the first end first."""

    first: str
    second: str
    rest: frozenset[str]
    """Their other words."""


def _sides(first: str, second: str) -> _Sides:
    return _Sides(*(frozenset(map(stem, words.split())) for words in (first, second)))


_SPAN = _sides("from start begin since", "to end finish until till")
_STAY = _sides("checkin movein", "checkout moveout")
_VISIT = _sides("arrival arrive", "departure depart")
_ROUTE = _sides("from origin source start", "to destination dest target end")
_TRIP = _Sides(_VISIT.second, _VISIT.first)
_JOINED = {("check", "in"), ("check", "out"), ("move", "in"), ("move", "out")}
_TIME_WORDS = frozenset({"date", "time", "datetime", "day", "at", "ts", "timestamp", "iso"})
_PLACE_WORDS = frozenset(
    map(stem, ("airport", "city", "location", "place", "point", "port", "station", "stop", "terminal", "town", "code"))
)
_DATE = lazy_pattern(r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.,]{4,16}(?:Z|[+-]\d\d:?\d\d)?)?")
_PLACE = lazy_pattern(r"[^\W\d_](?:[^\W\d_]|[ '.()/-]){0,79}|[A-Za-z]{1,8}[-_]?\d{1,8}")
_NOT_PLACES = lazy_pattern(
    r"(?i)(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?"
    r"|today|tomorrow|yesterday|now|noon|midnight|tonight|(?:next|this|last) .*|.*(?:morning|evening|night|week|month)"
)
_MAX_NAMES = 64


def find_journey_ends(
    sent: Mapping[str, Any], declared: Mapping[str, Any], given: Mapping[str, Any]
) -> Mapping[str, str]:
    """Return the unset parameters for undeclared arguments that are the ends of a stay or a journey.

    Both ends are undeclared arguments, or one of them is given as it is declared.
    """
    schemas = {name: as_object(schema) for name, schema in islice(declared.items(), _MAX_NAMES)}
    strays = dict(islice(sent.items(), _MAX_NAMES))
    for find_known, find_own in ((_find_times, _read_times), (_find_places, _read_places)):
        known = [ends for ends in find_known(schemas) if ends.first not in given or ends.second not in given]
        if len(known) == 1:
            values = {**strays, **{name: given[name] for name in known[0][:2] if name in given}}
            own = [ends for ends in find_own(values, known[0], given) if _says_nothing_else(ends, known[0])]
            if len(own) == 1:
                places = zip(own[0][:2], known[0][:2], strict=True)
                return {one: name for one, name in places if one in strays}
    return {}


def _find_times(schemas: Mapping[str, Any]) -> list[_Ends]:
    times = [name for name, schema in schemas.items() if is_time(name, schema)]
    visits = [_in_order_of(times, ends) for ends in _find_ends(times, _VISIT)]
    return [*_find_ends(times, _SPAN), *_find_ends(list(schemas), _STAY), *visits]


def _read_times(values: Mapping[str, Any], known: _Ends, given: Mapping[str, Any]) -> list[_Ends]:
    """Return the ends among the arguments that are times. Which one of a visit is the first, their order says."""
    dates = {name: value for name, value in values.items() if isinstance(value, str) and _DATE.fullmatch(value)}
    found: list[_Ends] = []
    for sides in (_SPAN, _STAY):
        ends = _find_ends_beside(list(dates), sides, known, given)
        found += [one for one in ends if dates.get(one.first, "") <= dates.get(one.second, "")]
    for sides in (_VISIT, _TRIP):
        found += [one for one in _find_ends_beside(list(dates), sides, known, given) if _are_in_order(one, dates)]
    return found


def _find_places(schemas: Mapping[str, Any]) -> list[_Ends]:
    """Return the ends of a route among the parameters. Without a word for a place, `departure` may be a time."""
    names = [name for name, schema in schemas.items() if not is_time(name, schema)]
    trips = [ends for ends in _find_ends(names, _TRIP) if ends.rest]
    return [ends for ends in (*_find_ends(names, _ROUTE), *trips) if ends.rest <= _PLACE_WORDS]


def _read_places(values: Mapping[str, Any], known: _Ends, given: Mapping[str, Any]) -> list[_Ends]:
    places = [name for name, value in values.items() if isinstance(value, str) and _is_place(value)]
    is_trip = not _stems(known.first).isdisjoint(_TRIP.first)
    return _find_ends_beside(places, _ROUTE if is_trip else _TRIP, known, given)


def _find_ends_beside(names: Sequence[str], sides: _Sides, known: _Ends, given: Mapping[str, Any]) -> list[_Ends]:
    """Return both ends, or the one that is not given beside the one that is."""
    strays = [name for name in names if name not in known[:2]]
    both, is_one_given = _find_ends(strays, sides), known.first in given or known.second in given
    if both or not is_one_given:
        return [] if is_one_given else both
    if known.first in given:
        return [_Ends(known.first, name, rest) for rest, name in _by_rest(strays, sides.second).items()]
    return [_Ends(name, known.second, rest) for rest, name in _by_rest(strays, sides.first).items()]


def _find_ends(names: Sequence[str], sides: _Sides) -> list[_Ends]:
    """Return each two names that differ only by the word that says which end they are."""
    firsts, seconds = (_by_rest(names, words) for words in sides)
    return [_Ends(firsts[rest], seconds[rest], rest) for rest in firsts if rest in seconds]


def _by_rest(names: Sequence[str], words: frozenset[str]) -> dict[frozenset[str], str]:
    found: dict[frozenset[str], str] = {}
    for name in names:
        stems = _stems(name)
        if len(stems & words) == 1:
            found.setdefault(stems - words, name)
    return found


def _stems(name: str) -> frozenset[str]:
    """Return the stems of a name; `check_in` is one word."""
    words = split_words(name)
    if words[:2] in _JOINED:
        words = ("".join(words[:2]), *words[2:])
    return frozenset(map(stem, words))


def _are_in_order(ends: _Ends, dates: Mapping[str, str]) -> bool:
    one, other = dates.get(ends.first, ""), dates.get(ends.second, "")
    return len(one) == len(other) and one < other


def _in_order_of(names: Sequence[str], ends: _Ends) -> _Ends:
    return ends if names.index(ends.first) < names.index(ends.second) else _Ends(ends.second, ends.first, ends.rest)


def is_time(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether a parameter takes a date or a time, by its format, its name or its description."""
    if schema.get("format") in ("date", "date-time"):
        return True
    description = schema.get("description")
    words = {*split_words(name), *split_words(description if isinstance(description, str) else "")}
    return not _TIME_WORDS.isdisjoint(words)


def _is_place(value: str) -> bool:
    return _PLACE.fullmatch(value) is not None and _NOT_PLACES.fullmatch(value) is None


def _says_nothing_else(own: _Ends, known: _Ends) -> bool:
    more = own.rest - known.rest
    return all(map(is_filler, more)) or (not known.rest and more <= _PLACE_WORDS)
