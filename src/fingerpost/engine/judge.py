"""Judge a call that is not clearly valid with the rules: forward it, repair it, refuse it, or ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fingerpost.engine.apply_rules import apply_content_rules, apply_rules, apply_rules_everywhere
from fingerpost.engine.case import Case
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.decide import (
    add_solutions,
    forward_or_refuse,
    refuse_attack,
    repair,
    start_report,
    without_certain_fix,
)
from fingerpost.engine.listers import add_listers
from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.model import Applicability, Call, Diagnosis, Report, Severity, Verdict
from fingerpost.engine.policy import Policy
from fingerpost.engine.rules import unknown_param, unknown_tool
from fingerpost.engine.rules.client_noise import remove_client_noise
from fingerpost.engine.rules.declared_alias import resolve_aliases
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema.validate import MAX_DIAGNOSES
from fingerpost.engine.solve import Start, loses_argument, solve
from fingerpost.engine.tool import Tool

_TRIAL_CONFIDENCE = 0.9
"""Any confidence below 1 marks a tool that is only guessed at."""


def judge(call: Call, catalog: Catalog, policy: Policy) -> Verdict:
    """Judge a call like `admit`, without its short cut and its safety net."""
    info_tool = available_info_tool(policy, catalog)
    tool = catalog.get(call.tool)
    intended = Call(call.tool, {}) if call.arguments is None else call
    found: list[Diagnosis] = []
    if tool is None:
        if not catalog.is_complete:
            return Verdict("forward", call)
        fits = partial(_fits, intended, policy)
        found.append(unknown_tool.diagnose(call, catalog, info_tool, fits))
        tool, intended = _retarget(intended, found[0], catalog)
    if tool is None:
        return Verdict("refuse", call, Report(call=call, diagnoses=(*found,), is_refusal=True, info_tool=info_tool))
    policy = catalog.policy_for(tool.name, policy)
    aliased, resolved = resolve_aliases(Case(_without_noise(intended, tool), tool))
    diagnoses, case, more = apply_rules_everywhere(resolved, policy)
    if attack := next((one for one in diagnoses if one.severity is Severity.CRITICAL), None):
        return refuse_attack(call, attack)
    if found and not found[0].certain_fix:
        # against a tool that is only guessed at, nothing is claimed about the arguments
        guesses = list(_guess_tools(intended, found[0], catalog, policy))
        return _decide(start_report(call, found, case, info_tool), found, case, policy, guesses)
    every = [*found, *aliased, *diagnoses]
    if not every:
        return _pass_without_noise(call, case.call, tool)
    # a tool without parameters is named, but a call with arguments that it does not have is not offered
    starts: list[Start] | None = [] if found and tool.takes_nothing and case.call.arguments else None
    verdict = _decide(start_report(call, every, case, info_tool, more), every, case, policy, starts)
    if verdict.action in ("refuse", "ask"):
        verdict = verdict._replace(report=add_listers(verdict.report, catalog, tool))
    return verdict


def _decide(
    report: Report, found: Sequence[Diagnosis], case: Case, policy: Policy, starts: Sequence[Start] | None = None
) -> Verdict:
    """Repair the call if that is allowed; else find the call that was probably intended.

    `starts` are where the search begins, if not with `case`: several tools may be intended.
    """
    if repaired := repair(report, found, case, policy):
        return repaired
    outcome = solve([Start(case, without_certain_fix(found))] if starts is None else starts, apply_rules, policy)
    if outcome.attack:
        return refuse_attack(report.call, outcome.attack)
    return forward_or_refuse(add_solutions(report, outcome.solutions), found, case, policy)


def available_info_tool(policy: Policy, catalog: Catalog) -> str | None:
    """Return the name of the info tool if the caller has one, so that nobody is sent to a tool that is not there."""
    return policy.info_tool if policy.info_tool and catalog.get(policy.info_tool) else None


def explain_violations(case: Case) -> Report:
    """Explain the violations that the server reported, using the content rules only."""
    if not (case.reported and isinstance(case.call.arguments, dict)):
        return Report(call=case.call)
    diagnoses, fixed = apply_content_rules(case)
    report = Report(
        call=case.call, diagnoses=tuple(diagnoses[:MAX_DIAGNOSES]), more_problems=max(0, len(diagnoses) - MAX_DIAGNOSES)
    )
    left = without_certain_fix(diagnoses)
    return add_solutions(report, solve([Start(fixed, left)], apply_rules).solutions) if diagnoses else report


def explain_with(diagnosis: Diagnosis, case: Case, info_tool: str | None) -> Report:
    """Report a diagnosis that the author of the tool gave, with the call that follows from its fix."""
    report = Report(
        call=case.call,
        diagnoses=(diagnosis,),
        is_refusal=True,
        info_tool=info_tool,
        secret_names=case.tool.secret_names,
        is_by_author=True,
    )
    if not diagnosis.fixes:
        return report
    fixed = case.after([diagnosis.certain_fix.edit] if diagnosis.certain_fix else [])
    return add_solutions(
        report, solve([Start(fixed, [] if diagnosis.certain_fix else [diagnosis])], apply_rules).solutions
    )


def _retarget(call: Call, diagnosis: Diagnosis, catalog: Catalog) -> tuple[Tool | None, Call]:
    """Aim the call at the tool that was probably intended, so that its arguments are corrected too."""
    best = next(iter(diagnosis.fixes), None)
    if best is None or best.confidence <= OFFER_THRESHOLD:
        return None, call
    intended = best.edit.applied_to(call)
    return catalog.get(intended.tool), intended


def _guess_tools(call: Call, diagnosis: Diagnosis, catalog: Catalog, policy: Policy) -> Iterator[Start]:
    """Yield each tool that may have been intended, with what is wrong with the arguments for that tool."""
    for fix in diagnosis.fixes:
        intended = fix.edit.applied_to(call)
        if fix.confidence > OFFER_THRESHOLD and (tool := catalog.get(intended.tool)):
            start, loses = _guess_tool(intended, tool, policy, fix.confidence)
            if not loses or (fix.applicability is Applicability.MACHINE_APPLICABLE and not tool.takes_nothing):
                yield start


def _guess_tool(call: Call, tool: Tool, policy: Policy, confidence: float) -> tuple[Start, bool]:
    """Return where a search begins for a tool that is guessed at, and whether a certain fix leaves an argument out.

    Such an argument may be for another tool.
    """
    aliased, resolved = resolve_aliases(Case(_without_noise(call, tool), tool))
    diagnoses, fixed = apply_rules(resolved, policy)
    certain = [(one, fix) for one in diagnoses if one.code == unknown_param.CODE and (fix := one.certain_fix)]
    loses = any(loses_argument(one, fix) for one, fix in certain)
    loses = loses or (tool.takes_nothing and bool(resolved.arguments))
    return Start(fixed, without_certain_fix((*aliased, *diagnoses)), confidence), loses


def _fits(call: Call, policy: Policy, tool: Tool) -> bool:
    """Whether all arguments of a call can be given to another tool, and nothing is missing then."""
    start, loses = _guess_tool(call, tool, policy, _TRIAL_CONFIDENCE)
    if loses or not tool.is_checkable:
        return False
    found = solve([start], apply_rules, policy).solutions
    return len(found) == 1 and found[0].is_complete and _are_declared(found[0].call, tool)


def _are_declared(call: Call, tool: Tool) -> bool:
    """Whether the tool names every argument of a call: one that takes anything fits nothing in particular."""
    return all(name in tool.params for name in as_object(call.arguments))


def _without_noise(call: Call, tool: Tool) -> Call:
    """Return the call without client noise. Arguments that are no object stay as they are."""
    arguments = as_object(call.arguments)
    return Call(tool.name, remove_client_noise(arguments, tool)) if arguments else call


def _pass_without_noise(call: Call, without: Call, tool: Tool) -> Verdict:
    """Forward a call without a diagnosis. Remove client noise only if the schema would reject it."""
    if call.arguments is None or tool.is_valid(call.arguments) or without.arguments == call.arguments:
        return Verdict("forward", call)
    return Verdict("repair", without)
