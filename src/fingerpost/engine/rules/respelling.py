"""Respell a value the way the schema spells it.

`values` knows what a rejected value may stand for. Here each candidate is tried, and the validator decides which ones
fit.

Fix grading: that of the candidate. Lossless if reading the new value gives the old one back, likely if the only
plausible reading changes its form (`"yes"` as true, `""` left out), otherwise offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.engine.case import Case
from fingerpost.engine.model import (
    EMPTY_OBJECT,
    MIN_CLEAR_LEAD,
    Applicability,
    Drop,
    Edit,
    Fix,
    Grade,
    Path,
    Replace,
    Violation,
)
from fingerpost.engine.phrases import key_of, literal, parameter_label
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings, walk_texts
from fingerpost.engine.safety.redact import clean, is_harmless
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.code_labels import NAMES_KEYWORD
from fingerpost.engine.schema.sample import is_large
from fingerpost.engine.values import Candidate, Instead, Slot, find_candidates
from fingerpost.engine.values.units import takes_unit

_MAX_TRIES = 8
"""How many candidates are validated. Each validation costs as much as the whole call."""
_MAX_FIXES = 4
_DATE_KEYWORDS = frozenset({"format", "pattern"})
_MOST_TEXTS = 64


class Respelling(NamedTuple):
    """The values that fit instead of a rejected one, best first, and what the caller has to know about them."""

    fixes: tuple[Fix, ...] = ()
    hint: str = ""


def respell(case: Case, violation: Violation) -> Respelling:
    """Return the rewrites of a value that the schema accepts: the only sure one, or every plausible one."""
    found: list[Candidate] = []
    for candidate in islice(find_candidates(_slot(case, violation)), _MAX_TRIES):
        if candidate.value is Instead.FILL_IN:
            return Respelling(hint=candidate.hint) if not _is_hidden(case, violation.at) else Respelling()
        if _settles_value(case, _edit(candidate, violation.at), violation.at):
            found.append(candidate)
            if candidate.grade is not Grade.OFFERED:
                break
    found.sort(key=lambda one: (one.grade is Grade.OFFERED, -one.confidence))
    best = found[:1] if found and found[0].is_sure else _distinct(found)[:_MAX_FIXES]
    return _present(best, case, violation.at)


def with_placeholder(fixes: tuple[Fix, ...], case: Case, violation: Violation) -> tuple[Fix, ...]:
    """Add a placeholder, unless the best fix is sure, or several are so close that the caller has to choose."""
    is_sure = bool(fixes) and fixes[0].applicability is Applicability.MACHINE_APPLICABLE
    is_contested = len(fixes) > 1 and fixes[0].confidence - fixes[1].confidence < MIN_CLEAR_LEAD
    return fixes if is_sure or is_contested else (*fixes, placeholder_fix(case, violation))


def placeholder_fix(case: Case, violation: Violation) -> Fix:
    """Return a placeholder for a value that cannot be respelled."""
    schema = violation.schema or case.schema(violation.at)
    if violation.keyword == "enum":
        names = case.find_labels(violation.at)
        schema = {"enum": violation.expected, NAMES_KEYWORD: [names.get(str(one), "") for one in violation.expected]}
    placeholder = disclosure.placeholder(case.tool.schema, schema)
    return Fix(Replace(violation.at, placeholder), Applicability.HAS_PLACEHOLDERS)


def accepts_value(case: Case, at: Path) -> bool:
    """Whether the value at `at` is valid, or is once it is respelled without a guess."""
    violations = [violation for violation in case.violations if violation.at == at]
    return all(_has_one_reading(respell(case, violation)) for violation in violations)


def _has_one_reading(respelling: Respelling) -> bool:
    return bool(respelling.fixes) and respelling.fixes[0].grade is not Grade.OFFERED


def _present(found: list[Candidate], case: Case, at: Path) -> Respelling:
    is_hidden = _is_hidden(case, at)
    hint = next((one.hint for one in found if one.hint), "")
    fixes = [_fix(one, at, is_hidden=is_hidden) for one in found]
    if len(fixes) > 1 and not is_hidden:
        fixes = [replace(fix, label=_label(fix)) for fix in fixes]
    return Respelling(tuple(fixes), "" if is_hidden else hint)


def _fix(candidate: Candidate, at: Path, *, is_hidden: bool) -> Fix:
    edit = _edit(candidate, at)
    return Fix(
        edit,
        Applicability.MACHINE_APPLICABLE if candidate.is_sure else Applicability.MAYBE_INCORRECT,
        candidate.grade,
        confidence=candidate.confidence,
        value=edit.value if isinstance(edit, Replace) and not (is_hidden or is_large(edit.value)) else None,
        convention=candidate.convention,
    )


def _label(fix: Fix) -> str:
    return clean(fix.value) if isinstance(fix.value, str) else clean(literal(fix.value))


def _edit(candidate: Candidate, at: Path) -> Drop | Replace:
    return Drop(at) if candidate.value is Instead.LEAVE_OUT else Replace(at, candidate.value)


def _distinct(found: list[Candidate]) -> list[Candidate]:
    """Keep the first of equal values. To Python, 1 and 1.0 and True are equal."""
    kept: list[Candidate] = []
    for one in found:
        if not any(type(one.value) is type(other.value) and one.value == other.value for other in kept):
            kept.append(one)
    return kept


def _is_hidden(case: Case, at: Path) -> bool:
    return not is_harmless(case.value(at), key_of(at)) or case.is_secret(at)


def _settles_value(case: Case, edit: Edit, at: Path) -> bool:
    """Whether `edit` makes the value at `at` itself valid; other rules report what is wrong below it."""
    after = case.after([edit])
    return after.is_valid or not any(violation.at == at for violation in after.violations)


def _slot(case: Case, violation: Violation) -> Slot:
    """Describe the rejected value and what the schema wants in its place."""
    at, root, schema = violation.at, case.tool.schema, case.schema(violation.at)
    kinds = schemas.types(root, schema) or tuple(_types_of(violation))
    layers = tuple(schemas.layers(root, schema))
    item = schemas.child(root, schema, 0) if "array" in kinds else EMPTY_OBJECT
    if violation.keyword == "format":
        layers = ({"format": violation.expected}, *layers)

    def fits(value: Any) -> bool:
        return case.is_valid_after(Replace(at, value), at)

    return Slot(
        value=case.value(at),
        kinds=kinds,
        keyword=violation.keyword,
        name=next((step for step in reversed(at) if isinstance(step, str)), ""),
        label=parameter_label(at),
        tool_name=case.tool.name,
        choices=tuple(as_list(violation.expected) if violation.keyword == "enum" else _choices(layers)),
        labels=case.find_labels(at) if isinstance(case.value(at), str) else {},
        layers=layers,
        item_kinds=schemas.types(root, item),
        item_choices=tuple(_choices(tuple(schemas.layers(root, item)))),
        fields=tuple(schemas.properties(root, schema)) if "object" in kinds else (),
        only_field=_only_field(root, schema) if "object" in kinds else "",
        siblings=_siblings(case, at),
        choices_beside=_choices_beside(case, at) if _has_digit(case.value(at)) else {},
        texts=_texts(case, violation),
        is_item=not at or isinstance(at[-1], int),
        is_only_item=bool(at) and isinstance(at[-1], int) and len(case.value(at[:-1])) == 1,
        is_optional=case.is_optional(at),
        is_read_only=case.tool.is_read_only,
        is_destructive=case.tool.is_destructive,
        is_reported=bool(case.reported),
        fits=fits,
    )


def _has_digit(value: Any) -> bool:
    return isinstance(value, str) and any(map(str.isdigit, value))


def _only_field(root: schemas.Schema, schema: schemas.Schema) -> str:
    """Return the only required field of an object, or its only field at all."""
    names = schemas.find_required(root, schema) or tuple(schemas.properties(root, schema))
    return names[0] if len(names) == 1 else ""


def _siblings(case: Case, at: Path) -> dict[str, Any]:
    """Return the arguments beside a value, and those that are declared there but not given, as None."""
    declared = schemas.properties(case.tool.schema, case.schema(at[:-1]))
    beside = {**dict.fromkeys(declared), **as_object(case.value(at[:-1]))}
    return {name: value for name, value in beside.items() if name != at[-1]}


def _choices_beside(case: Case, at: Path) -> dict[str, list[Any]]:
    """Return the choices of the parameters beside a value that take a unit or a currency."""
    root = case.tool.schema
    declared = schemas.properties(root, case.schema(at[:-1]))
    names = [name for name in declared if takes_unit(name, "km") or takes_unit(name, "EUR")]
    return {name: _choices(tuple(schemas.layers(root, declared[name]))) for name in names}


def _texts(case: Case, violation: Violation) -> tuple[str, ...]:
    """Return the first texts of the call as it was sent, if the value may be a date."""
    sent = case.sent or case.call
    return tuple(islice(walk_texts(sent.arguments), _MOST_TEXTS)) if violation.keyword in _DATE_KEYWORDS else ()


def _types_of(violation: Violation) -> list[str]:
    return as_strings(violation.expected) if violation.keyword == "type" else []


def _choices(layers: Sequence[schemas.Schema]) -> list[Any]:
    return next((as_list(layer["enum"]) for layer in layers if "enum" in layer), list[Any]())
