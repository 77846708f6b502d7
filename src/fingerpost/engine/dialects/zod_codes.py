"""zod's issue codes (`invalid_type`, `too_small`, …) and the keyword of JSON Schema each one means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from fingerpost.engine.dialects import words
from fingerpost.engine.model import Path, Violation

Issue: TypeAlias = Mapping[str, Any]
Reader: TypeAlias = Callable[[Issue, Path], Iterable[Violation]]

_RECEIVED = re.compile(r"received (\w+)\Z")
_ABSENT = ("undefined", "Required")
_SIZES = {"string": "Length", "array": "Items", "set": "Items"}
_NUMBERS = (["number"], ["integer"])


def _type(issue: Issue, at: Path) -> Iterable[Violation]:
    message = str(issue.get("message"))
    received = issue.get("received") or ((told := _RECEIVED.search(message)) and told[1]) or message
    return typed(str(issue.get("expected", "")), is_absent=received in _ABSENT, at=at)


def typed(expected: str, *, is_absent: bool, at: Path) -> Iterable[Violation]:
    """Absent is no type in JSON, so `expected string, received undefined` is a property left out."""
    if is_absent and at and isinstance(at[-1], str):
        return [Violation(at[:-1], "required", at[-1])]
    if expected == "date":
        return [Violation(at, "format", "date-time")]
    types = words.json_types([expected])
    return [Violation(at, "type", types)] if types else ()


def _keys(issue: Issue, at: Path) -> Iterable[Violation]:
    return [Violation(at, "additionalProperties", words.names(words.listed(issue.get("keys"))))]


def options(issue: Issue, at: Path) -> Iterable[Violation]:
    """`options` in version 3, `values` in version 4, and in neither for a union without a discriminator."""
    choices = words.listed(issue.get("options", issue.get("values")))
    return [Violation(at, "enum", choices)] if choices else ()


def _literal(issue: Issue, at: Path) -> Iterable[Violation]:
    return [Violation(at, "enum", words.listed([issue.get("expected")]))]


def _bound(issue: Issue, at: Path) -> Iterable[Violation]:
    side = "minimum" if issue["code"] == "too_small" else "maximum"
    kind = str(issue.get("type") or issue.get("origin"))
    return bounded(kind, side, words.number(issue.get(side)), is_inclusive=issue.get("inclusive") is not False, at=at)


def bounded(kind: str, side: str, limit: int | float | None, *, is_inclusive: bool, at: Path) -> Iterable[Violation]:
    """`minimum` of a string is its `minLength`; dates and files have limits JSON Schema cannot say."""
    if limit is None or not (kind in _SIZES or words.json_types([kind]) in _NUMBERS):
        return ()
    if kind in _SIZES:
        return [Violation(at, side[:3] + _SIZES[kind], limit)]
    return [Violation(at, side if is_inclusive else "exclusive" + side.capitalize(), limit)]


def _multiple(issue: Issue, at: Path) -> Iterable[Violation]:
    divisor = words.number(issue.get("multipleOf", issue.get("divisor")))
    return [Violation(at, "multipleOf", divisor)] if divisor else ()


def _format(issue: Issue, at: Path) -> Iterable[Violation]:
    name = str(issue.get("format") or issue.get("validation"))
    pattern = issue.get("pattern")
    if name == "regex" and isinstance(pattern, str):
        return [Violation(at, "pattern", pattern.removeprefix("/").rpartition("/")[0])]
    format_name = words.json_format(name)
    return [Violation(at, "format", format_name)] if format_name else ()


CODES: dict[str, Reader] = {
    "invalid_type": _type,
    "unrecognized_keys": _keys,
    "invalid_enum_value": options,
    "invalid_union_discriminator": options,
    "invalid_value": options,
    "invalid_literal": _literal,
    "too_small": _bound,
    "too_big": _bound,
    "not_multiple_of": _multiple,
    "invalid_string": _format,
    "invalid_format": _format,
    "invalid_date": lambda _, at: [Violation(at, "format", "date-time")],
}
