"""Write the lists of a corrected call in few words: `[{pattern: "a"}, <999 more items, corrected alike>]`."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import groupby
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.engine.phrases import Placeholder, count_noun
from fingerpost.engine.safety.json_input import as_list, as_object

_MANY_ITEMS = 3


class _MoreItems(Placeholder):
    """Stands for items that were changed like the one in front of them."""

    __slots__ = ()


def leave_out_items(call: Call, sent: Call, *, keeps_changes: bool) -> Call:
    """Return the call with only a number for items as sent, and for those changed alike unless `keeps_changes`."""
    untouched = {id(item) for value in as_object(sent.arguments).values() for item in as_list(value)}
    arguments = as_object(call.arguments)
    lists = {name: items for name, value in arguments.items() if (items := as_list(value)) and not _is_in(value, sent)}
    fewer = {name: list(_few(items, untouched, keeps_changes)) for name, items in lists.items()}
    return Call(call.tool, {**arguments, **fewer})


def leaves_out_changes(call: Call) -> bool:
    """Whether items that were changed are left out, so that the caller has to change them."""
    lists = [as_list(value) for value in as_object(call.arguments).values()]
    return any(isinstance(item, _MoreItems) for items in lists for item in items)


def _is_in(value: Any, sent: Call) -> bool:
    return any(value is other for other in as_object(sent.arguments).values())


def _few(items: list[Any], untouched: Container[int], keeps_changes: bool) -> Iterator[Any]:
    start = 0
    for is_as_sent, run in groupby(map(untouched.__contains__, map(id, items))):
        group = items[start : start + sum(1 for _ in run)]
        start += len(group)
        if is_as_sent:
            yield Placeholder(f"<{count_noun(len(group), 'item')} as sent>")
        elif keeps_changes or len(group) < _MANY_ITEMS or not _are_alike(group):
            yield from group
        else:
            yield group[0]
            yield _MoreItems(f"<{len(group) - 1:,} more items, corrected alike>")


def _are_alike(items: list[Any]) -> bool:
    """Whether all items are objects with the same fields as the first, or all are values of the same type."""
    first = items[0]
    if not isinstance(first, dict):
        return not isinstance(first, list) and all(type(item) is type(first) for item in items)
    names = cast("dict[str, Any]", first).keys()
    return (
        all(isinstance(item, dict) for item in items)
        and set(map(len, items)) == {len(names)}
        and set[str]().union(*items) == names
    )
