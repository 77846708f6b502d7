"""Read JSON Schemas: follow references, find the schema of a parameter, list properties and types.

Nothing here validates; `validate` uses a real validator. The schemas are untrusted, so each function accepts any
JSON, limits its depth, and follows only local references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, cast

from fingerpost.engine.model import EMPTY_OBJECT, Path
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

Schema: TypeAlias = Mapping[str, Any]

MAX_NODES = 10_000
"""A schema with more nodes counts as unreadable. The largest real ones have a few hundred."""

MAX_DEPTH = 64
MAX_EVALUATIONS = 5_000
"""How many subschemas may apply to one value once references are followed. Schema bombs need millions."""

TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})
"""The types of JSON Schema. Other names for types are ignored."""

_TYPE_NAMES: Mapping[type, str] = {
    type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object",
}  # fmt: skip
_MAX_HOPS = 12
_MAX_UNION_DEPTH = 3
_MAX_LAYERS = 200
_MAX_REF_LENGTH = 1024
_MAX_WIDTH = 100
_MAX_REQUIRED = 512
"""A validator copies the whole value into each error, so many errors on a large value are expensive."""
_MAX_BRANCHES = 20
_MAX_FIELD_DEPTH = 3
_OBJECT = (("object",), ("object", "null"))
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_CONDITIONAL = ("then", "else")
_DEPENDENT = ("dependentSchemas", "dependencies")
_WITH_PARTS = frozenset({*_IN_PLACE, *_CONDITIONAL, *_DEPENDENT})


def resolve(root: Schema, node: Any) -> Schema:
    """Follow the local reference of `node`. Keywords beside `$ref` take precedence. Empty if it cannot be resolved."""
    for _ in range(_MAX_HOPS):
        if not isinstance(node, dict):
            return EMPTY_OBJECT
        schema = cast("dict[str, Any]", node)
        if not isinstance(ref := schema.get("$ref"), str):
            return schema
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        target = _target(root, ref)
        node = {**target, **beside}
        if "properties" in target and "properties" in beside:
            node["properties"] = {**as_object(target["properties"]), **as_object(beside["properties"])}
    return EMPTY_OBJECT


def layers(root: Schema, node: Any) -> Iterator[Schema]:
    """Yield every schema that applies to the same value: references, `allOf`, alternatives, conditions."""
    pending, seen = [node], set[int]()
    while pending and len(seen) < _MAX_LAYERS:
        part = pending.pop(0)
        if id(part) not in seen:
            seen.add(id(part))
            schema = resolve(root, part)
            yield schema
            pending += _parts(schema)


def properties(root: Schema, node: Any) -> dict[str, Any]:
    """Return every property that any layer of the schema declares."""
    declared: dict[str, Any] = {}
    for layer in layers(root, node):
        declared = {**as_object(layer.get("properties")), **declared}
    return declared


def find_required(root: Schema, node: Any) -> tuple[str, ...]:
    """Return the names that are always required, without those of alternatives and conditions."""
    schema = resolve(root, node)
    names = [*as_strings(schema.get("required"))]
    for part in as_list(schema.get("allOf")):
        names += as_strings(resolve(root, part).get("required"))
    return tuple(dict.fromkeys(names))


def is_closed(root: Schema, node: Any) -> bool:
    """Whether the schema forbids undeclared properties, so that the validator reports them."""
    keywords = ("additionalProperties", "unevaluatedProperties")
    return any(layer.get(keyword) is False for layer in layers(root, node) for keyword in keywords)


def is_open(root: Schema, node: Any) -> bool:
    """Whether the schema allows undeclared properties explicitly, or declares none at all."""
    every = list(layers(root, node))
    if is_closed(root, node):
        return False
    return any(map(_allows_undeclared, every)) or not any(as_object(layer.get("properties")) for layer in every)


def allows_undeclared(root: Schema, node: Any) -> bool:
    """Whether the schema says that it takes properties which it does not declare."""
    return any(map(_allows_undeclared, layers(root, node)))


def types(root: Schema, node: Any, depth: int = 0) -> tuple[str, ...]:
    """Return the JSON types a value may have, in the author's order; empty if any type is allowed."""
    schema = resolve(root, node)
    declared = as_strings(schema.get("type")) or as_strings([schema.get("type")])
    if declared or depth > _MAX_UNION_DEPTH:
        return tuple(kind for kind in declared if kind in TYPES)
    if "const" in schema:
        return (type_name(schema["const"]),)
    if choices := as_list(schema.get("enum")):
        return tuple(dict.fromkeys(_TYPE_NAMES.get(kind, "value") for kind in dict.fromkeys(map(type, choices))))
    for keyword in ("anyOf", "oneOf"):
        if branches := as_list(schema.get(keyword)):
            return _union([types(root, branch, depth + 1) for branch in branches[:_MAX_BRANCHES]])
    if parts := as_list(schema.get("allOf")):
        return next(filter(None, (types(root, part, depth + 1) for part in parts[:_MAX_BRANCHES])), ())
    return ("object",) if "properties" in schema else ("array",) if "items" in schema else ()


def type_name(value: Any) -> str:
    """Return the JSON type of a value. A Python `int` is an integer."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "value"


def child(root: Schema, node: Any, step: str | int) -> Schema:
    """Return the schema of one property or item."""
    for layer in layers(root, node):
        if isinstance(step, int):
            items = _own_item_schemas(layer)
            found = items[step] if step < len(items) else layer.get("items")
        else:
            found = as_object(layer.get("properties")).get(step, layer.get("additionalProperties"))
        if isinstance(found, dict):
            return resolve(root, found)
    return EMPTY_OBJECT


def item_schemas(root: Schema, node: Any) -> list[Schema]:
    """Return the schemas of the items of a list: of the first ones, which may have their own, and of the others."""
    own = max((len(_own_item_schemas(layer)) for layer in layers(root, node)), default=0)
    return [child(root, node, index) for index in range(min(own, _MAX_BRANCHES) + 1)]


def _own_item_schemas(layer: Schema) -> list[Any]:
    return as_list(layer.get("prefixItems")) or as_list(layer.get("items"))


def schema_at(root: Schema, path: Path) -> Schema:
    """Return the schema of the value at `path`; empty if there is none."""
    node = resolve(root, root)
    for step in path[:MAX_DEPTH]:
        node = child(root, node, step)
    return node


def walk_nested_fields(root: Schema, node: Any, at: Path = ()) -> Iterator[Path]:
    """Yield the path of each field inside the object parameters."""
    for name, schema in properties(root, node).items():
        path = (*at, name)
        if at:
            yield path
        if len(path) < _MAX_FIELD_DEPTH and types(root, schema) in _OBJECT:
            yield from walk_nested_fields(root, schema, path)


def declared_names(root: Schema) -> frozenset[str]:
    """Return the names that the schema declares or requires, at any depth."""
    found, seen = set[str](), 0
    pending: list[Any] = [root]
    while pending and seen < MAX_NODES:
        node = pending.pop()
        seen += 1
        found |= {*as_object(as_object(node).get("properties")), *as_strings(as_object(node).get("required"))}
        pending += [inner for inner in (*as_object(node).values(), *as_list(node)) if isinstance(inner, dict | list)]
    return frozenset(found)


def is_readable(root: Any) -> bool:
    """Whether a schema, references included, is small and shallow enough to check calls."""
    pending, seen = [(root, 0)], 0
    while pending:
        node, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH or seen + len(pending) > MAX_NODES:
            return False
        fields = as_object(node)
        if len(as_list(fields.get("required"))) > _MAX_REQUIRED:
            return False
        if any(len(as_list(fields.get(word))) > _MAX_WIDTH for word in _IN_PLACE):
            return False
        if isinstance(node, dict):
            pending += [(value, depth + 1) for value in cast("dict[str, Any]", node).values()]
        elif isinstance(node, list):
            pending += [(value, depth + 1) for value in cast("list[Any]", node)]
    return _count_evaluations(root) <= MAX_EVALUATIONS


def _target(root: Schema, ref: str) -> Schema:
    """Return what a local reference (`#`, `#/$defs/Factor`) points to."""
    if ref == "#":
        return root
    node: Any = root if ref.startswith("#/") and len(ref) <= _MAX_REF_LENGTH else None
    for part in ref[2:].split("/") if node is not None else ():
        key = _percent_decode(part).replace("~1", "/").replace("~0", "~")
        node = cast("dict[str, Any]", node).get(key) if isinstance(node, dict) else _item(node, key)
    return as_object(node)


def _percent_decode(part: str) -> str:
    if "%" not in part:
        return part
    from urllib.parse import unquote  # few references need it

    return unquote(part)


def _item(node: Any, key: str) -> Any:
    items = as_list(node)
    return items[int(key)] if key.isascii() and key.isdigit() and int(key) < len(items) else None


def _parts(schema: Schema) -> Iterator[Any]:
    if _WITH_PARTS.isdisjoint(schema):
        return
    for keyword in _IN_PLACE:
        yield from as_list(schema.get(keyword))[:_MAX_BRANCHES]
    for keyword in _CONDITIONAL:
        if keyword in schema:
            yield schema[keyword]
    for keyword in _DEPENDENT:
        yield from (part for part in as_object(schema.get(keyword)).values() if isinstance(part, dict))


def _allows_undeclared(layer: Schema) -> bool:
    if "patternProperties" in layer:
        return True
    return any(layer.get(word, False) is not False for word in ("additionalProperties", "unevaluatedProperties"))


def _union(kinds: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for group in kinds for kind in group)) if all(kinds) else ()


def _count_evaluations(root: Any) -> int:
    """Count the subschemas that apply to one value, references followed and loops counted once."""
    if not isinstance(root, dict):
        return 1
    schema = cast("dict[str, Any]", root)
    active: set[int] = set()

    @cache
    def cost_of_target(ref: str) -> int:
        return cost(_target(schema, ref))

    def cost(node: Any) -> int:
        if not isinstance(node, dict) or id(cast("Any", node)) in active or len(active) > MAX_DEPTH * 4:
            return 1
        part = cast("dict[str, Any]", node)
        active.add(id(part))
        total = 1 + sum(cost(inner) for inner in _parts(part))
        total += sum(cost(inner) for word in ("not", "if") if (inner := part.get(word)) is not None)
        total += max((cost(inner) for inner in _child_schemas(part)), default=0)
        if isinstance(ref := part.get("$ref"), str):
            total += cost_of_target(ref)
        active.discard(id(part))
        return min(total, MAX_EVALUATIONS + 1)

    return cost(schema)


def _child_schemas(schema: Schema) -> Iterator[Any]:
    yield from as_object(schema.get("properties")).values()
    yield from as_list(schema.get("items")) or [schema.get("items")]
