"""Repeat the edits of a few items in every item with the same slip.

Of a long list only the first wrong items are explained (see `schema/sample`). If ten thousand items have the same
misspelled field, the edit of the first is the edit of all: the same rename, the same kind of conversion, the same
value. Whether the result is valid is checked afterwards, on the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import is_not
from typing import Any, NamedTuple, TypeAlias, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Call, Drop, Edit, Path, Rename, Replace
from fingerpost.engine.safety.json_input import as_list, is_number, parse_json
from fingerpost.engine.schema.sample import MOST_ITEMS

_ABSENT: Any = object()
_INTEGER = lazy_pattern(r"[+-]?\d{1,15}")
_NUMBER = lazy_pattern(r"-?\d{1,15}(?:\.\d{1,15})?")
_CONTAINERS = (dict, list)
_BOOLEANS = {"true": True, "false": False}
_Conversion: TypeAlias = Callable[[Any], Any]
"""Returns the converted value, or `_ABSENT` for a value of another kind."""
_Change: TypeAlias = Callable[[Any, Any], Any]
"""Takes an object or list and a step into it; returns the changed copy, or the same one if the slip is not there."""


class Applied(NamedTuple):
    """An edit, and the call it was applied to."""

    edit: Edit
    before: Call


@dataclass
class _Repetition:
    """One edit of one item, to be repeated in the other items of its list."""

    at: Path
    """The place of the edit; steps into a large list or object stand for any of its items."""
    wild: frozenset[int]
    """The positions of those steps."""
    change: _Change
    places: int = 0

    @property
    def pattern(self) -> Path:
        return tuple("*" if depth in self.wild else step for depth, step in enumerate(self.at))

    def apply(self, node: Any, depth: int = 0) -> Any:
        """Return the value with every occurrence of the slip changed; parts without it are shared."""
        if depth == len(self.at) - 1:
            return self._change_items(node) if depth in self.wild else self._change_one(node)
        if isinstance(node, list) and depth == len(self.at) - 2 and depth in self.wild:
            return self._change_each(cast("list[Any]", node))
        if isinstance(node, list) and depth in self.wild:
            return [self.apply(item, depth + 1) for item in cast("list[Any]", node)]
        if isinstance(node, dict) and depth in self.wild:
            return {key: self.apply(item, depth + 1) for key, item in cast("dict[str, Any]", node).items()}
        return self._change_inside(node, depth)

    def _change_inside(self, node: Any, depth: int) -> Any:
        """Follow the steps to the next large container or to the slip, without a call for each step."""
        holders: list[tuple[Any, str | int]] = []
        inner, last = node, len(self.at) - 1
        while depth < last and depth not in self.wild:
            step = self.at[depth]
            if not _has(inner, step):
                return node
            holders.append((inner, step))
            inner, depth = inner[step], depth + 1
        changed = self.apply(inner, depth)
        if changed is inner:
            return node
        for holder, step in reversed(holders):
            copy = holder.copy()
            copy[step] = changed
            changed = copy
        return changed

    def _change_each(self, items: list[Any]) -> list[Any]:
        """Change a field of each item of a large list."""
        change, last = self.change, self.at[-1]
        changed = [change(item, last) if isinstance(item, _CONTAINERS) else item for item in items]
        self.places += sum(map(is_not, changed, items))
        return changed

    def _change_items(self, node: Any) -> Any:
        """Change the items of a large list themselves."""
        held = [self.change({"": item}, "")[""] for item in as_list(node)]
        self.places += sum(new is not old for new, old in zip(held, as_list(node), strict=True))
        return held if isinstance(node, list) else node

    def _change_one(self, node: Any) -> Any:
        changed = self.change(node, self.at[-1]) if isinstance(node, dict | list) else node
        self.places += changed is not node
        return changed


def repeat_edits(call: Call, applied: Iterable[Applied]) -> tuple[Call, int]:
    """Repeat edits of items in the other items of their lists; return the call and the number of further places."""
    arguments, places = call.arguments, 0
    done: set[tuple[type, Path]] = set()
    for edit, before in applied:
        repetition = _generalize(edit, before)
        if repetition and (type(edit), repetition.pattern) not in done:
            done.add((type(edit), repetition.pattern))
            arguments = repetition.apply(arguments)
            places += repetition.places
    return (Call(call.tool, arguments), places) if places else (call, 0)


def _generalize(edit: Edit, before: Call) -> _Repetition | None:
    if not isinstance(edit, Rename | Replace | Drop) or not edit.at:
        return None
    wild = _find_large_containers(before.arguments, edit.at, is_value=isinstance(edit, Replace))
    return _Repetition(edit.at, wild, _change_of(edit, before)) if wild else None


def _find_large_containers(arguments: Any, at: Path, *, is_value: bool) -> frozenset[int]:
    """Return the positions in a path of the steps into a list or object that is large."""
    node, wild = arguments, set[int]()
    for depth, step in enumerate(at):
        is_item = depth < len(at) - 1 or (is_value and isinstance(node, list))
        if is_item and isinstance(node, dict | list) and len(cast("dict[str, Any]", node)) > MOST_ITEMS and depth:
            wild.add(depth)
        if not _has(node, step):
            break
        node = _value_or_absent(node, (step,))
    return frozenset(wild)


def _has(node: Any, step: str | int) -> bool:
    if isinstance(node, list):
        return isinstance(step, int) and step < len(cast("list[Any]", node))
    return isinstance(node, dict) and step in node


def _change_of(edit: Rename | Replace | Drop, before: Call) -> _Change:
    """Return what an edit does to one object, as a function of any object and the name in it."""
    sent = _value_or_absent(before.arguments, edit.at)
    if isinstance(edit, Rename):
        return _renaming(edit.to)
    if isinstance(edit, Drop):
        return _dropping(sent)
    if sent is _ABSENT:
        return _adding(edit.value)
    return _converting(_find_conversion(sent, edit.value))


def _value_or_absent(node: Any, at: Path) -> Any:
    for step in at:
        if not _has(node, step):
            return _ABSENT
        node = node[step]
    return node


# A change is called for every item of a large list, so it is one function and not several.


def _adding(value: Any) -> _Change:
    def add(node: Any, key: Any) -> Any:
        if not isinstance(node, dict) or key in node:
            return cast("Any", node)
        return {**cast("dict[str, Any]", node), key: value}

    return add


def _renaming(to: str) -> _Change:
    def rename(node: Any, key: Any) -> Any:
        if not isinstance(node, dict) or key not in node or to in node:
            return cast("Any", node)
        fields = cast("dict[str, Any]", node)
        return {to if name == key else name: value for name, value in fields.items()}

    return rename


def _dropping(sent: Any) -> _Change:
    def drop(node: Any, key: Any) -> Any:
        if not isinstance(node, dict) or key not in node or node[key] != sent:
            return cast("Any", node)
        return {name: value for name, value in cast("dict[str, Any]", node).items() if name != key}

    return drop


def _converting(convert: _Conversion) -> _Change:
    def change(node: Any, key: Any) -> Any:
        if not _has(node, key) or (value := convert(node[key])) is _ABSENT:
            return node
        copy = node.copy()
        copy[key] = value
        return copy

    return change


def _find_conversion(sent: Any, value: Any) -> _Conversion:
    """Return the conversion that made `value` of `sent`, for other values too; else one for equal values only."""
    for convert in (_to_integer, _to_number, _to_boolean, _to_text, _to_list, _to_json):
        if type(made := convert(sent)) is type(value) and made == value:
            return convert
    return lambda other: value if type(other) is type(sent) and other == sent else _ABSENT


def _to_integer(value: Any) -> Any:
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else _ABSENT


def _to_number(value: Any) -> Any:
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else _ABSENT


def _to_boolean(value: Any) -> Any:
    return _BOOLEANS.get(value.lower(), _ABSENT) if isinstance(value, str) else _ABSENT


def _to_text(value: Any) -> Any:
    return str(value) if is_number(value) else _ABSENT


def _to_list(value: Any) -> Any:
    return _ABSENT if isinstance(value, list) else [value]


def _to_json(value: Any) -> Any:
    parsed = parse_json(value) if isinstance(value, str) else value
    return _ABSENT if parsed is value else parsed
