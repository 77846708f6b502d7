"""The fields of a tool's object parameters, which callers sometimes send at the top level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fingerpost.engine.matching.entities import is_about, is_entity
from fingerpost.engine.matching.lexicon import share_group
from fingerpost.engine.matching.qualifiers import is_filler
from fingerpost.engine.matching.spelling import normal_form, spelling, split_words, stem
from fingerpost.engine.model import Path
from fingerpost.engine.schema import walk as schemas

if TYPE_CHECKING:
    from fingerpost.engine.case import Case

_PLAIN_WORDS = frozenset(map(stem, ("contact", "primary", "main", "name", "address", "number")))


def find_nested_fields(case: Case) -> Mapping[str, Path]:
    """Return the path of each field that occurs in exactly one place inside the object parameters and is not set.

    A field that is named like a parameter is left out: an argument of this name is for the parameter.
    """
    declared = set(map(normal_form, case.tool.params))
    places: dict[str, list[Path]] = {}
    for path in case.tool.nested_fields:
        if (name := normal_form(str(path[-1]))) not in declared:
            places.setdefault(name, []).append(path)
    only = (found[0] for found in places.values() if len(found) == 1)
    return {str(path[-1]): path for path in only if is_free(case, path)}


def find_homes(case: Case, name: str) -> list[Path]:
    """Return every place inside the object parameters whose field is called exactly so; none for a parameter."""
    letters = spelling(name)
    homes = [path for path in case.tool.nested_fields if spelling(str(path[-1])) == letters]
    is_parameter = bool(homes) and any(spelling(parameter) == letters for parameter in case.tool.params)
    return [] if is_parameter else homes


def select_fields(case: Case, stray: str, nested: Mapping[str, Path]) -> list[str]:
    """Return the fields that an argument at the top may be. One that is called exactly like a field is no other field.

    It is none at all if a required parameter is missing that it may be: the `id` of a workflow, not that of a part.
    """
    homes = find_homes(case, stray)
    if not homes:
        return list(nested)
    return [] if may_be_missing(case, (), stray, homes) else [name for name, path in nested.items() if path in homes]


def may_be_missing(case: Case, holder: Path, stray: str, places: Iterable[Path]) -> bool:
    """Whether an object lacks a required field that could take the value of an undeclared one, by name and type.

    What lacks because of the value itself, the object of one of its `places`, does not count.
    """
    root, schema = case.tool.schema, case.schema(holder)
    kind = schemas.type_name(case.value((*holder, stray)))
    kinds = {kind, "number"} if kind == "integer" else {kind}
    known = {path[len(holder)] for path in places if len(path) > len(holder)}
    required = [name for name in schemas.find_required(root, schema) if name not in known]
    missing = [name for name in required if not case.has((*holder, name)) and _are_related(stray, name)]
    return any(not kinds.isdisjoint(schemas.types(root, case.schema((*holder, name)))) for name in missing)


def _are_related(one: str, other: str) -> bool:
    """Whether two names have a word in common, or are synonyms."""
    if not stems_of(one).isdisjoint(stems_of(other)):
        return True
    return share_group("parameters", *("".join(map(stem, split_words(name))) for name in (one, other)))


def find_prefixed_fields(case: Case, strays: Iterable[str]) -> Mapping[str, Path]:
    """Return the place of each argument that is named by the words of an object and of its field.

    `guest_email` is `guest.email`, `min_price` is `price.min`, `window_end` is `schedule.window.end`. Two fields with
    the same words have no place.
    """
    places: dict[frozenset[str] | str, list[Path]] = {}
    for path in case.tool.nested_fields:
        for start in range(len(path) - 1):
            places.setdefault(stems_of(*path[start:]), []).append(path)
            places.setdefault("".join(normal_form(str(step)) for step in path[start:]), []).append(path)
    found = {stray: places.get(stems_of(stray)) or places.get(normal_form(stray), []) for stray in strays}
    return {stray: paths[0] for stray, paths in found.items() if len(paths) == 1 and is_free(case, paths[0])}


def belongs_to_other(stray: str, path: Path) -> bool:
    """Whether an argument names the thing that it belongs to, and a field is that of another: `host_email`."""
    words, known = stems_of(stray), stems_of(*path)
    others = [word for word in words - known if is_entity(word) and not is_about(known, [word])]
    return bool(others) and not words.isdisjoint(known)


def stems_of(*names: str | int) -> frozenset[str]:
    """Return the stems of the words in names as a set; the item of a list has the name of the list."""
    return frozenset(stem(word) for name in names if isinstance(name, str) for word in split_words(name))


def is_plain_variant(stray: str, field: str) -> bool:
    """Whether two names are synonyms, or differ only by words that add little: `email` and `contact_email`."""
    ours, theirs = stems_of(stray), stems_of(field)
    if ours and theirs and all(word in _PLAIN_WORDS or is_filler(word) for word in ours ^ theirs):
        return not ours.isdisjoint(theirs)
    return share_group("parameters", *("".join(map(stem, split_words(name))) for name in (stray, field)))


def is_free(case: Case, path: Path) -> bool:
    """Whether the field is not given, and everything above it is absent or an object."""
    if case.has(path):
        return False
    above = (path[:end] for end in range(1, len(path)))
    return all(isinstance(case.value(at), dict) for at in above if case.has(at))
