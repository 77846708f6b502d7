"""The arguments are inside a parameter that takes no object: `queue: {"queue": "jobs", "durable": true}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fingerpost.engine.model import Diagnosis, Replace
from fingerpost.engine.phrases import quote
from fingerpost.engine.rules.shapes.diagnosis import lossless_arguments, offered, shape_diagnosis
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema import walk as schemas

if TYPE_CHECKING:
    from fingerpost.engine.case import Case

_MAX_FIELDS = 64


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of("type"):
        inside = as_object(case.value(violation.at)) if len(violation.at) == 1 else {}
        name = str(violation.at[-1]) if inside else ""
        if name and _are_arguments(case, name, inside):
            yield _diagnosis(case, name, inside)
            return


def _are_arguments(case: Case, name: str, inside: dict[str, Any]) -> bool:
    """Whether an object has only declared parameters that the call does not give: the one that it is sent as, or two.

    One parameter alone is no more than a value in an object of its own.
    """
    if not 1 < len(inside) <= _MAX_FIELDS or not inside.keys() <= case.tool.params.keys():
        return False
    beside = case.arguments.keys() - {name}
    takes_object = "object" in schemas.types(case.tool.schema, case.schema((name,)))
    return not takes_object and beside.isdisjoint(inside)


def _diagnosis(case: Case, name: str, inside: dict[str, Any]) -> Diagnosis:
    """Take the arguments out. It is certain if one of them is the parameter itself and the call is right then."""
    rest = {key: value for key, value in case.arguments.items() if key != name}
    arguments = {**rest, **inside}
    fix = lossless_arguments(arguments, f"The arguments were taken out of {quote(name)}")
    is_certain = name in inside and case.tool.accepts(arguments)
    fixes = (fix,) if is_certain else (offered(Replace((), arguments), 0.8),)
    return shape_diagnosis(case, f"The arguments are wrapped in {quote(name)}", fixes, "wrapped object")
