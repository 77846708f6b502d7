"""Right calls of a tool: the owner's, the author's, or made up from the schema.

One call has what the tool requires, and there is another for each parameter that it can do without, so that a mistake
in one parameter is about nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from fingerpost.audit.redact import CANARY
from fingerpost.engine.admit import admit
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.matching import closest
from fingerpost.engine.model import Call
from fingerpost.engine.render.envelope import render
from fingerpost.engine.safety.json_input import as_json, as_list, as_object, is_number
from fingerpost.engine.safety.redact import is_secret
from fingerpost.engine.schema.excerpt import default_of, example, first_choice
from fingerpost.engine.schema.walk import types
from fingerpost.terminal.command_error import CommandError

Examples: TypeAlias = "Mapping[str, Sequence[Mapping[str, Any]]]"
"""Arguments by the name of the tool that takes them."""


def right_calls(tool: Tool, given: Sequence[Mapping[str, Any]] = ()) -> list[Call]:
    """Right calls, the plainest first; none where the schema is such that none could be made."""
    first = [Call(tool.name, dict(one)) for one in (*given, *_authors(tool))][: max(1, len(given))]
    if not first:
        made = {name: _value(tool, name) for name in tool.required}
        first = [Call(tool.name, made)] if tool.accepts(made) else []
    return [*first, *_each_with_one_more(first, tool)] if first else []


def _authors(tool: Tool) -> Iterator[dict[str, Any]]:
    for one in as_list(tool.schema.get("examples")):
        if isinstance(one, dict) and tool.accepts(one):
            yield cast("dict[str, Any]", one)


def _each_with_one_more(first: Sequence[Call], tool: Tool) -> Iterator[Call]:
    used = {name for call in first for name in call.arguments}
    for name in tool.params:
        if name not in used:
            arguments = {**first[0].arguments, name: _value(tool, name)}
            if tool.accepts(arguments):
                yield Call(tool.name, arguments)


def _value(tool: Tool, name: str) -> Any:
    """A value that makes a difference, as far as the schema tells: not the one that is taken anyway."""
    schema = first_choice(tool.schema, tool.params.get(name))
    if is_secret(name, schema) and "string" in types(tool.schema, schema):
        return CANARY.ljust(length if isinstance(length := schema.get("minLength"), int) else 0, "y")
    usual = default_of(tool.schema, schema)
    if isinstance(usual, bool):
        return not usual
    if "examples" not in schema and is_number(usual):
        return next((one for one in (1, usual + 1, usual - 1) if one != usual and _fits(tool, name, one)), usual)
    others = [one for one in as_list(schema.get("enum")) if one != usual]
    return others[0] if others else as_json(example(tool.schema, tool.params.get(name), name))


def _fits(tool: Tool, name: str, value: Any) -> bool:
    """Whether nothing is wrong with this value itself; what else a call needs is not asked."""
    return not [one for one in tool.violations({name: value}) if one.at[:1] == (name,)]


# the owner's


def read_examples(text: str, source: str) -> dict[str, list[dict[str, Any]]]:
    """What a file of examples says: `{"tool": {arguments} or [{arguments}, …]}`, or a list of calls."""
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{source} is not JSON: {error}") from error
    pairs = _pairs(said)
    if not pairs or not all(isinstance(name, str) and isinstance(one, dict) for name, one in pairs):
        raise CommandError(
            f"{source} holds no examples", 'Write {"tool": {"parameter": "value"}}, one entry for each tool.'
        )
    examples: dict[str, list[dict[str, Any]]] = {}
    for name, one in pairs:
        examples.setdefault(name, []).append(one)
    return examples


def _pairs(said: Any) -> list[tuple[Any, Any]]:
    if isinstance(said, list):
        calls = [as_object(one) for one in as_list(said)]
        return [(call.get("name"), call.get("arguments", {})) for call in calls]
    found = list[tuple[Any, Any]]()
    for name, one in as_object(said).items():
        found += [(name, each) for each in (as_list(one) if isinstance(one, list) else [one])]
    return found


def check_examples(examples: Examples, catalog: Catalog) -> None:
    """An example that is wrong itself is worth nothing: say so before anything is sent."""
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
