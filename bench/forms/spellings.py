"""Forms of section 3 that spell a value in another way: numbers, flags, absent values, lists, dates, containers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from bench.forms.case import Source, WrongCall, form
from bench.forms.helpers import is_rejected, kinds_at, name_words, schema_of, values, with_value
from fingerpost.engine.model import Call, Path


def _respell(source: Source, kind: str, spell: Callable[[Any], Any], **allowed: Any) -> Iterator[WrongCall]:
    """Spell one value of a type in another way, at any depth."""
    for at, value in values(source, kind):
        wrong = spell(value)
        if wrong is not None and is_rejected(source, sent := with_value(source, at, wrong)):
            yield WrongCall(sent, (source.call,), **allowed)
            return


@form("3")
def number_as_text(source: Source) -> Iterator[WrongCall]:
    spellings = (" {} ", "{}.0", "+{}", "{}", "\t{}\n")
    yield from _respell(
        source, "integer", lambda value: source.random.choice(spellings).format(value) if value >= 0 else None
    )


@form("3")
def number_with_thousands(source: Source) -> Iterator[WrongCall]:
    yield from _respell(source, "integer", lambda value: f"{value:,}" if value >= 1000 else None)


@form("3")
def decimal_with_comma(source: Source) -> Iterator[WrongCall]:
    """`"1,250"` for a number may be a decimal: offered, never run."""
    yield from _respell(
        source, "number", lambda value: f"{value:,}" if value >= 1000 and value == int(value) else None, must_ask=True
    )


@form("3")
def number_with_sign(source: Source) -> Iterator[WrongCall]:
    yield from _respell(source, "integer", lambda value: f"{source.random.choice('#!')}{value}" if value >= 0 else None)


@form("3")
def number_with_unit(source: Source) -> Iterator[WrongCall]:
    """`"10 items"`: offered, never run."""
    unit = source.random.choice(source.words.counted)
    for at, value in values(source, "integer"):
        own = name_words(str(at[-1]))[-1:]
        has_unit = any(own == [one] for one, _, _ in source.words.units)
        if not has_unit and is_rejected(source, sent := with_value(source, at, f"{value}{unit}")):
            yield WrongCall(sent, (source.call,), must_ask=True)
            return


@form("3")
def number_in_other_unit(source: Source) -> Iterator[WrongCall]:
    """`timeout_ms: "5 minutes"`: the number must not stay."""
    for at, value in values(source, "integer"):
        own = name_words(str(at[-1]))[-1:]
        for unit, other, _ in source.words.units:
            if own == [unit]:
                number = value + 3
                sent = with_value(source, at, f"{number} {other}")
                yield WrongCall(sent, (source.call,), "facts", must_ask=True, not_at=((at, number),))
                return


@form("3")
def absent_word(source: Source) -> Iterator[WrongCall]:
    """`"null"` for an optional parameter that no text fits."""
    names = [one for one in source.tool.params if one not in source.tool.required and one not in source.tool.deprecated]
    source.random.shuffle(names)
    for name in names:
        right = source.with_arguments(source.without(name))
        sent = Call(right.tool, {**right.arguments, name: source.random.choice(source.words.absent)})
        if is_rejected(source, sent) and source.tool.accepts(right.arguments):
            yield WrongCall(sent, (right,), note=f"{name} is meant to be absent")
            return


def _containers(source: Source) -> Iterator[tuple[Path, Any]]:
    for kind in ("object", "array"):
        yield from ((at, value) for at, value in values(source, kind) if value)


def _respell_container(source: Source, spell: Callable[[Any], str | None], **allowed: Any) -> Iterator[WrongCall]:
    for at, value in _containers(source):
        wrong = spell(value)
        if wrong is not None and is_rejected(source, sent := with_value(source, at, wrong)):
            yield WrongCall(sent, (source.call,), **allowed)
            return


@form("3")
def json_in_text(source: Source) -> Iterator[WrongCall]:
    yield from _respell_container(source, lambda value: json.dumps(value, indent=source.random.choice((None, 2))))


@form("3")
def python_literal(source: Source) -> Iterator[WrongCall]:
    yield from _respell_container(source, repr)


@form("3")
def fenced_json(source: Source) -> Iterator[WrongCall]:
    yield from _respell_container(source, lambda value: f"```json\n{json.dumps(value, indent=2)}\n```")


@form("3")
def trailing_comma(source: Source) -> Iterator[WrongCall]:
    yield from _respell_container(source, lambda value: json.dumps(value)[:-1] + "," + json.dumps(value)[-1])


@form("3")
def smart_quotes(source: Source) -> Iterator[WrongCall]:
    def spell(value: Any) -> str | None:
        parts = json.dumps(value, ensure_ascii=False).split('"')
        return "".join(part + ("“”"[index % 2] if index < len(parts) - 1 else "") for index, part in enumerate(parts))

    yield from _respell_container(source, lambda value: spell(value) if "\\" not in json.dumps(value) else None)


@form("3")
def json_with_comments(source: Source) -> Iterator[WrongCall]:
    def spell(value: Any) -> str:
        text = json.dumps(value, indent=2)
        first, _, rest = text.partition("\n")
        return f"{first} // as agreed\n{rest}" if source.random.random() < 0.5 else f"{first} /* as agreed */\n{rest}"

    yield from _respell_container(source, spell)


@form("3")
def comma_list(source: Source) -> Iterator[WrongCall]:
    """`"a, b"` for a list: offered, never run."""
    for at, value in values(source, "array"):
        items = [item for item in value if isinstance(item, str) and "," not in item]
        if len(items) == len(value) > 1 and is_rejected(source, sent := with_value(source, at, ", ".join(items))):
            yield WrongCall(sent, (source.call,), must_ask=True)
            return


_WITH_COMMA = (
    "https://example.com/find?q=red,blue&page=2", '"Doe, Jane"', "rgb(10,20,30)", "[draft, final]", "f(a, b)",
    "https://example.com/a,b", "`left, right`",
)  # fmt: skip


@form("3")
def comma_inside_one_item(source: Source) -> Iterator[WrongCall]:
    """A single item with a comma that separates nothing."""
    for at, value in values(source, "array"):
        schema = schema_of(source, (*at, 0))
        text = source.random.choice(_WITH_COMMA)
        right = with_value(source, at, [text])
        sent = with_value(source, at, text)
        is_text = kinds_at(source, (*at, 0)) == ("string",) and "enum" not in schema
        if value and is_text and source.tool.accepts(right.arguments) and is_rejected(source, sent):
            parts = [part.strip() for part in text.split(",")]
            listed = [draft.strip("[] ") for draft in parts]
            also = (with_value(source, at, listed),) if text.startswith("[") else ()
            unquoted = (with_value(source, at, [text.strip('"')]),) if text.startswith('"') else ()
            split = [] if also else [((*at, index), part) for index, part in enumerate(parts)]
            yield WrongCall(sent, (right, *also, *unquoted), not_at=tuple(split))
            return


@form("3")
def value_in_object(source: Source) -> Iterator[WrongCall]:
    """`{"value": x}` for `x`."""
    for kind in ("string", "integer", "boolean", "number"):
        for at, value in values(source, kind):
            if is_rejected(source, sent := with_value(source, at, {"value": value})):
                yield WrongCall(sent, (source.call,))
                return


@form("3")
def item_in_list(source: Source) -> Iterator[WrongCall]:
    """`[x]` for `x`."""
    for kind in ("string", "integer", "object"):
        for at, value in values(source, kind):
            if is_rejected(source, sent := with_value(source, at, [value])):
                yield WrongCall(sent, (source.call,))
                return


@form("3")
def item_for_list(source: Source) -> Iterator[WrongCall]:
    yield from _respell(source, "array", lambda value: value[0] if len(value) == 1 else None)


# dates


def _dates(source: Source, shape: str) -> Iterator[tuple[Path, date]]:
    for at, value in values(source, "string"):
        if schema_of(source, at).get("format") == shape:
            yield at, date.fromisoformat(value[:10])


@form("3")
def clear_date(source: Source) -> Iterator[WrongCall]:
    for at, _ in _dates(source, "date"):
        day = date(2026, source.random.randint(1, 9), source.random.randint(1, 9))
        spellings = ("{0:%Y}-{1}-{2}", "{0:%Y/%m/%d}", "{2} {0:%b} {0:%Y}", "{0:%B} {2}, {0:%Y}", "{0:%Y.%m.%d}")
        wrong = source.random.choice(spellings).format(day, day.month, day.day)
        yield WrongCall(with_value(source, at, wrong), (with_value(source, at, day.isoformat()),), may_run_as_sent=True)
        return


@form("3")
def date_of_high_day(source: Source) -> Iterator[WrongCall]:
    """`25/06/2026` has one reading."""
    for at, _ in _dates(source, "date"):
        day = date(2026, source.random.randint(1, 9), source.random.randint(13, 28))
        wrong = source.random.choice((f"{day.day}/{day.month:02}/{day.year}", f"{day.month}/{day.day}/{day.year}"))
        yield WrongCall(with_value(source, at, wrong), (with_value(source, at, day.isoformat()),), may_run_as_sent=True)
        return


@form("3")
def ambiguous_date(source: Source) -> Iterator[WrongCall]:
    for at, _ in _dates(source, "date"):
        first, second = source.random.sample(range(1, 12), 2)
        both = tuple(
            with_value(source, at, date(2026, *pair).isoformat()) for pair in ((first, second), (second, first))
        )
        mark = source.random.choice("/-.")
        yield WrongCall(
            with_value(source, at, f"{first:02}{mark}{second:02}{mark}2026"),
            both,
            all_readings=True,
            may_run_as_sent=True,
        )
        return


@form("3")
def time_without_zone(source: Source) -> Iterator[WrongCall]:
    """The zone is the caller's: running the call with an invented one is wrong, offering it is fine."""
    for at, _ in _dates(source, "date-time"):
        hour = source.random.randint(10, 20)
        wrong = source.random.choice((f"2026-03-14T{hour}:30:00", f"2026-03-14 {hour}:30:00", f"2026-03-14 {hour}:30"))
        right = with_value(source, at, f"2026-03-14T{hour}:30:00Z")
        if is_rejected(source, sent := with_value(source, at, wrong)):
            yield WrongCall(sent, (right,), "facts")
        return


@form("3")
def spaces_around_value(source: Source) -> Iterator[WrongCall]:
    for at, value in values(source, "string"):
        sent = with_value(source, at, source.random.choice(("{} ", " {}", "{}\n", " {} ")).format(value))
        if is_rejected(source, sent):
            yield WrongCall(sent, (source.call,), may_run_as_sent=True)
            return


@form("3")
def sign_before_id(source: Source) -> Iterator[WrongCall]:
    """`"#C123"` for an id whose pattern has no sign."""
    for at, value in values(source, "string"):
        if is_rejected(source, sent := with_value(source, at, f"#{value}")) and "pattern" in schema_of(source, at):
            yield WrongCall(sent, (source.call,), may_run_as_sent=True)
            return


@form("3")
def file_url_for_path(source: Source) -> Iterator[WrongCall]:
    for at, value in values(source, "string"):
        is_path = {"path", "file", "filename", "directory"} & set(name_words(str(at[-1])))
        if is_path and is_rejected(source, sent := with_value(source, at, f"file://{value}")):
            yield WrongCall(sent, (source.call,), may_run_as_sent=True)
            return
