"""Forms of section 1: where a guess does harm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.forms.case import Source, WrongCall, form
from bench.forms.helpers import (
    entity_of,
    is_rejected,
    join_like,
    kinds_at,
    name_words,
    other_words,
    schema_of,
    shares_words,
    values,
    with_default,
    with_value,
)
from fingerpost.audit.generate.mutations import is_nearest, misspell
from fingerpost.engine.model import Call


def _missing_texts(source: Source) -> list[str]:
    """Return the required parameters that hold a free text."""
    given = [name for name in source.tool.required if isinstance(source.arguments.get(name), str)]
    return [
        name for name in given if kinds_at(source, (name,)) == ("string",) and "enum" not in schema_of(source, (name,))
    ]


def _fill_wrongly(source: Source, name: str, value: Any) -> Iterator[WrongCall]:
    """Leave out a required parameter and add an argument that is none of its business."""
    known = other_words(source)
    missing = _missing_texts(source)
    if missing and not shares_words(name, known) and not source.tool.is_open:
        lost = source.random.choice(missing)
        sent = source.with_arguments({**source.without(lost), name: value})
        right = (source.call, *with_default(source, lost))
        yield WrongCall(sent, right, extras=frozenset({name}), not_values=(value,), note=f"{lost} is missing")


@form("1")
def commentary_and_missing(source: Source) -> Iterator[WrongCall]:
    yield from _fill_wrongly(
        source, source.random.choice(source.words.commentary), source.random.choice(source.words.remarks)
    )


@form("1")
def harness_id_and_missing(source: Source) -> Iterator[WrongCall]:
    name = source.random.choice(source.words.harness)
    yield from _fill_wrongly(source, name, f"{name_words(name)[0]}-{source.random.randint(1000, 9999)}")


@form("1")
def other_entity_id_and_missing(source: Source) -> Iterator[WrongCall]:
    ids = [name for name in _missing_texts(source) if name_words(name)[-1:] == ["id"] and len(name_words(name)) > 1]
    entity = source.random.choice(source.words.entities)
    if ids and entity not in other_words(source):
        lost = source.random.choice(ids)
        name, value = join_like([entity, "id"], lost), f"{entity}-{source.random.randint(100, 999)}"
        sent = source.with_arguments({**source.without(lost), name: value})
        right = (source.call, *with_default(source, lost))
        yield WrongCall(sent, right, extras=frozenset({name}), not_values=(value,), note=f"{lost} is missing")


@form("1")
def confirmation_and_missing(source: Source) -> Iterator[WrongCall]:
    """A flag of the harness beside a missing required parameter of any type."""
    name = source.random.choice(("confirm", "confirmed", "user_approved", "is_safe", "requires_approval"))
    required = [one for one in source.tool.required if one in source.arguments]
    if required and not shares_words(name, other_words(source)) and not source.tool.is_open:
        lost = source.random.choice(required)
        sent = source.with_arguments({**source.without(lost), name: True})
        forbidden = () if source.arguments[lost] is True else (((lost,), True), ((lost,), "true"))
        right = (source.call, *with_default(source, lost))
        yield WrongCall(sent, right, extras=frozenset({name}), not_at=forbidden, note=f"{lost} is missing")


@form("3")
def commentary_only(source: Source) -> Iterator[WrongCall]:
    name, value = source.random.choice(source.words.commentary), source.random.choice(source.words.remarks)
    if not shares_words(name, other_words(source)) and not source.tool.is_open:
        sent = source.with_arguments({**source.arguments, name: value})
        yield WrongCall(sent, (source.call,), extras=frozenset({name}), not_values=(value,))


@form("1")
def generic_name(source: Source) -> Iterator[WrongCall]:
    """`input` for the only missing parameter: offered on read-only tools; on others the value stays a question."""
    missing, name = _missing_texts(source), source.random.choice(source.words.generic)
    if missing and name not in source.tool.params and not source.tool.is_open:
        lost = source.random.choice(missing)
        sent = source.with_arguments(source.renamed(lost, name))
        is_safe = source.tool.is_read_only
        yield WrongCall(sent, (source.call,), "retry" if is_safe else "facts", must_ask=True, note=f"{name} is {lost}")


@form("1")
def boolean_word(source: Source) -> Iterator[WrongCall]:
    for at, value in values(source, "boolean"):
        word = source.random.choice(source.words.true if value else source.words.false)
        sent = with_value(source, at, word)
        if is_rejected(source, sent):
            yield WrongCall(sent, (source.call,), not_at=((at, not value),))
            return


@form("1")
def unclear_boolean_word(source: Source) -> Iterator[WrongCall]:
    for at, value in values(source, "boolean"):
        sent = with_value(source, at, source.random.choice(source.words.unclear))
        both = (source.call, with_value(source, at, not value))
        yield WrongCall(sent, both, "facts", all_readings=True)
        return


# tools


def _swap_verb(source: Source, verb: str, other: str) -> str | None:
    """Replace the verb in the name of the tool; none if the list has a tool of that name."""
    words = name_words(source.tool.name)
    if verb not in words or len(words) < 2:
        return None
    at = source.tool.name.lower().index(verb)
    end = at + len(verb)
    displayed = other.capitalize() if source.tool.name[at].isupper() else other
    name = source.tool.name[:at] + displayed + source.tool.name[end:]
    taken = {tuple(name_words(tool.name)) for tool in source.tools.catalog}
    return name if tuple(name_words(name)) not in taken else None


def _same_thing(source: Source) -> Callable[[str], bool]:
    noun = entity_of(source.tool.name)
    return lambda name: bool(noun) and any(word.startswith(noun[:5]) for word in name_words(name))


@form("1")
def opposite_tool(source: Source) -> Iterator[WrongCall]:
    pairs = [*source.words.opposites, *[(right, left) for left, right in source.words.opposites]]
    for verb, other in pairs:
        if name := _swap_verb(source, verb, other):
            forbidden = frozenset({source.tool.name})
            sent = Call(name, source.arguments)
            yield WrongCall(
                sent, (), "facts", not_tools=forbidden, fits_tool=_same_thing(source), note=f"{verb} for {other}"
            )
            return


@form("1")
def destructive_neighbour(source: Source) -> Iterator[WrongCall]:
    """A call that only reads, where the nearest tool destroys."""
    if source.tool.is_read_only:
        return
    for verb in source.words.destructive:
        other = source.random.choice(source.words.harmless)
        if name := _swap_verb(source, verb, other):
            sent = Call(name, source.arguments)
            yield WrongCall(sent, (), "facts", not_tools=frozenset({source.tool.name}), fits_tool=_same_thing(source))
            return


@form("1")
def edit_for_overwrite(source: Source) -> Iterator[WrongCall]:
    """`edit_file`, where the nearest tool overwrites the whole."""
    for verb in ("write", "overwrite"):
        other = source.random.choice(("edit", "patch", "append", "modify"))
        if not source.tool.is_read_only and (name := _swap_verb(source, verb, other)):
            sent = Call(name, source.arguments)
            yield WrongCall(sent, (), "facts", not_tools=frozenset({source.tool.name}), fits_tool=_same_thing(source))
            return


@form("1")
def other_entity_tool(source: Source) -> Iterator[WrongCall]:
    words, entity = name_words(source.tool.name), source.random.choice(source.words.entities)
    known = {word.rstrip("s") for tool in source.tools.catalog for word in name_words(tool.name)}
    if len(words) == 2 and entity not in known and entity not in ("comment", "folder"):  # near `message` and `file`
        name = join_like([words[0], entity], source.tool.name)
        writing = frozenset(tool.name for tool in source.tools.catalog if not tool.is_read_only)
        yield WrongCall(Call(name, source.arguments), (), "facts", not_tools=writing)


# units


def _unit_params(source: Source) -> Iterator[tuple[str, list[str], str, str, float]]:
    for name, value in source.arguments.items():
        words = name_words(name)
        for unit, other, factor in source.words.units:
            if len(words) > 1 and words[-1] == unit and isinstance(value, int | float) and not isinstance(value, bool):
                yield name, words, unit, other, factor


@form("1")
def unit_left_out(source: Source) -> Iterator[WrongCall]:
    """`timeout: 5` for `timeout_ms`: the caller meant another number of milliseconds."""
    for name, words, _, _, _ in _unit_params(source):
        short = join_like(words[:-1], name)
        if short not in source.tool.params and (sent := _other_number(source, name, short)):
            yield sent
            return


@form("1")
def other_unit(source: Source) -> Iterator[WrongCall]:
    """`timeout_seconds: 5` for `timeout_ms`."""
    for name, words, _, other, _ in _unit_params(source):
        wrong = join_like([*words[:-1], other], name)
        if wrong not in source.tool.params and (sent := _other_number(source, name, wrong)):
            yield sent
            return


@form("1")
def unit_added(source: Source) -> Iterator[WrongCall]:
    """`timeout_ms: 5000` for `timeout`, whose unit is not known."""
    for name, value in source.arguments.items():
        words = name_words(name)
        unit = _UNITS_OF.get(words[-1]) if words and not set(words) & {"page", "batch", "chunk", "font"} else None
        if unit and isinstance(value, int | float) and not isinstance(value, bool):
            wrong = join_like([*words, unit], name if len(words) > 1 else f"{name}_")
            if wrong not in source.tool.params and (sent := _other_number(source, name, wrong)):
                yield sent
            return


_UNITS_OF = {
    **dict.fromkeys(("timeout", "duration", "delay", "interval", "wait", "ttl"), "ms"),
    **dict.fromkeys(("price", "amount", "budget", "cost"), "usd"),
    **{"size": "mb", "weight": "kg", "distance": "km", "temperature": "celsius", "width": "px", "height": "px"},
}


def _other_number(source: Source, name: str, wrong: str) -> WrongCall | None:
    value = source.arguments[name]
    number = value + 7 if isinstance(value, int) else round(value + 7.25, 2)
    sent = source.with_arguments({wrong if one == name else one: old for one, old in source.arguments.items()})
    sent = with_value_named(sent, wrong, number)
    if not is_rejected(source, sent) or source.tool.is_open:
        return None
    return WrongCall(sent, (source.call,), not_at=(((name,), number),), note=f"{wrong} is not {name}")


def with_value_named(call: Call, name: str, value: Any) -> Call:
    return Call(call.tool, {**call.arguments, name: value})


# arguments that have a place, and ties


@form("1")
def near_name_on_read_only_tool(source: Source) -> Iterator[WrongCall]:
    """An optional parameter with a typo: running without it ignores what was asked."""
    optional = [name for name in source.arguments if name not in source.tool.required and len(name) > 4]
    if source.tool.is_read_only and optional and not source.tool.is_open:
        name = source.random.choice(optional)
        wrong = misspell(name, source.random)
        if wrong not in source.tool.params and is_nearest(name, wrong, source.tool.params):
            yield WrongCall(
                source.with_arguments(source.renamed(name, wrong)), (source.call,), note=f"{wrong} is {name}"
            )


@form("1")
def tie(source: Source) -> Iterator[WrongCall]:
    """`path` for `source_path` or `destination_path`, with neither given."""
    given = [name for name in source.tool.required if len(name_words(name)) == 2]
    for first in given:
        for second in given:
            shared = name_words(first)[1]
            if (
                first < second
                and name_words(second)[1] == shared
                and shared not in source.tool.params
                and shared != "id"
            ):
                near = [name for name in source.tool.params if shared in name_words(name)]
                sent = source.with_arguments({**source.without(*near), shared: source.arguments[first]})
                if not source.tool.is_open and len(near) > 1:
                    yield WrongCall(sent, (), "facts", must_ask=True, note=f"{shared} may be {' or '.join(near)}")
                return


@form("1")
def name_with_shared_word(source: Source) -> Iterator[WrongCall]:
    """`file` for `filePath`, while a parameter without a shared word is given or free as well."""
    for name in source.arguments:
        words = name_words(name)
        head = words[0] if words else ""
        rivals = [one for one in source.tool.params if one != name and set(name_words(one)) & set(words)]
        if len(words) == 2 and words[1] in ("path", "name", "text", "url", "query") and head not in source.tool.params:
            if source.tool.is_open or any(head in name_words(one) for one in rivals):
                continue
            yield WrongCall(source.with_arguments(source.renamed(name, head)), (source.call,), note=f"{head} is {name}")
            return
