"""A key spells a path: `options.limit`, `options[limit]`, `items[0].sku`, `tags[]`, `/options/limit`."""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.model import Diagnosis, Move, Path
from fingerpost.engine.phrases import format_path, parameter_label, quote
from fingerpost.engine.rules.shapes.diagnosis import lossless, shape_diagnosis
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.validate import MAX_DIAGNOSES

_MAX_LENGTH = 256
_MARK = lazy_pattern(r"[.\[/]")
_STEPS = lazy_pattern(r"[^.\[\]/]+")
_SPELLS_PATH = lazy_pattern(r"/?[^.\[\]/]+(?:[./][^.\[\]/]+|\[[^.\[\]/]*\])+|/[^.\[\]/]+")


def diagnose(case: Case) -> Iterator[Diagnosis]:
    if not isinstance(case.call.arguments, dict) or case.tool.is_open:
        return
    keys = [key for key in case.arguments if key not in case.tool.params and _spells_path(key)]
    for key in sorted(keys)[:MAX_DIAGNOSES]:
        begun = _resolve_step(case, case.tool.schema, (), _STEPS.findall(key)[0])
        if begun is None:
            continue
        path = _resolve(case, key)
        if path is None or case.has(path):
            yield _without_place(case, key, begun)
        else:
            yield _misplaced(case, key, path)
            case = case.after([Move((key,), path)])


def _spells_path(key: str) -> bool:
    return len(key) <= _MAX_LENGTH and _MARK.search(key) is not None and _SPELLS_PATH.fullmatch(key) is not None


def _resolve(case: Case, key: str) -> Path | None:
    """Return the path that a key spells, if the schema has a place there."""
    root, node, path = case.tool.schema, case.tool.schema, ()
    for step in _STEPS.findall(key):
        found = _resolve_step(case, node, path, step)
        if found is None:
            return None
        path = (*path, found)
        node = schemas.child(root, node, found)
    is_item = key.endswith("[]") and "array" in schemas.types(root, node)
    return (*path, 0) if is_item and not isinstance(case.value((key,)), list) else path


def _resolve_step(case: Case, node: schemas.Schema, path: Path, step: str) -> str | int | None:
    root = case.tool.schema
    if step.isascii() and step.isdigit() and "array" in schemas.types(root, node):
        index = int(step[:6])
        held = len(case.value(path)) if case.has(path) and isinstance(case.value(path), list) else 0
        return index if index <= held else None  # an item can be added only at the end
    declared = schemas.properties(root, node)
    same = [step] if step in declared else [name for name in declared if spelling(name) == spelling(step)]
    if len(same) == 1:
        return same[0]
    return step if path and not same and "object" in schemas.types(root, node) and schemas.is_open(root, node) else None


def _misplaced(case: Case, key: str, path: Path) -> Diagnosis:
    where = quote(format_path(path))
    fix = lossless(Move((key,), path), f"Argument {parameter_label((key,))} was moved to its place, {where}")
    message = f"{quote(key)} is not a parameter; its place is {where}"
    return shape_diagnosis(case, message, (fix,), "path in a key", (key,))


def _without_place(case: Case, key: str, parameter: str | int) -> Diagnosis:
    message = f"{quote(key)} is not a parameter, and has no place inside {quote(str(parameter))}"
    return shape_diagnosis(case, message, (), "path in a key", (key,))
