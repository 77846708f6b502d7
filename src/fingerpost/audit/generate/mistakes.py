"""Wrong calls out of right ones: each differs from a call that is right in one way that callers get calls wrong.

What the schema allows is never a mistake, so every call made here is held against it: one that would pass is not
given. Made by chance, but the same chance makes the same mistakes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from fingerpost.audit.generate.mutations import invented, is_nearest, reordered, restyled, slip, spoilt
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema.excerpt import first_choice


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
            if mistake.kind.startswith("tool."):
                if catalog.get(mistake.call.tool) is None:
                    yield _if_clear(mistake, mistake.call.tool, [one.name for one in catalog])
            elif not tool.accepts(mistake.call.arguments):
                wrong = next((name for name in mistake.call.arguments if name not in right.arguments), "")
                yield _if_clear(mistake, wrong, tool.params)


def _if_clear(mistake: Mistake, wrong: str, known: Iterable[str]) -> Mistake:
    """A slip that could as well be one of another name is nobody's to put right."""
    is_slip = mistake.kind in ("tool.misspelt", "parameter.misspelt")
    is_clear = not is_slip or is_nearest(mistake.culprit, wrong, known)
    return mistake if is_clear else replace(mistake, is_repairable=False)


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
    name = invented(random, 9)
    yield Mistake("tool.invented", Call(name, right.arguments), right, name, is_repairable=False)


def _reordered_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if (name := reordered(right.tool)) != right.tool:
        yield Mistake("tool.reordered", Call(name, right.arguments), right, right.tool)


_TOOL_MISTAKES: tuple[_Maker, ...] = (_misspelt_tool, _restyled_tool, _reordered_tool, _prefixed_tool, _invented_tool)


# names of parameters


def _misspelt_names(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := slip(name, random)) not in tool.params:
            yield Mistake("parameter.misspelt", _renamed(right, name, wrong), right, name)


def _restyled_names(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := restyled(name)) not in tool.params:
            yield Mistake("parameter.restyled", _renamed(right, name, wrong), right, name)


def _reordered_names(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := reordered(name)) not in tool.params:
            yield Mistake("parameter.reordered", _renamed(right, name, wrong), right, name)


def _other_words(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Names that mean the same, which callers know from other tools."""
    for name in right.arguments:
        words = [word for word in _SAME.get(name.lower(), ()) if word not in tool.params]
        if words:
            yield Mistake("parameter.synonym", _renamed(right, name, random.choice(words)), right, name)


def _stray(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """What it was meant to change nobody can know; only where nothing can be changed it may be left out."""
    name = invented(random, 7)
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


def _flattened(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """The fields of an object in the place of the object."""
    for name, value in right.arguments.items():
        fields = as_object(value)
        if fields and not set(fields) & (set(tool.params) | set(right.arguments)):
            yield Mistake(
                "shape.flattened", Call(right.tool, {**_without(right, name).arguments, **fields}), right, name
            )


def _as_text(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if right.arguments:
        yield Mistake("shape.text", Call(right.tool, json.dumps(right.arguments)), right, "arguments")


# values


def _wrong_values(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name, value in right.arguments.items():
        for kind, wrong, is_repairable in spoilt(value, first_choice(tool.schema, tool.params.get(name)), random):
            yield Mistake(kind, _replaced(right, name, wrong), right, name, is_repairable)


def _nothings(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Nothing for a value: for a parameter that may be left out it means that it is."""
    for name in tool.params:
        if name not in tool.required:
            without = _without(right, name)
            yield Mistake("null.optional", _replaced(right, name, None), without, name)
            yield Mistake("empty.optional", _replaced(right, name, ""), without, name)
        elif name in right.arguments:
            yield Mistake("null.required", _replaced(right, name, None), right, name, is_repairable=False)


_ARGUMENT_MISTAKES: tuple[_Maker, ...] = (
    _misspelt_names, _restyled_names, _reordered_names, _other_words, _stray, _missing, _empty, _wrapped, _flattened,
    _as_text, _wrong_values, _nothings,
)  # fmt: skip


def _renamed(call: Call, name: str, to: str) -> Call:
    return Call(call.tool, {to if key == name else key: value for key, value in call.arguments.items()})


def _replaced(call: Call, name: str, value: Any) -> Call:
    return Call(call.tool, {**call.arguments, name: value})


def _without(call: Call, name: str) -> Call:
    return Call(call.tool, {key: value for key, value in call.arguments.items() if key != name})


_SAME = {
    "path": ("file_path", "filename", "file"), "file_path": ("path", "filename"), "query": ("q", "search", "pattern"),
    "pattern": ("query", "regex"), "limit": ("max_results", "count"), "max": ("limit",), "max_results": ("limit",),
    "url": ("uri", "link"), "id": ("identifier",), "content": ("text", "body"), "text": ("content", "body"),
    "message": ("text", "msg"), "name": ("title",), "directory": ("folder", "dir"), "timezone": ("tz",),
    "max_count": ("limit",), "source": ("from", "src"), "destination": ("to", "dest"), "value": ("amount",),
}  # fmt: skip
"""What callers say for a name, as published logs have it."""
