"""Read google/jsonschema-go, the validator of the Go SDK.

    validating "arguments": validating root: validating /properties/max: type: fifty has type "string", want "integer"

The path is a pointer into the schema. Below `items` or `additionalProperties` it does not tell which item or key, so
such violations are skipped. Choices are printed without quotes (`[asc very slow]`), so they are treated as omitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

_VALIDATING = lazy_pattern(r"validating (root|/\S{1,400}): ")
_CLAUSE = lazy_pattern(r"(unexpected additional properties|[a-zA-Z]{4,20}:) ")
_QUOTED = lazy_pattern(r'"((?:[^"\\\n]|\\.){0,500})"')
_WANT = lazy_pattern(r', want (?:one of )?"([a-z, ]{1,80})"\Z')
_LIMIT = lazy_pattern(rf" (?:than(?: or equal to)?|multiple of) ({parse.NUMBER})\Z")
_PATTERN = lazy_pattern(r' does not match regular expression ("(?:[^"\\\n]|\\.){0,500}")\Z')
_APPLICATORS = ("anyOf", "oneOf", "allOf")
_LIMITS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)


def read(text: str) -> Iterator[Violation]:
    for line in text.split("\n")[: parse.MOST_LINES]:
        if "validating " not in line:
            continue
        at, clause_start = _place(line)
        clause = _CLAUSE.match(line, clause_start)
        if clause and at is not None:
            yield from _violations(clause[1].removesuffix(":"), line[clause.end() :].rstrip(), at)


def _place(line: str) -> tuple[Path | None, int]:
    """Return the path in the call of the innermost schema that the line names, and where the names end."""
    at: Path | None = None
    found = _VALIDATING.search(line)
    end = 0
    while found:
        at, end = _schema_to_call_path(found[1].removeprefix("root")), found.end()
        found = _VALIDATING.match(line, end)
    return at, end


def _schema_to_call_path(pointer: str) -> Path | None:
    steps = iter(pointer.split("/")[1:])
    at: list[str] = []
    for step in steps:
        if step == "properties":
            at.append(next(steps, ""))
        elif step in _APPLICATORS:
            next(steps, None)
        else:
            return None
    return parse.pointer("/" + "/".join(at)) if at else ()


def _violations(keyword: str, rest: str, at: Path) -> Iterator[Violation]:
    if keyword == "required":
        for name in _QUOTED.findall(rest.removeprefix("missing properties: ")):
            yield Violation(at, "required", parse.unescape(name))
    elif keyword == "unexpected additional properties":
        yield Violation(at, "additionalProperties", [parse.unescape(name) for name in _QUOTED.findall(rest)])
    elif keyword in ("enum", "const"):
        yield Violation(at, "enum", [])
    elif keyword == "type" and (want := _WANT.search(rest)) and (types := parse.json_types(want[1].split(", "))):
        yield Violation(at, "type", types)
    elif keyword in _LIMITS and (limit := _LIMIT.search(rest)):
        yield Violation(at, keyword, parse.number(limit[1]))
    elif keyword == "pattern" and (pattern := _PATTERN.search(rest)):
        yield Violation(at, "pattern", parse.unescape(pattern[1][1:-1]))
