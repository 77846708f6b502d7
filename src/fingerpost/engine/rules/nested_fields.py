"""The fields of a tool's object parameters, which callers sometimes send at the top level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fingerpost.engine.matching.entities import is_about, is_entity
from fingerpost.engine.matching.lexicon import share_group
from fingerpost.engine.matching.qualifiers import is_filler
from fingerpost.engine.matching.spelling import normal_form, split_words, stem
from fingerpost.engine.model import Path

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
