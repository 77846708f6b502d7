"""Read ajv's error objects, as JSON inside a text.

    [{"instancePath": "/max", "schemaPath": "#/properties/max/maximum", "keyword": "maximum",
      "params": {"comparison": "<=", "limit": 1000}, "message": "must be <= 1000"}]

Version 6 calls the path `dataPath`. The errors of all alternatives of an `anyOf` precede the error of the `anyOf`
itself, and `schemaPath` tells which alternative each belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from fingerpost.engine.dialects import parse
from fingerpost.engine.dialects.alternatives import choose_nearest
from fingerpost.engine.dialects.embedded import find_records
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
    return _violations(find_records(text, "keyword", "params", "schemaPath")[:_MOST])


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
    return [*_violations(outside), *choose_nearest(branches, _at(union))]


def _branch(error: Error, union: Error) -> str:
    """Return the alternative of `union` that the error belongs to, or an empty string."""
    at, path = _at(union), f"{union['schemaPath']}/"
    belongs = _at(error)[: len(at)] == at and str(error["schemaPath"]).startswith(path)
    return str(error["schemaPath"])[len(path) :].partition("/")[0] if belongs else ""


def _at(error: Error) -> Path:
    path = error.get("instancePath", error.get("dataPath"))
    return parse.path_or_pointer(path) if isinstance(path, str) else ()


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
            return Violation(at, "enum", parse.plain_list(values))
        case "const", {"allowedValue": value}:
            return Violation(at, "enum", parse.plain_list([value]))
        case ("format" | "pattern") as keyword, {**named} if isinstance(value := named.get(keyword), str):
            return Violation(at, keyword, value)
        case _:
            return _limit(str(error["keyword"]), params, at)


def _types(value: object) -> list[str]:
    return parse.json_types([value] if isinstance(value, str) else parse.property_names(parse.plain_list(value)))


def _limit(keyword: str, params: Mapping[str, Any], at: Path) -> Violation | None:
    limit = parse.number(params.get(_LIMITS[keyword])) if keyword in _LIMITS else None
    return Violation(at, keyword, limit) if limit is not None else None
