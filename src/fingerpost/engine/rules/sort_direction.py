"""A direction in the field to sort by: `-created` and `created:desc` are `created` in descending order.

It is split off only if a parameter beside the field takes one: a flag (`descending`, `reverse`) or the choices `asc`
and `desc`. That has to be unset, and the only one.
"""

from __future__ import annotations

from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.model import Applicability, Fix, Path, Replace
from fingerpost.engine.safety.json_input import as_list
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.values.sort_orders import field_words, parse_sort_order

_SORT_WORDS = frozenset({"sort", "order", "orderby", "sortby", "ordering", "sorting"})
_DESCENDING = frozenset({"desc", "descending", "reverse", "reversed"})
_ASCENDING = frozenset({"asc", "ascending"})
_BESIDE_FLAG = frozenset({"sort", "order", "is", "in", "ordering", "direction"})


def split_sort_direction(case: Case, at: Path, choices: list[Any]) -> Fix | None:
    """Return the fix that gives the field and the direction to their own parameters."""
    name = at[-1]
    if not isinstance(name, str) or _SORT_WORDS.isdisjoint(split_words(name)):
        return None
    order = parse_sort_order(case.value(at))
    if order is None:
        return None
    fields = [one for one in choices if isinstance(one, str) and field_words(one) == order.field]
    directions = _find_directions(case, at[:-1], is_descending=order.is_descending)
    if len(fields) != 1 or len(directions) != 1:
        return None
    edit = Replace(at[:-1], {**case.value(at[:-1]), name: fields[0], **directions})
    return Fix(edit, Applicability.MAYBE_INCORRECT, confidence=0.85)


def _find_directions(case: Case, holder: Path, *, is_descending: bool) -> dict[str, Any]:
    """Return the unset parameters that take a direction, each with the value for this one."""
    root, given = case.tool.schema, case.value(holder)
    found: dict[str, Any] = {}
    for name, schema in schemas.properties(root, case.schema(holder)).items():
        value = None if name in given else _direction(name, root, schema, is_descending=is_descending)
        if value is not None:
            found[name] = value
    return found


def _direction(name: str, root: schemas.Schema, schema: Any, *, is_descending: bool) -> str | bool | None:
    words = {*split_words(name)}
    kinds = schemas.types(root, schema)
    if "boolean" in kinds:
        if not words & (_DESCENDING | _ASCENDING) or not words - _DESCENDING - _ASCENDING <= _BESIDE_FLAG:
            return None
        return is_descending is bool(words & _DESCENDING)
    enum = next((layer["enum"] for layer in schemas.layers(root, schema) if "enum" in layer), None)
    choices = [one for one in as_list(enum) if isinstance(one, str)]
    wanted, other = (_DESCENDING, _ASCENDING) if is_descending else (_ASCENDING, _DESCENDING)
    same = [one for one in choices if one.lower() in wanted]
    return same[0] if len(choices) == 2 and len(same) == 1 and any(one.lower() in other for one in choices) else None
