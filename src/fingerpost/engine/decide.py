"""Decide what to do with a call: weigh the severity of each diagnosis and the grade of each fix against the policy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fingerpost.engine.case import Case
from fingerpost.engine.model import (
    Action,
    Applicability,
    Call,
    CallTool,
    Correction,
    Diagnosis,
    Drop,
    Fix,
    Grade,
    Move,
    Path,
    Rename,
    Report,
    Verdict,
    value_at,
)
from fingerpost.engine.phrases import format_path, key_of, quote, shorten_literal
from fingerpost.engine.policy import Policy
from fingerpost.engine.rules import unsafe_input
from fingerpost.engine.safety.redact import clean, describe, safe_value
from fingerpost.engine.schema.validate import LIMIT_KEYWORDS, MAX_DIAGNOSES, UNDECLARED_KEYWORD

if TYPE_CHECKING:
    from fingerpost.engine.solve import Solution

_TOLERABLE_KEYWORDS = LIMIT_KEYWORDS | {UNDECLARED_KEYWORD}
"""What servers often do not insist on: they clamp, cut or ignore. Every server rejects any other violation."""


def start_report(call: Call, found: Sequence[Diagnosis], case: Case, info_tool: str | None, more: int = 0) -> Report:
    """Return a report with the diagnoses of a call. `case` is the call as the certain fixes leave it.

    `more` is the number of further places with the same slips, in a call that is too large to name them all.
    """
    return Report(
        call=call,
        diagnoses=tuple(found[:MAX_DIAGNOSES]),
        info_tool=info_tool,
        secret_names=case.tool.secret_names,
        more_problems=max(0, len(found) - MAX_DIAGNOSES) + more,
        same_slips=more,
        may_have_more=case.focus is not None and any(_is_in_list(one) for one in without_certain_fix(found)),
    )


def _is_in_list(diagnosis: Diagnosis) -> bool:
    return any(isinstance(step, int) for step in diagnosis.at)


def repair(report: Report, found: Sequence[Diagnosis], case: Case, policy: Policy) -> Verdict | None:
    """Send the call as the certain fixes leave it, if all of them may be applied and nothing else is left."""
    fixed = [(diagnosis, fix) for diagnosis in found if (fix := diagnosis.certain_fix)]
    left = without_certain_fix(found)
    return _repair(report, fixed, left, case, policy) if fixed and _may_repair(fixed, left, case, policy) else None


def forward_or_refuse(report: Report, found: Sequence[Diagnosis], case: Case, policy: Policy) -> Verdict:
    """Send a call that is not repaired as it is, with warnings, if its mistakes are tolerable; else refuse it."""
    if _is_tolerable(report.call, found, case, policy):
        return Verdict("forward", report.call, replace(report, warnings=_warnings(found)))
    return _refuse(report, without_certain_fix(found), policy)


def without_certain_fix(found: Iterable[Diagnosis]) -> list[Diagnosis]:
    return [diagnosis for diagnosis in found if diagnosis.certain_fix is None]


def refuse_attack(call: Call, attack: Diagnosis) -> Verdict:
    """Refuse a call that holds an attack, or would hold one. Nothing else is said about it."""
    return Verdict("refuse", call, Report(call=call, diagnoses=(attack,), is_refusal=True))


def add_solutions(report: Report, found: Sequence[Solution]) -> Report:
    """Add the call to send instead, or the two or three that are equally plausible."""
    if len(found) > 1:
        return replace(report, corrected=None, readings=tuple(one.call for one in found))
    corrected = found[0] if found else None
    return replace(
        report,
        corrected=corrected.call if corrected else None,
        applicability=corrected.applicability if corrected else Applicability.MAYBE_INCORRECT,
    )


def _repair(
    report: Report, fixed: Sequence[tuple[Diagnosis, Fix]], left: list[Diagnosis], case: Case, policy: Policy
) -> Verdict:
    """Send the call as the certain fixes leave it, unless that would be an attack."""
    if policy.unsafe_input == "refuse" and (attack := next(unsafe_input.diagnose(case), None)):
        return refuse_attack(report.call, attack)
    corrections = tuple(
        replace(_describe_correction(one, fix, report.call), parameter=str(one.details.get("parameter", "")))
        for one, fix in fixed
    )
    report = replace(report, corrected=case.call, corrections=corrections, warnings=_warnings(left))
    return Verdict("repair", case.call, report)


def _warnings(found: Iterable[Diagnosis]) -> tuple[str, ...]:
    return tuple(one.warning or one.message for one in found)


def _may_repair(fixed: Sequence[tuple[Diagnosis, Fix]], left: list[Diagnosis], case: Case, policy: Policy) -> bool:
    """Whether every change is allowed and the result is valid, except for what is only warned about."""
    read_only = case.tool.is_read_only
    if not all(policy.allows(fix, read_only=read_only) for _, fix in fixed):
        return False
    if case.tool.writes_sometimes and any(fix.grade is not Grade.LOSSLESS for _, fix in fixed):
        return False
    if not all(policy.tolerates(diagnosis, read_only=read_only) for diagnosis in left):
        return False
    arguments = case.call.arguments
    return case.tool.is_valid(arguments) if left else case.tool.accepts(arguments)


def _is_tolerable(call: Call, found: Sequence[Diagnosis], case: Case, policy: Policy) -> bool:
    """Whether the call may be sent as it is, because a server may well accept each of its mistakes."""
    if call.tool != case.tool.name or not isinstance(call.arguments, dict):
        return False
    if not all(policy.tolerates(diagnosis, read_only=case.tool.is_read_only) for diagnosis in found):
        return False
    sent = case if case.holds(call) else Case(call, case.tool)
    return all(violation.keyword in _TOLERABLE_KEYWORDS for violation in sent.violations)


def _refuse(report: Report, left: list[Diagnosis], policy: Policy) -> Verdict:
    is_ambiguous = bool(report.readings) or (
        bool(left)
        and all(
            any(fix.applicability is Applicability.MAYBE_INCORRECT for fix in diagnosis.fixes) for diagnosis in left
        )
    )
    action: Action = "ask" if policy.ask and is_ambiguous else "refuse"
    return Verdict(action, report.call, replace(report, is_refusal=True))


def _is_empty(call: Call, at: Path) -> bool:
    """Whether a call has an empty text, list or object in this place. Null is not empty: it is no value."""
    try:
        value = value_at(call.arguments, at)
    except (KeyError, IndexError, TypeError):
        return False  # a fix moved it there
    return value in ([], {}) or (isinstance(value, str) and not value.strip())


def _describe_correction(diagnosis: Diagnosis, fix: Fix, call: Call) -> Correction:
    """Describe an applied fix: the note for the caller, and the fields for its program."""
    where, key = f"Parameter {quote(format_path(diagnosis.at))}", key_of(diagnosis.at)
    got, received = diagnosis.details.get("got"), diagnosis.details.get("received_value")
    edit, confidence = fix.edit, fix.confidence
    if isinstance(edit, CallTool):
        note = f"Tool {quote(str(got))} was auto-corrected to {quote(edit.tool)}"
        if quote(str(got)) == quote(edit.tool):
            note = f"Blanks or characters that cannot be seen were removed from the name of tool {quote(edit.tool)}"
        return Correction(got, clean(edit.tool), 1.0, note)
    if isinstance(edit, Rename):
        note = f"{where} was auto-corrected to {quote(edit.to)}"
        return Correction(clean(str(edit.at[-1])), clean(edit.to), confidence, note)
    if isinstance(edit, Drop):
        reason = "it was empty" if _is_empty(call, diagnosis.at) else "it stands for no value"
        note = diagnosis.warning or f"{where} was left out because {reason}"
        return Correction(received, None, confidence, note)
    if isinstance(edit, Move):
        return Correction(got, format_path(edit.to), confidence, fix.applied_note)
    if fix.applied_note:
        return Correction(got, "object" if not edit.at else describe(edit.value), 1.0, fix.applied_note)
    if fix.value is None:
        return Correction(received, describe(edit.value), confidence, f"{where} was auto-corrected")
    note = f"{where} was auto-corrected to {shorten_literal(edit.value, key)}"
    return Correction(received, safe_value(edit.value, key), confidence, note)
