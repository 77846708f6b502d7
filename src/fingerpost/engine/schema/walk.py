"""JSON Schema as guidance needs it: follow a reference, find a parameter, quote the part that matters.

Nothing here validates: `catalog` has a real validator for that. These functions read schemas written
by strangers, so each is total, bounded in depth, and blind to anything that is not a local reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias, cast

from fingerpost.engine.model import EMPTY_OBJECT, Path
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings
from fingerpost.engine.safety.redact import is_secret

Schema: TypeAlias = Mapping[str, Any]
UnknownArguments: TypeAlias = tuple[Path, dict[str, Any], list[str]]
"""Where an object stands, what it declares, and the names in it that are not declared."""

Level: TypeAlias = Literal["minimal", "typed", "full"]

MAX_NODES = 10_000
"""Schema nodes read before a schema counts as unreadable; the largest real tools have a few hundred."""

MAX_DEPTH = 64
MAX_EVALUATIONS = 5_000
"""How many subschemas one value may be held against once references are followed; bombs need millions."""

TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})
"""The words of JSON Schema for types; an author's other words are not repeated."""

_HOPS = 12
_DEEPEST_UNION = 3
_MOST_LAYERS = 200
_DEEPEST_VALUE = 8
_LONGEST_REF = 1024
_WIDEST = 100
"""A validator repeats the whole value in each of its errors, so many of them on a large value cost their product."""
_MOST_NAMES = 20
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_CONDITIONAL = ("then", "else")


def resolve(root: Schema, node: Any) -> Schema:
    """`node` with its local reference followed; words beside the `$ref` win. Unresolvable is empty."""
    for _ in range(_HOPS):
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
    """`node` and every schema that speaks of the same value: references, `allOf`, alternatives, conditions."""
    pending, seen = [node], set[int]()
    while pending and len(seen) < _MOST_LAYERS:
        part = pending.pop(0)
        if id(part) not in seen:
            seen.add(id(part))
            schema = resolve(root, part)
            yield schema
            pending += _parts(schema)


def properties(root: Schema, node: Any) -> dict[str, Any]:
    """Every property that any layer of the schema declares."""
    declared: dict[str, Any] = {}
    for layer in layers(root, node):
        declared = {**as_object(layer.get("properties")), **declared}
    return declared


def required_names(root: Schema, node: Any) -> tuple[str, ...]:
    """The names required whatever else is given: those of alternatives and conditions do not count."""
    schema = resolve(root, node)
    names = [*as_strings(schema.get("required"))]
    for part in as_list(schema.get("allOf")):
        names += as_strings(resolve(root, part).get("required"))
    return tuple(dict.fromkeys(names))


def is_closed(root: Schema, node: Any) -> bool:
    """Whether the schema itself forbids undeclared properties, so that the validator knows each of them."""
    words = ("additionalProperties", "unevaluatedProperties")
    return any(layer.get(word) is False for layer in layers(root, node) for word in words)


def is_open(root: Schema, node: Any) -> bool:
    """Whether the author says that undeclared properties are welcome, or declares none at all."""
    every = list(layers(root, node))
    if is_closed(root, node):
        return False
    return any(map(_welcomes_more, every)) or not any(as_object(layer.get("properties")) for layer in every)


def types(root: Schema, node: Any, depth: int = 0) -> tuple[str, ...]:
    """The JSON types a value may have, in the author's order; empty when any will do."""
    schema = resolve(root, node)
    stated = as_strings(schema.get("type")) or as_strings([schema.get("type")])
    if stated or depth > _DEEPEST_UNION:
        return tuple(kind for kind in stated if kind in TYPES)
    if "const" in schema:
        return (type_name(schema["const"]),)
    if choices := as_list(schema.get("enum")):
        return tuple(dict.fromkeys(map(type_name, choices)))
    for keyword in ("anyOf", "oneOf"):
        if branches := as_list(schema.get(keyword)):
            return _union([types(root, branch, depth + 1) for branch in branches[:_MOST_NAMES]])
    if parts := as_list(schema.get("allOf")):
        return next(filter(None, (types(root, part, depth + 1) for part in parts[:_MOST_NAMES])), ())
    return ("object",) if "properties" in schema else ("array",) if "items" in schema else ()


def type_name(value: Any) -> str:
    """The JSON type of a value; a whole number is an integer."""
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
    """The schema of one property or item."""
    for layer in layers(root, node):
        if isinstance(step, int):
            listed = as_list(layer.get("prefixItems")) or as_list(layer.get("items"))
            found = listed[step] if step < len(listed) else layer.get("items")
        else:
            found = as_object(layer.get("properties")).get(step, layer.get("additionalProperties"))
        if isinstance(found, dict):
            return resolve(root, found)
    return EMPTY_OBJECT


def schema_at(root: Schema, path: Path) -> Schema:
    """The schema of the value at `path`; empty where the schema says nothing about it."""
    node = resolve(root, root)
    for step in path[:MAX_DEPTH]:
        node = child(root, node, step)
    return node


def nested_unknown_arguments(root: Schema, node: Any, value: Any, at: Path = ()) -> Iterator[UnknownArguments]:
    """The objects inside a value that carry names which their schema neither declares, nor forbids, nor welcomes."""
    if len(at) > _DEEPEST_VALUE:
        return
    for index, item in enumerate(as_list(value)[:_MOST_LAYERS]):
        if isinstance(item, dict | list):
            yield from nested_unknown_arguments(root, child(root, node, index), item, (*at, index))
    if fields := as_object(value):
        declared = properties(root, node)
        strays = [name for name in fields if name not in declared]
        if at and strays and declared and not is_open(root, node) and not is_closed(root, node):
            yield at, declared, strays
        for name, item in fields.items():
            if isinstance(item, dict | list):
                yield from nested_unknown_arguments(root, child(root, node, name), item, (*at, name))


def secret_names(root: Schema) -> frozenset[str]:
    """The properties, at any depth, that the schema itself declares secret."""
    found, seen = set[str](), set[int]()
    pending: list[Any] = [root]
    while pending and len(seen) < MAX_NODES:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        found |= {
            name for name, schema in as_object(as_object(node).get("properties")).items() if _is_secret(root, schema)
        }
        pending += [inner for inner in (*as_object(node).values(), *as_list(node)) if isinstance(inner, dict | list)]
    return frozenset(found)


def _is_secret(root: Schema, node: Any) -> bool:
    return any(is_secret("", layer) for layer in layers(root, node))


def is_readable(root: Any) -> bool:
    """Whether a schema is small and shallow enough, its references included, to be held against a call."""
    pending, seen = [(root, 0)], 0
    while pending:
        node, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH or seen + len(pending) > MAX_NODES:
            return False
        if any(len(as_list(as_object(node).get(word))) > _WIDEST for word in ("required", *_IN_PLACE)):
            return False
        if isinstance(node, dict):
            pending += [(value, depth + 1) for value in cast("dict[str, Any]", node).values()]
        elif isinstance(node, list):
            pending += [(value, depth + 1) for value in cast("list[Any]", node)]
    return _evaluations(root) <= MAX_EVALUATIONS


def _target(root: Schema, ref: str) -> Schema:
    """What a local reference (`#`, `#/$defs/Factor`) points to."""
    if ref == "#":
        return root
    node: Any = root if ref.startswith("#/") and len(ref) <= _LONGEST_REF else None
    for part in ref[2:].split("/") if node is not None else ():
        key = _unquoted(part).replace("~1", "/").replace("~0", "~")
        node = cast("dict[str, Any]", node).get(key) if isinstance(node, dict) else _item(node, key)
    return as_object(node)


def _unquoted(part: str) -> str:
    if "%" not in part:
        return part
    from urllib.parse import unquote  # hardly any reference needs it

    return unquote(part)


def _item(node: Any, key: str) -> Any:
    listed = as_list(node)
    return listed[int(key)] if key.isascii() and key.isdigit() and int(key) < len(listed) else None


def _parts(schema: Schema) -> Iterator[Any]:
    for keyword in _IN_PLACE:
        yield from as_list(schema.get(keyword))[:_MOST_NAMES]
    for keyword in _CONDITIONAL:
        if keyword in schema:
            yield schema[keyword]
    for keyword in ("dependentSchemas", "dependencies"):
        yield from (part for part in as_object(schema.get(keyword)).values() if isinstance(part, dict))


def _welcomes_more(layer: Schema) -> bool:
    if "patternProperties" in layer:
        return True
    return any(layer.get(word, False) is not False for word in ("additionalProperties", "unevaluatedProperties"))


def _union(kinds: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for group in kinds for kind in group)) if all(kinds) else ()


def _evaluations(root: Any) -> int:
    """How many subschemas one value is held against, references followed, loops counted once."""
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
        total += max((cost(inner) for inner in _nested(part)), default=0)
        if isinstance(ref := part.get("$ref"), str):
            total += cost_of_target(ref)
        active.discard(id(part))
        return min(total, MAX_EVALUATIONS + 1)

    return cost(schema)


def _nested(schema: Schema) -> Iterator[Any]:
    yield from as_object(schema.get("properties")).values()
    yield from as_list(schema.get("items")) or [schema.get("items")]
