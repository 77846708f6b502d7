"""Fields inside an object are one level too high or too low: `donor: {street}` for `donor: {address: {street}}`.

The name alone is weak evidence for words such as `id`, `name` and `email`, which everything has: they stay where they
are, unless the words in front of them say where they belong. A field alone stays too, if a required one is missing
beside it that it may be: the `summary` of an incident without a `title` is not that of its service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fingerpost.engine.case import Case
from fingerpost.engine.matching.entities import is_head
from fingerpost.engine.matching.spelling import normal_form, spelling, split_words, stem
from fingerpost.engine.model import Diagnosis, Move, Path, Replace
from fingerpost.engine.phrases import format_path, join_names, quote
from fingerpost.engine.rules.nested_fields import is_free, is_plain_variant, may_be_missing, stems_of
from fingerpost.engine.rules.shapes.diagnosis import offered, shape_diagnosis
from fingerpost.engine.safety.json_input import as_strings
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.validate import UNDECLARED_KEYWORD

_MAX_STRAYS = 16


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for holder, strays in list(_find_objects(case)):
        places = _find_places(case, holder, strays[:_MAX_STRAYS])
        for parent in dict.fromkeys(path[:-1] for path in places.values()):
            moved = {stray: path for stray, path in places.items() if path[:-1] == parent}
            call = case.call
            for stray, path in moved.items():
                call = Move((*holder, stray), path).applied_to(call)
            fix = offered(Replace((), call.arguments), 0.85)
            yield shape_diagnosis(case, _message(holder, parent, moved), (fix,), "misplaced fields", holder)
            case = case.after([fix.edit])


def _find_objects(case: Case) -> Iterator[tuple[Path, list[str]]]:
    """Yield each object inside the arguments, but not in a list, and its undeclared names."""
    found: dict[Path, list[str]] = {}
    for violation in case.violations_of(UNDECLARED_KEYWORD):
        found[violation.at] = as_strings(violation.expected)
    for at, _, strays in case.nested_unknown_arguments:
        found.setdefault(at, list(strays))
    for at, strays in found.items():
        if at and all(isinstance(step, str) for step in at):
            declared = schemas.properties(case.tool.schema, case.schema(at))
            own = {spelling(name) for name in declared if not case.has((*at, name))}  # in another style, it stays here
            yield at, [stray for stray in strays if case.has((*at, stray)) and spelling(stray) not in own]


def _find_places(case: Case, holder: Path, strays: Sequence[str]) -> Mapping[str, Path]:
    """Return the only free place of each field below or above its object."""
    places: dict[str, Path] = {}
    for stray in strays:
        found = [*_find_below(case, holder, stray), *_find_above(case, holder, stray)]
        if len(found) == 1 and is_free(case, found[0]) and found[0] not in places.values():
            places[stray] = found[0]
    places |= _find_renamed(case, holder, [stray for stray in strays if stray not in places], places)
    together = Counter(path[:-1] for path in places.values())
    return {
        stray: path
        for stray, path in places.items()
        if together[path[:-1]] > 1 or not _has_same_name(stray, path) or _may_move_alone(case, path, holder, stray)
    }


def _find_below(case: Case, holder: Path, stray: str) -> list[Path]:
    depth = len(holder)
    fields = (path for path in case.tool.nested_fields if path[:depth] == holder and len(path) > depth + 1)
    return [path for path in fields if _is_below(stray, path, holder)]


def _find_above(case: Case, holder: Path, stray: str) -> list[Path]:
    """Return the required fields with this name that are missing in the objects around one."""
    missing = (path for path in _find_missing(case) if path[:-1] == holder[: len(path) - 1])
    return [path for path in missing if len(path) <= len(holder) and _has_same_name(stray, path)]


def _may_move_alone(case: Case, path: Path, holder: Path, stray: str) -> bool:
    return _is_required(case, path, holder) and not may_be_missing(case, holder, stray, [path])


def _is_required(case: Case, path: Path, holder: Path) -> bool:
    """Whether the call must have this field, or the object that it belongs to."""
    at = path if len(path) <= len(holder) else path[:-1]
    return at[-1] in schemas.find_required(case.tool.schema, case.schema(at[:-1]))


def _find_missing(case: Case) -> list[Path]:
    """Return the paths of the required fields that are missing in the objects of the call."""
    return [
        (*violation.at, name)
        for violation in case.violations
        if violation.keyword == "required"
        for name in as_strings(violation.expected) or as_strings([violation.expected])
    ]


def _is_below(stray: str, path: Path, holder: Path) -> bool:
    """Whether a field is named like one below: by its own name, or with the names of the objects in front of it."""
    if _has_same_name(stray, path):
        return True
    steps = [str(step) for step in path]
    return any(
        stems_of(stray) == stems_of(*steps[start:]) or normal_form(stray) == "".join(map(normal_form, steps[start:]))
        for start in range(len(holder), len(path) - 1)
    )


def _has_same_name(stray: str, path: Path) -> bool:
    return _is_telling(stray) and spelling(stray) == spelling(str(path[-1]))


def _is_telling(name: str) -> bool:
    words = split_words(name)
    return len(words) > 1 or not any(is_head(stem(word)) for word in words)


def _find_renamed(case: Case, holder: Path, strays: Sequence[str], places: Mapping[str, Path]) -> Mapping[str, Path]:
    """Return the places of fields beside others that belong to the same object, and are called differently there."""
    parents = {path[:-1] for path in places.values() if len(path) > len(holder) + 1}
    if len(parents) != 1:
        return {}
    parent, root = parents.pop(), case.tool.schema
    own = [name for name in schemas.properties(root, case.schema(holder)) if not case.has((*holder, name))]
    inner = [name for name in schemas.properties(root, case.schema(parent)) if is_free(case, (*parent, name))]
    free = [name for name in inner if name not in own and (*parent, name) not in places.values()]
    variants = {stray: [name for name in (*own, *free) if is_plain_variant(stray, name)] for stray in strays}
    names = {stray: found[0] for stray, found in variants.items() if len(found) == 1 and _is_telling(stray)}
    claims = Counter(names.values())
    return {stray: (*parent, name) for stray, name in names.items() if name in free and claims[name] == 1}


def _message(holder: Path, parent: Path, moved: Mapping[str, Path]) -> str:
    verb = "belongs" if len(moved) == 1 else "belong"
    names = join_names([format_path((*holder, stray)) for stray in moved], limit=4)
    return f"{names} {verb} inside {quote(format_path(parent))}" if parent else f"{names} {verb} at the top level"
