"""A number lies outside the range the schema allows.

Fix grading: the nearest legal value is offered, with the paging parameter as the other way where the
tool has one. It is never applied: fewer results than asked for is another question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Replace, Severity, Violation
from fingerpost.engine.phrases import key_of, literal, parameter_label, quote_parameter
from fingerpost.engine.rules.respelling import to_fill_in
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.safety.redact import Described, clean, safe_value

CODE = "OUT_OF_RANGE"

_WORDS = {
    "minimum": "is below minimum", "maximum": "exceeds maximum", "exclusiveMinimum": "must be more than",
    "exclusiveMaximum": "must be less than", "multipleOf": "is not a multiple of",
}  # fmt: skip
_LARGEST_RECKONED = 10**15
_PAGING = re.compile(r"offset|page|page_?token|cursor|next_?cursor|after|skip|start(?:_?index|_?at)?", re.IGNORECASE)
_LIMITS = re.compile(r"max|limit|count|size|top|take|first|per_?page|n$|num", re.IGNORECASE)


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of(*_WORDS):
        yield _found(case, violation)


def _found(case: Case, violation: Violation) -> Diagnosis:
    value, received = case.value(violation.at), case.redact_value(violation.at, violation.schema)
    limits = {word: limit for word in _WORDS if is_number(limit := violation.schema.get(word))}
    limits.setdefault(violation.keyword, violation.expected)
    is_whole = violation.schema.get("type") == "integer" or isinstance(value, int)
    legal = None if isinstance(received, Described) else nearest_legal(value, limits, whole=is_whole)
    said = "" if isinstance(received, Described) else f" value {literal(received)}"
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)}{said} {_WORDS[violation.keyword]} {literal(safe_value(violation.expected))}",
        violation.at,
        severity=Severity.MEDIUM,
        details={"value": received, **_limits(limits), "got": received, "expected": _expected(limits)},
        fixes=(to_fill_in(case, violation) if legal is None else _fix(violation, legal),),
        hint="" if legal is None else _hint(case, violation, legal),
    )


def nearest_legal(value: float, limits: Mapping[str, float], *, whole: bool) -> int | float | None:
    """The legal number nearest to `value`, or none when the limits leave no room that we can find."""
    if not all(abs(number) <= _LARGEST_RECKONED for number in (value, *limits.values())):
        return None
    step = limits.get("multipleOf") or (1 if whole else 0)
    low = max((limits[word] for word in ("minimum", "exclusiveMinimum") if word in limits), default=None)
    high = min((limits[word] for word in ("maximum", "exclusiveMaximum") if word in limits), default=None)
    nearest = value if low is None else max(value, low)
    nearest = nearest if high is None else min(nearest, high)
    rungs = [round((round(nearest / step) + offset) * step, 12) for offset in (0, -1, 1)] if step else [nearest]
    fitting = [rung for rung in rungs if _is_within(rung, limits)]
    return min(fitting, key=lambda rung: abs(rung - value), default=None)


def _is_within(value: float, limits: Mapping[str, float]) -> bool:
    return (
        limits.get("minimum", value) <= value <= limits.get("maximum", value)
        and value > limits.get("exclusiveMinimum", value - 1)
        and value < limits.get("exclusiveMaximum", value + 1)
    )


def _limits(limits: dict[str, Any]) -> dict[str, Any]:
    names = {
        "exclusiveMinimum": "exclusive_minimum",
        "exclusiveMaximum": "exclusive_maximum",
        "multipleOf": "multiple_of",
    }
    return {names.get(word, word): safe_value(limit) for word, limit in limits.items()}


def _expected(limits: dict[str, Any]) -> str:
    words = {
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "more than",
        "exclusiveMaximum": "less than",
    }
    return ", ".join(
        f"{words.get(word, 'a multiple of')} {literal(safe_value(limit))}" for word, limit in limits.items()
    )


def _fix(violation: Violation, legal: int | float) -> Fix:
    return Fix(Replace(violation.at, legal), Applicability.MAYBE_INCORRECT, confidence=0.8, value=legal)


def _hint(case: Case, violation: Violation, legal: int | float) -> str:
    name = parameter_label(violation.at)
    pager = next((param for param in case.tool.params if _PAGING.fullmatch(param)), None)
    if pager and violation.keyword in ("maximum", "exclusiveMaximum") and _LIMITS.match(key_of(violation.at)):
        return f"Use {name}: {literal(legal)} for maximum results, or paginate with {clean(pager)}"
    return ""
