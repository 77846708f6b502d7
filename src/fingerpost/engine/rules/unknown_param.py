"""The call passes an argument that the tool does not declare.

Servers that ignore unknown names run with a default that the caller did not choose. Servers that reject them often
do not say which name was expected.

Fix grading: a name that differs only in case and separators is lossless. A declared parameter is likely if it is
unset, clearly the closest, accepts the value, and is the closest to no other undeclared argument. Any other close
name is offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD, Match, closest
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Grade, Path, Rename, Severity
from fingerpost.engine.phrases import format_path, parameter_label, quote
from fingerpost.engine.rules.respelling import accepts_value
from fingerpost.engine.safety.json_input import as_object, as_strings
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.validate import MAX_DIAGNOSES, UNDECLARED_KEYWORD

CODE = "UNKNOWN_PARAM"

_TOLERANCE = 0.05


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for holder, declared, strays, must_be_near in _objects_to_check(case):
        yield from _diagnose_object(case, holder, declared, strays, must_be_near=must_be_near)


def _objects_to_check(case: Case) -> Iterator[tuple[Path, Mapping[str, Any], list[str], bool]]:
    """Yield each object with undeclared names: its path, declarations, those names, and whether they must be close."""
    missing = {violation.at for violation in case.violations_of("required")}
    if not case.tool.is_open:
        yield (), case.tool.params, case.tool.unknown_arguments(case.arguments), False
    forbidden = {violation.at: violation for violation in case.violations_of(UNDECLARED_KEYWORD) if violation.at}
    for at, violation in forbidden.items():
        yield at, schemas.properties(case.tool.schema, violation.schema), as_strings(violation.expected), False
    for at, declared, strays in case.tool.find_nested_unknown_arguments(case.arguments):
        yield at, declared, strays, True
    for at in missing - forbidden.keys():
        if (at == () and not case.tool.is_open) or not isinstance(case.value(at), dict):
            continue
        declared = schemas.properties(case.tool.schema, case.schema(at))
        yield at, declared, [key for key in case.value(at) if key not in declared], True


def _diagnose_object(
    case: Case, holder: Path, declared: Mapping[str, Any], strays: list[str], *, must_be_near: bool
) -> Iterator[Diagnosis]:
    given: dict[str, Any] = case.value(holder)
    strays = [key for key in strays if key in given][:MAX_DIAGNOSES]
    if not strays:
        return
    unset = [name for name in declared if name not in given]
    context = _context(case, holder, declared, given)
    required = {name for name in context["required"] if name not in given}
    readings = {
        stray: _prefer_required(
            stray,
            closest(stray, unset, "parameter", {**context, "value_type": schemas.type_name(given[stray])}),
            required,
        )
        for stray in strays
    }
    claims = Counter(matches[0].name for matches in readings.values() if matches)
    for stray, matches in readings.items():
        if must_be_near and not (matches and matches[0].confidence > OFFER_THRESHOLD):
            continue
        fixes = [_rename(case, (*holder, stray), match, claims[match.name]) for match in matches[:3]]
        yield _diagnosis(case, (*holder, stray), fixes, declared)


def _prefer_required(stray: str, matches: Sequence[Match], required: set[str]) -> Sequence[Match]:
    """Put a required name first if its spelling is about as close as that of the best match."""
    if not matches or matches[0].is_clear or not any(one.name in required for one in matches):
        return matches
    by_itself = closest(stray, [one.name for one in matches], "parameter")
    close = {one.name for one in by_itself if one.confidence >= by_itself[0].confidence - _TOLERANCE}
    first = [one for one in matches if one.name in required & close]
    return [*first, *(one for one in matches if one not in first)]


def _context(case: Case, holder: Path, declared: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    root = case.tool.schema
    return {
        "given": [key for key in given if key in declared],
        "args": given,
        "required": list(schemas.find_required(root, case.schema(holder))),
        "types": _parameter_types(case, holder, declared),
        "descriptions": {name: as_object(one).get("description") for name, one in declared.items()},
    }


def _parameter_types(case: Case, holder: Path, declared: Mapping[str, Any]) -> Mapping[str, str]:
    if holder == ():
        return case.tool.param_types
    return {name: next(iter(schemas.types(case.tool.schema, one)), "any") for name, one in declared.items()}


def _rename(case: Case, at: Path, match: Match, claims: int) -> Fix:
    edit = Rename(at, match.name)
    same_letters = spelling(str(at[-1])) == spelling(match.name)
    is_only = match.is_clear and claims == 1
    is_sure = is_only and (same_letters or accepts_value(case.after([edit]), (*at[:-1], match.name)))
    return Fix(
        edit=edit,
        applicability=Applicability.MACHINE_APPLICABLE if is_sure else Applicability.MAYBE_INCORRECT,
        grade=(Grade.LOSSLESS if same_letters else Grade.LIKELY) if is_sure else Grade.OFFERED,
        confidence=match.confidence if claims == 1 else min(match.confidence, OFFER_THRESHOLD),
        value=match.name,
        label=clean(match.name),
    )


def _diagnosis(case: Case, at: Path, fixes: list[Fix], declared: Mapping[str, Any]) -> Diagnosis:
    near = fixes[0] if fixes and fixes[0].confidence > OFFER_THRESHOLD else None
    given_name = None if near else _given_near_name(case, at, declared)
    name = quote(format_path(at))
    return case.make_diagnosis(
        CODE,
        f"Unknown param {name}, did you mean {quote(near.value)}?" if near else f"Unknown param {name}",
        at,
        severity=Severity.MEDIUM,
        fixes=fixes,
        details={
            "got": clean(str(at[-1])),
            "expected": ", ".join(parameter_label((name,)) for name in list(declared)[:8]) or "no parameter",
        },
        hint=f"{quote(given_name)} is already given" if given_name else "",
        warning="" if near else f"Unknown param {name} ignored",
    )


def _given_near_name(case: Case, at: Path, declared: Mapping[str, Any]) -> str | None:
    """Return the declared name that the undeclared one resembles, if that is already given."""
    taken = [name for name in case.value(at[:-1]) if name in declared]
    near = closest(str(at[-1]), taken, "parameter")
    return near[0].name if near and near[0].confidence > OFFER_THRESHOLD else None
