"""Parameters are in an object with a word for all of them: `position: {lat, lon}`, `period: {from, to}`.

The word must be one for a group of just such fields: the `name` in an `owner` is not the `name` of the pet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fingerpost.engine.case import Case
from fingerpost.engine.matching import closest
from fingerpost.engine.model import Diagnosis
from fingerpost.engine.rules.journeys import is_time
from fingerpost.engine.rules.nested_fields import stems_of
from fingerpost.engine.rules.shapes.unfolded import unfold
from fingerpost.engine.rules.sides import find_sides
from fingerpost.engine.safety.json_input import as_object


class _Group(NamedTuple):
    names: frozenset[str]
    fields: frozenset[str]


_SPAN = _Group(
    stems_of("period span timeframe timespan timerange daterange date time range window interval"),
    stems_of("from to start end begin since until till after before date time"),
)
_GROUPS = (
    _Group(
        stems_of("position location coordinate coord point geo gps geolocation center centre place"),
        stems_of("lat latitude lon lng long longitude alt altitude elevation"),
    ),
    _Group(
        stems_of("address location"),
        stems_of("street house number zip code postal postcode city town state province region country line"),
    ),
    _Group(stems_of("size dimension resolution"), stems_of("width height depth length")),
)
_LOOSE = stems_of("range window interval")
"""Words that are no span of time by themselves."""
_MAX_FIELDS = 8


def diagnose(case: Case) -> Iterator[Diagnosis]:
    return unfold(case, _find_places, may_repair=False)


def _find_places(case: Case, stray: str, inside: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the unset parameter for each field, if each of at least two fields has one of its own."""
    if not 2 <= len(inside) <= _MAX_FIELDS or any(isinstance(value, dict | list) for value in inside.values()):
        return {}
    unset = [name for name in case.tool.params if name not in case.arguments]
    words, fields = stems_of(stray), stems_of(*inside)
    if words <= _SPAN.names and not words <= _LOOSE and fields <= _SPAN.fields:
        times = [name for name in unset if is_time(name, as_object(case.tool.params[name]))]
        places = find_sides(list(inside), times, ())
    elif any(words and words <= group.names and _without_digits(fields) <= group.fields for group in _GROUPS):
        places = {field: name for field in inside if (name := _find_place(field, unset))}
    else:
        return {}
    return places if len(set(places.values())) == len(inside) else {}


def _find_place(field: str, unset: list[str]) -> str | None:
    near = closest(field, unset, "parameter")
    return near[0].name if near and near[0].is_clear else None


def _without_digits(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word.isdigit())
