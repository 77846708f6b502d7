"""The same value, spelled as the schema spells it.

Models send numbers and booleans as strings, objects and arrays as strings of JSON, one item where a
list is wanted, `null` or `""` for "not given", and enum values in the wrong case. `respellings` yields
each way to write a value so that it fits, surest first; whether one fits is asked of the validator.

Fix grading: lossless where reading the new value back gives the old one. An empty string left out is
likely: to some tools empty means something. A number written as text, the one item taken out of a list and
a comma-separated text made a list are offered.
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
"""Beyond this many servers read a number as a neighbour of it."""

_NUMBER = re.compile(r"-?(?=[\d.]{1,16}(?:[eE]|$))(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
"""At most fifteen digits: a float gives every one of them back."""
_NOTHINGS = (None, "", "null", "none", "None")
_SEPARATORS = re.compile(r"[,;\n]")
_OPENING = ("[", "{", "(", "-")
_BOOLEANS = {"true": True, "false": False}


def respelling(case: Case, violation: Violation) -> Fix | None:
    """The first way of writing the offending value that mends its place."""
    value = case.value(violation.at)
    is_hidden = not is_harmless(value, key_of(violation.at)) or case.is_secret(violation.at)
    for edit, grade in _readings(case, violation, value):
        if _mends(case, edit, violation.at):
            sure = grade is not Grade.OFFERED or is_number(value)
            return Fix(
                edit,
                Applicability.MACHINE_APPLICABLE if sure else Applicability.MAYBE_INCORRECT,
                grade,
                confidence=1.0 if grade is Grade.LOSSLESS else 0.95 if sure else 0.8,
                value=edit.value if isinstance(edit, Replace) and not is_hidden else None,
            )
    return None


def to_fill_in(case: Case, violation: Violation) -> Fix:
    """The call with a placeholder where the value cannot be read any other way."""
    known = {"enum": violation.expected} if violation.keyword == "enum" else violation.schema
    blank = disclosure.placeholder(case.tool.schema, known or case.schema(violation.at))
    return Fix(Replace(violation.at, blank), Applicability.HAS_PLACEHOLDERS)


def takes(case: Case, at: Path) -> bool:
    """Whether what stands at `at` is right, or will be once it is respelled."""
    wrong = [violation for violation in case.violations if violation.at == at]
    return all((fix := respelling(case, violation)) and fix.grade is Grade.LOSSLESS for violation in wrong)


def _mends(case: Case, edit: Edit, at: Path) -> bool:
    """Nothing is wrong at `at` itself any more; what is wrong below it is another rule's to tell."""
    return not any(violation.at == at for violation in case.after([edit]).violations)


def _readings(case: Case, violation: Violation, value: Any) -> Iterator[tuple[Edit, Grade]]:
    at = violation.at
    kinds = schemas.types(case.tool.schema, case.schema(at)) or tuple(_type_words(violation))
    if value is None and case.is_optional(at):
        yield Drop(at), Grade.LOSSLESS
    if isinstance(value, str):
        yield from ((Replace(at, read), Grade.LOSSLESS) for read in _read(value, kinds, violation))
        if not value.strip() and case.is_optional(at):
            yield Drop(at), Grade.LIKELY
        if "array" in kinds and (value.lstrip()[:1] in _OPENING or _SEPARATORS.search(value)):
            yield from ((Replace(at, parts), Grade.OFFERED) for parts in _split(case, at, value))
            return
    if kinds in (("array",), ("array", "null")) and isinstance(at[-1], str):
        yield from _wrapped(case, at, value)
    if is_number(value) and abs(value) < 10**20 and "string" in kinds:
        yield Replace(at, str(value)), Grade.OFFERED
    if len(as_list(value)) == 1:
        yield Replace(at, as_list(value)[0]), Grade.OFFERED
    if isinstance(value, dict | list) and not value and case.is_optional(at):
        yield Drop(at), Grade.LIKELY


def _wrapped(case: Case, at: Path, value: Any) -> Iterator[tuple[Edit, Grade]]:
    """One item where a list is wanted; several words may be several items, so those are offered only."""
    if isinstance(value, list) or value in _NOTHINGS:
        return
    kinds = schemas.types(case.tool.schema, schemas.child(case.tool.schema, case.schema(at), 0))
    read = list(_read(value, kinds, Violation(at, "type", []))) if isinstance(value, str) else []
    grade = Grade.OFFERED if isinstance(value, str) and len(value.split()) > 1 else Grade.LOSSLESS
    for item in (value, *read):
        edit = Replace(at, [item])
        if isinstance(item, dict) or case.is_valid_after(edit, at):
            yield edit, grade


def _split(case: Case, at: Path, text: str) -> Iterator[list[Any]]:
    """A list written as text, one item after the other; text that looks like a broken container is left alone."""
    if text.lstrip()[:1] not in _OPENING:
        kinds = schemas.types(case.tool.schema, schemas.child(case.tool.schema, case.schema(at), 0))
        parts = [part.strip() for part in _SEPARATORS.split(text) if part.strip()]
        yield [int(part) if "integer" in kinds and _INTEGER.fullmatch(part) else part for part in parts]


def _type_words(violation: Violation) -> list[str]:
    return as_strings(violation.expected) if violation.keyword == "type" else []


def _read(text: str, kinds: tuple[str, ...], violation: Violation) -> Iterator[Any]:
    """What a string spells: a number, a truth value, an object, an array, or a choice in another case."""
    if ("object" in kinds or "array" in kinds) and not isinstance(whole := parse_json(text), str):
        yield whole
    if "integer" in kinds and _INTEGER.fullmatch(text) and abs(int(text)) <= _EXACT:
        yield int(text)
    if "number" in kinds and _NUMBER.fullmatch(text):
        yield int(text) if _INTEGER.fullmatch(text) else float(text)
    if "boolean" in kinds and text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()]
    if violation.keyword == "enum":
        alike = [choice for choice in as_strings(violation.expected) if _same(choice, text)]
        yield from alike if len(alike) == 1 else []


def _same(choice: str, text: str) -> bool:
    """Case carries no meaning in words; in units and signs (`mW`, `MW`, `b`, `B`) it does."""
    if len(text) > 96 or spelling(choice) != spelling(text):
        return False
    is_word = len(choice) > 3 or (len(choice) > 1 and choice in (choice.lower(), choice.upper()))
    return is_word and (len(choice) > 3 or text in (text.lower(), text.upper()))
