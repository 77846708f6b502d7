"""Decide what to do with a call: weigh the severity of each diagnosis and the grade of each fix against the policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fingerpost.engine.apply_rules import apply_rules
from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.model import (
    Action,
    Applicability,
    Call,
    CallTool,
    Correction,
    Diagnosis,
    Drop,
    Fix,
    Path,
    Rename,
    Report,
    Severity,
    Verdict,
)
from fingerpost.engine.phrases import Placeholder, format_path, key_of, literal, quote
from fingerpost.engine.policy import DEFAULT_POLICY, Policy
from fingerpost.engine.rules import missing_required, unknown_param, unknown_tool
from fingerpost.engine.safety.redact import clean, describe, safe_value
from fingerpost.engine.schema.validate import LIMIT_KEYWORDS, MAX_DIAGNOSES, UNDECLARED_KEYWORD

_TOLERABLE_KEYWORDS = LIMIT_KEYWORDS | {UNDECLARED_KEYWORD}
"""What servers often do not insist on: they clamp, cut or ignore. Every server rejects any other violation."""


def decide(call: Call, found: list[Diagnosis], case: Case, policy: Policy, info_tool: str | None) -> Verdict:
    """Turn the diagnoses of a call into a verdict. `case` is the call as the certain fixes leave it."""
    report = Report(
        call=call,
        diagnoses=tuple(found[:MAX_DIAGNOSES]),
        info_tool=info_tool,
        secret_names=case.tool.secret_names,
        more_problems=max(0, len(found) - MAX_DIAGNOSES),
    )
    read_only = case.tool.is_read_only
    fixed = [(diagnosis, fix) for diagnosis in found if (fix := diagnosis.certain_fix)]
    left = [diagnosis for diagnosis in found if diagnosis.certain_fix is None]
    if all(policy.tolerates(diagnosis, read_only=read_only) for diagnosis in left):
        tolerated = replace(report, warnings=tuple(one.warning or one.message for one in left))
        if fixed and _may_repair(fixed, left, case, policy):
            corrections = tuple(_describe_correction(diagnosis, fix) for diagnosis, fix in fixed)
            return Verdict("repair", case.call, replace(tolerated, corrected=case.call, corrections=corrections))
        if _is_tolerable(call, found, case, policy):
            warnings = tuple(one.warning or one.message for one in found)
            return Verdict("forward", call, replace(add_best_guess(tolerated, left, case), warnings=warnings))
    return _refuse(add_best_guess(report, left, case), left, policy)


def add_best_guess(report: Report, left: list[Diagnosis], case: Case) -> Report:
    """Add the call to send instead, with the likeliest fix for each diagnosis in `left`, which has no certain one."""
    corrected, applicability = _guess_call(left, case)
    return replace(report, corrected=corrected, applicability=applicability)


def _may_repair(fixed: Sequence[tuple[Diagnosis, Fix]], left: list[Diagnosis], case: Case, policy: Policy) -> bool:
    """Whether every change is allowed and the result is valid, except for what is only warned about."""
    if not all(policy.allows(fix, read_only=case.tool.is_read_only) for _, fix in fixed):
        return False
    arguments = case.call.arguments
    return case.tool.is_valid(arguments) if left else case.tool.accepts(arguments)


def _is_tolerable(call: Call, found: list[Diagnosis], case: Case, policy: Policy) -> bool:
    """Whether the call may be sent as it is, because a server may well accept each of its mistakes."""
    if call.tool != case.tool.name or not isinstance(call.arguments, dict):
        return False
    if not all(policy.tolerates(diagnosis, read_only=case.tool.is_read_only) for diagnosis in found):
        return False
    return all(violation.keyword in _TOLERABLE_KEYWORDS for violation in Case(call, case.tool).violations)


def _refuse(report: Report, left: list[Diagnosis], policy: Policy) -> Verdict:
    is_ambiguous = bool(left) and all(
        any(fix.applicability is Applicability.MAYBE_INCORRECT for fix in diagnosis.fixes) for diagnosis in left
    )
    action: Action = "ask" if policy.ask and is_ambiguous else "refuse"
    return Verdict(action, report.call, replace(report, is_refusal=True))


def _guess_call(left: list[Diagnosis], case: Case) -> tuple[Call | None, Applicability]:
    worst = Applicability.MACHINE_APPLICABLE
    may_drop = _may_drop_unknown(left, case)
    for diagnosis in left:
        if diagnosis.code == unknown_tool.CODE:
            worst = Applicability.MAYBE_INCORRECT
            continue
        fix = _guess_fix(diagnosis, may_drop=may_drop)
        if fix is None and diagnosis.severity is not Severity.LOW:
            return None, worst
        if fix is not None:
            case = case.after([fix.edit])
            worst = fix.applicability if worst is not Applicability.HAS_PLACEHOLDERS else worst
    if not _is_sendable(case):
        _, case = apply_rules(case, DEFAULT_POLICY)  # a guessed name may have exposed a value that needs its own fix
    return (case.call, worst) if _is_sendable(case) else (None, worst)


def _may_drop_unknown(left: list[Diagnosis], case: Case) -> bool:
    """Whether unknown arguments may be dropped. On a tool that may write, each may be meant for a missing parameter."""
    missing = sum(diagnosis.code == missing_required.CODE for diagnosis in left)
    unknown = sum(diagnosis.code == unknown_param.CODE and not diagnosis.fixes for diagnosis in left)
    return case.tool.is_read_only or unknown <= missing


def _guess_fix(diagnosis: Diagnosis, *, may_drop: bool) -> Fix | None:
    if diagnosis.fixes:
        best = diagnosis.fixes[0]
        is_leading = best.confidence > OFFER_THRESHOLD and not diagnosis.is_contested
        if is_leading or diagnosis.code == missing_required.CODE:
            return best
        return next((fix for fix in diagnosis.fixes if fix.applicability is Applicability.HAS_PLACEHOLDERS), None)
    is_droppable = diagnosis.code == unknown_param.CODE and may_drop
    return Fix(Drop(diagnosis.at), Applicability.MAYBE_INCORRECT) if is_droppable else None


def _is_sendable(case: Case) -> bool:
    """Whether the call is valid once its placeholders are filled in."""
    if not isinstance(case.call.arguments, dict):
        return False
    return all(_is_placeholder(case, violation.at) for violation in case.violations)


def _is_placeholder(case: Case, at: Path) -> bool:
    return case.has(at) and isinstance(case.value(at), Placeholder)


def _describe_correction(diagnosis: Diagnosis, fix: Fix) -> Correction:
    """Describe an applied fix: the note for the caller, and the fields for its program."""
    where, key = f"Parameter {quote(format_path(diagnosis.at))}", key_of(diagnosis.at)
    got, received = diagnosis.details.get("got"), diagnosis.details.get("received_value")
    edit, confidence = fix.edit, fix.confidence
    if isinstance(edit, CallTool):
        note = f"Tool {quote(str(got))} was auto-corrected to {quote(edit.tool)}"
        return Correction(got, clean(edit.tool), 1.0, note)
    if isinstance(edit, Rename):
        note = f"{where} was auto-corrected to {quote(edit.to)}"
        return Correction(clean(str(edit.at[-1])), clean(edit.to), confidence, note)
    if isinstance(edit, Drop):
        return Correction(received, None, confidence, f"{where} was left out because it was empty")
    if not edit.at:
        return Correction(got, "object", 1.0, fix.applied_note)
    if fix.value is None:
        return Correction(received, describe(edit.value), confidence, f"{where} was auto-corrected")
    note = f"{where} was auto-corrected to {literal(edit.value, key)}"
    return Correction(received, safe_value(edit.value, key), confidence, note)
