"""Map zod's issue codes (`invalid_type`, `too_small`, …) to keywords of JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

Issue: TypeAlias = Mapping[str, Any]
Reader: TypeAlias = Callable[[Issue, Path], Iterable[Violation]]

_RECEIVED = lazy_pattern(r"received (\w+)\Z")
_ABSENT = ("undefined", "Required")
_SIZES = {"string": "Length", "array": "Items", "set": "Items"}
_NUMBERS = (["number"], ["integer"])


def _type(issue: Issue, at: Path) -> Iterable[Violation]:
    message = str(issue.get("message"))
    received = issue.get("received") or ((found := _RECEIVED.search(message)) and found[1]) or message
    return type_violations(str(issue.get("expected", "")), is_absent=received in _ABSENT, at=at)


def type_violations(expected: str, *, is_absent: bool, at: Path) -> Iterable[Violation]:
    """Return a type violation. JSON has no `undefined`, so `received undefined` means a missing property."""
    if is_absent and at and isinstance(at[-1], str):
        return [Violation(at[:-1], "required", at[-1])]
    if expected == "date":
        return [Violation(at, "format", "date-time")]
    types = parse.json_types([expected])
    return [Violation(at, "type", types)] if types else ()


def _keys(issue: Issue, at: Path) -> Iterable[Violation]:
    return [Violation(at, "additionalProperties", parse.property_names(parse.plain_list(issue.get("keys"))))]


def choice_violations(issue: Issue, at: Path) -> Iterable[Violation]:
    """Read `options` (version 3) or `values` (version 4); a union without a discriminator has neither."""
    choices = parse.plain_list(issue.get("options", issue.get("values")))
    return [Violation(at, "enum", choices)] if choices else ()


def _literal(issue: Issue, at: Path) -> Iterable[Violation]:
    return [Violation(at, "enum", parse.plain_list([issue.get("expected")]))]


def _limit(issue: Issue, at: Path) -> Iterable[Violation]:
    side = "minimum" if issue["code"] == "too_small" else "maximum"
    kind = str(issue.get("type") or issue.get("origin"))
    return limit_violations(
        kind, side, parse.number(issue.get(side)), is_inclusive=issue.get("inclusive") is not False, at=at
    )


def limit_violations(
    kind: str, side: str, limit: int | float | None, *, is_inclusive: bool, at: Path
) -> Iterable[Violation]:
    """Return a limit violation: `minimum` of a string is `minLength`. JSON Schema has no limits for dates and files."""
    if limit is None or not (kind in _SIZES or parse.json_types([kind]) in _NUMBERS):
        return ()
    if kind in _SIZES:
        return [Violation(at, side[:3] + _SIZES[kind], limit)]
    return [Violation(at, side if is_inclusive else "exclusive" + side.capitalize(), limit)]


def _multiple(issue: Issue, at: Path) -> Iterable[Violation]:
    divisor = parse.number(issue.get("multipleOf", issue.get("divisor")))
    return [Violation(at, "multipleOf", divisor)] if divisor else ()


def _format(issue: Issue, at: Path) -> Iterable[Violation]:
    name = str(issue.get("format") or issue.get("validation"))
    pattern = issue.get("pattern")
    if name == "regex" and isinstance(pattern, str):
        return [Violation(at, "pattern", pattern.removeprefix("/").rpartition("/")[0])]
    format_name = parse.json_format(name)
    return [Violation(at, "format", format_name)] if format_name else ()


CODES: dict[str, Reader] = {
    "invalid_type": _type,
    "unrecognized_keys": _keys,
    "invalid_enum_value": choice_violations,
    "invalid_union_discriminator": choice_violations,
    "invalid_value": choice_violations,
    "invalid_literal": _literal,
    "too_small": _limit,
    "too_big": _limit,
    "not_multiple_of": _multiple,
    "invalid_string": _format,
    "invalid_format": _format,
    "invalid_date": lambda _, at: [Violation(at, "format", "date-time")],
}
