"""Forms of section 3 in names: remnants around tool names, habits of the shell, and two slips at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bench.forms.case import Source, WrongCall, form
from bench.forms.helpers import is_rejected, name_words, schema_of, values, with_default, with_value, with_value_in
from bench.forms.intended import nested_values
from bench.forms.shapes import has_one_place, object_arguments
from fingerpost.audit.generate.mistakes import generate_mistakes
from fingerpost.audit.generate.mutations import is_nearest, misspell
from fingerpost.engine.model import Call, Drop, Rename
from fingerpost.engine.safety.json_input import as_list, is_number
from fingerpost.engine.schema.excerpt import first_choice
from fingerpost.engine.schema.walk import properties, schema_at


@form("3")
def tool_remnant(source: Source) -> Iterator[WrongCall]:
    name = source.random.choice(source.words.prefixes).format(source.tool.name)
    if source.tools.catalog.get(name) is None:
        yield WrongCall(Call(name, source.arguments), (source.call,))


@form("3")
def shell_habit(source: Source) -> Iterator[WrongCall]:
    names = [tool.name for tool in source.tools.catalog]
    for habit, pattern in source.words.shell:
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", source.tool.name).lower()
        if not re.match(pattern, plain) or habit in names:
            continue
        fitting = [name for name in names if re.match(pattern, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())]
        right = tuple(Call(name, source.arguments) for name in [source.tool.name, *fitting])
        yield WrongCall(Call(habit, source.arguments), right)
        return


# two slips


def _misspell_parameter(
    source: Source, arguments: dict[str, Any], names: list[str]
) -> tuple[dict[str, Any], str] | None:
    """Misspell one of the names so that it stays nearest to the right one."""
    for name in source.random.sample(names, len(names)):
        wrong = misspell(name, source.random)
        if len(name) > 4 and wrong not in source.tool.params and is_nearest(name, wrong, source.tool.params):
            return {wrong if one == name else one: value for one, value in arguments.items()}, name
    return None


@form("2")
def wrong_tool_and_wrong_parameter(source: Source) -> Iterator[WrongCall]:
    names = [tool.name for tool in source.tools.catalog]
    tool = misspell(source.tool.name, source.random)
    changed = _misspell_parameter(source, source.arguments, list(source.arguments))
    if changed and tool not in names and is_nearest(source.tool.name, tool, names) and not source.tool.is_open:
        yield WrongCall(Call(tool, changed[0]), (source.call,))


@form("2")
def two_misspelled_parameters(source: Source) -> Iterator[WrongCall]:
    first = _misspell_parameter(source, source.arguments, list(source.arguments))
    rest = [name for name in source.arguments if first and name != first[1]]
    second = _misspell_parameter(source, first[0], rest) if first and rest else None
    if second and not source.tool.is_open:
        yield WrongCall(source.with_arguments(second[0]), (source.call,))


@form("2")
def flattened_field_and_typo(source: Source) -> Iterator[WrongCall]:
    for name, fields in object_arguments(source):
        others = [one for one in source.arguments if one != name]
        changed = _misspell_parameter(source, {**source.without(name), **fields}, others)
        if changed and has_one_place(source, fields) and not source.tool.is_open:
            yield WrongCall(source.with_arguments(changed[0]), (source.call,))
            return


@form("2")
def json_text_in_wrapper(source: Source) -> Iterator[WrongCall]:
    wrapper = source.random.choice(source.words.wrappers)
    if source.arguments and wrapper not in source.tool.params and not source.tool.is_open:
        yield WrongCall(source.with_arguments({wrapper: json.dumps(source.arguments)}), (source.call,))


@form("2")
def short_names_for_a_pair(source: Source) -> Iterator[WrongCall]:
    """`unit` and `target` for `from_unit` and `to_unit`."""
    firsts = {"from": "to", "source": "destination"}
    names = {tuple(name_words(name)): name for name in source.arguments}
    for words, name in names.items():
        other = names.get((firsts.get(words[0], ""), *words[1:])) if words else None
        short = words[1] if len(words) == 2 else ""
        if other and short and short not in source.tool.params and not source.tool.is_open:
            changed = {
                short if one == name else "target" if one == other else one: v for one, v in source.arguments.items()
            }
            if "target" not in source.tool.params:
                yield WrongCall(source.with_arguments(changed), (source.call,), must_ask=not source.tool.is_read_only)
            return


@form("2")
def typo_and_number_in_text(source: Source) -> Iterator[WrongCall]:
    numbers = [name for name, value in source.arguments.items() if is_number(value)]
    for name in numbers:
        others = [one for one in source.arguments if one != name]
        changed = _misspell_parameter(source, {**source.arguments, name: f" {source.arguments[name]} "}, others)
        sent = source.with_arguments(changed[0]) if changed else source.call
        if changed and not source.tool.is_open and is_rejected(source, sent):
            yield WrongCall(sent, (source.call,))
            return


# single mistakes at any depth


@form("3")
def nested_typo(source: Source) -> Iterator[WrongCall]:
    """A misspelled field of an object inside the arguments."""
    places = [(at, value) for at, value in nested_values(source.arguments) if len(at) > 1 and isinstance(at[-1], str)]
    for at, _ in source.random.sample(places, len(places)):
        name, siblings = str(at[-1]), properties(source.tool.schema, schema_at(source.tool.schema, at[:-1]))
        wrong = misspell(name, source.random)
        is_clear = len(name) > 4 and wrong not in siblings and is_nearest(name, wrong, siblings)
        if is_clear and name in siblings:
            sent = Rename(at, wrong).applied_to(source.call)
            if is_rejected(source, sent) or any(source.tool.find_nested_unknown_arguments(sent.arguments)):
                yield WrongCall(sent, (source.call,))
            return


@form("3")
def misspelled_choice(source: Source) -> Iterator[WrongCall]:
    for at, value in values(source, "string"):
        choices = [one for one in as_list(schema_of(source, at).get("enum")) if isinstance(one, str)]
        wrong = misspell(value, source.random)
        if value in choices and wrong != value and is_nearest(value, wrong, choices):
            yield WrongCall(with_value(source, at, wrong), (source.call,))
            return


@form("2")
def two_misspelled_choices(source: Source) -> Iterator[WrongCall]:
    call, count = source.call, 0
    for at, value in values(source, "string"):
        choices = [one for one in as_list(schema_of(source, at).get("enum")) if isinstance(one, str)]
        wrong = misspell(value, source.random)
        if count < 2 and value in choices and wrong != value and is_nearest(value, wrong, choices):
            call, count = with_value_in(call, at, wrong), count + 1
    if count == 2:
        yield WrongCall(call, (source.call,))


@form("3")
def missing_nested_field(source: Source) -> Iterator[WrongCall]:
    places = [at for at, _ in nested_values(source.arguments) if len(at) > 1 and isinstance(at[-1], str)]
    for at in source.random.sample(places, len(places)):
        sent = Drop(at).applied_to(source.call)
        if is_rejected(source, sent):
            yield WrongCall(sent, (source.call,))
            return


# single mistakes


@form("classic")
def classic(source: Source) -> Iterator[WrongCall]:
    """One of the single mistakes of the audit; the form is named by its kind."""
    mistakes = list(generate_mistakes(source.call, source.tools.catalog, source.random))
    for mistake in source.random.sample(mistakes, min(2, len(mistakes))):
        kind = mistake.kind
        if kind == "tool.invented":
            yield WrongCall(mistake.call, (), "facts", note=kind)
            continue
        right = mistake.right
        if kind == "required.all_missing":
            right = Call(right.tool, {name: right.arguments[name] for name in source.tool.required})
        also = _limits(source, mistake.culprit) if kind.startswith("range.") else ()
        also = (*also, *(with_default(source, mistake.culprit) if kind == "required.missing" else ()))
        extras = frozenset({mistake.culprit} if kind == "parameter.stray" else ())
        can_fill = kind.startswith("required.")
        best = "retry" if mistake.is_repairable or can_fill or also else "facts"
        may_run = kind.startswith(("range.", "length."))
        yield WrongCall(mistake.call, (right, *also), best, extras=extras, may_run_as_sent=may_run, note=kind)


def _limits(source: Source, name: str) -> tuple[Call, ...]:
    """The calls with the nearest allowed number, which are a good offer."""
    schema = first_choice(source.tool.schema, source.tool.params.get(name))
    limits = [schema[key] for key in ("minimum", "maximum") if is_number(schema.get(key))]
    return tuple(Call(source.call.tool, {**source.arguments, name: limit}) for limit in limits)
