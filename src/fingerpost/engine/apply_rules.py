"""Apply the rules to a call: every diagnosis, and the call as the certain fixes leave it.

Each rule sees the call after the certain fixes of the rules before it, so one mistake is one diagnosis.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.model import Diagnosis, Edit, Move, Path, Rename, Replace, are_contested
from fingerpost.engine.policy import Policy
from fingerpost.engine.rules import CONTAINER, CONTENT, Rule, missing_required, unsafe_input
from fingerpost.engine.schema.validate import MAX_DIAGNOSES

_PASSES = 4
"""How often the rules may run again on what a fix uncovered: JSON in a string can hold further mistakes."""


def apply_rules(case: Case, policy: Policy) -> tuple[list[Diagnosis], Case]:
    """Return every diagnosis of a case, and the case as the certain fixes leave it."""
    found: dict[tuple[str, Path], Diagnosis] = {}
    if not case.tool.is_checkable:
        return [], case
    for code, rule in CONTAINER.items():
        if code == unsafe_input.CODE and policy.unsafe_input == "allow":
            continue
        case = case.after(_certain_edits(rule, case, found))
        if any(diagnosis.certain_fix is None for diagnosis in found.values()):
            return list(found.values()), case
    for _ in range(_PASSES):
        edits: list[Edit] = []
        for rule in CONTENT.values():
            edits += (fresh := _certain_edits(rule, case, found))
            case = case.after(fresh)
        if not any(_uncovers_container(edit, case) for edit in edits):
            break
    return _without_echoes(list(found.values())), case


def apply_rules_everywhere(case: Case, policy: Policy) -> tuple[list[Diagnosis], Case, int]:
    """Apply the rules, and repeat the certain fixes of a few items of a large list in all items with the same slip.

    Return the diagnoses, the case, and the number of further places. If there are other slips in other items, the
    rules run again on what is left.
    """
    found, case = apply_rules(case, policy)
    more = 0
    for _ in range(_PASSES):
        case, places = case.spread()
        more += places
        if not places or case.tool.is_valid(case.call.arguments):
            break
        fresh, case = apply_rules(case, policy)
        known = {(one.code, one.at) for one in found}
        found += [one for one in fresh if (one.code, one.at) not in known]
    else:
        case, places = case.spread()
        more += places
    return found, case, more


def apply_content_rules(case: Case) -> tuple[list[Diagnosis], Case]:
    """Apply the content rules once, each to the case as it is: its violations were reported, not computed."""
    found: dict[tuple[str, Path], Diagnosis] = {}
    fixed = case
    for rule in CONTENT.values():
        fixed = fixed.after(_certain_edits(rule, case, found))
    return _without_echoes(list(found.values())), fixed


def _certain_edits(rule: Rule, case: Case, found: dict[tuple[str, Path], Diagnosis]) -> list[Edit]:
    """Run one rule: add its new diagnoses to `found` and return the edits of their certain fixes."""
    fresh = [one for one in islice(rule(case), MAX_DIAGNOSES * 2) if (one.code, one.at) not in found]
    if not fresh:
        return []
    found |= {(one.code, one.at): one for one in fresh}
    return [fix.edit for one in fresh if (fix := one.certain_fix)]


def _uncovers_container(edit: Edit, case: Case) -> bool:
    """Whether a fix put an object or a list in its place, whose content has not been checked yet."""
    at = (*edit.at[:-1], edit.to) if isinstance(edit, Rename) else edit.at if isinstance(edit, Replace) else None
    return at is not None and case.has(at) and isinstance(case.value(at), dict | list)


def _without_echoes(found: list[Diagnosis]) -> list[Diagnosis]:
    """Drop "missing" for a parameter that exactly one unknown argument was probably intended for."""
    missing = {one.at for one in found if one.code == missing_required.CODE}
    if not missing:
        return found
    intended = [one.fixes for one in found if one.fixes and one.fixes[0].confidence > OFFER_THRESHOLD]
    best = [fixes[0] for fixes in intended if not (are_contested(fixes) and _target(fixes[1].edit) in missing)]
    claims = Counter[Path | None](_target(fix.edit) for fix in best)
    return [one for one in found if one.code != missing_required.CODE or claims[one.at] != 1]


def _target(edit: Edit) -> Path | None:
    """Return the parameter that an edit gives a value to."""
    if isinstance(edit, Rename):
        return (*edit.at[:-1], edit.to)
    return edit.to if isinstance(edit, Move) else None
