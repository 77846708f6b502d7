"""The call gives arguments that exclude each other.

Schemas express this with `oneOf` over required names, with `not`, or by forbidding a property under a condition.

Fix grading: none. Only the caller knows which of them is intended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Path, Violation
from fingerpost.engine.phrases import format_path, join_names, quote
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema import walk as schemas

CODE = "CONFLICTING_PARAMS"


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of("oneOf", "not", "falseSchema"):
        if names := conflicting_names(case, violation):
            yield _diagnosis(case, violation.at if violation.keyword != "falseSchema" else violation.at[:-1], names)


def conflicting_names(case: Case, violation: Violation) -> list[str]:
    """Return the given names that the schema does not allow together."""
    if violation.keyword not in ("oneOf", "not", "falseSchema"):
        return []
    if violation.keyword == "falseSchema":
        return [str(violation.at[-1])] if violation.at else []
    given = case.value(violation.at)
    if not isinstance(given, dict):
        return []
    groups = _exclusive_groups(case, violation)
    complete = [group for group in groups if all(name in given for name in group)]
    return list(dict.fromkeys(name for group in complete for name in group))


def _exclusive_groups(case: Case, violation: Violation) -> list[tuple[str, ...]]:
    """Return the groups of names that exclude each other."""
    root = case.tool.schema
    branches = (
        violation.schema.get("oneOf") if violation.keyword == "oneOf" else _forbidden_combinations(violation.expected)
    )
    everywhere = schemas.find_required(root, case.schema(violation.at)) if violation.keyword == "oneOf" else ()
    required = [schemas.find_required(root, branch) for branch in as_list(branches)]
    return [names for group in required if (names := tuple(name for name in group if name not in everywhere))]


def _forbidden_combinations(schema: Any) -> list[Any]:
    """Return the schemas that a `not` forbids: one, or any of several."""
    forbidden = as_object(schema)
    return next((several for word in ("anyOf", "oneOf") if (several := as_list(forbidden.get(word)))), [forbidden])


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
