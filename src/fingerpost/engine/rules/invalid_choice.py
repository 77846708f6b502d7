"""A value is not one of those the schema allows.

Fix grading: a choice that differs by case and separators alone is lossless. A choice that is clearly
meant is offered as the corrected call, never applied: a value is what the caller wants done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from fingerpost.engine.case import Case
from fingerpost.engine.matching import Match, closest
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Path, Replace, Violation
from fingerpost.engine.phrases import literal, quote_parameter
from fingerpost.engine.rules.respelling import respelling, to_fill_in
from fingerpost.engine.safety.redact import clean

CODE = "INVALID_CHOICE"

_MOST_SHOWN = 12


def diagnose(case: Case) -> Iterator[Diagnosis]:
    wrong_type = {violation.at for violation in case.violations_of("type")}
    for violation in case.violations_of("enum"):
        if violation.at not in wrong_type and violation.at:
            yield _found(case, violation, cast("list[Any]", violation.expected))


def _found(case: Case, violation: Violation, choices: list[Any]) -> Diagnosis:
    value = case.value(violation.at)
    same = respelling(case, violation)
    near = [] if same else _near(violation.at, value, choices)
    received = case.redact_value(violation.at, violation.schema)
    allowed = offered(choices)
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} must be {'one of ' if len(choices) > 1 else ''}{allowed}, "
        f"got {literal(received)}",
        violation.at,
        details={"got": received, "expected": allowed, "received_value": received},
        fixes=[same] if same else [*near, to_fill_in(case, violation)],
        schema=violation.schema or {"enum": choices},
    )


def offered(choices: list[Any]) -> str:
    """The choices as a caller may copy them, cut short when there are many."""
    more = f" and {len(choices) - _MOST_SHOWN:,} more" if len(choices) > _MOST_SHOWN else ""
    return ", ".join(literal(choice) for choice in choices[:_MOST_SHOWN]) + more


def _near(at: Path, value: Any, choices: list[Any]) -> list[Fix]:
    words = [choice for choice in choices if isinstance(choice, str)]
    matches = closest(value, words, "value") if isinstance(value, str) else ()
    return [_fix(at, match) for match in matches[:3]]


def _fix(at: Path, match: Match) -> Fix:
    applicability = Applicability.MACHINE_APPLICABLE if match.is_clear else Applicability.MAYBE_INCORRECT
    return Fix(
        Replace(at, match.name), applicability, confidence=match.confidence, value=match.name, label=clean(match.name)
    )
