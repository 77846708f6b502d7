"""The call uses another name of a parameter, which the author or operator of the server declared.

Fix grading: lossless on every tool, whatever else the name resembles, because a person who knows the tool said so. If
the parameter is given too, the alias is left out if both values are equal; otherwise nothing is decided.
"""

from __future__ import annotations

import json
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Applicability, Diagnosis, Drop, Edit, Fix, Grade, Move, Path, Rename, Severity
from fingerpost.engine.overrides.aliases import find_declared, find_sent
from fingerpost.engine.phrases import format_path, join_names, quote
from fingerpost.engine.rules import conflicting_params, unknown_param
from fingerpost.engine.safety.redact import clean


def resolve_aliases(case: Case) -> tuple[list[Diagnosis], Case]:
    """Return a diagnosis for each alias in a call, and the case with the names that the tool declares.

    This comes before all rules, so that none of them takes an alias for something else.
    """
    found: list[Diagnosis] = []
    sent_as: dict[Path, Path] = {}
    for at, to in _find_aliases(case):
        if not (case.has(at) and _has_room(case, at, to)):
            continue
        if not case.has(to):
            found.append(_diagnose_alias(case, at, to))
            sent_as[to] = at
            case = case.after([_edit(at, to)])
            continue
        other = sent_as.get(to, to)
        if _is_same(case.value(at), case.value(to)):
            found.append(_diagnose_repetition(case, at, other))
        else:
            found = [*(one for one in found if one.at != other), _diagnose_conflict(case, at, other)]
        case = case.after([Drop(at)])
    return found, case


def _find_aliases(case: Case) -> list[tuple[Path, Path]]:
    """Return where each alias is in the call, and where it belongs."""
    tool, arguments = case.tool, case.arguments
    if not (tool.aliases and tool.is_checkable):
        return []
    pairs = [
        (find_sent(alias, arguments), find_declared(tool, name))
        for alias, name in tool.aliases.items()
        if find_declared(tool, alias) is None
    ]
    return [(at, to) for at, to in pairs if at and to and not (len(at) == 1 and at[0] in tool.params)]


def _has_room(case: Case, at: Path, to: Path) -> bool:
    """Whether the argument can be moved without replacing a value on the way, and without moving into itself."""
    if at == to[: len(at)] or to == at[: len(to)]:
        return False
    outer = [to[:length] for length in range(1, len(to))]
    return all(isinstance(case.value(one), dict) for one in outer if case.has(one))


def _edit(at: Path, to: Path) -> Edit:
    return Rename(at, str(to[-1])) if at[:-1] == to[:-1] else Move(at, to)


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values are the same JSON. To Python, 1 equals `True`."""
    try:
        return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return False


def _diagnose_alias(case: Case, at: Path, to: Path) -> Diagnosis:
    name, parameter = format_path(at), format_path(to)
    fix = Fix(
        edit=_edit(at, to),
        applicability=Applicability.MACHINE_APPLICABLE,
        grade=Grade.LOSSLESS,
        value=parameter,
        label=clean(parameter),
        applied_note=f"Parameter {quote(name)} was auto-corrected to {quote(parameter)}",
    )
    return case.make_diagnosis(
        unknown_param.CODE,
        f"Unknown param {quote(name)}, did you mean {quote(parameter)}?",
        at,
        severity=Severity.MEDIUM,
        fixes=[fix],
        details={"got": clean(name), "expected": clean(parameter)},
    )


def _diagnose_repetition(case: Case, at: Path, other: Path) -> Diagnosis:
    name, parameter = quote(format_path(at)), quote(format_path(other))
    return case.make_diagnosis(
        unknown_param.CODE,
        f"Unknown param {name}: it means the same as {parameter}",
        at,
        severity=Severity.MEDIUM,
        fixes=[Fix(Drop(at), Applicability.MACHINE_APPLICABLE, Grade.LOSSLESS)],
        details={"got": clean(format_path(at))},
        warning=f"Parameter {name} was left out: {parameter} has the same value",
    )


def _diagnose_conflict(case: Case, at: Path, other: Path) -> Diagnosis:
    places = [format_path(at), format_path(other)]
    return case.make_diagnosis(
        conflicting_params.CODE,
        f"Parameters {join_names(places)} mean the same, but their values differ",
        at,
        details={"conflicting": [clean(place, 128) for place in places]},
        hint="Send only one of them",
    )
