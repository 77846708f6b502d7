"""A string does not have the format or pattern that the schema requires.

Formats are checked as leniently as servers check them: a date without a time is accepted as `date-time`.

Fix grading: an empty string for an optional parameter is left out, which is likely. A date in another notation is
lossless if it has one reading, likely if it is almost right; both readings are offered otherwise. A detail that the
schema rejects (`#`, quotes, `file://`, case, separators, the prefix of an id) is offered as the schema wants it. For
anything else the diagnosis gives an example.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Replace, Severity, Violation
from fingerpost.engine.phrases import encode_json, key_of, literal, parameter_label, quote_parameter
from fingerpost.engine.rules.respelling import respell, with_placeholder
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema import excerpt as disclosure

CODE = "INVALID_FORMAT"

_ARTICLE = {"email": "an", "ipv4": "an", "ipv6": "an", "iri": "an"}


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of("format", "pattern"):
        if isinstance(case.value(violation.at), str):
            yield _diagnosis(case, violation)


def _diagnosis(case: Case, violation: Violation) -> Diagnosis:
    key = key_of(violation.at)
    requirement = _requirement(violation)
    fixes, hint = respell(case, violation)
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} must {'match' if violation.keyword == 'pattern' else 'be'} {requirement}",
        violation.at,
        severity=Severity.MEDIUM,
        details={"got": case.redact_value(violation.at, violation.schema), "expected": requirement},
        fixes=with_placeholder(fixes, case, violation),
        hint=hint or ("" if fixes else _hint(case, violation, key)),
    )


def _requirement(violation: Violation) -> str:
    if violation.keyword == "pattern":
        return literal(clean(str(violation.expected)))
    name = clean(str(violation.expected))
    return f"{_ARTICLE.get(name, 'a')} {name}"


def _hint(case: Case, violation: Violation, key: str) -> str:
    """Give an example, if one is known to be valid."""
    example = disclosure.example(case.tool.schema, violation.schema, key)
    is_valid = type(example) is str and case.is_valid_after(Replace(violation.at, example), violation.at)
    return f"For example {parameter_label(violation.at)}: {encode_json(clean(str(example)))}" if is_valid else ""
