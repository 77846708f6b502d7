"""A field to sort by and a direction, in any notation: `price:desc`, `desc price`, `-price`, `price descending`.

Both have to be those of the choice. That the words stand in another order or between other separators is likely a
habit. A sign may mean something else, so a choice for it is offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.slot import Candidate, Slot, likely

_MAX_LENGTH = 64
_MOST_CHOICES = 200
_SIGNS = ("-", "+")
_DESCENDING = frozenset({"desc", "descending", "dsc"})
_ASCENDING = frozenset({"asc", "ascending"})
_BESIDE = frozenset({"sort", "sorted", "sortby", "order", "ordered", "orderby", "by", "in"})


class SortOrder(NamedTuple):
    field: tuple[str, ...]
    """The words of the field, as stems."""
    is_descending: bool


def read_sort_order(slot: Slot) -> Iterator[Candidate]:
    """Yield the only choice with the same field and the same direction."""
    sent = parse_sort_order(slot.value) if 1 < len(slot.choices) <= _MOST_CHOICES else None
    same = [choice for choice in slot.choices if sent and _order_of(choice, slot.choices) == sent]
    if len(same) == 1:
        is_signed = str(slot.value).strip().startswith(_SIGNS)
        yield Candidate(same[0], confidence=0.85) if is_signed else likely(same[0])


def parse_sort_order(text: Any) -> SortOrder | None:
    """Return the field and the direction of a text; none if it lacks one of them or has two directions."""
    if not isinstance(text, str) or len(text) > _MAX_LENGTH:
        return None
    bare = text.strip()
    words = map(str.lower, split_words(bare))
    directions = [word in _DESCENDING for word in words if word in _DESCENDING | _ASCENDING]
    directions += [bare[0] == "-"] if bare.startswith(_SIGNS) else []
    field = field_words(bare)
    return SortOrder(field, directions[0]) if field and len(directions) == 1 else None


def field_words(text: str) -> tuple[str, ...]:
    """Return the words of a field, as stems, without a direction."""
    words = map(str.lower, split_words(text))
    return tuple(stem(word) for word in words if word not in _DESCENDING | _ASCENDING | _BESIDE)


def _order_of(choice: Any, choices: tuple[Any, ...]) -> SortOrder | None:
    """Return what a choice sorts by. Beside `-name`, `name` is in ascending order."""
    if isinstance(choice, str) and f"-{choice}" in choices:
        return SortOrder(field_words(choice), is_descending=False)
    return parse_sort_order(choice)
