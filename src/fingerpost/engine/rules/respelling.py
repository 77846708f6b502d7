"""Respell a value the way the schema spells it.

Models send numbers and booleans as strings, objects and arrays as strings of JSON, one item instead of a list, `null`
or `""` for "not given", and enum values in the wrong case. The rewrites are tried in order, surest first, and the
validator decides which one fits.

Fix grading: lossless if reading the new value gives the old one back. Dropping an empty string is likely, because an
empty string means something to some tools. A number as a string, the only item of a list, and a comma-separated
string as a list are offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.model import Applicability, Drop, Edit, Fix, Grade, Path, Replace, Violation
from fingerpost.engine.phrases import key_of
from fingerpost.engine.safety.json_input import as_list, as_strings, is_number, parse_json
from fingerpost.engine.safety.redact import is_harmless
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema import walk as schemas

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,15})")
_EXACT = 2**53
"""Beyond this, servers that use floats read a neighbouring number."""

_NUMBER = re.compile(r"-?(?=[\d.]{1,16}(?:[eE]|$))(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
"""At most fifteen digits, which a float preserves."""
_EMPTY_VALUES = (None, "", "null", "none", "None")
_SEPARATORS = re.compile(r"[,;\n]")
_OPENING = ("[", "{", "(", "-")
_BOOLEANS = {"true": True, "false": False}


def respell(case: Case, violation: Violation) -> Fix | None:
    """Return the first rewrite of the value that the schema accepts, or None."""
    value = case.value(violation.at)
    is_hidden = not is_harmless(value, key_of(violation.at)) or case.is_secret(violation.at)
    for edit, grade in _rewrites(case, violation, value):
        if _settles_value(case, edit, violation.at):
            is_sure = grade is not Grade.OFFERED or is_number(value)
            return Fix(
                edit,
                Applicability.MACHINE_APPLICABLE if is_sure else Applicability.MAYBE_INCORRECT,
                grade,
                confidence=1.0 if grade is Grade.LOSSLESS else 0.95 if is_sure else 0.8,
                value=edit.value if isinstance(edit, Replace) and not is_hidden else None,
            )
    return None


def placeholder_fix(case: Case, violation: Violation) -> Fix:
    """Return a placeholder for a value that cannot be respelled."""
    schema = {"enum": violation.expected} if violation.keyword == "enum" else violation.schema
    placeholder = disclosure.placeholder(case.tool.schema, schema or case.schema(violation.at))
    return Fix(Replace(violation.at, placeholder), Applicability.HAS_PLACEHOLDERS)


def accepts_value(case: Case, at: Path) -> bool:
    """Whether the value at `at` is valid, or is once it is respelled."""
    violations = [violation for violation in case.violations if violation.at == at]
    return all((fix := respell(case, violation)) and fix.grade is Grade.LOSSLESS for violation in violations)


def _settles_value(case: Case, edit: Edit, at: Path) -> bool:
    """Whether `edit` makes the value at `at` itself valid; other rules report what is wrong below it."""
    return not any(violation.at == at for violation in case.after([edit]).violations)


def _rewrites(case: Case, violation: Violation, value: Any) -> Iterator[tuple[Edit, Grade]]:
    """Yield the possible rewrites of a value, surest first."""
    at = violation.at
    kinds = schemas.types(case.tool.schema, case.schema(at)) or tuple(_types_of(violation))
    if value is None and case.is_optional(at):
        yield Drop(at), Grade.LOSSLESS
    if isinstance(value, str):
        yield from _rewrite_text(case, violation, value, kinds)
        if _is_list_text(value, kinds):
            return
    if kinds in (("array",), ("array", "null")) and isinstance(at[-1], str):
        yield from _wrap_in_list(case, at, value)
    if is_number(value) and abs(value) < 10**20 and "string" in kinds:
        yield Replace(at, str(value)), Grade.OFFERED
    if len(as_list(value)) == 1:
        yield Replace(at, as_list(value)[0]), Grade.OFFERED
    if isinstance(value, dict | list) and not value and case.is_optional(at):
        yield Drop(at), Grade.LIKELY


def _rewrite_text(case: Case, violation: Violation, text: str, kinds: tuple[str, ...]) -> Iterator[tuple[Edit, Grade]]:
    at = violation.at
    yield from ((Replace(at, value), Grade.LOSSLESS) for value in _parse(text, kinds, violation))
    if not text.strip() and case.is_optional(at):
        yield Drop(at), Grade.LIKELY
    if _is_list_text(text, kinds):
        yield from ((Replace(at, items), Grade.OFFERED) for items in _split(case, at, text))


def _is_list_text(text: str, kinds: tuple[str, ...]) -> bool:
    return "array" in kinds and (text.lstrip()[:1] in _OPENING or _SEPARATORS.search(text) is not None)


def _wrap_in_list(case: Case, at: Path, value: Any) -> Iterator[tuple[Edit, Grade]]:
    """Wrap one item in a list. A text of several words may be several items, so that is only offered."""
    if isinstance(value, list) or value in _EMPTY_VALUES:
        return
    kinds = schemas.types(case.tool.schema, schemas.child(case.tool.schema, case.schema(at), 0))
    parsed = list(_parse(value, kinds, Violation(at, "type", []))) if isinstance(value, str) else []
    grade = Grade.OFFERED if isinstance(value, str) and len(value.split()) > 1 else Grade.LOSSLESS
    for item in (value, *parsed):
        edit = Replace(at, [item])
        if isinstance(item, dict) or case.is_valid_after(edit, at):
            yield edit, grade


def _split(case: Case, at: Path, text: str) -> Iterator[list[Any]]:
    """Split a text into a list; text that looks like a broken container is left alone."""
    if text.lstrip()[:1] not in _OPENING:
        kinds = schemas.types(case.tool.schema, schemas.child(case.tool.schema, case.schema(at), 0))
        parts = [part.strip() for part in _SEPARATORS.split(text) if part.strip()]
        yield [int(part) if "integer" in kinds and _INTEGER.fullmatch(part) else part for part in parts]


def _types_of(violation: Violation) -> list[str]:
    return as_strings(violation.expected) if violation.keyword == "type" else []


def _parse(text: str, kinds: tuple[str, ...], violation: Violation) -> Iterator[Any]:
    """Yield the values a string may stand for: an object, array, number, boolean, or a choice in another case."""
    if ("object" in kinds or "array" in kinds) and not isinstance(whole := parse_json(text), str):
        yield whole
    if "integer" in kinds and _INTEGER.fullmatch(text) and abs(int(text)) <= _EXACT:
        yield int(text)
    if "number" in kinds and _NUMBER.fullmatch(text):
        yield int(text) if _INTEGER.fullmatch(text) else float(text)
    if "boolean" in kinds and text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()]
    if violation.keyword == "enum":
        same = [choice for choice in as_strings(violation.expected) if _is_same_choice(choice, text)]
        yield from same if len(same) == 1 else []


def _is_same_choice(choice: str, text: str) -> bool:
    """Compare without case, except in units and symbols (`mW`, `MW`, `b`, `B`), where case has a meaning."""
    if len(text) > 96 or spelling(choice) != spelling(text):
        return False
    is_word = len(choice) > 3 or (len(choice) > 1 and choice in (choice.lower(), choice.upper()))
    return is_word and (len(choice) > 3 or text in (text.lower(), text.upper()))
