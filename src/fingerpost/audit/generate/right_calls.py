"""Right calls of a tool: from `--examples`, from the schema's own examples, or generated from the schema.

The first call has the required parameters; each further call adds one optional parameter, so that a mistake in that
parameter tests nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from fingerpost.audit.redact import CANARY
from fingerpost.engine.admit import admit
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import closest
from fingerpost.engine.model import Call
from fingerpost.engine.render.envelope import render
from fingerpost.engine.safety.json_input import as_json, as_list, as_object, is_number
from fingerpost.engine.safety.redact import is_secret
from fingerpost.engine.schema.excerpt import default_value, example, first_choice
from fingerpost.engine.schema.walk import types
from fingerpost.engine.tool import Tool
from fingerpost.terminal.command_error import CommandError

Examples: TypeAlias = "Mapping[str, Sequence[Mapping[str, Any]]]"
"""Arguments of right calls, by tool."""


def right_calls(tool: Tool, given: Sequence[Mapping[str, Any]] = ()) -> list[Call]:
    """Right calls of a tool, the simplest first; empty if none could be generated from the schema."""
    first = [Call(tool.name, dict(one)) for one in (*given, *_author_examples(tool))][: max(1, len(given))]
    if not first:
        arguments = {name: _choose_value(tool, name) for name in tool.required}
        first = [Call(tool.name, arguments)] if tool.accepts(arguments) else []
    return [*first, *_calls_with_one_more(first, tool)] if first else []


def _author_examples(tool: Tool) -> Iterator[dict[str, Any]]:
    for one in as_list(tool.schema.get("examples")):
        if isinstance(one, dict) and tool.accepts(one):
            yield cast("dict[str, Any]", one)


def _calls_with_one_more(first: Sequence[Call], tool: Tool) -> Iterator[Call]:
    used = {name for call in first for name in call.arguments}
    for name in tool.params:
        if name not in used:
            arguments = {**first[0].arguments, name: _choose_value(tool, name)}
            if tool.accepts(arguments):
                yield Call(tool.name, arguments)


def _choose_value(tool: Tool, name: str) -> Any:
    """Choose a value that makes a difference: not the default, as far as the schema says."""
    schema = first_choice(tool.schema, tool.params.get(name))
    if is_secret(name, schema) and "string" in types(tool.schema, schema):
        return CANARY.ljust(length if isinstance(length := schema.get("minLength"), int) else 0, "y")
    default = default_value(tool.schema, schema)
    if isinstance(default, bool):
        return not default
    if "examples" not in schema and is_number(default):
        near = (value for value in (1, default + 1, default - 1) if value != default)
        return next((value for value in near if _is_valid_value(tool, name, value)), default)
    others = [choice for choice in as_list(schema.get("enum")) if choice != default]
    return others[0] if others else as_json(example(tool.schema, tool.params.get(name), name))


def _is_valid_value(tool: Tool, name: str, value: Any) -> bool:
    """Whether the value itself is valid, whatever else the call needs."""
    return not [one for one in tool.violations({name: value}) if one.at[:1] == (name,)]


# the examples of the owner


def read_examples(text: str, source: str) -> dict[str, list[dict[str, Any]]]:
    """Parse a file of examples: `{"tool": {arguments} or [{arguments}, …]}`, or a list of calls."""
    try:
        file: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{source} is not JSON: {error}") from error
    pairs = _tool_arguments(file)
    if not pairs or not all(isinstance(name, str) and isinstance(one, dict) for name, one in pairs):
        raise CommandError(
            f"{source} holds no examples", 'Write {"tool": {"parameter": "value"}}, one entry for each tool.'
        )
    examples: dict[str, list[dict[str, Any]]] = {}
    for name, one in pairs:
        examples.setdefault(name, []).append(one)
    return examples


def _tool_arguments(file: Any) -> list[tuple[Any, Any]]:
    if isinstance(file, list):
        calls = [as_object(one) for one in as_list(file)]
        return [(call.get("name"), call.get("arguments", {})) for call in calls]
    pairs = list[tuple[Any, Any]]()
    for name, one in as_object(file).items():
        pairs += [(name, each) for each in (as_list(one) if isinstance(one, list) else [one])]
    return pairs


def check_examples(examples: Examples, catalog: Catalog) -> None:
    """Raise `CommandError` if an example is not a right call, before anything is sent."""
    for name, every in examples.items():
        tool = catalog.get(name)
        if tool is None:
            near = closest(name, [one.name for one in catalog])
            raise CommandError(
                f"there is an example for {name}, which is no tool of this server",
                f"Did you mean {near[0].name}?" if near else "",
            )
        for one in every:
            if not tool.accepts(one):
                verdict = admit(Call(name, dict(one)), catalog)
                raise CommandError(f"an example for {name} is not a right call", render(verdict.report).text)
