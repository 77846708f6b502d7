"""A number is outside the range that the schema allows.

Fix grading: the nearest allowed value is offered on a tool that only reads, for a parameter that says how many results
to return; the paging parameter is named if the tool has one. Elsewhere it would invent a value (another place, week or
amount), so the caller has to fill it in. The value is never applied: fewer results than requested answer another
question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.actions import Danger
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Replace, Severity, Violation
from fingerpost.engine.phrases import key_of, literal, parameter_label, quote_parameter
from fingerpost.engine.rules.respelling import placeholder_fix
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.safety.redact import Described, clean, safe_value

CODE = "OUT_OF_RANGE"

_WORDS = {
    "minimum": "is below minimum", "maximum": "exceeds maximum", "exclusiveMinimum": "must be more than",
    "exclusiveMaximum": "must be less than", "multipleOf": "is not a multiple of",
}  # fmt: skip
_LARGEST_COMPUTED = 10**15
_PAGERS = lazy_pattern(r"offset|page|page_?token|cursor|next_?cursor|after|skip|start(?:_?index|_?at)?", re.IGNORECASE)
_LIMITS = frozenset({"limit", "max", "maximum", "top", "first", "take", "count", "n"})
_RESULTS = frozenset({
    "per", "size", "num", "number", "of", "to", "result", "item", "row", "record", "entry", "hit", "match", "line",
    "return", "fetch", "last", "the", "batch", "page",
})  # fmt: skip
_COUNTS = (
    {"page", "size"}, {"per", "page"}, {"batch", "size"}, {"result", "size"}, {"num", "result"}, {"num", "item"},
    {"number", "of", "result"}, {"number", "of", "item"},
)  # fmt: skip
_LIMIT_NAMES = lazy_pattern(r"max|limit|count|size|top|take|first|per_?page|n$|num", re.IGNORECASE)


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of(*_WORDS):
        yield _diagnosis(case, violation)


def _diagnosis(case: Case, violation: Violation) -> Diagnosis:
    value, received = case.value(violation.at), case.redact_value(violation.at, violation.schema)
    limits = {word: limit for word in _WORDS if is_number(limit := violation.schema.get(word))}
    limits.setdefault(violation.keyword, violation.expected)
    is_whole = violation.schema.get("type") == "integer" or isinstance(value, int)
    may_offer = not isinstance(received, Described) and _counts_results(case, violation)
    allowed = nearest_allowed(value, limits, whole=is_whole) if may_offer else None
    quoted = "" if isinstance(received, Described) else f" value {literal(received)}"
    limit_text = literal(safe_value(violation.expected))
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter(violation.at)}{quoted} {_WORDS[violation.keyword]} {limit_text}",
        violation.at,
        severity=Severity.MEDIUM,
        details={"value": received, **_limit_details(limits), "got": received, "expected": _describe_limits(limits)},
        fixes=(placeholder_fix(case, violation) if allowed is None else _fix(violation, allowed),),
        hint="" if allowed is None else _hint(case, violation, allowed),
    )


def _counts_results(case: Case, violation: Violation) -> bool:
    """Whether a parameter only says how many results to return. From where on is a position, which has no nearest."""
    if danger_of_tool(case.tool) is not Danger.READS:
        return False
    name = next((step for step in reversed(violation.at) if isinstance(step, str)), "")
    words = {stem(word) for word in split_words(name)}
    return words in _COUNTS or (not words.isdisjoint(_LIMITS) and words <= _LIMITS | _RESULTS)


def nearest_allowed(value: float, limits: Mapping[str, float], *, whole: bool) -> int | float | None:
    """Return the allowed number nearest to `value`, or None if none is found."""
    if not all(abs(number) <= _LARGEST_COMPUTED for number in (value, *limits.values())):
        return None
    step = limits.get("multipleOf") or (1 if whole else 0)
    low = max((limits[word] for word in ("minimum", "exclusiveMinimum") if word in limits), default=None)
    high = min((limits[word] for word in ("maximum", "exclusiveMaximum") if word in limits), default=None)
    nearest = value if low is None else max(value, low)
    nearest = nearest if high is None else min(nearest, high)
    candidates = [round((round(nearest / step) + offset) * step, 12) for offset in (0, -1, 1)] if step else [nearest]
    fitting = [candidate for candidate in candidates if _is_within(candidate, limits)]
    return min(fitting, key=lambda candidate: abs(candidate - value), default=None)


def _is_within(value: float, limits: Mapping[str, float]) -> bool:
    return (
        limits.get("minimum", value) <= value <= limits.get("maximum", value)
        and value > limits.get("exclusiveMinimum", value - 1)
        and value < limits.get("exclusiveMaximum", value + 1)
    )


def _limit_details(limits: dict[str, Any]) -> dict[str, Any]:
    names = {
        "exclusiveMinimum": "exclusive_minimum",
        "exclusiveMaximum": "exclusive_maximum",
        "multipleOf": "multiple_of",
    }
    return {names.get(word, word): safe_value(limit) for word, limit in limits.items()}


def _describe_limits(limits: dict[str, Any]) -> str:
    words = {
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "more than",
        "exclusiveMaximum": "less than",
    }
    return ", ".join(
        f"{words.get(word, 'a multiple of')} {literal(safe_value(limit))}" for word, limit in limits.items()
    )


def _fix(violation: Violation, allowed: int | float) -> Fix:
    return Fix(Replace(violation.at, allowed), Applicability.MAYBE_INCORRECT, confidence=0.8, value=allowed)


def _hint(case: Case, violation: Violation, allowed: int | float) -> str:
    name = parameter_label(violation.at)
    pager = next((param for param in case.tool.params if _PAGERS.fullmatch(param)), None)
    if pager and violation.keyword in ("maximum", "exclusiveMaximum") and _LIMIT_NAMES.match(key_of(violation.at)):
        return f"Use {name}: {literal(allowed)} for maximum results, or paginate with {clean(pager)}"
    return ""
