"""Parameters are in an object that has the beginning of their names: `guest: {email: …}` for `guest_email: …`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from fingerpost.engine.model import Diagnosis
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.rules.nested_fields import stems_of
from fingerpost.engine.rules.shapes.diagnosis import lossless_arguments, offered, shape_diagnosis
from fingerpost.engine.safety.json_input import as_object

if TYPE_CHECKING:
    from fingerpost.engine.case import Case

_MAX_FIELDS = 16
_MAX_STRAYS = 16


FindPlaces: TypeAlias = "Callable[[Case, str, Mapping[str, Any]], Mapping[str, str]]"
"""Finds the parameter for each field of an object that is sent under an undeclared name; empty if there is none."""


def diagnose(case: Case) -> Iterator[Diagnosis]:
    return unfold(case, _find_places, may_repair=case.tool.is_read_only)


def unfold(case: Case, find_places: FindPlaces, *, may_repair: bool) -> Iterator[Diagnosis]:
    """Move the fields of each undeclared object to the parameters that `find_places` finds for them."""
    if not isinstance(case.call.arguments, dict) or case.tool.is_open:
        return
    strays = [key for key, value in case.arguments.items() if key not in case.tool.params and as_object(value)]
    for stray in strays[:_MAX_STRAYS]:
        inside = as_object(case.arguments[stray])
        places = find_places(case, stray, inside)
        if not places:
            continue
        rest = {key: value for key, value in case.arguments.items() if key != stray}
        names = join_names(places.values(), limit=4)
        arguments = {**rest, **{name: inside[field] for field, name in places.items()}}
        fix = lossless_arguments(arguments, f"The fields of {quote(stray)} became {names}")
        fixes = (fix,) if may_repair else (offered(fix.edit, 0.85),)
        message = f"{quote(stray)} is not a parameter; its fields are {names}"
        yield shape_diagnosis(case, message, fixes, "object for several parameters", (stray,))
        case = case.after([fix.edit])


def _find_places(case: Case, stray: str, inside: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the unset parameter for each field of an object, if each field has exactly one and is no object itself."""
    places: dict[str, str] = {}
    if len(inside) > _MAX_FIELDS or not stems_of(stray):
        return places
    if any(isinstance(value, dict | list) for value in inside.values()):
        return places
    unset = {name: stems_of(name) for name in case.tool.params if name not in case.arguments}
    if stems_of(stray) in unset.values():
        return places  # the object itself has a place: its name is only spelled differently
    for field in inside:
        wanted = stems_of(stray, field)
        found = [name for name, words in unset.items() if words == wanted]
        if len(found) != 1 or found[0] in places.values():
            return {}
        places[field] = found[0]
    return places
