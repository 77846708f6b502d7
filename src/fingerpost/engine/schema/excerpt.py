"""Show parts of a schema to a caller: an excerpt at three levels, one line, an example, a placeholder.

Schemas are untrusted. Every text from one is cleaned and shortened, every list is cut, and defaults and examples of
secret values are never shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias, cast

from fingerpost.engine.phrases import Placeholder, count_noun, is_name, literal, shorten_literal
from fingerpost.engine.safety.json_input import as_list, is_number
from fingerpost.engine.safety.redact import clean, is_secret, safe_value
from fingerpost.engine.schema.placeholder import (
    BlankChoice,
    BlankList,
    BlankObject,
    alternatives,
    first_choice,
    placeholder,
    shorten_blanks,
)
from fingerpost.engine.schema.walk import Schema, child, find_required, properties, resolve, types

Level: TypeAlias = Literal["minimal", "typed", "full"]

_MAX_NAMES, _MAX_DEPTH, _MAX_ALTERNATIVES = 20, 3, 4
_LONGEST_SHAPE = 240
_TYPED_KEYWORDS = ("type", "enum", "const", "format", "default")
_CONTAINERS = frozenset({"object", "array"})
_KEYWORDS = (
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "default", "description", "examples",
)  # fmt: skip


def excerpt(root: Schema, node: Schema, level: Level, names: Sequence[str] = ()) -> dict[str, Any]:
    """Show an object schema at one of three levels; `names` restricts the upper two to those parameters."""
    needed, declared = find_required(root, node), properties(root, node)
    if level == "minimal":
        required = frozenset(needed)  # there may be hundreds of both
        optional = [name for name in declared if name not in required]
        return {"required": [*map(clean, needed[:_MAX_NAMES])], "optional": [*map(clean, optional[:_MAX_NAMES])]}
    chosen = [name for name in names or declared if name in declared]
    return outline(root, node, level, chosen)


def outline(
    root: Schema, node: Schema, level: Level = "full", names: Sequence[str] | None = None, depth: int = 0
) -> dict[str, Any]:
    """Show the parameters of an object schema, including the contents of objects and arrays."""
    needed, declared = find_required(root, node), properties(root, node)
    chosen = list(declared if names is None else names)[:_MAX_NAMES]
    return {
        clean(name): {"required": name in needed, **outline_value(root, declared[name], level, depth)}
        for name in chosen
    }


def outline_value(root: Schema, node: Any, level: Level = "full", depth: int = 0) -> dict[str, Any]:
    """Show the schema of one value, including its alternatives and the contents of objects and arrays."""
    quoted_schema, choices = quote_schema(root, node, level), alternatives(root, node)
    if depth >= _MAX_DEPTH:
        return quoted_schema
    if len(choices) > 1:
        quoted = [outline_value(root, one, level, depth + 1) for one in choices[:_MAX_ALTERNATIVES]]
        return {**quoted_schema, "anyOf": quoted} if any(one.keys() - {"type"} for one in quoted) else quoted_schema
    if fields := outline(root, choices[0], level, depth=depth + 1):
        return {**quoted_schema, "properties": fields}
    item = child(root, choices[0], 0) if "array" in types(root, choices[0]) else None
    return {**quoted_schema, "items": outline_value(root, item, level, depth + 1)} if item else quoted_schema


def quote_schema(root: Schema, node: Any, level: Level = "full") -> dict[str, Any]:
    """Return the schema of a parameter with every text cleaned and every list cut."""
    choices = alternatives(root, node)
    schema = choices[0] if len(choices) == 1 else resolve(root, node)
    keywords = _KEYWORDS if level == "full" else _TYPED_KEYWORDS
    quoted = {keyword: _quote(schema[keyword], keyword) for keyword in keywords if keyword in schema}
    quoted.pop("type", None)
    if kinds := types(root, node):
        quoted = {"type": kinds[0] if len(kinds) == 1 else list(kinds), **quoted}
    if is_secret("", schema):
        quoted = {key: value for key, value in quoted.items() if key not in ("default", "examples", "enum", "const")}
    return quoted


def describe_schema(root: Schema, node: Any, *, shows_fields: bool = False) -> str:
    """Describe what a parameter takes on one line: `integer, 1 to 1000, default 50`.

    `shows_fields` adds what is inside objects and lists: `array [{sku: <string>}], at least 1 item`.
    """
    schema = first_choice(root, node)
    words = [" or ".join(types(root, schema) or ("any value",))]
    if shows_fields and (shape := _describe_shape(root, node)):
        words[0] += f" {shape}"
    words += [*_describe_enum(schema), *_describe_range(schema), *_describe_length(schema), *_describe_format(schema)]
    if "default" in schema and not is_secret("", schema) and not isinstance(schema["default"], dict | list):
        words.append(f"default {literal(schema['default'])}")
    return ", ".join(words)


def _describe_shape(root: Schema, node: Any) -> str:
    """Write what is inside an object or a list, as deep as there is room for; empty if nothing is declared."""
    if _CONTAINERS.isdisjoint(types(root, first_choice(root, node))):
        return ""
    blank = placeholder(root, node)
    shapes = (literal(shorten_blanks(blank, depth)) for depth in range(_MAX_DEPTH + 2, 0, -1))
    is_structure = isinstance(blank, BlankObject | BlankList | BlankChoice)
    return next((shape for shape in shapes if len(shape) <= _LONGEST_SHAPE), "") if is_structure else ""


def author_example(root: Schema, node: Any, name: str) -> Any:
    """Return an example value that the author gives, or none. A made-up value could look like advice."""
    schema = first_choice(root, node)
    has_one = any(schema.get(word) is not None for word in ("examples", "default", "const", "enum"))
    return example(root, node, name) if has_one else None


def example(root: Schema, node: Any, name: str = "", depth: int = 0) -> Any:
    """Return a value that this schema accepts: the author's example if there is one."""
    schema = first_choice(root, node)
    if is_secret(name, schema):
        return placeholder(root, node)
    for given in (schema.get("examples"), [schema["default"]] if schema.get("default") is not None else None):
        if isinstance(given, list) and given:
            return cast("list[Any]", given)[0]
    if "const" in schema:
        return schema["const"]
    if choices := as_list(schema.get("enum")):
        return choices[0]
    return _make_example(root, schema, name, depth)


def quote_example(root: Schema, node: Any, name: str) -> Any:
    """Return an example with every text cleaned and every list cut."""
    return _quote(example(root, node, name), "")


def default_value(root: Schema, node: Any) -> Any:
    """Return the default value of a parameter, or none."""
    return first_choice(root, node).get("default")


def _describe_enum(schema: Schema) -> Iterator[str]:
    if is_secret("", schema):
        return
    if choices := as_list(schema.get("enum")):
        more = f" and {len(choices) - 12:,} more" if len(choices) > 12 else ""
        yield f"one of {', '.join(shorten_literal(choice) for choice in choices[:12])}{more}"
    elif "const" in schema:
        yield f"always {literal(schema['const'])}"


def _describe_range(schema: Schema) -> Iterator[str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if is_number(low) and is_number(high):
        yield f"{low} to {high}"
    elif is_number(low):
        yield f"at least {low}"
    elif is_number(high):
        yield f"at most {high}"
    for keyword, words in (
        ("exclusiveMinimum", "more than"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "a multiple of"),
    ):
        if is_number(limit := schema.get(keyword)):
            yield f"{words} {limit}"


def _describe_length(schema: Schema) -> Iterator[str]:
    for low, high, noun in (("minLength", "maxLength", "character"), ("minItems", "maxItems", "item")):
        if is_number(schema.get(low)):
            yield f"at least {count_noun(schema[low], noun)}"
        if is_number(schema.get(high)):
            yield f"at most {count_noun(schema[high], noun)}"


def _describe_format(schema: Schema) -> Iterator[str]:
    if isinstance(form := schema.get("format"), str):
        yield f"format {form if is_name(form) else literal(clean(form))}"
    if isinstance(pattern := schema.get("pattern"), str):
        yield f"matching {literal(pattern)}"


_FORMAT_EXAMPLES = {
    "date-time": "2026-01-31T09:30:00Z", "date": "2026-01-31", "time": "09:30:00Z", "duration": "PT1H",
    "email": "name@example.com", "uri": "https://example.com", "url": "https://example.com", "hostname": "example.com",
    "uri-reference": "/path", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}  # fmt: skip


def _make_example(root: Schema, schema: Schema, name: str, depth: int) -> Any:
    match next(iter(types(root, schema)), "string"):
        case "integer" | "number" as kind:
            return _example_number(schema, is_integer=kind == "integer")
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            least = least if is_number(least := schema.get("minItems")) else 1
            item = example(root, child(root, schema, 0), name, depth + 1) if depth < _MAX_DEPTH else None
            return [item] * int(min(max(least, 1), 3))
        case "object":
            needed = find_required(root, schema) if depth < _MAX_DEPTH else ()
            return {key: example(root, child(root, schema, key), key, depth + 1) for key in needed[:8]}
        case _:
            return _example_text(schema, name)


def _example_number(schema: Schema, *, is_integer: bool) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    step = schema.get("multipleOf")
    if is_number(step) and step > 0:
        return step if not is_number(low) or step >= low else step * (low // step + 1)
    value = low if is_number(low) else min(1, high) if is_number(high) else 1
    if "minimum" not in schema and is_number(schema.get("exclusiveMinimum")):
        value = value + 1
    return int(value) if is_integer else value


def _example_text(schema: Schema, name: str) -> str:
    if isinstance(form := schema.get("format"), str) and form in _FORMAT_EXAMPLES:
        return _FORMAT_EXAMPLES[form]
    text = clean(name.rpartition(".")[2]) or "text"
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and len(text) < least <= 256:
        text = text.ljust(least, "x")
    return text[:most] if isinstance(most, int) and most > 0 else text


def _quote(value: Any, keyword: str) -> Any:
    if isinstance(value, list):
        return [_quote(item, keyword) for item in cast("list[Any]", value)[:12]]
    if isinstance(value, dict):
        fields = list(cast("dict[str, Any]", value).items())[:8]
        return {clean(name): _quote(item, keyword) for name, item in fields} if keyword == "" else {}
    if isinstance(value, str) and type(value) is not Placeholder:
        return clean(value, 120 if keyword == "description" else 64)
    return safe_value(value)
