"""Arguments that exclude each other are given together.

Schemas say so with `oneOf` over required names, with `not`, or by forbidding a property under a
condition.

Fix grading: none. Which of the two was meant is the caller's to say.
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
        if names := rivals(case, violation):
            yield _found(case, violation.at if violation.keyword != "falseSchema" else violation.at[:-1], names)


def rivals(case: Case, violation: Violation) -> list[str]:
    """The given names that the schema will not have together."""
    if violation.keyword not in ("oneOf", "not", "falseSchema"):
        return []
    if violation.keyword == "falseSchema":
        return [str(violation.at[-1])] if violation.at else []
    given = case.value(violation.at)
    if not isinstance(given, dict):
        return []
    groups = _groups(case, violation)
    marks = [[name for name in group if name in given] for group in groups if all(name in given for name in group)]
    return list(dict.fromkeys(name for mark in marks for name in mark))


def _groups(case: Case, violation: Violation) -> list[tuple[str, ...]]:
    """The sets of required names that stand against each other."""
    root = case.tool.schema
    branches = violation.schema.get("oneOf") if violation.keyword == "oneOf" else _refused(violation.expected)
    everywhere = schemas.find_required(root, case.schema(violation.at)) if violation.keyword == "oneOf" else ()
    needs = [schemas.find_required(root, branch) for branch in as_list(branches)]
    return [names for need in needs if (names := tuple(name for name in need if name not in everywhere))]


def _refused(schema: Any) -> list[Any]:
    """What a `not` forbids: one combination, or any of several."""
    refused = as_object(schema)
    return next((several for word in ("anyOf", "oneOf") if (several := as_list(refused.get(word)))), [refused])


def _found(case: Case, holder: Path, names: list[str]) -> Diagnosis:
    at, places = (*holder, names[0]), [format_path((*holder, name)) for name in names]
    if len(names) == 1:
        message = f"Parameter {quote(places[0])} is not allowed with the others given"
        return case.make_diagnosis(CODE, message, at, hint=f"Leave out {quote(places[0])}")
    return case.make_diagnosis(
        CODE,
        f"Parameters {join_names(places)} cannot be used together",
        at,
        details={"conflicting": [clean(where, 128) for where in places[:8]]},
        hint=f"Keep one of {join_names(places)}",
    )
