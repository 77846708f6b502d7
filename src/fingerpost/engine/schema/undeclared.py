"""Find names inside the arguments that no schema declares: a server would silently drop them.

`Declared` is a schema with its children read once, so that a large value costs little to check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias, cast

from fingerpost.engine.model import Path
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.schema import walk
from fingerpost.engine.schema.sample import MOST_EXPLAINED, MOST_ITEMS

UnknownArguments: TypeAlias = tuple[Path, dict[str, Any], list[str]]
"""The path of an object, the properties it declares, and the names in it that are not declared."""

_FEW_NAMES = 64
_ANY_NAME = ""
_CONTAINERS = (dict, list)


def find_nested_unknown_arguments(declared: Declared, value: Any) -> Iterator[UnknownArguments]:
    """Find objects inside a value with names that their schema neither declares, forbids nor explicitly allows.

    Of a long list or a wide object, only the first few such items are returned.
    """
    if not declared.has_any_unknown(value):
        return
    pending: list[tuple[Path, Declared, Any, bool]] = [((), declared, value, False)]
    returned = Counter[Path]()
    while pending:
        at, schema, part, is_in_long = pending.pop()
        fields = as_object(part)
        if fields and at and schema.has_unknown(fields):
            kind = tuple("*" if isinstance(step, int) else step for step in at[:-1])
            returned[kind] += 1
            if not is_in_long or returned[kind] <= MOST_EXPLAINED:
                yield at, schema.declared, [name for name in fields if name not in schema.declared]
        if len(at) < walk.MAX_DEPTH:
            is_long = is_in_long or len(fields or as_list(part)) > MOST_ITEMS
            pending += [((*at, step), schema.child(step), part[step], is_long) for step in reversed(schema.steps(part))]


class Declared:
    """What a schema declares, computed once for all items of a list and all calls of a tool."""

    def __init__(self, root: walk.Schema, node: Any, family: list[Any] | None = None) -> None:
        self._root, self._node = root, node
        self._children: dict[str | int, Declared] = {}
        self._family = [] if family is None else family
        self._family.append(None)

    @property
    def is_full(self) -> bool:
        """Whether so much was computed that it should be forgotten: a recursive schema has no end."""
        return len(self._family) > walk.MAX_NODES

    @cached_property
    def declared(self) -> dict[str, Any]:
        return walk.properties(self._root, self._node)

    @cached_property
    def is_checked(self) -> bool:
        """Whether undeclared names are neither explicitly allowed nor forbidden."""
        return bool(self.declared) and not walk.is_open(self._root, self._node) and not self._is_closed

    @cached_property
    def _is_closed(self) -> bool:
        return walk.is_closed(self._root, self._node)

    def has_unknown(self, fields: Mapping[str, Any]) -> bool:
        """Whether an object has names that a server would silently drop."""
        return self.is_checked and not self.declared.keys() >= fields.keys()

    def has_any_unknown(self, value: Any) -> bool:
        """Whether any object inside a value has such names. Fast: parts of the same schema are checked together."""
        level: dict[Declared, list[Any]] = {self: [value]} if isinstance(value, _CONTAINERS) else {}
        for depth in range(walk.MAX_DEPTH + 1):
            inner: dict[Declared, list[Any]] = {}
            for schema, nodes in level.items():
                objects: list[dict[str, Any]] = [node for node in nodes if isinstance(node, dict)]
                if depth and schema.is_checked and not schema.declared.keys() >= set[str]().union(*objects):
                    return True
                schema.collect_inner(nodes, inner)
            if not inner:
                return False
            level = inner
        return False

    def collect_inner(self, nodes: list[Any], inner: dict[Declared, list[Any]]) -> None:
        """Add the lists and objects in some values of this schema to `inner`, by their own schema."""
        is_last = (self.is_checked or self._is_closed) and not self._may_nest  # what it forbids has no schema to check
        if is_last and all(isinstance(node, dict) for node in nodes):
            return
        objects = [cast("dict[str, Any]", node) for node in nodes if isinstance(node, dict)]
        names = set[str]().union(*objects)
        if len(names) <= _FEW_NAMES:  # one name in all objects together is faster than all names of one object
            for name in names:
                self._add(name, [item for one in objects if isinstance(item := one.get(name), _CONTAINERS)], inner)
        else:
            for one in objects:
                for name, item in one.items():
                    self._add(name, [item] if isinstance(item, _CONTAINERS) else [], inner)
        for node in nodes:
            if isinstance(node, list):
                self._collect_items(cast("list[Any]", node), inner)

    def _collect_items(self, items: list[Any], inner: dict[Declared, list[Any]]) -> None:
        if self._has_same_items:
            self._add(0, [item for item in items if isinstance(item, _CONTAINERS)], inner)
            return
        for index, item in enumerate(items):
            self._add(index, [item] if isinstance(item, _CONTAINERS) else [], inner)

    def _add(self, step: str | int, values: list[Any], inner: dict[Declared, list[Any]]) -> None:
        if values:
            inner.setdefault(self.child(step), []).extend(values)

    @cached_property
    def _may_nest(self) -> bool:
        """Whether a value of this schema may contain lists or objects."""
        inner = [walk.types(self._root, one) for one in self.declared.values()]
        return not self.declared or any(not kinds or {"object", "array"}.intersection(kinds) for kinds in inner)

    def steps(self, part: Any) -> list[Any]:
        """Return the steps to the lists and objects in a value that are worth looking at."""
        if isinstance(part, dict):
            return self._names(cast("dict[str, Any]", part))
        items = as_list(part)
        if len(items) > MOST_ITEMS and self._has_same_items and not (inner := self.child(0))._may_nest:
            wrong = (index for index, item in enumerate(items) if inner.has_unknown(as_object(item)))
            return list(islice(wrong, MOST_EXPLAINED))
        return [index for index, item in enumerate(items) if isinstance(item, dict | list)]

    def _names(self, fields: Mapping[str, Any]) -> list[str]:
        if len(fields) <= MOST_ITEMS:
            return [name for name, item in fields.items() if isinstance(item, dict | list)]
        known = [name for name in self.declared if isinstance(fields.get(name), dict | list)]
        others = [name for name in fields if name not in self.declared and isinstance(fields[name], dict | list)]
        if others and not (inner := self.child(others[0]))._may_nest:
            wrong = (name for name in others if inner.has_unknown(as_object(fields[name])))
            others = list(islice(wrong, MOST_EXPLAINED))
        return known + others

    @cached_property
    def _has_same_items(self) -> bool:
        """Whether every item of a list has the same schema."""
        return not any(
            "prefixItems" in layer or isinstance(layer.get("items"), list)
            for layer in walk.layers(self._root, self._node)
        )

    def child(self, step: str | int) -> Declared:
        key = 0 if isinstance(step, int) and self._has_same_items else step
        if isinstance(key, str) and key not in self.declared:
            key = _ANY_NAME
        if key not in self._children:
            self._children[key] = Declared(self._root, walk.child(self._root, self._node, step), self._family)
        return self._children[key]
