"""A value is not one of the choices that the schema allows.

Fix grading: a choice that differs only in case and separators is lossless. A word that means "not given" is left out
of an optional parameter, which is likely. A choice that is clearly intended is offered in the corrected call but never
applied, because a value determines what the tool does; the opposite of what was sent is never offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from fingerpost.engine.case import Case
from fingerpost.engine.matching import Match
from fingerpost.engine.model import EMPTY_OBJECT, Applicability, Diagnosis, Fix, Path, Replace, Violation
from fingerpost.engine.phrases import literal, quote_parameter, shorten_literal
from fingerpost.engine.rules.near_choices import find_near_choices
from fingerpost.engine.rules.negated_choice import find_denied_choice
from fingerpost.engine.rules.respelling import placeholder_fix, respell
from fingerpost.engine.rules.sort_direction import split_sort_direction
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema.code_labels import add_label

CODE = "INVALID_CHOICE"

_MOST_LISTED = 12


def diagnose(case: Case) -> Iterator[Diagnosis]:
    wrong_type = {violation.at for violation in case.violations_of("type")}
    for violation in case.violations_of("enum"):
        if violation.at not in wrong_type and violation.at:
            yield _diagnosis(case, violation, cast("list[Any]", violation.expected))


def _diagnosis(case: Case, violation: Violation, choices: list[Any]) -> Diagnosis:
    names = [step for step in violation.at if isinstance(step, str)]
    fixes, hint = respell(case, violation)
    near = [] if fixes or hint else _find_near(case, violation.at, choices, names)
    received = case.redact_value(violation.at, violation.schema)
    allowed = format_choices(choices, case.find_labels(violation.at))
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} must be {'one of ' if len(choices) > 1 else ''}{allowed}, "
        f"got {_describe(received, choices)}",
        violation.at,
        details={"got": received, "expected": allowed, "received_value": received},
        fixes=fixes or [*near, placeholder_fix(case, violation)],
        hint=hint,
        schema=violation.schema or {"enum": choices},
    )


def _find_near(case: Case, at: Path, choices: list[Any], names: list[str]) -> list[Fix]:
    """Return the fixes with the choices that the value may stand for, best first."""
    if split := split_sort_direction(case, at, choices):
        return [split]
    if denied := find_denied_choice(case.value(at), choices):
        return [_fix(at, Match(denied, 0.85, is_clear=False))]
    return [_fix(at, match) for match in find_near_choices(case.value(at), choices, names)]


def _describe(received: Any, choices: list[Any]) -> str:
    """Describe a value that is shown like one of the choices although it differs: by what cannot be seen."""
    is_alike = any(literal(received) == literal(choice) for choice in choices[:_MOST_LISTED])
    return f"{literal(received)} with invisible characters" if is_alike else literal(received)


def format_choices(choices: list[Any], labels: Mapping[str, str] = EMPTY_OBJECT) -> str:
    """Format the choices so that a caller can copy them, with the meaning of codes; a long list is cut short."""
    more = f" and {len(choices) - _MOST_LISTED:,} more" if len(choices) > _MOST_LISTED else ""
    return ", ".join(add_label(shorten_literal(choice), choice, labels) for choice in choices[:_MOST_LISTED]) + more


def _fix(at: Path, match: Match) -> Fix:
    applicability = Applicability.MACHINE_APPLICABLE if match.is_clear else Applicability.MAYBE_INCORRECT
    return Fix(
        Replace(at, match.name), applicability, confidence=match.confidence, value=match.name, label=clean(match.name)
    )
