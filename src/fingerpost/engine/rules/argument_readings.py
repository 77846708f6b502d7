"""Which declared names an undeclared argument may stand for, by its own name alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, cast

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching import Match, closest
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.matching.units import have_other_units
from fingerpost.engine.model import Path
from fingerpost.engine.rules.bounds import read_bound
from fingerpost.engine.rules.journeys import find_journey_ends
from fingerpost.engine.rules.nested_fields import select_fields
from fingerpost.engine.rules.sides import find_sides, has_two_orders
from fingerpost.engine.safety.json_input import as_object, is_number, parse_json
from fingerpost.engine.schema import walk as schemas

SIDE_CONFIDENCE = 0.85
"""How certain a name is that is read by a rule of its own."""

MANY_NAMES = 64
"""An object with more names is a mistake as a whole: only a few of them are explained."""

_TOLERANCE = 0.05
_NUMBER = lazy_pattern(r"\s{0,3}[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?\s{0,3}")


def find_readings(
    case: Case, holder: Path, declared: Mapping[str, Any], strays: list[str], nested: Mapping[str, Path]
) -> dict[str, Sequence[Match]]:
    """Find the declared names that each undeclared one may stand for, best first."""
    readings = _match_names(case, holder, declared, strays, nested)
    return {**readings, **_read_sides(case.value(holder), declared, readings)}


def _match_names(
    case: Case, holder: Path, declared: Mapping[str, Any], strays: list[str], nested: Mapping[str, Path]
) -> dict[str, Sequence[Match]]:
    given: dict[str, Any] = case.value(holder)
    context = _context(case, holder, declared, given)
    unset = [name for name in declared if name not in given]
    required = {name for name in context["required"] if name not in given}
    readings: dict[str, Sequence[Match]] = {}
    for stray in strays:
        if has_two_orders(stray, declared):
            readings[stray] = ()
            continue
        names = [*unset, *(select_fields(case, stray, nested) if nested else ())]
        matches = closest(stray, names, "parameter", {**context, "value_type": _value_type(given[stray])})
        in_other_unit = [match for match in matches if match.differs_by_unit]
        readings[stray] = in_other_unit or _prefer_required(stray, matches, required)
    return readings


def _value_type(value: Any) -> str:
    """Return the JSON type of a value. A number in quotes may be both, and an object or a list in a text is meant."""
    if not isinstance(value, str):
        return schemas.type_name(value)
    if value[:1] in ("{", "[") and isinstance(parsed := parse_json(value), dict | list):
        return schemas.type_name(cast("Any", parsed))
    return "any" if _NUMBER.fullmatch(value) else "string"


def reads_as_number(value: Any) -> bool:
    """Whether a value is a number, perhaps in quotes."""
    return is_number(value) or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)


def _read_sides(
    given: Mapping[str, Any], declared: Mapping[str, Any], readings: Mapping[str, Sequence[Match]]
) -> dict[str, Sequence[Match]]:
    """Return the readings of arguments that are one side of two, except where the name itself is clear enough."""
    strays = [stray for stray, matches in readings.items() if not matches or not matches[0].is_clear]
    found = {
        **find_journey_ends({stray: given[stray] for stray in strays}, declared, given),
        **find_sides(strays, declared, given),
    }
    numbers = [stray for stray in strays if not isinstance(given[stray], bool)]
    bounds = {stray: bound for stray in numbers if (bound := read_bound(stray, declared, given))}
    return {
        **{stray: (side_match(bound.name, needs_value=not bound.is_same),) for stray, bound in bounds.items()},
        **{stray: (side_match(name, needs_value=_differ_by_unit(stray, name)),) for stray, name in found.items()},
    }


def _differ_by_unit(stray: str, name: str) -> bool:
    return have_other_units(split_words(stray), split_words(name))


def _prefer_required(stray: str, matches: Sequence[Match], required: set[str]) -> Sequence[Match]:
    """Put a required name first if its spelling is about as close as that of the best match."""
    if not matches or matches[0].is_clear or not any(one.name in required for one in matches):
        return matches
    by_itself = closest(stray, [one.name for one in matches], "parameter")
    close = {one.name for one in by_itself if one.confidence >= by_itself[0].confidence - _TOLERANCE}
    first = [one for one in matches if one.name in required & close]
    return [*first, *(one for one in matches if one not in first)]


def _context(case: Case, holder: Path, declared: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    root = case.tool.schema
    return {
        "given": [name for name in declared if name in given],
        "args": given if len(given) <= MANY_NAMES else dict.fromkeys(islice(given, MANY_NAMES)),
        "required": list(schemas.find_required(root, case.schema(holder))),
        "types": parameter_types(case, holder, declared),
        "descriptions": {name: as_object(one).get("description") for name, one in declared.items()},
        "tool": case.tool.name,
        "read_only": case.tool.is_read_only,
        "destructive": case.tool.is_destructive,
    }


def parameter_types(case: Case, holder: Path, declared: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the type of each parameter of the object at `holder`."""
    if holder == ():
        return case.tool.param_types
    return {name: next(iter(schemas.types(case.tool.schema, one)), "any") for name, one in declared.items()}


def side_match(name: str, *, needs_value: bool) -> Match:
    """Return the match of a name that is read by a rule of its own."""
    return Match(name, SIDE_CONFIDENCE, is_clear=False, differs_by_unit=needs_value)
