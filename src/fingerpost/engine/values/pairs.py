"""A list of pairs for an object with free names: `[{"key": "ENV", "value": "prod"}]` for `{"ENV": "prod"}`.

Every item has to consist of a name and a value, under the same two words, and no name may repeat. An object that
declares its fields gets the pairs only if they name declared fields; one that declares the two words themselves is an
object with these fields, and the list around it is too much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.values.slot import Candidate, Slot

_NAMES = frozenset({
    "attribute", "column", "dimension", "env", "field", "header", "k", "key", "label", "name", "option", "param",
    "parameter", "prop", "property", "setting", "tag", "var", "variable",
})  # fmt: skip
_VALUES = frozenset({"v", "val", "value"})
_MOST_PAIRS = 200


def read_pairs(slot: Slot) -> Iterator[Candidate]:
    """Yield the object whose names and values the items of a list are."""
    items = [as_object(item) for item in as_list(slot.value)]
    if "object" not in slot.kinds or not 0 < len(items) <= _MOST_PAIRS or not is_pair(items[0], slot):
        return
    name, value = (_find_field(items[0], words) for words in (_NAMES, _VALUES))
    if not name or any(item.keys() != {name, value} or not _is_name(item[name]) for item in items):
        return
    pairs = {item[name]: item[value] for item in items}
    if len(pairs) == len(items) and (not slot.fields or pairs.keys() <= {*slot.fields}):
        yield Candidate(pairs, confidence=0.85)


def is_pair(item: Any, slot: Slot) -> bool:
    """Whether an item is a name and a value, and the object in its place does not declare these fields."""
    fields = as_object(item)
    is_named = len(fields) == 2 or _find_field(fields, _NAMES) != ""
    return is_named and _find_field(fields, _VALUES) != "" and not fields.keys() <= {*slot.fields}


def _find_field(item: Mapping[str, Any], words: frozenset[str]) -> str:
    """Return the only field that ends with one of these words; empty if there is none."""
    found = [key for key in item if _last_word(key) in words]
    return found[0] if len(found) == 1 else ""


def _last_word(key: str) -> str:
    words = split_words(key)
    return stem(words[-1]) if words else ""


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
