"""ajv's error objects, as JSON inside a text.

    [{"instancePath": "/max", "schemaPath": "#/properties/max/maximum", "keyword": "maximum",
      "params": {"comparison": "<=", "limit": 1000}, "message": "must be <= 1000"}]

Version 6 calls the place `dataPath`. The errors of all alternatives of an `anyOf` come before the `anyOf` itself,
and `schemaPath` tells to which alternative each belongs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from fingerpost.engine.dialects import words
from fingerpost.engine.dialects.alternatives import nearest
from fingerpost.engine.dialects.embedded import records
from fingerpost.engine.model import Path, Violation

Error: TypeAlias = Mapping[str, Any]

_MOST = 60
_LIMITS = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "limit"),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), "limit"),
    "multipleOf": "multipleOf",
}
_UNIONS = ("anyOf", "oneOf")


def read(text: str) -> list[Violation]:
    return _violations(records(text, "keyword", "params", "schemaPath")[:_MOST])


def _violations(errors: Sequence[Error]) -> list[Violation]:
    union = next((error for error in reversed(errors) if error["keyword"] in _UNIONS), None)
    if union is None:
        return [violation for error in errors if (violation := _violation(error, _at(error)))]
    inside = [error for error in errors if error is not union and _branch(error, union)]
    branches = [
        _violations([error for error in inside if _branch(error, union) == branch])
        for branch in dict.fromkeys(_branch(error, union) for error in inside)
    ]
    outside = [error for error in errors if error is not union and not _branch(error, union)]
    return [*_violations(outside), *nearest(branches, _at(union))]


def _branch(error: Error, union: Error) -> str:
    """The alternative of `union` that this is an error of, or nothing."""
    at, path = _at(union), f"{union['schemaPath']}/"
    belongs = _at(error)[: len(at)] == at and str(error["schemaPath"]).startswith(path)
    return str(error["schemaPath"])[len(path) :].partition("/")[0] if belongs else ""


def _at(error: Error) -> Path:
    said = error.get("instancePath", error.get("dataPath"))
    return words.place(said) if isinstance(said, str) else ()


def _violation(error: Error, at: Path) -> Violation | None:
    params = cast("dict[str, Any]", error["params"]) if isinstance(error["params"], dict) else {}
    match error["keyword"], params:
        case "required", {"missingProperty": str(name)}:
            return Violation(at, "required", name)
        case "additionalProperties", {"additionalProperty": str(name)}:
            return Violation(at, "additionalProperties", [name])
        case "type", {"type": kinds} if types := _types(kinds):
            return Violation(at, "type", types)
        case "enum", {"allowedValues": values}:
            return Violation(at, "enum", words.listed(values))
        case "const", {"allowedValue": value}:
            return Violation(at, "enum", words.listed([value]))
        case ("format" | "pattern") as keyword, {**named} if isinstance(said := named.get(keyword), str):
            return Violation(at, keyword, said)
        case _:
            return _limit(str(error["keyword"]), params, at)


def _types(said: object) -> list[str]:
    return words.json_types([said] if isinstance(said, str) else words.names(words.listed(said)))


def _limit(keyword: str, params: Mapping[str, Any], at: Path) -> Violation | None:
    limit = words.number(params.get(_LIMITS[keyword])) if keyword in _LIMITS else None
    return Violation(at, keyword, limit) if limit is not None else None
