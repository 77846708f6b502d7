"""A value has the wrong JSON type.

Fix grading: see `respelling`. If a value cannot be respelled, the diagnosis gives the expected type, the received
type and an example. A boolean or a choice is no example: it could be the opposite of what was intended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from math import isfinite, isnan
from typing import Any, cast

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Violation
from fingerpost.engine.phrases import key_of, literal, parameter_label, quote_parameter, type_list
from fingerpost.engine.rules.respelling import respell, with_placeholder
from fingerpost.engine.rules.split_unit import split_unit
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.safety.redact import ECHO_LIMIT, clean
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema import walk as schemas

CODE = "INVALID_TYPE"

_MOST_LABELS = 16
_ASK_FOR = {
    "integer": "Use a number", "number": "Use a number", "boolean": "Use true or false", "string": "Use a string",
    "array": "Use an array", "object": "Use an object", "null": "Use null",
}  # fmt: skip


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of("type"):
        if violation.at:
            yield _diagnosis(case, violation)


def _diagnosis(case: Case, violation: Violation) -> Diagnosis:
    expected = [clean(kind) for kind in cast("list[str]", violation.expected)]
    value = case.value(violation.at)
    fixes, hint = respell(case, violation)
    if split := split_unit(case, violation.at):
        fixes, hint = (split,), ""
    received = _describe_type(value)
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)} must be {type_list(expected)}, got {received}",
        violation.at,
        details={
            "expected_type": type_list(expected),
            "received_type": schemas.type_name(value),
            "received_value": case.redact_value(violation.at, violation.schema),
            "expected": disclosure.describe_schema(case.tool.schema, violation.schema),
            "got": received,
        },
        fixes=with_placeholder(fixes, case, violation),
        hint=hint or ("" if fixes else _hint(case, violation, expected)),
        schema=violation.schema,
    )


def _describe_type(value: Any) -> str:
    """Name the type of a value. NaN and infinity are numbers to a program, but JSON has none of them."""
    is_finite = not isinstance(value, float) or isfinite(value)
    return schemas.type_name(value) if is_finite else "NaN" if isnan(value) else "an infinite number"


def _hint(case: Case, violation: Violation, expected: list[str]) -> str:
    key = key_of(violation.at)
    ask = _ASK_FOR.get(expected[0] if expected else "", "Use another value")
    if labels := case.find_labels(violation.at):
        return _explain_codes(case, violation, labels) or ask
    given = disclosure.author_example(case.tool.schema, violation.schema, key)
    is_free = is_number(given) or isinstance(given, str | list | dict)
    is_short = is_free and not _has_choices(case, violation) and len(literal(given, key)) <= ECHO_LIMIT
    return f"{ask}: {parameter_label(violation.at)}: {literal(given, key)}" if is_short else ask


def _explain_codes(case: Case, violation: Violation, labels: Mapping[str, str]) -> str:
    """Say what the codes mean, unless the placeholder does. The first code alone would look like advice."""
    blank = literal(disclosure.placeholder(case.tool.schema, violation.schema))
    if len(labels) < 2 or all(f"({label})" in blank for label in labels.values()):
        return ""
    more = f" and {len(labels) - _MOST_LABELS:,} more" if len(labels) > _MOST_LABELS else ""
    meanings = ", ".join(f"{code} = {label}" for code, label in islice(labels.items(), _MOST_LABELS))
    return f"{parameter_label(violation.at)}: {meanings}{more}"


def _has_choices(case: Case, violation: Violation) -> bool:
    schema = disclosure.first_choice(case.tool.schema, violation.schema)
    return "enum" in schema or "const" in schema
