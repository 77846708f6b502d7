"""Where a value breaks its schema: a validator's errors, told by the alternative nearest to the call.

A validator answers a failed `anyOf` with every branch's errors. A caller meant one branch: the one
whose marks (`const`, `enum`) it carries, or else the one with the fewest and smallest complaints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.model import Path, Violation
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.schema.formats import LENIENT_FORMATS
from fingerpost.engine.schema.walk import properties, resolve

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

UNDECLARED_KEYWORD = "additionalProperties"
LIMIT_KEYWORDS = frozenset({
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems",
    "maxItems", "minProperties", "maxProperties", "format", "pattern",
})  # fmt: skip
"""Keywords that bound a value of the right kind."""

MAX_DIAGNOSES = 20
"""Findings in one answer; past these a caller is told how many more there are."""

_BACKTRACKING = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<|[*+?}]\+|\(\?>")
_DEEPEST = 8
_ALTERNATIVES = {"anyOf", "oneOf"}
_DISTANCE = {"type": 4.0, "enum": 3.0, "const": 6.0, "additionalProperties": 1.5, "required": 1.0}


def compile_schema(schema: Mapping[str, Any]) -> Validator | None:
    """A validator that reaches for nothing outside the schema; none where the schema is broken or needs to.

    Patterns are matched in linear time. Those that only a backtracking engine could match (look-around,
    back-references) are not checked: nothing is claimed about them.
    """
    import jsonschema_rs  # when first needed: a process that sees no call does not pay for it

    options: dict[str, Any] = {"offline": True, "validate_formats": True, "formats": LENIENT_FORMATS}
    linear = jsonschema_rs.RegexOptions(size_limit=1 << 20)
    for readable in (dict(schema), _without_backtracking(dict(schema))):
        try:
            return jsonschema_rs.validator_for(readable, pattern_options=linear, **options)
        except (ValueError, jsonschema_rs.ReferencingError):
            continue
    return None


def _without_backtracking(node: Any) -> Any:
    if isinstance(node, dict):
        fields = cast("dict[str, Any]", node).items()
        return {key: _without_backtracking(value) for key, value in fields if not _backtracks(key, value)}
    return [_without_backtracking(item) for item in cast("list[Any]", node)] if isinstance(node, list) else node


def _backtracks(key: str, value: Any) -> bool:
    return key == "pattern" and isinstance(value, str) and _BACKTRACKING.search(value) is not None


def to_violations(errors: Iterable[ValidationError], root: Mapping[str, Any]) -> tuple[Violation, ...]:
    """The violations worth telling, one for each place and keyword, in the validator's order."""
    every = [violation for error in errors for violation in _of(error, root, 0)]
    return tuple(
        {(violation.at, violation.keyword, str(violation.expected)): violation for violation in every}.values()
    )


def _of(error: ValidationError, root: Mapping[str, Any], depth: int) -> Iterator[Violation]:
    at, keyword = tuple(error.instance_path), error.kind.name
    context = cast("list[list[ValidationError]] | None", getattr(error.kind, "context", None))
    schema = _holder(root, error.schema_path)
    if keyword not in _ALTERNATIVES or depth > _DEEPEST:
        yield Violation(at, _keyword(error, keyword), _expected(error, keyword), schema)
    elif not context or not all(context):
        yield Violation(at, keyword, "several", schema)
    else:
        yield from _nearest(at, keyword, context, schema, root, depth, error.instance)


def _nearest(
    at: Path,
    keyword: str,
    context: list[list[ValidationError]],
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    depth: int,
    instance: Any,
) -> Iterator[Violation]:
    branches = [
        [found for error in errors[:MAX_DIAGNOSES] for found in _of(error, root, depth + 1)]
        for errors in context[:MAX_DIAGNOSES]
    ]
    marked = list(_by_mark(branches, schema.get(keyword), root, instance, at))
    if marked:
        yield from marked
    elif all(_is_only(branch, "type", at) for branch in branches):
        kinds = dict.fromkeys(kind for branch in branches for kind in branch[0].expected)
        yield Violation(at, "type", [kind for kind in kinds if kind != "null"] or ["null"], schema, len(branches))
    elif all(_is_only(branch, "required", at) for branch in branches):
        yield Violation(at, "required", [branch[0].expected for branch in branches], schema, len(branches))
    elif choices := _choices(branches, at):
        yield Violation(at, "enum", choices, schema, len(branches))
    else:
        for violation in min(branches, key=lambda branch: _distance(branch, at)):
            yield Violation(violation.at, violation.keyword, violation.expected, violation.schema, len(branches))


def _by_mark(
    branches: Sequence[Sequence[Violation]], alternatives: Any, root: Mapping[str, Any], instance: Any, at: Path
) -> Iterator[Violation]:
    """Where every alternative carries a mark (`kind: "circle"`), the mark that was sent decides which one was meant."""
    marks = [_marks(root, alternative) for alternative in as_list(alternatives)[:MAX_DIAGNOSES]]
    common = set[str].intersection(*map(set, marks)) if marks else set[str]()
    name = next((name for name in common if isinstance(as_object(instance).get(name), str)), None)
    if name is None or len(branches) != len(marks):
        return
    sent = spelling(instance[name])
    chosen = [branch for branch, mark in zip(branches, marks, strict=True) if spelling(str(mark[name])) == sent]
    if len(chosen) == 1:
        yield from (replace(one, branches=len(branches)) for one in chosen[0])
    elif not chosen:
        offered = [mark[name] for mark in marks]
        yield Violation((*at, name), "enum", offered, {"enum": offered}, len(branches))


def _marks(root: Mapping[str, Any], alternative: Any) -> dict[str, Any]:
    """The properties that an alternative fixes to one value."""
    declared = {name: resolve(root, one) for name, one in properties(root, alternative).items()}
    fixed = {name: one.get("const", next(iter(as_list(one.get("enum"))), None)) for name, one in declared.items()}
    return {name: value for name, value in fixed.items() if isinstance(value, str) and _is_fixed(declared[name])}


def _is_fixed(schema: Mapping[str, Any]) -> bool:
    return "const" in schema or len(as_list(schema.get("enum"))) == 1


def _is_only(branch: Sequence[Violation], keyword: str, at: Path) -> bool:
    return len(branch) == 1 and branch[0].keyword == keyword and branch[0].at == at


def _choices(branches: Sequence[Sequence[Violation]], at: Path) -> list[Any]:
    """`anyOf` of constants, enums and null is one enum written in pieces."""
    offered = [
        branch[0] for branch in branches if len(branch) == 1 and branch[0].keyword == "enum" and branch[0].at == at
    ]
    rest = [branch for branch in branches if not (len(branch) == 1 and branch[0] in offered)]
    if not offered or not all(_is_only(branch, "type", at) and branch[0].expected == ["null"] for branch in rest):
        return []
    return [choice for violation in offered for choice in violation.expected]


def _distance(branch: Sequence[Violation], at: Path) -> float:
    """How far a call is from one alternative; the wrong kind of value altogether is farthest."""
    return sum(
        20.0 + (violation.expected == ["null"]) if violation.at == at and violation.keyword == "type"
        else _DISTANCE.get("const" if _is_mark(violation) else violation.keyword, 1.0)
        for violation in branch
    )  # fmt: skip


def _is_mark(violation: Violation) -> bool:
    return violation.keyword == "enum" and len(violation.expected) == 1


def _keyword(error: ValidationError, keyword: str) -> str:
    match keyword:
        case "const":
            return "enum"
        case "unevaluatedProperties" | "additionalProperties":
            return "additionalProperties"
        case "required" if "dependentRequired" in error.schema_path or "dependencies" in error.schema_path:
            return "dependentRequired"
        case _:
            return keyword


def _expected(error: ValidationError, keyword: str) -> Any:
    match keyword:
        case "const":
            return [error.kind.value]
        case "type":
            return list(cast("list[str]", error.kind.value))
        case "propertyNames":
            return None
        case _:
            return error.kind.value


def _holder(root: Mapping[str, Any], schema_path: Sequence[str | int]) -> Mapping[str, Any]:
    """The subschema that holds the failing keyword."""
    node: Any = root
    for step in schema_path[:-1]:
        node = as_object(node).get(step) if isinstance(step, str) else next(iter(as_list(node)[step : step + 1]), None)
    return as_object(node)
