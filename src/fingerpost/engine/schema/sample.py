"""Validate a small sample of a large value, so that explaining a mistake does not grow with the value.

A validator builds every error before it returns the first, and copies the value into each. So of a long list or a
wide object only the first few wrong items are validated for an explanation, at their own indexes. Whether the whole
is valid is decided by the validator on the whole, which stops at the first error and costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from fingerpost.engine.model import Path, Violation, value_at

MOST_ITEMS = 24
"""A list or object with more items is large: only a few of them are explained."""

MOST_EXPLAINED = 3
"""How many wrong items of a large list or object are explained."""

_MOST_NAMES = 64
_MAX_DEPTH = 64
_CONTAINERS = (dict, list)
_COUNT_KEYWORDS = frozenset({
    "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "minProperties", "maxProperties",
})  # fmt: skip

_MISSING_KEYWORDS = frozenset({"required", "dependentRequired"})

Step: TypeAlias = str | int
FindWrong: TypeAlias = Callable[[Path, Any, int], Sequence[Step]]
"""Finds the first wrong items of the container at a path, at most so many."""


def is_large(value: Any) -> bool:
    """Whether a value contains a list or an object with many items."""
    pending: list[Any] = [value]
    for node in pending:
        if isinstance(node, _CONTAINERS):
            items = cast("dict[str, Any] | list[Any]", node)
            if len(items) > MOST_ITEMS:
                return True
            inner = items.values() if isinstance(items, dict) else items
            pending += [item for item in inner if isinstance(item, _CONTAINERS)]
    return False


@dataclass(frozen=True)
class Focus:
    """Which items of the large lists and objects of a call are looked at. It stays the same while the call is fixed."""

    find_wrong: FindWrong
    declared: frozenset[str]
    """Every name that the schema declares anywhere. Such fields of a wide object are always looked at."""
    steps: dict[Path, Sequence[Step]] = field(default_factory=dict[Path, Sequence[Step]])

    def sample(self, value: Any, at: Path = ()) -> tuple[Any, dict[Path, Sequence[Step]]]:
        """Return a copy of the value with the items in focus only, and the steps that were kept, by path in it."""
        kept: dict[Path, Sequence[Step]] = {}
        return self._copy(value, at, (), kept), kept

    def choose(self, at: Path, node: dict[str, Any] | list[Any]) -> Sequence[Step]:
        """Return the items of a large container that are looked at: the first, and the first wrong ones."""
        if at not in self.steps:
            wrong = self.find_wrong(at, node, MOST_EXPLAINED)
            if isinstance(node, list):
                self.steps[at] = sorted({0, *wrong}, key=cast("Callable[[Step], int]", int))
            else:
                names = [name for name in node if name in self.declared][:_MOST_NAMES]
                self.steps[at] = list(dict.fromkeys([*names, *wrong, *list(node)[:MOST_EXPLAINED]]))
        return [step for step in self.steps[at] if _has(node, step)]

    def _copy(self, node: Any, at: Path, to: Path, kept: dict[Path, Sequence[Step]]) -> Any:
        if not isinstance(node, dict | list) or len(at) > _MAX_DEPTH:
            return cast("Any", node)
        items = cast("dict[str, Any] | list[Any]", node)
        steps: Iterable[Step] = range(len(items)) if isinstance(items, list) else items
        if len(items) > MOST_ITEMS:
            kept[to] = steps = self.choose(at, items)
        if isinstance(items, list):
            return [
                self._copy(items[cast("int", step)], (*at, step), (*to, index), kept)
                for index, step in enumerate(steps)
            ]
        return {step: self._copy(items[cast("str", step)], (*at, step), (*to, step), kept) for step in steps}


def _has(node: dict[str, Any] | list[Any], step: Step) -> bool:
    return step in node if isinstance(node, dict) else isinstance(step, int) and step < len(node)


def locate(violations: Iterable[Violation], kept: Mapping[Path, Sequence[Step]], whole: Any) -> Iterable[Violation]:
    """Yield the violations of a sample with their places in the whole, without those that only the sample has."""
    for violation in violations:
        at = original_path(violation.at, kept)
        is_of_sample = violation.at in kept and (
            violation.keyword in _COUNT_KEYWORDS
            or (violation.keyword in _MISSING_KEYWORDS and _has_any(value_at(whole, at), violation.expected))
        )
        if not is_of_sample:
            yield replace(violation, at=at)


def _has_any(fields: Any, names: Any) -> bool:
    """Whether an object has the name, or one of the names, that its sample lacks."""
    return any(name in fields for name in (cast("list[Any]", names) if isinstance(names, list) else [names]))


def original_path(at: Path, kept: Mapping[Path, Sequence[Step]]) -> Path:
    """Return the place in the whole of a place in its sample."""
    return tuple(
        kept[at[:depth]][step] if isinstance(step, int) and at[:depth] in kept else step
        for depth, step in enumerate(at)
    )
