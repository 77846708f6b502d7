"""The arguments break the schema in a way that no other rule explains.

The diagnosis names the keyword and the parameter, so that a caller can look them up.

Fix grading: `null` for an optional parameter is left out, which is lossless on read-only tools; none for anything else.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Severity, Violation
from fingerpost.engine.phrases import quote_parameter
from fingerpost.engine.rules.respelling import respell
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema.conflicts import find_conflicts
from fingerpost.engine.schema.validate import LIMIT_KEYWORDS, UNDECLARED_KEYWORD

CODE = "INVALID_INPUT"

_WORDS = {
    "uniqueItems": "must not contain the same item twice",
    "contains": "must contain at least one item that the schema requires",
    "propertyNames": "{has} a field name that the schema does not allow",
    "not": "{has} a value that the schema excludes",
    "oneOf": "must match exactly one of the alternatives",
    "falseSchema": "{be} not allowed here",
}
_OTHER_RULES = LIMIT_KEYWORDS | {UNDECLARED_KEYWORD, "required", "dependentRequired", "type", "enum"}


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations:
        if violation.keyword in _OTHER_RULES or not case.has(violation.at):
            continue
        if not find_conflicts(case.tool.schema, violation, case.value(violation.at)):
            yield _diagnosis(case, violation)


def _diagnosis(case: Case, violation: Violation) -> Diagnosis:
    has, be = ("has", "is") if violation.at else ("have", "are")
    words = _WORDS.get(violation.keyword, "").format(has=has, be=be) or f"must satisfy {clean(violation.keyword)}"
    is_null = bool(violation.at) and case.value(violation.at) is None
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} {words}",
        violation.at,
        severity=Severity.HIGH if is_null else Severity.MEDIUM,
        fixes=respell(case, violation).fixes if is_null else (),
    )
