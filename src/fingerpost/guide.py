"""From a call and a catalog to everything worth saying about it. The core's one entry.

`admit` judges a call before it is sent: pass it on, pass it on repaired, refuse it, or ask. `enrich`
(in `replies`) adds to what the server answered. Both are pure and total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.case import Case
from fingerpost.catalog import Catalog, Tool
from fingerpost.diagnosis import (
    Applicability,
    Call,
    CallTool,
    Diagnosis,
    Drop,
    Edit,
    Fix,
    Path,
    Rename,
    Replace,
    Severity,
)
from fingerpost.matching import FIRST
from fingerpost.policy import Action, Policy
from fingerpost.redact import clean, described, shown
from fingerpost.rules import CONTAINER, CONTENT, Rule, missing_required, unknown_param, unknown_tool, unsafe_input
from fingerpost.rules.client_noise import without_noise
from fingerpost.untrusted import as_object
from fingerpost.violations import LIMITS, MOST, UNDECLARED
from fingerpost.voice import Placeholder, key_of, literal, place, quoted

_PASSES = 4
"""How often the rules may run again on what a fix uncovered: JSON in a string can hold further slips."""

_BEARABLE = LIMITS | {UNDECLARED}
"""What servers often do not insist on: they clamp, cut or ignore. Every other violation is an error to all of them."""

DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Correction:
    """One thing that was changed on the caller's behalf, as it is told to the caller."""

    source: Any
    target: Any
    confidence: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything `admit` found out about a call."""

    call: Call
    diagnoses: tuple[Diagnosis, ...] = ()
    corrected: Call | None = None
    """The call to send instead, where there is one."""
    applicability: Applicability = Applicability.MACHINE_APPLICABLE
    """How far `corrected` may be trusted."""
    corrections: tuple[Correction, ...] = ()
    """What was changed, when the corrected call is sent on without asking."""
    warnings: tuple[str, ...] = ()
    is_refusal: bool = False
    info_tool: str | None = None
    secret: frozenset[str] = frozenset()
    """Names under which nothing is repeated, because the tool's schema says so."""
    unseen: int = 0
    """How many more findings there are than `diagnoses` tells."""
    heard: str = ""
    """What the server itself has said above ours: nothing of it is said again."""
    attempts: int = 1
    """How often the very same call has failed by now, this time included."""


SILENCE = Report(call=Call(""))
"""The report on every call about which there is nothing to say; shared, for such calls are the many."""


class Verdict(NamedTuple):
    """What to do with a call, the call to do it with, and why."""

    action: Action
    call: Call
    report: Report = SILENCE


def admit(call: Call, catalog: Catalog, *, policy: Policy = DEFAULT) -> Verdict:
    """Judge a call against the tools its caller may see."""
    tool = catalog.get(call.tool)
    if tool is not None and tool.is_plainly_right(call.arguments):
        return Verdict("forward", call)
    try:
        return judged(call, catalog, policy)
    except Exception:  # guidance must never stand between a caller and its server
        return Verdict("forward", call)


def judged(call: Call, catalog: Catalog, policy: Policy) -> Verdict:
    """`admit` without its safety net and its short cut."""
    found: list[Diagnosis] = []
    tool = catalog.get(call.tool)
    meant = Call(call.tool, {}) if call.arguments is None else call
    if tool is None:
        if not catalog.is_complete:
            return Verdict("forward", call)
        found.append(unknown_tool.diagnose(call, catalog, helper(policy, catalog)))
        tool, meant = _retargeted(meant, found[0], catalog)
    if tool is None:
        return Verdict(
            "refuse",
            call,
            Report(call=call, diagnoses=tuple(found), is_refusal=True, info_tool=helper(policy, catalog)),
        )
    if sent := as_object(meant.arguments):
        meant = Call(meant.tool, without_noise(sent, tool))
    diagnoses, case = _folded(Case(meant, tool), policy)
    if attack := [one for one in diagnoses if one.severity is Severity.CRITICAL]:
        return Verdict("refuse", call, Report(call=call, diagnoses=tuple(attack), is_refusal=True))
    if found and not found[0].sure_fix:
        diagnoses = []  # against a tool that is only guessed at, nothing is claimed about the arguments
    every = [*found, *diagnoses]
    verdict = _decided(call, every, case, policy, helper(policy, catalog)) if every else _passed(call, case.call, tool)
    return _disarmed(verdict, case, policy)


def _disarmed(verdict: Verdict, case: Case, policy: Policy) -> Verdict:
    """No fix carries an attack into its place: what would be sent, or shown, is looked at once more."""
    if policy.unsafe_input == "allow":
        return verdict
    shown = verdict.report.corrected or (verdict.call if verdict.action == "repair" else None)
    for call in (shown,) if shown else ():
        if attack := tuple(unsafe_input.diagnose(Case(call, case.tool))):
            report = Report(call=verdict.report.call, diagnoses=attack, is_refusal=True)
            return Verdict("refuse", verdict.report.call, report)
    return verdict


def helper(policy: Policy, catalog: Catalog) -> str | None:
    """The tool that explains tools, where the caller has one: nobody is sent to a tool that is not there."""
    return policy.info_tool if policy.info_tool and catalog.get(policy.info_tool) else None


def explained(case: Case) -> Report:
    """What the server itself complained of, explained by the rules of the content alone."""
    found: dict[tuple[str, Path], Diagnosis] = {}
    mended = case
    for rule in CONTENT.values() if case.said and isinstance(case.call.arguments, dict) else ():
        mended = mended.after(_edits(rule, case, found))
    diagnoses = _without_echoes(list(found.values()))
    report = Report(call=case.call, diagnoses=tuple(diagnoses[:MOST]), unseen=max(0, len(diagnoses) - MOST))
    left = [diagnosis for diagnosis in diagnoses if diagnosis.sure_fix is None]
    return _with_guess(report, left, mended) if diagnoses else report


def explained_by(diagnosis: Diagnosis, case: Case, info_tool: str | None) -> Report:
    """What the author of the tool says is wrong, and the call that follows from the fix they name."""
    report = Report(
        call=case.call, diagnoses=(diagnosis,), is_refusal=True, info_tool=info_tool, secret=case.tool.secret_names
    )
    if not diagnosis.fixes:
        return report
    mended = case.after([diagnosis.sure_fix.edit] if diagnosis.sure_fix else [])
    return _with_guess(report, [] if diagnosis.sure_fix else [diagnosis], mended)


def _retargeted(call: Call, diagnosis: Diagnosis, catalog: Catalog) -> tuple[Tool | None, Call]:
    """The call aimed at the tool that was probably meant, so that its arguments are corrected too."""
    best = next(iter(diagnosis.fixes), None)
    if best is None or best.confidence <= FIRST:
        return None, call
    meant = best.edit.applied_to(call)
    return catalog.get(meant.tool), meant


def _folded(case: Case, policy: Policy) -> tuple[list[Diagnosis], Case]:
    """Every diagnosis of a case, and the case as their sure fixes leave it."""
    found: dict[tuple[str, Path], Diagnosis] = {}
    if not case.tool.is_checkable:
        return [], case
    for code, rule in CONTAINER.items():
        if code == unsafe_input.CODE and policy.unsafe_input == "allow":
            continue
        case = case.after(_edits(rule, case, found))
        if any(diagnosis.sure_fix is None for diagnosis in found.values()):
            return list(found.values()), case
    for _ in range(_PASSES):
        edits: list[Edit] = []
        for rule in CONTENT.values():
            edits += (fresh := _edits(rule, case, found))
            case = case.after(fresh)
        if not any(_uncovers(edit, case) for edit in edits):
            break
    return _without_echoes(list(found.values())), case


def _without_echoes(found: list[Diagnosis]) -> list[Diagnosis]:
    """One slip, one diagnosis: a parameter is not missing when one stray argument was probably meant for it."""
    claims = Counter[Path](
        (*best.edit.at[:-1], best.edit.to)
        for diagnosis in found
        if diagnosis.fixes and isinstance((best := diagnosis.fixes[0]).edit, Rename) and best.confidence > FIRST
    )
    return [one for one in found if one.code != missing_required.CODE or claims[one.at] != 1]


def _uncovers(edit: Edit, case: Case) -> bool:
    """Whether a fix put a container in its place: what is in it has not been looked at yet."""
    at = (*edit.at[:-1], edit.to) if isinstance(edit, Rename) else edit.at if isinstance(edit, Replace) else None
    return at is not None and case.has(at) and isinstance(case.value(at), dict | list)


def _edits(rule: Rule, case: Case, found: dict[tuple[str, Path], Diagnosis]) -> list[Edit]:
    """The sure fixes of what one rule finds; what is new joins `found`."""
    fresh = [one for one in islice(rule(case), MOST * 2) if (one.code, one.at) not in found]
    found |= {(one.code, one.at): one for one in fresh}
    return [fix.edit for one in fresh if (fix := one.sure_fix)]


def _passed(call: Call, meant: Call, tool: Tool) -> Verdict:
    """Nothing to say. Client noise is taken out where the schema would trip over it, and only there."""
    if call.arguments is None or tool.is_valid(call.arguments) or meant.arguments == call.arguments:
        return Verdict("forward", call)
    return Verdict("repair", meant)


def _decided(call: Call, found: list[Diagnosis], case: Case, policy: Policy, info_tool: str | None) -> Verdict:
    """Weigh what was found: severity against the effect of the tool, fixes against what policy allows."""
    report = Report(
        call=call,
        diagnoses=tuple(found[:MOST]),
        info_tool=info_tool,
        secret=case.tool.secret_names,
        unseen=max(0, len(found) - MOST),
    )
    read_only = case.tool.is_read_only
    fixed = [(diagnosis, fix) for diagnosis in found if (fix := diagnosis.sure_fix)]
    left = [diagnosis for diagnosis in found if diagnosis.sure_fix is None]
    if all(policy.tolerates(diagnosis, read_only=read_only) for diagnosis in left):
        warned = replace(report, warnings=tuple(map(_warning, left)))
        if fixed and _may_repair(fixed, left, case, policy):
            corrections = tuple(_correction(diagnosis, fix) for diagnosis, fix in fixed)
            return Verdict("repair", case.call, replace(warned, corrected=case.call, corrections=corrections))
        if _is_tolerable(call, found, case, policy):
            guessed = _with_guess(warned, left, case)
            return Verdict("forward", call, replace(guessed, warnings=tuple(map(_warning, found))))
    return _refused(_with_guess(report, left, case), left, policy)


def _may_repair(fixed: Sequence[tuple[Diagnosis, Fix]], left: list[Diagnosis], case: Case, policy: Policy) -> bool:
    """Every change is allowed, and what comes out is right but for what is merely warned about."""
    if not all(policy.allows(fix, read_only=case.tool.is_read_only) for _, fix in fixed):
        return False
    arguments = case.call.arguments
    return case.tool.is_valid(arguments) if left else case.tool.accepts(arguments)


def _is_tolerable(call: Call, found: list[Diagnosis], case: Case, policy: Policy) -> bool:
    """Whether the call may go on as it was sent: each mistake is one that a server may well put up with."""
    if call.tool != case.tool.name or not isinstance(call.arguments, dict):
        return False
    bearable = all(policy.tolerates(diagnosis, read_only=case.tool.is_read_only) for diagnosis in found)
    return bearable and all(broken.keyword in _BEARABLE for broken in Case(call, case.tool).violations)


def _refused(report: Report, left: list[Diagnosis], policy: Policy) -> Verdict:
    is_ambiguous = bool(left) and all(
        any(fix.applicability is Applicability.MAYBE_INCORRECT for fix in diagnosis.fixes) for diagnosis in left
    )
    action: Action = "ask" if policy.ask and is_ambiguous else "refuse"
    return Verdict(action, report.call, replace(report, is_refusal=True))


def _with_guess(report: Report, left: list[Diagnosis], case: Case) -> Report:
    corrected, applicability = _best_guess(left, case)
    return replace(report, corrected=corrected, applicability=applicability)


def _best_guess(left: list[Diagnosis], case: Case) -> tuple[Call | None, Applicability]:
    """The call to send instead, with the likeliest way out of each mistake that has no sure one."""
    worst = Applicability.MACHINE_APPLICABLE
    missing = sum(diagnosis.code == missing_required.CODE for diagnosis in left)
    strays = sum(diagnosis.code == unknown_param.CODE and not diagnosis.fixes for diagnosis in left)
    may_drop = case.tool.is_read_only or strays <= missing  # each may well have been meant for one that is missing
    for diagnosis in left:
        if diagnosis.code == unknown_tool.CODE:
            worst = Applicability.MAYBE_INCORRECT
            continue
        fix = _guess(diagnosis, may_drop=may_drop)
        if fix is None and diagnosis.severity is not Severity.LOW:
            return None, worst
        if fix is not None:
            case = case.after([fix.edit])
            worst = fix.applicability if worst is not Applicability.HAS_PLACEHOLDERS else worst
    if not _is_sendable(case):
        _, case = _folded(case, DEFAULT)  # a guessed name may have put a value in its place that is yet to be respelled
    return (case.call, worst) if _is_sendable(case) else (None, worst)


def _guess(diagnosis: Diagnosis, *, may_drop: bool) -> Fix | None:
    if diagnosis.fixes:
        best = diagnosis.fixes[0]
        is_leading = best.confidence > FIRST and not diagnosis.is_contested
        if is_leading or diagnosis.code == missing_required.CODE:
            return best
        return next((fix for fix in diagnosis.fixes if fix.applicability is Applicability.HAS_PLACEHOLDERS), None)
    is_stray = diagnosis.code == unknown_param.CODE and may_drop
    return Fix(Drop(diagnosis.at), Applicability.MAYBE_INCORRECT) if is_stray else None


def _is_sendable(case: Case) -> bool:
    """Whether the call is right once its placeholders are filled."""
    arguments = case.call.arguments
    if not isinstance(arguments, dict):
        return False
    return all(_is_placeholder(case, violation.at) for violation in case.violations)


def _is_placeholder(case: Case, at: Path) -> bool:
    return case.has(at) and isinstance(case.value(at), Placeholder)


def _warning(diagnosis: Diagnosis) -> str:
    is_stray = diagnosis.code == unknown_param.CODE and not diagnosis.message.endswith("?")
    return f"{diagnosis.message} ignored" if is_stray else diagnosis.message


def _correction(diagnosis: Diagnosis, fix: Fix) -> Correction:
    """What was done, in the words of the note and the fields of the wire."""
    where, key = f"Parameter {quoted(place(diagnosis.at))}", key_of(diagnosis.at)
    got, received = diagnosis.details.get("got"), diagnosis.details.get("received_value")
    edit, sure = fix.edit, fix.confidence
    if isinstance(edit, CallTool):
        return Correction(
            got, clean(edit.tool), 1.0, f"Tool {quoted(str(got))} was auto-corrected to {quoted(edit.tool)}"
        )
    if isinstance(edit, Rename):
        note = f"{where} was auto-corrected to {quoted(edit.to)}"
        return Correction(clean(str(edit.at[-1])), clean(edit.to), sure, note)
    if isinstance(edit, Drop):
        return Correction(received, None, sure, f"{where} was left out because it was empty")
    if not edit.at:
        return Correction(got, "object", 1.0, fix.done)
    if fix.value is None:
        return Correction(received, described(edit.value), sure, f"{where} was auto-corrected")
    note = f"{where} was auto-corrected to {literal(edit.value, key)}"
    return Correction(received, shown(edit.value, key), sure, note)
