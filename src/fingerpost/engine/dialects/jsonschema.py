"""Read jsonschema (Python) and jsonschema-rs, whose sentences begin with the received value.

    Input validation error: 'fifty' is not of type 'integer'

    Failed validating 'type' in schema['properties']['max']:
        {'type': 'integer', 'maximum': 1000}

    On instance['max']:
        'fifty'

Only the last block has the path, and servers often omit it. The value may contain any words, so each phrase is
searched from the end of its line, where the validator's own words are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

_NAMED = "Input validation error: "
_FAILED = lazy_pattern(r"\n[ \t]{0,20}Failed validating ['\"](\w+)['\"] in schema(\[\d|)")
_INSTANCE = lazy_pattern(r"\n[ \t]{0,20}On instance([^\n]{0,400}):(?:\n|\Z)")
_STEP = lazy_pattern(r"\[(?:(\d{1,9})|'([^']*)'|\"([^\"]*)\")\]")
_VALUE = lazy_pattern(r"(?:^|: )(?:['\"\[{\d-]|None\b|True\b|False\b|null\b|true\b|false\b)")
_SIZE = lazy_pattern(r"(\d{1,15}) (?:character|item)s?\Z")
_REQUIRED = lazy_pattern(r"(?:'([^'\n]{1,200})'|\"([^\"\n]{1,200})\") is a required property\Z")
_CONSTANT = " was expected"
_ADDITIONAL = "Additional properties are not allowed ("
_PHRASES = {
    " is not of type ": "type",
    " is not of types ": "type",
    " is not one of ": "enum",
    " is greater than the maximum of ": "maximum",
    " is greater than or equal to the maximum of ": "exclusiveMaximum",
    " is less than the minimum of ": "minimum",
    " is less than or equal to the minimum of ": "exclusiveMinimum",
    " is not a multiple of ": "multipleOf",
    " is shorter than ": "minLength",
    " is longer than ": "maxLength",
    " has less than ": "minItems",
    " has more than ": "maxItems",
    " is not a ": "format",
    " does not match ": "pattern",
}
_EMPTY = {"[]": "minItems", "''": "minLength", '""': "minLength"}


def read(text: str) -> Iterator[Violation]:
    """Skip errors below `schema[1]`: the path then starts at a union, and the text does not tell where that is."""
    failed = _FAILED.search(text)
    if failed and failed[2]:
        return
    at = _place(text)
    for line in (text[: failed.start()] if failed else text).split("\n")[: parse.MOST_LINES]:
        yield from _read_line(line.removeprefix(_NAMED), at, is_named=failed is not None or line.startswith(_NAMED))
    if failed and failed[1] in ("minLength", "maxLength", "minItems", "maxItems"):
        yield from _limit_from_schema(text, failed, at)


def _place(text: str) -> Path:
    instance = _INSTANCE.search(text)
    steps = _STEP.finditer(instance[1]) if instance else ()
    return parse.path_from_steps([step[step.lastindex or 0] for step in steps])


def _read_line(line: str, at: Path, *, is_named: bool) -> Iterator[Violation]:
    """Read one line. A phrase that is also used in prose counts only if the validator names itself."""
    if required := _REQUIRED.search(line):
        yield Violation(at, "required", required[1] or required[2])
    if _ADDITIONAL in line:
        names, _ = parse.choices(line, line.index(_ADDITIONAL) + len(_ADDITIONAL))
        yield Violation(at, "additionalProperties", parse.property_names(names))
    if is_named and line.endswith(_CONSTANT) and (choices := _all_choices(line.removesuffix(_CONSTANT))):
        yield Violation(at, "enum", choices)
    value, empty, _ = line.rpartition(" should be non-empty")
    if empty and value in _EMPTY:
        yield Violation(at, _EMPTY[value], 1)
    for phrase, keyword in _PHRASES.items():
        value, _, wanted = line.rpartition(phrase)
        if _VALUE.search(value) and (is_named or keyword != "pattern"):
            expected = _parse_expectation(keyword, wanted)
            yield from [Violation(at, keyword, expected)] if expected is not None else []


def _parse_expectation(keyword: str, wanted: str) -> object:
    """Parse the words after a phrase; None if they are not the validator's."""
    match keyword:
        case "type":
            return parse.json_types(map(str, _all_choices(wanted))) or None
        case "enum":
            return _all_choices(wanted.removeprefix("[").removesuffix("]"))
        case "format":
            return next((name for choice in _all_choices(wanted) if (name := parse.json_format(str(choice)))), None)
        case "pattern":
            return next(iter(_all_choices(wanted)), None)
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            return parse.number(size[1]) if (size := _SIZE.match(wanted)) else None
        case _:
            return parse.number(wanted)


def _all_choices(listed: str) -> list[object]:
    """Return the choices if they are complete: jsonschema-rs shortens a list to `"a", "b" or 2 other candidates`."""
    choices, end = parse.choices(listed)
    return choices if end == len(listed) else []


def _limit_from_schema(text: str, failed: re.Match[str], at: Path) -> Iterator[Violation]:
    """Read the limit from the schema below the sentence, because `'x' is too short` omits it."""
    limit = lazy_pattern(rf"'{failed[1]}': (\d{{1,15}})").search(text, failed.end(), failed.end() + 4000)
    if limit:
        yield Violation(at, failed[1], parse.number(limit[1]))
