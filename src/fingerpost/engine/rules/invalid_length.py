"""A string, list or object is shorter or longer than the schema allows.

Fix grading: none, because cutting or padding a value changes what is asked. Only an empty value of an optional
parameter is left out, and spaces or quotes around a text that is too long are removed, which is offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Fix, Severity, Violation
from fingerpost.engine.phrases import count_noun, quote_parameter
from fingerpost.engine.rules.respelling import respell

CODE = "INVALID_LENGTH"

_NOUNS = {
    "minLength": "character", "maxLength": "character", "minItems": "item", "maxItems": "item",
    "minProperties": "field", "maxProperties": "field", "items": "item", "additionalItems": "item",
}  # fmt: skip


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of(*_NOUNS):
        if isinstance(violation.expected, int) and isinstance(case.value(violation.at), str | list | dict):
            yield _diagnosis(case, violation, violation.expected)


def _diagnosis(case: Case, violation: Violation, limit: int) -> Diagnosis:
    noun, size = _NOUNS[violation.keyword], len(case.value(violation.at))
    bound, verdict = ("at least", "needed") if violation.keyword.startswith("min") else ("at most", "allowed")
    verb, has = "is" if limit == 1 else "are", "has" if violation.at else "have"
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} {has} {count_noun(size, noun)}, {bound} {limit:,} {verb} {verdict}",
        violation.at,
        severity=Severity.MEDIUM,
        details={"got": count_noun(size, noun), "expected": f"{bound} {count_noun(limit, noun)}", **_limit(violation)},
        fixes=_fixes(case, violation),
    )


def _limit(violation: Violation) -> dict[str, Any]:
    return {"minimum" if violation.keyword.startswith("min") else "maximum": violation.expected}


def _fixes(case: Case, violation: Violation) -> tuple[Fix, ...]:
    """Leave out an empty value that cannot be empty, or what surrounds a text that is too long; guess nothing else."""
    value = case.value(violation.at)
    return respell(case, violation).fixes if not value or isinstance(value, str) else ()
