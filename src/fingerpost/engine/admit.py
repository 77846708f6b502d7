"""Judge a call before it is sent: forward it, repair it, refuse it, or ask. The entry point of the engine.

`enrich` (in `replies`) adds guidance to what the server answered. Both are pure and never raise.
"""

from __future__ import annotations

from dataclasses import replace

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call, Verdict
from fingerpost.engine.policy import DEFAULT_POLICY, Policy
from fingerpost.engine.safety.json_input import make_encodable


def admit(call: Call, catalog: Catalog, *, policy: Policy = DEFAULT_POLICY) -> Verdict:
    """Judge a call against the tools its caller may see."""
    tool = catalog.get(call.tool)
    if tool is not None and tool.is_clearly_valid(call.arguments):
        return Verdict("forward", call)
    verdict = _judge_safely(call, catalog, policy)
    if verdict.report.diagnoses or (arguments := make_encodable(call.arguments)) is call.arguments:
        return verdict
    by_copy = _judge_safely(Call(call.tool, arguments), catalog, policy)
    return _use_facts_only(call, by_copy) if by_copy.report.diagnoses else verdict


def _judge_safely(call: Call, catalog: Catalog, policy: Policy) -> Verdict:
    from fingerpost.engine.judge import judge  # the rules are loaded with the first call that needs them

    try:
        return judge(call, catalog, policy)
    except Exception:  # a bug in guidance must never block a call
        return Verdict("forward", call)


def _use_facts_only(call: Call, by_copy: Verdict) -> Verdict:
    """Return the verdict on a call that was judged by a copy with other text. No call is made from the copy."""
    report = replace(by_copy.report, corrected=None, readings=(), corrections=())
    if by_copy.action == "forward":
        return Verdict("forward", call, report)
    return Verdict("refuse", call, replace(report, is_refusal=True, warnings=()))
