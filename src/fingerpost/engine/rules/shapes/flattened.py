"""Fields of an object parameter are at the top level: `name: …` or `user_name: …` for `user: {name: …}`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD, closest
from fingerpost.engine.matching.entities import is_identity
from fingerpost.engine.matching.spelling import spelling, split_words, stem
from fingerpost.engine.model import Call, Diagnosis, Fix, Move, Path, Replace
from fingerpost.engine.phrases import format_path, join_names, quote
from fingerpost.engine.rules.nested_fields import (
    find_homes,
    find_nested_fields,
    find_prefixed_fields,
    is_free,
    is_plain_variant,
    may_be_missing,
)
from fingerpost.engine.rules.shapes.diagnosis import lossless_arguments, offered, shape_diagnosis
from fingerpost.engine.rules.sides import find_sides
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema import walk as schemas

_MAX_STRAYS = 64


def diagnose(case: Case) -> Iterator[Diagnosis]:
    if not isinstance(case.call.arguments, dict) or case.tool.is_open:
        return
    strays = [key for key in case.arguments if key not in case.tool.params]
    places = _find_places(case, strays)
    for stray in strays[:_MAX_STRAYS]:
        homes = [] if stray in places else find_homes(case, stray)
        if len(homes) > 1 and not may_be_missing(case, (), stray, homes):
            yield _has_several_places(case, stray, homes)
    for parent in dict.fromkeys(path[:-1] for path in places.values()):
        moved = {stray: path for stray, path in places.items() if path[:-1] == parent}
        fix = _fix(case, parent, moved)
        yield _belongs(case, parent, list(moved), fix)
        case = case.after([fix.edit])
    yield from _diagnose_renamed(case)
    yield from _diagnose_list_item(case)


def _diagnose_renamed(case: Case) -> Iterator[Diagnosis]:
    """Diagnose arguments that begin with the name of an object and have another name there: `borrower_email`."""
    if "object" not in case.tool.param_types.values():
        return
    strays = [key for key in case.arguments if key not in case.tool.params][:_MAX_STRAYS]
    found = {stray: path for stray in strays if (path := _find_renamed(case, stray))}
    claims = Counter(found.values())
    for stray, path in found.items():
        if claims[path] == 1:
            yield _belongs(case, path[:-1], [stray], offered(Move((stray,), path), 0.8))


def _find_renamed(case: Case, stray: str) -> Path | None:
    """Return the only missing field of an object that an argument with the name of the object in front resembles."""
    words = split_words(stray)
    objects = [name for name in case.tool.params if words[: len(split_words(name))] == split_words(name)]
    if (
        len(objects) != 1
        or case.tool.param_types.get(objects[0]) != "object"
        or _is_near_other(case, stray, objects[0])
    ):
        return None
    rest = words[len(split_words(objects[0])) :]
    if not rest or is_identity(stem(rest[-1])):
        return None
    schema = case.schema((objects[0],))
    given = as_object(case.arguments.get(objects[0]))
    missing = [name for name in schemas.find_required(case.tool.schema, schema) if name not in given]
    near = [name for name in missing if is_plain_variant("_".join(rest), name)]
    return (objects[0], near[0]) if len(near) == 1 else None


def _is_near_other(case: Case, stray: str, name: str) -> bool:
    """Whether an argument resembles a parameter at the top, other than the object."""
    others = [other for other in case.tool.params if other != name]
    near = closest(stray, others, "parameter")
    return bool(near) and near[0].confidence > OFFER_THRESHOLD and not near[0].is_other_thing


def _find_places(case: Case, strays: list[str]) -> Mapping[str, Path]:
    """Return the place of each argument that has exactly one inside the object parameters."""
    if not (strays and case.tool.nested_fields):
        return {}
    fields = {spelling(name): path for name, path in find_nested_fields(case).items()}
    places = {stray: fields[spelling(stray)] for stray in strays if spelling(stray) in fields}
    together = Counter(path[:-1] for path in places.values())
    alone = [stray for stray, path in places.items() if together[path[:-1]] == 1]
    for stray in alone[:_MAX_STRAYS]:
        if may_be_missing(case, (), stray, [places[stray]]):
            del places[stray]
    places |= _find_beside_others(case, strays, places)
    rest = [stray for stray in strays[:_MAX_STRAYS] if stray not in places]
    for stray, path in find_prefixed_fields(case, rest).items():
        if path not in places.values() and not _is_respelled(case, stray):
            places[stray] = path
    return {**places, **_find_misspelled(case, [stray for stray in rest if stray not in places], places)}


def _find_misspelled(case: Case, strays: list[str], places: Mapping[str, Path]) -> Mapping[str, Path]:
    """Return the places of misspelled fields beside others that all belong to one object."""
    parents = {path[:-1] for path in places.values()}
    if len(parents) != 1:
        return {}
    parent = parents.pop()
    declared = schemas.properties(case.tool.schema, case.schema(parent))
    fields = [name for name in declared if is_free(case, (*parent, name)) and (*parent, name) not in places.values()]
    others = [name for name in case.tool.params if name not in case.arguments]
    found: dict[str, Path] = {}
    for stray in strays:
        near = closest(stray, [*fields, *others], "parameter")
        if near and near[0].is_clear and near[0].name in fields and near[0].name not in others:
            found[stray] = (*parent, near[0].name)
    claims = Counter(found.values())
    return {stray: path for stray, path in found.items() if claims[path] == 1}


def _find_beside_others(case: Case, strays: list[str], places: Mapping[str, Path]) -> Mapping[str, Path]:
    """Return the places of fields that several objects have, if only one of the objects is given or gets a field."""
    used = {path[:-1] for path in places.values()}
    found: dict[str, Path] = {}
    for stray in [one for one in strays[:_MAX_STRAYS] if one not in places]:
        homes = [path for path in find_homes(case, stray) if path[:-1] in used or case.has(path[:-1])]
        if len(homes) == 1 and is_free(case, homes[0]) and not may_be_missing(case, (), stray, homes):
            found[stray] = homes[0]
    return found


def _is_respelled(case: Case, stray: str) -> bool:
    """Whether an argument is a declared parameter in another spelling."""
    return any(spelling(name) == spelling(stray) for name in case.tool.params)


def _fix(case: Case, parent: Path, moved: Mapping[str, Path]) -> Fix:
    """Move the fields. Only a required object, which the call must contain anyway, is certain to be intended.

    A field that other objects have too may belong to one of them.
    """
    call = Call(case.call.tool, case.arguments)
    for stray, path in moved.items():
        call = Move((stray,), path).applied_to(call)
    is_only = all(len(find_homes(case, stray)) < 2 for stray in moved)
    is_exact = all(spelling(stray).endswith(spelling(str(path[-1]))) for stray, path in moved.items())
    if is_only and is_exact and (case.tool.is_read_only or parent[0] in case.tool.required):
        return lossless_arguments(
            call.arguments, f"{join_names(moved, limit=4)} went inside {quote(format_path(parent))}"
        )
    return offered(Replace((), call.arguments), 0.85)


def _diagnose_list_item(case: Case) -> Iterator[Diagnosis]:
    """Diagnose the fields of the only item of a required list of objects."""
    absent = [name for name in case.tool.required if name not in case.arguments]
    if len(absent) != 1:
        return
    root, schema = case.tool.schema, case.schema((absent[0],))
    if schemas.types(root, schema) not in (("array",), ("array", "null")):
        return
    inner = schemas.properties(root, schemas.child(root, schema, 0))
    strays = [key for key in case.arguments if key not in case.tool.params]
    fields = {**find_sides(strays, inner, ()), **{stray: stray for stray in strays if stray in inner}}
    if fields:
        rest = {key: value for key, value in case.arguments.items() if key not in fields}
        item = {name: case.arguments[stray] for stray, name in fields.items()}
        yield _belongs(case, (absent[0],), list(fields), offered(Replace((), {**rest, absent[0]: [item]}), 0.8))


def _has_several_places(case: Case, stray: str, homes: list[Path]) -> Diagnosis:
    """Say which objects have a field of this name: only the caller knows which one is meant."""
    objects = join_names([format_path(path[:-1]) for path in homes], limit=4)
    message = f"{quote(stray)} is not a parameter; it is a field of {objects}"
    return shape_diagnosis(case, message, (), "flattened object", (stray,))


def _belongs(case: Case, parent: Path, names: list[str], fix: Fix) -> Diagnosis:
    verb = "belongs" if len(names) == 1 else "belong"
    message = f"{join_names(names, limit=4)} {verb} inside {quote(format_path(parent))}"
    return shape_diagnosis(case, message, (fix,), "flattened object")
