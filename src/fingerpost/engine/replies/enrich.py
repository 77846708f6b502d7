"""Add guidance to a server's reply: the way out to an error; to a success, what was changed and what comes next.

The server's own text stays where it is and as it is, except that secrets in an error are hidden if the policy says
so. Guidance is appended: one block of text, and a copy for programs under one key of `_meta` (in a JSON-RPC error, of
`data`). If there is nothing to add, the same object is returned. `refusal` is the reply to a call that never reached
the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from fingerpost.engine.admit import admit
from fingerpost.engine.case import Case
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.dialects.plausible import is_plausible
from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.judge import available_info_tool, explain_violations, explain_with
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import EMPTY_REPORT, KEY, Call, Diagnosis, Report, Verdict
from fingerpost.engine.policy import DEFAULT_POLICY, Policy
from fingerpost.engine.render.envelope import Envelope, render
from fingerpost.engine.render.fit import fit_structure
from fingerpost.engine.render.shapes import Shape, reshape
from fingerpost.engine.render.text import fit_budget
from fingerpost.engine.replies.add_hints import add_hints, visible_text
from fingerpost.engine.replies.classify import (
    is_failure,
    is_protocol_error,
    text_of,
)
from fingerpost.engine.replies.paging_tips import NO_ADVICE, advise
from fingerpost.engine.replies.payload import is_empty, payload_of
from fingerpost.engine.replies.server_errors import error_payload, failure_fields
from fingerpost.engine.replies.unexplained import diagnose_unexplained
from fingerpost.engine.replies.unknown_tool_reply import is_unknown_tool
from fingerpost.engine.replies.zero_results import advise_on_nothing
from fingerpost.engine.rules import unknown_tool
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import scrub
from fingerpost.engine.safety.redact_error import redact_error
from fingerpost.engine.tool import Tool

_LONGEST_MESSAGE = 300
_LONGEST_PARSED = 8 * 1024
"""How much of a text is read as the message of a validator, which takes dozens of patterns."""
_MODEL = lazy_pattern(r"\bvalidation errors? for (\S{1,128})")


def enrich(
    call: Call, result: Any, catalog: Catalog, *, policy: Policy = DEFAULT_POLICY, verdict: Verdict | None = None
) -> Any:
    """Return the reply to `call` with guidance: a `tools/call` result, a JSON-RPC error, or a whole JSON-RPC response.

    `call` is the call as the client sent it; `verdict` is what `admit` returned for it, if that is at hand.
    """
    try:
        verdict = verdict or admit(call, catalog, policy=policy)
        return add_guidance(call, result, catalog, catalog.policy_for(verdict.call.tool, policy), verdict)
    except Exception:  # whatever happens to ours, the server's own reply goes through
        return result


def refusal(
    verdict: Verdict, catalog: Catalog, *, policy: Policy = DEFAULT_POLICY, shape: Shape = "nested"
) -> dict[str, Any]:
    """Return the `tools/call` result that answers a refused call."""
    tool = policy_tool(verdict.report)
    return error_result(verdict.report, catalog.get(verdict.call.tool), catalog.policy_for(tool, policy), shape)


def policy_tool(report: Report) -> str:
    """Return the tool whose policy applies to the answer: the one that was intended, if that is known."""
    return report.corrected.tool if report.corrected else report.call.tool


def error_result(report: Report, tool: Tool | None, policy: Policy, shape: Shape) -> dict[str, Any]:
    """Return a failed `tools/call` result that consists of guidance only.

    The structure is in `structuredContent` too, in the server's own shape, unless the tool declares an output
    schema: one widespread client throws on an error that breaks it.
    """
    envelope = render(report, budget=policy.budget)
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": envelope.text}],
        "isError": True,
        "_meta": {KEY: envelope.structured},
    }
    if tool is None or not tool.declares_output:
        result["structuredContent"] = reshape(envelope.structured, shape)
    return result


def add_guidance(call: Call, reply: Any, catalog: Catalog, policy: Policy, verdict: Verdict) -> Any:
    """Add guidance like `enrich`, without its safety net."""
    if not isinstance(reply, dict):
        return reply
    fields = cast("dict[str, Any]", reply)
    if "jsonrpc" in fields:
        part = _part_of(fields)
        inner = add_guidance(call, fields[part], catalog, policy, verdict) if part else None
        return {**fields, part: inner} if part and inner is not fields[part] else fields
    failure = explain_failure(call, fields, catalog, policy, verdict)
    return append_report(fields, failure, policy) if failure else add_to_success(call, fields, catalog, policy, verdict)


def _part_of(response: Mapping[str, Any]) -> str:
    """Return which member of a JSON-RPC response is the reply; empty if the response is malformed."""
    result, error = response.get("result"), response.get("error")
    if result is not None and error is None:
        return "" if is_protocol_error(as_object(result)) else "result"
    return "error" if result is None and is_protocol_error(as_object(error)) else ""


def explain_failure(
    call: Call,
    reply: Mapping[str, Any],
    catalog: Catalog,
    policy: Policy,
    verdict: Verdict,
    *,
    facts: FailureFacts | None = None,
) -> Report | None:
    """Explain a failed reply; None if the reply is not a failure.

    `facts` is what is known about the failure besides the reply: the kind of the exception behind it.
    """
    if _is_unfinished(reply) or not is_failure(reply):
        return None
    if is_protocol_error(reply):
        text, payload = str(reply.get("message")), as_object(reply.get("data"))
    else:
        text, payload = text_of(reply), error_payload(reply)
    report = _explain(call, text, payload, catalog, policy, verdict, facts)
    if not report.diagnoses:
        report = _add_unexplained(report, call, reply, payload, catalog)
    return add_hints(report, verdict.call.tool, visible_text(reply), catalog.overrides)


def _add_unexplained(
    report: Report, call: Call, reply: Mapping[str, Any], payload: Mapping[str, Any], catalog: Catalog
) -> Report:
    """Add the failure itself, in the server's own words, if nothing else is known about it."""
    message = str((failure_fields(payload, is_error=True) or {}).get("message") or report.server_text.strip())
    unexplained = diagnose_unexplained(message, reply["code"] if is_protocol_error(reply) else None)
    if unexplained is None:
        return report
    if catalog.get(call.tool) is None and is_unknown_tool(reply, call.tool):
        unexplained = replace(unexplained, code=unknown_tool.CODE, category="not_found")
    seen = f"{report.server_text}\n{unexplained.message}"  # cleaned or not, it is not said twice
    return replace(report, diagnoses=(unexplained,), server_text=seen)


def append_report(reply: dict[str, Any], report: Report, policy: Policy) -> dict[str, Any]:
    """Append a report to a failed reply, if it has anything to tell: a diagnosis, or that another call was made."""
    reply = hide_secrets_in_error(reply, policy)
    if not (report.diagnoses or report.corrections):
        return reply
    if is_protocol_error(reply):
        return _append_to_error(reply, render(report, budget=policy.budget))
    return _append(reply, render(report, budget=policy.budget))


def hide_secrets_in_error(reply: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """Hide the secrets in a server's own error, if the policy asks for it; the same object if there are none."""
    return redact_error(reply) if policy.redact == "errors" else reply


def add_to_success(
    call: Call, reply: dict[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict
) -> dict[str, Any]:
    """Add to a success: corrections, warnings, tips; or, if its payload reports a failure, what its author advises."""
    if _is_unfinished(reply):
        return reply
    payload, tips = payload_of(reply), NO_ADVICE
    if policy.tips and payload:
        tips = advise(verdict.call, payload, catalog)
    if policy.tips and tips is NO_ADVICE and is_empty(reply, payload):
        tips = advise_on_nothing(verdict.call, catalog)
    fields = failure_fields(payload, is_error=False) if payload else None
    if fields and (report := _explain_reported_failure(reply, fields, catalog, policy, verdict)):
        return _append(hide_secrets_in_error(reply, policy), render(report, budget=policy.budget))
    # A call that we would have refused and the server accepted was right: there is nothing to say about it.
    report = EMPTY_REPORT if verdict.report.is_refusal else verdict.report
    if report is EMPTY_REPORT and tips is NO_ADVICE:
        return reply
    envelope = render(report, budget=policy.budget)
    if tips is NO_ADVICE:
        return _append(reply, envelope)
    text = "\n".join(fit_budget(policy.budget, [*envelope.text.splitlines(), *tips.lines]))
    more = {"tips": dict(tips.tips), "next_steps": dict(tips.next_steps)}
    whole = {**envelope.structured, **{key: one for key, one in more.items() if one}}
    return _append(reply, Envelope(text, fit_structure(whole, text)))


def explain_exception(
    exception: BaseException, catalog: Catalog, policy: Policy, verdict: Verdict, *, is_masked: bool
) -> Report | None:
    """Report what the author of a tool says by an exception; None if it was not made for callers to read."""
    from fingerpost.engine.replies import exceptions

    call, tool = verdict.call, catalog.get(verdict.call.tool) or Tool(verdict.call.tool)
    diagnosis = exceptions.diagnose_exception(
        exceptions.root_cause(exception), call, tool, catalog, is_masked=is_masked
    )
    if diagnosis is None:
        return None
    report = explain_with(diagnosis, Case(call, tool), available_info_tool(policy, catalog))
    report = replace(report, corrections=verdict.report.corrections, warnings=verdict.report.warnings)
    return add_hints(report, call.tool, diagnosis.message, catalog.overrides)


def _is_unfinished(reply: Mapping[str, Any]) -> bool:
    """Whether the server asks something back, so that the call is not over."""
    return reply.get("resultType", "complete") != "complete"


def _explain(
    call: Call,
    text: str,
    payload: Mapping[str, Any],
    catalog: Catalog,
    policy: Policy,
    verdict: Verdict,
    facts: FailureFacts | None,
) -> Report:
    """Collect what is known about a failed call: from the schema, from the server's text, from common symptoms."""
    report = replace(
        verdict.report,
        call=call,
        is_refusal=True,
        warnings=(),
        info_tool=available_info_tool(policy, catalog),
        server_text=text or " ",
    )
    if verdict.action == "repair":
        report = replace(report, diagnoses=(), corrected=None)
    tool = catalog.get(verdict.call.tool) or Tool(verdict.call.tool)
    report = replace(report, secret_names=tool.secret_names)
    fields = failure_fields(payload, is_error=True) or {}
    author = (
        _diagnose_author_fields(fields, verdict.call, tool, catalog)
        if fields.get("facts") or fields.keys() - {"message", "said", "facts"}
        else None
    )
    if found := _join_with_server_text(report, text, verdict.call, tool):
        return _add_author_hints(found, author) if author else found
    if author:
        return replace(report, diagnoses=(author,))
    found = _diagnose_symptoms(fields.get("said") or text, verdict.call, tool, catalog, facts)
    if message := scrub(str(fields.get("message") or ""), _LONGEST_MESSAGE):
        found = tuple(replace(one, message=message) for one in found)  # the author's words, not ours
    return replace(report, diagnoses=found)


def _join_with_server_text(report: Report, text: str, call: Call, tool: Tool) -> Report | None:
    """Join our diagnoses with those that the server's text adds; None if there are neither."""
    reported = _read_server_text(text, call, tool)
    known = {diagnosis.at for diagnosis in report.diagnoses}
    fresh = tuple(replace(one, origin="server") for one in reported.diagnoses if one.at not in known)
    if not (report.diagnoses or fresh):
        return None
    best = report if report.diagnoses else reported
    corrected = None if best.corrected == call else best.corrected  # which has just failed
    diagnoses = (*report.diagnoses, *fresh)
    return replace(report, diagnoses=diagnoses, corrected=corrected, applicability=best.applicability)


def _add_author_hints(report: Report, author: Diagnosis) -> Report:
    """Keep the hints that the server itself gives beside our leading diagnosis."""
    first = report.diagnoses[0]
    hints = tuple(hint for hint in (author.hint, *author.hints) if hint)
    joined = replace(
        first,
        hints=(*first.hints, *hints),
        routing_hint=author.routing_hint,
        documentation_url=author.documentation_url,
        trace=author.trace,
        debug=author.debug,
        server_warnings=author.server_warnings,
    )
    return replace(report, diagnoses=(joined, *report.diagnoses[1:]))


def _explain_reported_failure(
    reply: dict[str, Any], fields: Mapping[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict
) -> Report | None:
    """Explain a failure that is reported in the payload of a success.

    It may be the requested answer after all (a job that failed, a file that is not valid), so nothing is advised
    that its author does not advise, and it never counts as a call that keeps failing.
    """
    if (tool := catalog.get(verdict.call.tool)) is None:
        return None
    report = Report(
        call=verdict.call,
        diagnoses=(_diagnose_author_fields(fields, verdict.call, tool, catalog, has_default=False),),
        is_refusal=True,
        server_text=text_of(reply) or " ",
        info_tool=available_info_tool(policy, catalog),
    )
    return add_hints(report, tool.name, visible_text(reply), catalog.overrides)


def _diagnose_author_fields(
    fields: Mapping[str, Any], call: Call, tool: Tool, catalog: Catalog, *, has_default: bool = True
) -> Diagnosis:
    from fingerpost.engine.replies import author_diagnosis

    return author_diagnosis.diagnose_fields(
        fields,
        fields["message"],
        call,
        tool,
        catalog,
        text=fields["said"],
        facts=fields["facts"],
        has_default=has_default,
    )


def _read_server_text(text: str, call: Call, tool: Tool) -> Report:
    """Report what the server's text says is wrong with the arguments, as far as it names declared parameters."""
    from fingerpost.engine import dialects  # a few dozen patterns, which a process without failures need not compile
    from fingerpost.engine.dialects import rejected_null

    text = text[:_LONGEST_PARSED]
    model = _MODEL.search(text)
    if not tool.is_checkable:
        return Report(call=call)
    is_about_call = not model or _is_model_of(tool, normal_form(model[1]))
    violations = dialects.read(text) if is_about_call else ()
    reported = tuple(one for one in violations if is_plausible(one, call, tool))
    return explain_violations(Case(call, tool, reported=reported or rejected_null.read(text, call, tool)))


def _is_model_of(tool: Tool, model: str) -> bool:
    """Whether a model holds the tool's arguments; a failure of another model of the server is not about the call."""
    name = normal_form(tool.name)
    return model.startswith(name) or model.endswith(name)


def _diagnose_symptoms(
    text: str, call: Call, tool: Tool, catalog: Catalog, facts: FailureFacts | None
) -> tuple[Diagnosis, ...]:
    from fingerpost.engine.replies import symptoms

    diagnosis = symptoms.diagnose_text(text, call, tool, catalog, facts)
    return (diagnosis,) if diagnosis else ()


def _append_to_error(error: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    data = error.get("data")
    if not isinstance(data, dict | None) or KEY in (data or {}):
        return error
    guidance = {**envelope.structured, **({"text": envelope.text} if envelope.text else {})}
    return {**error, "data": {**cast("dict[str, Any]", data or {}), KEY: guidance}}


def _append(result: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    """Return the result with one more block of text and the copy for programs in `_meta`; nothing else changes.

    Content that is no list breaks the protocol, so nothing can be appended to it, but `_meta` still has the copy.
    """
    meta, content = result.get("_meta"), result.get("content")
    if not isinstance(meta, dict | None) or KEY in (meta or {}):
        return result
    guided = {**result, "_meta": {**cast("dict[str, Any]", meta or {}), KEY: envelope.structured}}
    if isinstance(content, list | None):
        block = [{"type": "text", "text": envelope.text}] if envelope.text else []
        guided["content"] = [*cast("list[Any]", content or []), *block]
    return guided
