"""A text is not of the format or pattern the schema asks for.

Formats are read as leniently as servers read them: a date without a time passes for `date-time`.

Fix grading: an empty text for an optional parameter is left out. A date that is merely written another
way is offered; anything else is told with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Replace, Severity, Violation
from fingerpost.engine.phrases import encode_json, key_of, literal, parameter_label, quote_parameter
from fingerpost.engine.rules.respelling import respelling, to_fill_in
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema import excerpt as disclosure

CODE = "INVALID_FORMAT"

_ARTICLE = {"email": "an", "ipv4": "an", "ipv6": "an", "iri": "an"}
_YEAR_FIRST = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})")


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of("format", "pattern"):
        if isinstance(case.value(violation.at), str):
            yield _found(case, violation)


def _found(case: Case, violation: Violation) -> Diagnosis:
    key = key_of(violation.at)
    value = case.value(violation.at)
    asked = _asked(violation)
    fix = respelling(case, violation) or _date(case, violation, value)
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} must {'match' if violation.keyword == 'pattern' else 'be'} {asked}",
        violation.at,
        severity=Severity.MEDIUM,
        details={"got": case.redact_value(violation.at, violation.schema), "expected": asked},
        fixes=(fix or to_fill_in(case, violation),),
        hint="" if fix else _hint(case, violation, key),
    )


def _asked(violation: Violation) -> str:
    if violation.keyword == "pattern":
        return literal(clean(str(violation.expected)))
    form = clean(str(violation.expected))
    return f"{_ARTICLE.get(form, 'a')} {form}"


def _date(case: Case, violation: Violation, value: Any) -> Fix | None:
    if violation.expected not in ("date", "date-time") or not (found := _YEAR_FIRST.fullmatch(value)):
        return None
    year, month, day = found.groups()
    edit = Replace(violation.at, f"{year}-{month:0>2}-{day:0>2}")
    is_right = case.is_valid_after(edit, violation.at)
    return Fix(edit, Applicability.MAYBE_INCORRECT, confidence=0.85, value=edit.value) if is_right else None


def _hint(case: Case, violation: Violation, key: str) -> str:
    """An example, where one can be given that is known to be right."""
    example = disclosure.example(case.tool.schema, violation.schema, key)
    is_right = type(example) is str and case.is_valid_after(Replace(violation.at, example), violation.at)
    return f"For example {parameter_label(violation.at)}: {encode_json(clean(str(example)))}" if is_right else ""
