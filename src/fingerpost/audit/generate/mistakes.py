"""Generate wrong calls from right ones. Each differs in one way that real callers get wrong.

A call that the schema allows is no mistake and is left out. The same random seed gives the same mistakes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from fingerpost.audit.generate.mutations import corrupt_value, invent_name, is_nearest, misspell, reorder, restyle
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching.qualifiers import is_restricting
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema.excerpt import first_choice
from fingerpost.engine.tool import Tool


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong call, and the right one it was made from."""

    kind: str
    """What is wrong, such as `parameter.misspelt`: a group and a name."""
    call: Call
    right: Call
    culprit: str
    """The tool or the parameter that is wrong."""
    is_repairable: bool = True
    """Whether the wrong call contains everything that is needed to find the right one."""

    @property
    def group(self) -> str:
        return self.kind.partition(".")[0]


def generate_mistakes(right: Call, catalog: Catalog, random: Random) -> Iterator[Mistake]:
    """Every kind of mistake that is possible in a right call, one per kind and culprit."""
    tool = catalog.get(right.tool)
    if tool is None:
        return
    for generate in (*_TOOL_MISTAKES, *_ARGUMENT_MISTAKES):
        for mistake in generate(right, tool, random):
            if mistake.group == "tool":
                if catalog.get(mistake.call.tool) is None:
                    yield _mark_ambiguous(mistake, mistake.call.tool, [one.name for one in catalog])
            elif not tool.accepts(mistake.call.arguments):
                wrong = next((name for name in mistake.call.arguments if name not in right.arguments), "")
                yield _mark_ambiguous(mistake, wrong, tool.params)


def _mark_ambiguous(mistake: Mistake, wrong: str, known: Iterable[str]) -> Mistake:
    """Mark a misspelling as not repairable if it is as close to another name."""
    is_misspelled = mistake.kind in ("tool.misspelt", "parameter.misspelt")
    is_clear = not is_misspelled or is_nearest(mistake.culprit, wrong, known)
    return mistake if is_clear else replace(mistake, is_repairable=False)


_Generator: TypeAlias = "Callable[[Call, Tool, Random], Iterator[Mistake]]"


# tool names


def _misspell_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if (name := misspell(right.tool, random)) != right.tool:
        yield Mistake("tool.misspelt", Call(name, right.arguments), right, right.tool)


def _restyle_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if (name := restyle(right.tool)) != right.tool:
        yield Mistake("tool.restyled", Call(name, right.arguments), right, right.tool)


def _prefix_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    yield Mistake("tool.prefixed", Call(f"functions.{right.tool}", right.arguments), right, right.tool)


def _invent_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    name = invent_name(random, 9)
    yield Mistake("tool.invented", Call(name, right.arguments), right, name, is_repairable=False)


def _reorder_tool(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if (name := reorder(right.tool)) != right.tool:
        yield Mistake("tool.reordered", Call(name, right.arguments), right, right.tool)


_TOOL_MISTAKES: tuple[_Generator, ...] = (_misspell_tool, _restyle_tool, _reorder_tool, _prefix_tool, _invent_tool)


# parameter names and the shape of the arguments


def _misspell_parameters(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := misspell(name, random)) not in tool.params:
            yield Mistake("parameter.misspelt", _rename_argument(right, name, wrong), right, name)


def _restyle_parameters(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := restyle(name)) not in tool.params:
            yield Mistake("parameter.restyled", _rename_argument(right, name, wrong), right, name)


def _reorder_parameters(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in right.arguments:
        if (wrong := reorder(name)) not in tool.params:
            yield Mistake("parameter.reordered", _rename_argument(right, name, wrong), right, name)


def _use_synonyms(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Use names with the same meaning, which callers know from other tools."""
    for name in right.arguments:
        words = [word for word in _SYNONYMS.get(name.lower(), ()) if word not in tool.params]
        if words:
            yield Mistake("parameter.synonym", _rename_argument(right, name, random.choice(words)), right, name)


def _add_stray_parameter(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Add a parameter that resembles nothing; only a read-only tool may safely ignore it."""
    name = invent_name(random, 7)
    call = Call(right.tool, {**right.arguments, name: 1})
    yield Mistake("parameter.stray", call, right, name, is_repairable=tool.is_read_only)


def _omit_required(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name in tool.required:
        if name in right.arguments:
            yield Mistake("required.missing", _remove_argument(right, name), right, name, is_repairable=False)


def _omit_all_required(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if len(tool.required) > 1:
        yield Mistake("required.all_missing", Call(right.tool, {}), right, tool.required[0], is_repairable=False)


def _wrap_arguments(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if right.arguments and "input" not in tool.params:
        yield Mistake("shape.wrapped", Call(right.tool, {"input": right.arguments}), right, "input")


def _flatten_objects(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Send the fields of an object in place of the object."""
    for name, value in right.arguments.items():
        fields = as_object(value)
        if fields and not set(fields) & (set(tool.params) | set(right.arguments)):
            yield Mistake(
                "shape.flattened", Call(right.tool, {**_remove_argument(right, name).arguments, **fields}), right, name
            )


def _send_json_text(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    if right.arguments:
        yield Mistake("shape.text", Call(right.tool, json.dumps(right.arguments)), right, "arguments")


# values


def _corrupt_values(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    for name, value in right.arguments.items():
        for kind, wrong, is_repairable in corrupt_value(
            value, first_choice(tool.schema, tool.params.get(name)), random
        ):
            yield Mistake(kind, _set_argument(right, name, wrong), right, name, is_repairable)


def _send_empty_values(right: Call, tool: Tool, random: Random) -> Iterator[Mistake]:
    """Send null or an empty text; for an optional parameter that means the same as leaving it out."""
    for name in tool.params:
        if name not in tool.required:
            without = _remove_argument(right, name)
            # without a filter or a dry run, a tool that may write would do more than was asked for
            is_safe = tool.is_read_only or not is_restricting(name)
            for kind, nothing in (("null.optional", None), ("empty.optional", "")):
                yield Mistake(kind, _set_argument(right, name, nothing), without, name, is_repairable=is_safe)
        elif name in right.arguments:
            yield Mistake("null.required", _set_argument(right, name, None), right, name, is_repairable=False)


_ARGUMENT_MISTAKES: tuple[_Generator, ...] = (
    _misspell_parameters, _restyle_parameters, _reorder_parameters, _use_synonyms, _add_stray_parameter,
    _omit_required, _omit_all_required, _wrap_arguments, _flatten_objects, _send_json_text, _corrupt_values,
    _send_empty_values,
)  # fmt: skip


def _rename_argument(call: Call, name: str, to: str) -> Call:
    return Call(call.tool, {to if key == name else key: value for key, value in call.arguments.items()})


def _set_argument(call: Call, name: str, value: Any) -> Call:
    return Call(call.tool, {**call.arguments, name: value})


def _remove_argument(call: Call, name: str) -> Call:
    return Call(call.tool, {key: value for key, value in call.arguments.items() if key != name})


_SYNONYMS = {
    "path": ("file_path", "filename", "file"), "file_path": ("path", "filename"), "query": ("q", "search", "pattern"),
    "pattern": ("query", "regex"), "limit": ("max_results", "count"), "max": ("limit",), "max_results": ("limit",),
    "url": ("uri", "link"), "id": ("identifier",), "content": ("text", "body"), "text": ("content", "body"),
    "message": ("text", "msg"), "name": ("title",), "directory": ("folder", "dir"), "timezone": ("tz",),
    "max_count": ("limit",), "source": ("from", "src"), "destination": ("to", "dest"), "value": ("amount",),
}  # fmt: skip
"""Other names that callers use for a parameter, taken from published logs."""
