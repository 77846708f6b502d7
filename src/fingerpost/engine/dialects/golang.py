"""google/jsonschema-go, the validator of the Go SDK.

    validating "arguments": validating root: validating /properties/max: type: fifty has type "string", want "integer"

The place is a pointer into the schema. Below `items` or `additionalProperties` it does not say which item or key, and
a violation without its place would mislead, so those are left alone. Choices are printed without quotes (`[asc very
slow]`), so they count as unsaid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.engine.dialects import words
from fingerpost.engine.model import Path, Violation

_VALIDATING = re.compile(r"validating (root|/\S{1,400}): ")
_CLAUSE = re.compile(r"(unexpected additional properties|[a-zA-Z]{4,20}:) ")
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\.){0,500})"')
_WANT = re.compile(r', want (?:one of )?"([a-z, ]{1,80})"\Z')
_LIMIT = re.compile(rf" (?:than(?: or equal to)?|multiple of) ({words.NUMBER})\Z")
_PATTERN = re.compile(r' does not match regular expression ("(?:[^"\\\n]|\\.){0,500}")\Z')
_APPLICATORS = ("anyOf", "oneOf", "allOf")
_LIMITS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)


def read(text: str) -> Iterator[Violation]:
    for line in text.split("\n")[: words.MOST_LINES]:
        if "validating " not in line:
            continue
        at, clause_start = _place(line)
        clause = _CLAUSE.match(line, clause_start)
        if clause and at is not None:
            yield from _said(clause[1].removesuffix(":"), line[clause.end() :].rstrip(), at)


def _place(line: str) -> tuple[Path | None, int]:
    """The innermost schema of the chain that opens the line, as a place in the call, and where the chain stops."""
    at: Path | None = None
    found = _VALIDATING.search(line)
    end = 0
    while found:
        at, end = _in_call(found[1].removeprefix("root")), found.end()
        found = _VALIDATING.match(line, end)
    return at, end


def _in_call(pointer: str) -> Path | None:
    steps = iter(pointer.split("/")[1:])
    at: list[str] = []
    for step in steps:
        if step == "properties":
            at.append(next(steps, ""))
        elif step in _APPLICATORS:
            next(steps, None)
        else:
            return None
    return words.pointer("/" + "/".join(at)) if at else ()


def _said(keyword: str, rest: str, at: Path) -> Iterator[Violation]:
    if keyword == "required":
        for name in _QUOTED.findall(rest.removeprefix("missing properties: ")):
            yield Violation(at, "required", words.unescaped(name))
    elif keyword == "unexpected additional properties":
        yield Violation(at, "additionalProperties", [words.unescaped(name) for name in _QUOTED.findall(rest)])
    elif keyword in ("enum", "const"):
        yield Violation(at, "enum", [])
    elif keyword == "type" and (want := _WANT.search(rest)) and (types := words.json_types(want[1].split(", "))):
        yield Violation(at, "type", types)
    elif keyword in _LIMITS and (limit := _LIMIT.search(rest)):
        yield Violation(at, keyword, words.number(limit[1]))
    elif keyword == "pattern" and (pattern := _PATTERN.search(rest)):
        yield Violation(at, "pattern", words.unescaped(pattern[1][1:-1]))
