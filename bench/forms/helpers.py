"""Read sources for the forms: words of names, schemas of parameters, copies of arguments with one change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from bench.forms.case import Source
from bench.forms.intended import nested_values
from fingerpost.engine.model import Call, Path, Replace
from fingerpost.engine.schema.excerpt import default_value, first_choice
from fingerpost.engine.schema.walk import schema_at, types
from fingerpost.engine.tool import Tool


def name_words(name: str) -> list[str]:
    """Split a name into lower-case words; this reading is independent of the one under test."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def join_like(words: list[str], model: str) -> str:
    """Join words in the style of another name."""
    if "_" in model or "-" in model:
        return ("_" if "_" in model else "-").join(words)
    if re.search(r"[a-z][A-Z]", model):
        return words[0] + "".join(word.capitalize() for word in words[1:])
    return "_".join(words)


def schema_of(source: Source, at: Path) -> Mapping[str, Any]:
    return first_choice(source.tool.schema, schema_at(source.tool.schema, at))


def kinds_at(source: Source, at: Path) -> tuple[str, ...]:
    return tuple(kind for kind in types(source.tool.schema, schema_at(source.tool.schema, at)) if kind != "null")


def values(source: Source, kind: str) -> Iterator[tuple[Path, Any]]:
    """Yield the values of the call whose schema allows exactly one type, at any depth, in random order."""
    found = [(at, value) for at, value in nested_values(source.arguments) if kinds_at(source, at) == (kind,)]
    source.random.shuffle(found)
    yield from found


def with_value(source: Source, at: Path, value: Any) -> Call:
    return Replace(at, value).applied_to(source.call)


def with_value_in(call: Call, at: Path, value: Any) -> Call:
    return Replace(at, value).applied_to(call)


def with_default(source: Source, name: str) -> list[Call]:
    """Return the call with the default of a parameter, which is as good an offer as a placeholder."""
    default = default_value(source.tool.schema, source.tool.params.get(name))
    return [] if default is None else [Call(source.call.tool, {**source.arguments, name: default})]


def is_rejected(source: Source, call: Call) -> bool:
    """Whether the call is really wrong, so that an answer is due."""
    return not source.tool.accepts(call.arguments)


def other_words(source: Source) -> frozenset[str]:
    """Return the words of the tool's own names and descriptions, to avoid accidental evidence."""
    return _words_of(source.tool)


@cache
def _words_of(tool: Tool) -> frozenset[str]:
    texts = (tool.name, tool.description, json.dumps(tool.schema))
    return frozenset(word.rstrip("s") for text in texts for word in name_words(text))


def shares_words(name: str, words: frozenset[str]) -> bool:
    return any(word.rstrip("s") in words for word in name_words(name))


def entity_of(name: str) -> str:
    """Return the noun of a tool: its last word, without a plural s."""
    words = name_words(name)
    return words[-1].removesuffix("s") if len(words) > 1 else ""
