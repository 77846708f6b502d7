"""The call gives arguments that exclude each other.

Schemas express this with `oneOf` over required names, with `not`, or by forbidding a property under a condition.

Fix grading: none. Only the caller knows which of them is intended.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Path
from fingerpost.engine.phrases import format_path, join_names, quote
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema.conflicts import CONFLICT_KEYWORDS, find_conflicts

CODE = "CONFLICTING_PARAMS"


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of(*CONFLICT_KEYWORDS):
        if names := find_conflicts(case.tool.schema, violation, case.value(violation.at)):
            yield _diagnosis(case, violation.at if violation.keyword != "falseSchema" else violation.at[:-1], names)


def _diagnosis(case: Case, holder: Path, names: list[str]) -> Diagnosis:
    at, places = (*holder, names[0]), [format_path((*holder, name)) for name in names]
    if len(names) == 1:
        message = f"Parameter {quote(places[0])} is not allowed with the others given"
        return case.make_diagnosis(CODE, message, at, hint=f"Leave out {quote(places[0])}")
    return case.make_diagnosis(
        CODE,
        f"Parameters {join_names(places)} cannot be used together",
        at,
        details={"conflicting": [clean(place, 128) for place in places[:8]]},
        hint=f"Keep one of {join_names(places)}",
    )
