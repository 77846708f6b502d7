"""Find the places where a value breaks its schema.

For a failed `anyOf` a validator returns the errors of every branch. The caller had one branch in mind: the one with
the same tag (`const`, `enum`), or else the one with the fewest and smallest errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import spelling, split_words
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
"""Keywords that restrict a value of the right type."""

MAX_DIAGNOSES = 20
"""How many diagnoses one reply lists. It says how many more there are."""

_BACKTRACKING = lazy_pattern(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<|[*+?}]\+|\(\?>")
_MAX_DEPTH = 8
_MAX_BRANCHES = 20
_MAX_NAMES = 24
_MOST_ERRORS = 100
"""How many errors inside alternatives are read before only the nearest alternative is."""
_ALTERNATIVES = {"anyOf", "oneOf"}
_TYPE_DISTANCE = 20.0
_DISTANCE = {"type": 4.0, "enum": 3.0, "const": 6.0, "additionalProperties": 1.5, "required": 1.0}


def compile_schema(schema: Mapping[str, Any]) -> Validator | None:
    """Compile a validator that loads no other documents. Return none if the schema is broken or needs them.

    Patterns are matched in linear time. Those that need a backtracking engine (look-around, back-references) are not
    checked.
    """
    import jsonschema_rs  # imported on first use: a process that sees no call does not need it

    options: dict[str, Any] = {"offline": True, "validate_formats": True, "formats": LENIENT_FORMATS}
    linear = jsonschema_rs.RegexOptions(size_limit=1 << 20)
    for candidate in (dict(schema), _without_backtracking(dict(schema))):
        try:
            return jsonschema_rs.validator_for(candidate, pattern_options=linear, **options)
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


def compile_item_schema(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Validator | None:
    """Compile a validator for a list of values that each have this schema; none if it cannot be used."""
    shared = {word: root[word] for word in ("$schema", "$defs", "definitions") if word in root}
    return compile_schema({**shared, "items": dict(schema)}) if schema else None


def first_error(validator: Validator, value: Any) -> ValidationError | None:
    """Return the first error of a value. Unlike an iteration, this does not build the others."""
    import jsonschema_rs

    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return error
    except (ValueError, RecursionError):  # a lone surrogate, a placeholder, or a key that is no string
        return None
    return None


def find_wrong_indexes(validator: Validator, items: list[Any], most: int) -> list[int]:
    """Return the indexes of the first wrong items."""
    found: list[int] = []
    start = 0
    while len(found) < most and (error := first_error(validator, items[start:])):
        start += int(next(iter(error.instance_path), 0)) + 1
        found.append(start - 1)
    return found


def to_violations(errors: Iterable[ValidationError], root: Mapping[str, Any]) -> tuple[Violation, ...]:
    """Convert a validator's errors to violations, one for each place and keyword, in the same order."""
    reader = _ErrorReader(root)
    every = [violation for error in errors for violation in reader.read(error)]
    return tuple(
        {(violation.at, violation.keyword, str(violation.expected)): violation for violation in every}.values()
    )


@dataclass
class _ErrorReader:
    """Reads the errors of one validation. Nested alternatives multiply, so after some work only the nearest is read."""

    root: Mapping[str, Any]
    left: int = _MOST_ERRORS

    def read(self, error: ValidationError, depth: int = 0) -> Iterator[Violation]:
        self.left -= 1
        at, keyword = tuple(error.instance_path), error.kind.name
        schema = _holder(self.root, error.schema_path)
        if keyword not in _ALTERNATIVES or depth > _MAX_DEPTH:
            yield Violation(at, _keyword(error, keyword), _expectation(error, keyword), schema)
            return
        context = cast("list[list[ValidationError]] | None", getattr(error.kind, "context", None))
        if not context or not all(context):
            yield Violation(at, keyword, "several", schema)
        elif self.left <= 0:
            nearest = min(context[:_MAX_BRANCHES], key=lambda errors: _rough_distance(errors, at))
            yield from (replace(one, branches=len(context)) for one in self._read_branch(nearest, depth))
        else:
            branches = [self._read_branch(errors, depth) for errors in context[:_MAX_BRANCHES]]
            by_tag = _find_by_tag(branches, schema.get(keyword), self.root, error.instance, at)
            foreign = [_count_foreign(self.root, one, error.instance) for one in as_list(schema.get(keyword))]
            yield from by_tag or _merge_branches(branches, at, schema) or _nearest_branch(branches, at, foreign)

    def _read_branch(self, errors: Sequence[ValidationError], depth: int) -> list[Violation]:
        return [found for each in errors[:MAX_DIAGNOSES] for found in self.read(each, depth + 1)]


def _rough_distance(errors: Sequence[ValidationError], at: Path) -> float:
    """Return about how far a value is from one alternative, without reading what is nested in its errors."""
    return sum(
        _TYPE_DISTANCE
        if one.kind.name == "type" and tuple(one.instance_path) == at
        else _DISTANCE.get(one.kind.name, 1.0)
        for one in errors[:MAX_DIAGNOSES]
    )


def _find_by_tag(
    branches: Sequence[Sequence[Violation]], alternatives: Any, root: Mapping[str, Any], instance: Any, at: Path
) -> list[Violation]:
    """If every alternative has a tag (`kind: "circle"`), choose the branch by the tag that was sent."""
    tags = [_tags(root, alternative) for alternative in as_list(alternatives)[:_MAX_BRANCHES]]
    shared = [name for name in tags[0] if all(name in tag for tag in tags)] if tags else []
    name = next((name for name in shared if isinstance(as_object(instance).get(name), str)), None)
    if name is None or len(branches) != len(tags):
        return []
    sent = spelling(instance[name])
    chosen = [branch for branch, tag in zip(branches, tags, strict=True) if spelling(str(tag[name])) == sent]
    if len(chosen) == 1:
        return [replace(one, branches=len(branches)) for one in chosen[0]]
    if chosen:
        return []
    choices = [tag[name] for tag in tags]
    return [Violation((*at, name), "enum", choices, {"enum": choices}, len(branches))]


def _merge_branches(branches: Sequence[Sequence[Violation]], at: Path, schema: Mapping[str, Any]) -> list[Violation]:
    """Merge branches that all fail in the same way into one violation: wrong type, missing name, or wrong choice."""
    if all(_is_only(branch, "type", at) for branch in branches):
        kinds = dict.fromkeys(kind for branch in branches for kind in branch[0].expected)
        expected = [kind for kind in kinds if kind != "null"] or ["null"]
        return [Violation(at, "type", expected, schema, len(branches))]
    if all(_is_only(branch, "required", at) for branch in branches):
        return [Violation(at, "required", [branch[0].expected for branch in branches], schema, len(branches))]
    choices = _choices(branches, at)
    return [Violation(at, "enum", choices, schema, len(branches))] if choices else []


def _nearest_branch(
    branches: Sequence[Sequence[Violation]], at: Path, foreign: Sequence[tuple[int, int]]
) -> list[Violation]:
    """Return the violations of the alternative that has the most of the names that were sent, then the least wrong."""
    ranked = list(zip(foreign, branches, strict=False)) or [((0, 0), branch) for branch in branches]
    real = [one for one in ranked if not _is_null(one[1], at)]  # nobody wants to read "must be null"
    _, nearest = min(real or ranked, key=lambda one: (_has_other_type(one[1], at), one[0], _distance(one[1], at)))
    return [replace(violation, branches=len(branches)) for violation in nearest]


def _has_other_type(branch: Sequence[Violation], at: Path) -> bool:
    return any(one.keyword == "type" and one.at == at for one in branch)


def _count_foreign(root: Mapping[str, Any], alternative: Any, instance: Any) -> tuple[int, int]:
    """Count the names that were sent and that an alternative does not declare, and those it shares no word with."""
    declared = properties(root, alternative)
    names = [name for name in islice(as_object(instance), _MAX_NAMES) if declared and name not in declared]
    words = {word for name in declared for word in split_words(name)}
    return len(names), sum(words.isdisjoint(split_words(name)) for name in names)


def _tags(root: Mapping[str, Any], alternative: Any) -> dict[str, Any]:
    """Return the properties for which an alternative allows only one value."""
    declared = {name: resolve(root, one) for name, one in properties(root, alternative).items()}
    fixed = {name: one.get("const", next(iter(as_list(one.get("enum"))), None)) for name, one in declared.items()}
    return {name: value for name, value in fixed.items() if isinstance(value, str) and _is_fixed(declared[name])}


def _is_fixed(schema: Mapping[str, Any]) -> bool:
    return "const" in schema or len(as_list(schema.get("enum"))) == 1


def _is_only(branch: Sequence[Violation], keyword: str, at: Path) -> bool:
    return len(branch) == 1 and branch[0].keyword == keyword and branch[0].at == at


def _is_null(branch: Sequence[Violation], at: Path) -> bool:
    return _is_only(branch, "type", at) and branch[0].expected == ["null"]


def _choices(branches: Sequence[Sequence[Violation]], at: Path) -> list[Any]:
    """Return the choices if the alternatives are constants, enums and null: then they are one enum in parts."""
    enums = [_find_enum(branch, at) for branch in branches]
    rest = [branch for branch, enum in zip(branches, enums, strict=True) if not enum]
    if not any(enums) or not all(_is_null(branch, at) for branch in rest):
        return []
    return [choice for enum in enums if enum for choice in enum.expected]


def _find_enum(branch: Sequence[Violation], at: Path) -> Violation | None:
    """Return the violated choices of an alternative that has nothing else than choices and their type."""
    is_choice = all(one.at == at and one.keyword in ("enum", "type") for one in branch)
    return next((one for one in branch if one.keyword == "enum"), None) if is_choice else None


def _distance(branch: Sequence[Violation], at: Path) -> float:
    """Return how far a value is from one alternative; a wrong type of the whole value is farthest."""
    return sum(
        _TYPE_DISTANCE if violation.at == at and violation.keyword == "type"
        else _DISTANCE.get("const" if _is_tag(violation) else violation.keyword, 1.0)
        for violation in branch
    )  # fmt: skip


def _is_tag(violation: Violation) -> bool:
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


def _expectation(error: ValidationError, keyword: str) -> Any:
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
    """Return the subschema that contains the failing keyword."""
    node: Any = root
    for step in schema_path[:-1]:
        node = as_object(node).get(step) if isinstance(step, str) else next(iter(as_list(node)[step : step + 1]), None)
    return as_object(node)
