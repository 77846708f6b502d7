"""Wrong calls out of right ones: each differs from a call that is right in one way that callers get calls wrong.

What the schema allows is never a mistake, so every call made here is held against it: one that would pass is not
given. Made by chance, but the same chance makes the same mistakes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from string import ascii_lowercase
from typing import Any, TypeAlias

from fingerpost import schema as schemas
from fingerpost.catalog import Catalog, Tool
from fingerpost.diagnosis import Call
from fingerpost.untrusted import as_list, is_number

_FAR_OUT = 10**6


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong call, and the right one it was made from."""

    kind: str
    """What is wrong, such as `parameter.misspelt`."""
    call: Call
    right: Call
    culprit: str
    """The tool or the parameter that is wrong."""
    is_repairable: bool = True
    """Whether the call holds all that is needed to find the right one."""


def mistakes(right: Call, catalog: Catalog, random: Random) -> Iterator[Mistake]:
    """Every kind of mistake that can be made of a right call, one of each kind for each culprit."""
    tool = catalog.get(right.tool)
    if tool is None:
        return
    for made in (*_TOOL_MISTAKES, *_ARGUMENT_MISTAKES):
        for mistake in made(right, tool, random):
            is_unknown = catalog.get(mistake.call.tool) is None
            if is_unknown if mistake.kind.startswith("tool.") else not tool.accepts(mistake.call.arguments):
                yield mistake


_Maker: TypeAlias = "Callable[[Call, Tool, Random], Iterator[Mistake]]"


# the tool


def _misspelt_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if (name := slip(right.tool, random)) != right.tool:
        yield Mistake("tool.misspelt", Call(name, right.arguments), right, right.tool)


def _restyled_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if (name := restyled(right.tool)) != right.tool:
        yield Mistake("tool.restyled", Call(name, right.arguments), right, right.tool)


def _prefixed_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    yield Mistake("tool.prefixed", Call(f"functions.{right.tool}", right.arguments), right, right.tool)


def _invented_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    name = "".join(random.choices("bcdfghjklmnpqrstvwxz", k=9))
    yield Mistake("tool.invented", Call(name, right.arguments), right, name, is_repairable=False)


_TOOL_MISTAKES: tuple[_Maker, ...] = (_misspelt_tool, _restyled_tool, _prefixed_tool, _invented_tool)


# names of parameters


def _misspelt_names(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := slip(name, random)) not in tool.params:
            yield Mistake("parameter.misspelt", _renamed(right, name, wrong), right, name)


def _restyled_names(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := restyled(name)) not in tool.params:
            yield Mistake("parameter.restyled", _renamed(right, name, wrong), right, name)


def _stray(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """What it was meant to change nobody can know; only where nothing can be changed it may be left out."""
    name = "".join(random.choices("bcdfghjklmnpqrstvwxz", k=7))
    call = Call(right.tool, {**right.arguments, name: 1})
    yield Mistake("parameter.stray", call, right, name, is_repairable=tool.is_read_only)


def _missing(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in tool.required:
        if name in right.arguments:
            yield Mistake("required.missing", _without(right, name), right, name, is_repairable=False)


def _empty(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if len(tool.required) > 1:
        yield Mistake("required.all_missing", Call(right.tool, {}), right, tool.required[0], is_repairable=False)


def _wrapped(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if right.arguments and "input" not in tool.params:
        yield Mistake("shape.wrapped", Call(right.tool, {"input": right.arguments}), right, "input")


# values


def _wrong_values(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name, value in right.arguments.items():
        schema = schemas.resolved(tool.schema, tool.params.get(name))
        for kind, wrong, is_repairable in _spoilt(value, schema, random):
            yield Mistake(kind, _replaced(right, name, wrong), right, name, is_repairable)


def _spoilt(value: Any, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[str, Any, bool]]:
    if isinstance(value, bool):
        yield "type.flag_as_text", str(value).lower(), True
        yield "type.wrong", {"value": random.randrange(10)}, False
    elif is_number(value):
        yield "type.number_as_text", json.dumps(value), True
        yield "type.word_for_number", random.choice(("fifty", "many", "a few")), False
        yield from _out_of_range(schema)
    elif isinstance(value, list):
        yield "type.json_as_text", json.dumps(value), True
        if len(as_list(value)) == 1 and not isinstance(as_list(value)[0], dict):
            yield "type.item_for_list", as_list(value)[0], True
        yield "type.wrong", random.randrange(1, 100), False
    elif isinstance(value, dict):
        yield "type.json_as_text", json.dumps(value), True
        yield "type.wrong", random.randrange(1, 100), False
    elif isinstance(value, str):
        yield "type.list_for_item", [value], True
        yield "type.wrong", {"value": random.randrange(10)}, False
        yield from _wrong_choices(value, schema, random)


def _out_of_range(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    if is_number(most := schema.get("maximum", schema.get("exclusiveMaximum"))):
        yield "range.above", most + _FAR_OUT, False
    if is_number(least := schema.get("minimum", schema.get("exclusiveMinimum"))):
        yield "range.below", least - _FAR_OUT, False


def _wrong_choices(value: str, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[str, Any, bool]]:
    if value not in as_list(schema.get("enum")):
        return
    yield "choice.misspelt", slip(value, random), True
    yield "choice.restyled", value.swapcase(), True
    yield "choice.unknown", "".join(random.choices("bcdfghjklmnpqrstvwxz", k=8)), False


def _nulls(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Nothing for a value: for a parameter that may be left out it means that it is."""
    for name in tool.params:
        if name not in tool.required:
            yield Mistake("null.optional", _replaced(right, name, None), _without(right, name), name)
        elif name in right.arguments:
            yield Mistake("null.required", _replaced(right, name, None), right, name, is_repairable=False)


_ARGUMENT_MISTAKES: tuple[_Maker, ...] = (
    _misspelt_names, _restyled_names, _stray, _missing, _empty, _wrapped, _wrong_values, _nulls,
)  # fmt: skip


def _renamed(call: Call, name: str, to: str) -> Call:
    return Call(call.tool, {to if key == name else key: value for key, value in call.arguments.items()})


def _replaced(call: Call, name: str, value: Any) -> Call:
    return Call(call.tool, {**call.arguments, name: value})


def _without(call: Call, name: str) -> Call:
    return Call(call.tool, {key: value for key, value in call.arguments.items() if key != name})


# slips of the pen


def slip(name: str, random: Random) -> str:
    """A name with one slip in it: two letters swapped, one lost, one doubled, one other. Short names are left alone."""
    if len(name) < 4:
        return name
    at = random.randrange(1, len(name) - 1)
    wrong = random.choice(
        (
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
            name[:at] + name[at + 1 :],
            name[:at] + name[at] + name[at:],
            name[:at] + random.choice(ascii_lowercase) + name[at + 1 :],
        )
    )
    return wrong if wrong != name else name[:at] + name[at + 1 :]


def restyled(name: str) -> str:
    """The same words joined the other way: `max_results` is `maxResults`, and back; one word gets a capital."""
    if "_" in name or "-" in name:
        first, *rest = re.split("[_-]", name)
        return first + "".join(word.capitalize() for word in rest)
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)
    return snake if snake != name else name.capitalize()
