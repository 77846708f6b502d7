"""Generate valid calls with random values, different enough to trace each value through a corrected call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_json, as_list, as_object, is_number
from fingerpost.engine.schema.excerpt import example
from fingerpost.engine.schema.walk import Schema, child, find_required, properties, resolve, types
from fingerpost.engine.tool import Tool

_MOST_DEPTH, _TRIES = 4, 4
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "indigo", "juniper", "kelp", "lotus")
_NAMED_VALUES: tuple[tuple[str, str], ...] = (
    (r"(?:^|_)(?:path|file|filename|directory|folder|dir|source|destination)(?:$|_)", "{word}/{other}{number}.txt"),
    (r"(?:^|_)(?:url|uri|link|href|website)(?:$|_)", "https://example.com/{word}/{number}"),
    (r"(?:^|_)(?:email|mail)(?:$|_)", "{word}{number}@example.com"),
    (r"(?:^|_)(?:id|key|ref|sha|token|uuid)(?:$|_)", "{word}-{number}"),
    (r"(?:^|_)(?:date|day|since|until)(?:$|_)", "2026-03-{day:02}"),
    (r"(?:^|_)(?:time|timestamp|at)(?:$|_)", "2026-03-{day:02}T09:30:00Z"),
    (r"(?:^|_)(?:query|q|text|message|body|content|description|comment|prompt|title|subject)(?:$|_)",
     "{word} {other} {number}"),
)  # fmt: skip
_FORMATS = {
    "date": "2026-03-{day:02}", "date-time": "2026-03-{day:02}T09:30:00Z", "time": "09:{day:02}:00Z",
    "duration": "PT{day}M",
    "email": "{word}{number}@example.com", "uri": "https://example.com/{word}/{number}", "ipv4": "192.0.2.{day}",
    "url": "https://example.com/{word}/{number}", "hostname": "{word}.example.com", "ipv6": "2001:db8::{day}",
    "uuid": "123e4567-e89b-42d3-a456-4266141{number:05}", "uri-reference": "/{word}/{number}",
}  # fmt: skip
_PATTERN_TRIES = (
    "{word}", "{number}", "{word}-{number}", "#{number}", "v{day}", "{WORD}", "{WORD}-{day}", "/{word}/{other}",
    "{word}/{other}", "{word}_{number}", "{day}.{day}.{day}", "#aa{day:02}{day:02}", "{word}.{other}", "A{day}",
    "A1:B{day}", "C{number}", "{word}_{day}",
    "555-0{day:03}", "2026-03-{day:02}", "09:{day:02}", "https://example.com/{word}", "@{word}", "{word}@example.com",
)  # fmt: skip


def generate_call(tool: Tool, random: Random) -> Call | None:
    """Generate a call that the schema accepts, with some of the optional parameters; none if that fails."""
    names = [name for name in tool.params if name not in tool.deprecated]
    for attempt in range(_TRIES):
        wanted = [name for name in names if name in tool.required or random.random() < 0.5 - attempt * 0.17]
        arguments = {name: generate_value(tool.schema, tool.params[name], name, random) for name in wanted}
        if tool.is_checkable and tool.accepts(arguments) and not any(tool.find_nested_unknown_arguments(arguments)):
            return Call(tool.name, arguments)
    arguments = {name: as_json(example(tool.schema, tool.params.get(name), name)) for name in tool.required}
    return Call(tool.name, arguments) if tool.is_checkable and tool.accepts(arguments) else None


def generate_value(root: Schema, node: Any, name: str, random: Random, depth: int = 0) -> Any:
    """Generate a value for a schema. It is valid for all but unusual schemas; the caller checks."""
    schema = _choose_branch(root, node, random)
    if "const" in schema:
        return schema["const"]
    if choices := [one for one in as_list(schema.get("enum")) if one is not None]:
        return random.choice(choices)
    if examples := as_list(schema.get("examples")):
        return random.choice(examples)
    match next(iter(kind for kind in types(root, schema) if kind != "null"), "string"):
        case "integer":
            return _generate_number(schema, random, is_integer=True)
        case "number":
            return _generate_number(schema, random, is_integer=False)
        case "boolean":
            return random.random() < 0.5
        case "array":
            return _generate_list(root, schema, name, random, depth)
        case "object":
            return _generate_object(root, schema, random, depth)
        case _:
            return _generate_text(schema, name, random)


def _choose_branch(root: Schema, node: Any, random: Random) -> Mapping[str, Any]:
    schema = resolve(root, node)
    for keyword in ("anyOf", "oneOf"):
        branches = [one for one in as_list(schema.get(keyword)) if resolve(root, one).get("type") != "null"]
        if branches:
            beside = {key: value for key, value in schema.items() if key != keyword}
            return {**_choose_branch(root, random.choice(branches), random), **beside}
    for part in as_list(schema.get("allOf")):
        schema = {**resolve(root, part), **{key: value for key, value in schema.items() if key != "allOf"}}
    return schema


def _generate_number(schema: Mapping[str, Any], random: Random, *, is_integer: bool) -> int | float:
    low, high = schema.get("minimum"), schema.get("maximum")
    if is_number(above := schema.get("exclusiveMinimum")):
        low = above + 1
    if is_number(below := schema.get("exclusiveMaximum")):
        high = below - 1
    least = low if is_number(low) else min(2, high) if is_number(high) else 2
    most = high if is_number(high) else least + 2_500
    step = schema.get("multipleOf")
    if is_number(step) and step >= 1 and most > least:
        return step * random.randint(
            int(-(-least // step)), max(int(-(-least // step)), int(min(most, least + 100 * step) // step))
        )
    if is_integer or (most - least >= 2 and random.random() < 0.5):
        return random.randint(int(least), max(int(least), int(min(most, least + 2_500))))
    return round(random.uniform(least, min(most, least + 900)), 2)


def _generate_list(root: Schema, schema: Mapping[str, Any], name: str, random: Random, depth: int) -> list[Any]:
    if depth >= _MOST_DEPTH:
        return []
    least, most = schema.get("minItems"), schema.get("maxItems")
    count = random.randint(1, 3)
    count = max(count, least) if isinstance(least, int) else count
    count = min(count, most) if isinstance(most, int) else count
    items = [generate_value(root, child(root, schema, index), name, random, depth + 1) for index in range(count)]
    return (
        [item for index, item in enumerate(items) if item not in items[:index]] if schema.get("uniqueItems") else items
    )


def _generate_object(root: Schema, schema: Mapping[str, Any], random: Random, depth: int) -> dict[str, Any]:
    needed, declared = find_required(root, schema), properties(root, schema)
    if not declared and isinstance(schema.get("additionalProperties"), dict) and depth < _MOST_DEPTH:
        inner = schema["additionalProperties"]
        return {random.choice(_WORDS): generate_value(root, inner, "value", random, depth + 1)}
    chance = 0.6 if depth < 2 else 0.0
    wanted = [name for name in declared if name in needed or random.random() < chance]
    wanted += [name for name in needed if name not in declared]
    if depth >= _MOST_DEPTH:
        wanted = list(needed)
    return {name: generate_value(root, declared.get(name, {}), name, random, depth + 1) for name in wanted}


def _generate_text(schema: Mapping[str, Any], name: str, random: Random) -> str:
    parts = _parts(random)
    if isinstance(pattern := schema.get("pattern"), str):
        return next(_matching(pattern, parts), "x")
    if isinstance(shape := schema.get("format"), str) and shape in _FORMATS:
        return _FORMATS[shape].format(**parts)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-.\s]", "_", name).lower()
    template = next((text for known, text in _NAMED_VALUES if re.search(known, snake)), "{word} {number}")
    text = template.format(**parts)
    least, most = schema.get("minLength"), schema.get("maxLength")
    text = text.ljust(least, "x") if isinstance(least, int) and least < 500 else text
    return text[:most].strip() or "x" if isinstance(most, int) else text


def _parts(random: Random) -> dict[str, Any]:
    word, other = random.sample(_WORDS, 2)
    return {
        "word": word,
        "other": other,
        "WORD": word.upper(),
        "number": random.randint(100, 9999),
        "day": random.randint(13, 28),
    }


def _matching(pattern: str, parts: Mapping[str, Any]) -> Iterator[str]:
    for template in _PATTERN_TRIES:
        text = template.format(**parts)
        try:
            if re.search(pattern, text):
                yield text
        except re.error:
            return


def nested_values(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every value inside the arguments with its path."""
    for key, item in as_object(value).items():
        yield (*at, key), item
        yield from nested_values(item, (*at, key))
    for index, item in enumerate(as_list(value)):
        yield (*at, index), item
        yield from nested_values(item, (*at, index))
