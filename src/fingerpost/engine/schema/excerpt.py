"""How much of a schema a caller is shown: three levels, one line, an example, a placeholder.

Schemas are written by strangers. Every text taken from one is cleaned and clipped, every list is cut
short, and a default or an example of something secret is never repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias, cast

from fingerpost.engine.phrases import Placeholder, count_noun, is_name, literal
from fingerpost.engine.safety.json_input import as_list, is_number
from fingerpost.engine.safety.redact import clean, is_secret, safe_value
from fingerpost.engine.schema.walk import Schema, child, properties, required_names, resolve, types

Level: TypeAlias = Literal["minimal", "typed", "full"]

_MOST_NAMES, _DEEPEST = 20, 3
_KEYWORDS = (
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "default", "description", "examples",
)  # fmt: skip


def excerpt(root: Schema, node: Schema, level: Level, names: Sequence[str] = ()) -> dict[str, Any]:
    """What an object schema asks for, at one of three levels; `names` limits the upper two to those parameters."""
    needed, declared = required_names(root, node), properties(root, node)
    if level == "minimal":
        optional = [name for name in declared if name not in needed]
        return {"required": [*map(clean, needed[:_MOST_NAMES])], "optional": [*map(clean, optional[:_MOST_NAMES])]}
    chosen = [name for name in names or declared if name in declared][:_MOST_NAMES]
    return {clean(name): {"required": name in needed, **quote_schema(root, declared[name], level)} for name in chosen}


def outline(root: Schema, node: Schema, depth: int = 0) -> dict[str, Any]:
    """Every parameter in full, and what the objects and arrays among them consist of."""
    needed, declared = required_names(root, node), properties(root, node)
    return {
        clean(name): {"required": name in needed, **_inside(root, one, depth)}
        for name, one in list(declared.items())[:_MOST_NAMES]
    }


def _inside(root: Schema, node: Any, depth: int) -> dict[str, Any]:
    safe_value, schema = quote_schema(root, node), first_choice(root, node)
    if depth >= _DEEPEST:
        return safe_value
    if fields := outline(root, schema, depth + 1):
        return {**safe_value, "properties": fields}
    item = child(root, schema, 0) if "array" in types(root, schema) else None
    return {**safe_value, "items": _inside(root, item, depth + 1)} if item else safe_value


def quote_schema(root: Schema, node: Any, level: Level = "full") -> dict[str, Any]:
    """A parameter's own schema with every text cleaned and every list cut short."""
    schema = resolve(root, node)
    keywords = _KEYWORDS if level == "full" else ("type", "enum", "default")
    quoted = {keyword: _quote(schema[keyword], keyword) for keyword in keywords if keyword in schema}
    if "type" not in quoted and (kinds := types(root, schema)):
        quoted = {"type": kinds[0] if len(kinds) == 1 else list(kinds), **quoted}
    if is_secret("", schema):
        quoted = {key: value for key, value in quoted.items() if key not in ("default", "examples", "enum", "const")}
    return quoted


def describe_schema(root: Schema, node: Any) -> str:
    """One line on what a parameter takes: `integer, 1 to 1000, default 50`."""
    schema = first_choice(root, node)
    words = [" or ".join(types(root, schema) or ("any value",))]
    words += [*_enum_words(schema), *_range_words(schema), *_length_words(schema), *_form_words(schema)]
    if "default" in schema and not is_secret("", schema) and not isinstance(schema["default"], dict | list):
        words.append(f"default {literal(schema['default'])}")
    return ", ".join(words)


def author_example(root: Schema, node: Any, name: str) -> Any:
    """A value the author gives for this parameter, or nothing: a made-up one could be taken for advice."""
    schema = first_choice(root, node)
    has_one = any(schema.get(word) is not None for word in ("examples", "default", "const", "enum"))
    return example(root, node, name) if has_one else None


def example(root: Schema, node: Any, name: str = "", depth: int = 0) -> Any:
    """A value this schema accepts, the author's own where there is one."""
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
    return _made_up(root, schema, name, depth)


def quote_example(root: Schema, node: Any, name: str) -> Any:
    """The same, with every text cleaned and every list cut short."""
    return _quote(example(root, node, name), "")


def default_value(root: Schema, node: Any) -> Any:
    """The value a parameter has when it is left out, as far as the schema tells."""
    return first_choice(root, node).get("default")


def placeholder(root: Schema, node: Any) -> Placeholder:
    """What stands for a value that only the caller knows: `<string>`, `<integer>`, `<"asc" or "desc">`."""
    schema = first_choice(root, node)
    if choices := as_list(schema.get("enum")):
        more = f" or {len(choices) - 4:,} more" if len(choices) > 4 else ""
        return Placeholder(f"<{' or '.join(literal(choice) for choice in choices[:4])}{more}>")
    word = schema.get("format") if schema.get("type") == "string" else None
    kinds = " or ".join(types(root, schema)) or "value"
    return Placeholder(f"<{word if isinstance(word, str) and is_name(word) else kinds}>")


def first_choice(root: Schema, node: Any) -> Schema:
    """Of `X or null` and other alternatives, the one a caller would most likely want."""
    schema = resolve(root, node)
    for keyword in ("anyOf", "oneOf"):
        for branch in as_list(schema.get(keyword)):
            if (chosen := resolve(root, branch)).get("type") != "null":
                return {**chosen, **{key: value for key, value in schema.items() if key != keyword}}
    return schema


def _enum_words(schema: Schema) -> Iterator[str]:
    if choices := as_list(schema.get("enum")):
        more = f" and {len(choices) - 12:,} more" if len(choices) > 12 else ""
        yield f"one of {', '.join(literal(choice) for choice in choices[:12])}{more}"
    elif "const" in schema:
        yield f"always {literal(schema['const'])}"


def _range_words(schema: Schema) -> Iterator[str]:
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


def _length_words(schema: Schema) -> Iterator[str]:
    for low, high, noun in (("minLength", "maxLength", "character"), ("minItems", "maxItems", "item")):
        if is_number(schema.get(low)):
            yield f"at least {count_noun(schema[low], noun)}"
        if is_number(schema.get(high)):
            yield f"at most {count_noun(schema[high], noun)}"


def _form_words(schema: Schema) -> Iterator[str]:
    if isinstance(form := schema.get("format"), str):
        yield f"format {form if is_name(form) else literal(clean(form))}"
    if isinstance(pattern := schema.get("pattern"), str):
        yield f"matching {literal(pattern)}"


_BY_FORMAT = {
    "date-time": "2026-01-31T09:30:00Z", "date": "2026-01-31", "time": "09:30:00Z", "duration": "PT1H",
    "email": "name@example.com", "uri": "https://example.com", "url": "https://example.com", "hostname": "example.com",
    "uri-reference": "/path", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}  # fmt: skip


def _made_up(root: Schema, schema: Schema, name: str, depth: int) -> Any:
    match next(iter(types(root, schema)), "string"):
        case "integer" | "number" as kind:
            return _number_within(schema, whole=kind == "integer")
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            least = least if is_number(least := schema.get("minItems")) else 1
            item = example(root, child(root, schema, 0), name, depth + 1) if depth < _DEEPEST else None
            return [item] * int(min(max(least, 1), 3))
        case "object":
            needed = required_names(root, schema) if depth < _DEEPEST else ()
            return {key: example(root, child(root, schema, key), key, depth + 1) for key in needed[:8]}
        case _:
            return _text_within(schema, name)


def _number_within(schema: Schema, *, whole: bool) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    step = schema.get("multipleOf")
    if is_number(step) and step > 0:
        return step if not is_number(low) or step >= low else step * (low // step + 1)
    value = low if is_number(low) else min(1, high) if is_number(high) else 1
    if "minimum" not in schema and is_number(schema.get("exclusiveMinimum")):
        value = value + 1
    return int(value) if whole else value


def _text_within(schema: Schema, name: str) -> str:
    if isinstance(form := schema.get("format"), str) and form in _BY_FORMAT:
        return _BY_FORMAT[form]
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
