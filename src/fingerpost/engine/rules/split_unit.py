"""A number with a unit that has a parameter of its own: `value: "5 km"` is `value: 5, from_unit: "km"`.

The unit has to be one of the choices of exactly one unset parameter that names the unit of this value: `unit`,
`from_unit`, or `weight_unit` for `weight`. The unit of a result (`to_unit`) is none. If the value's own parameter names
a unit, its number counts in that one, so nothing is split. Nor is it if the unit would change what another number
means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Applicability, Fix, Path, Replace
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.values.slot import Slot
from fingerpost.engine.values.units import SOURCE_WORDS, find_quantity, find_units, is_same_unit, takes_unit

_MAX_CHOICES = 200
_MAX_ARGUMENTS = 32


def split_unit(case: Case, at: Path) -> Fix | None:
    """Return the fix that gives the number at `at` and its unit to their own parameters."""
    split = _split(case, at)
    return _fix(at[:-1], split) if split else None


def find_split(case: Case, at: Path) -> Fix | None:
    """Return the fix that fills the missing parameter at `at` with the unit of an argument beside it."""
    if not _may_be_unit(at):
        return None
    given = as_object(case.value(at[:-1]))
    every = (_split(case, (*at[:-1], name)) for name in list(given)[:_MAX_ARGUMENTS])
    splits = [split for split in every if split and at[-1] in split]
    return _fix(at[:-1], splits[0]) if len(splits) == 1 else None


def _fix(holder: Path, split: Mapping[str, Any]) -> Fix:
    return Fix(Replace(holder, split), Applicability.MAYBE_INCORRECT, confidence=0.85)


def _split(case: Case, at: Path) -> Mapping[str, Any] | None:
    """Return the arguments beside `at` with the number and its unit apart."""
    name = at[-1]
    if not isinstance(name, str) or not isinstance(case.value(at), str) or case.is_secret(at):
        return None
    root, schema, holder = case.tool.schema, case.schema(at), at[:-1]
    slot = Slot(case.value(at), schemas.types(root, schema), name=name, layers=tuple(schemas.layers(root, schema)))
    quantity = find_quantity(slot)
    if quantity is None or find_units(slot):
        return None
    found = dict(_find_choices(case, holder, name, quantity.unit))
    return {**case.value(holder), name: quantity.number, **found} if len(found) == 1 else None


def _may_be_unit(at: Path) -> bool:
    return takes_unit(str(at[-1]), "km") or takes_unit(str(at[-1]), "EUR")


def _find_choices(case: Case, holder: Path, name: str, unit: str) -> Iterator[tuple[str, Any]]:
    """Yield the unset parameters for the unit of a value, each with its choice for this unit."""
    root, given = case.tool.schema, case.value(holder)
    own = {*map(stem, split_words(name))}
    declared = schemas.properties(root, case.schema(holder))
    is_only_number = not any("number" in schemas.types(root, declared.get(one, {})) for one in given if one != name)
    for other, schema in declared.items():
        words = {*map(stem, split_words(other)[:-1])}
        is_for_it = words <= own | SOURCE_WORDS and (is_only_number or not own.isdisjoint(words))
        if other in given or not takes_unit(other, unit) or not is_for_it:
            continue
        layers = schemas.layers(root, schema)
        choices = as_list(next((layer["enum"] for layer in layers if "enum" in layer), None))[:_MAX_CHOICES]
        same = [choice for choice in choices if isinstance(choice, str) and is_same_unit(choice, unit)]
        if len(same) == 1:
            yield other, same[0]
