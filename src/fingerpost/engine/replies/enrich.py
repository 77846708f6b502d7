"""Add guidance to a server's reply: the way out to an error; to a success, what was changed and what comes next.

The server's own text stays where it is and as it is. Guidance is appended: one block of text, and a copy for
programs under one key of `_meta` (in a JSON-RPC error, of `data`). If there is nothing to add, the same object
is returned. `refusal` is the reply to a call that never reached the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from fingerpost.engine.admit import admit, available_info_tool, explain_violations, explain_with
from fingerpost.engine.case import Case
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.dialects.plausible import is_plausible
from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import EMPTY_REPORT, KEY, Call, Diagnosis, Report, Verdict
from fingerpost.engine.policy import DEFAULT_POLICY, Policy
from fingerpost.engine.render.envelope import Envelope, fit_structure, render
from fingerpost.engine.render.shapes import Shape, reshape
from fingerpost.engine.render.text import fit_budget
from fingerpost.engine.replies.classify import LONGEST_READ, is_failure, is_protocol_error, sounds_like_failure, text_of
from fingerpost.engine.replies.paging_tips import NO_ADVICE, advise, payload_of
from fingerpost.engine.replies.server_errors import failure_fields
from fingerpost.engine.safety.json_input import as_object

_MODEL = re.compile(r"\bvalidation errors? for (\S{1,128})")


def enrich(
    call: Call, result: Any, catalog: Catalog, *, policy: Policy = DEFAULT_POLICY, verdict: Verdict | None = None
) -> Any:
    """Return the reply to `call` with guidance: a `tools/call` result, a JSON-RPC error, or a whole JSON-RPC response.

    `call` is the call as the client sent it; `verdict` is what `admit` returned for it, if that is at hand.
    """
    try:
        return add_guidance(call, result, catalog, policy, verdict or admit(call, catalog, policy=policy))
    except Exception:  # whatever happens to ours, the server's own reply goes through
        return result


def refusal(
    verdict: Verdict, catalog: Catalog, *, policy: Policy = DEFAULT_POLICY, shape: Shape = "nested"
) -> dict[str, Any]:
    """Return the `tools/call` result that answers a refused call."""
    return error_result(verdict.report, catalog.get(verdict.call.tool), policy, shape)


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
        part = next((part for part in ("result", "error") if part in fields), "")
        inner = add_guidance(call, fields.get(part), catalog, policy, verdict)
        return fields if inner is fields.get(part) else {**fields, part: inner}
    failure = explain_failure(call, fields, catalog, policy, verdict)
    return append_report(fields, failure, policy) if failure else add_to_success(call, fields, catalog, policy, verdict)


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
        text, payload = text_of(reply), payload_of(reply)
    return _explain(call, text, payload, catalog, policy, verdict, facts)


def append_report(reply: dict[str, Any], report: Report, policy: Policy) -> dict[str, Any]:
    """Append a report to a failed reply, if it has anything to tell: a diagnosis, or that another call was made."""
    if not (report.diagnoses or report.corrections):
        return reply
    if is_protocol_error(reply):
        return _append_to_error(reply, render(report, budget=policy.budget))
    return _append(reply, render(report, budget=policy.budget))


def append_guidance(reply: Any, report: Report, policy: Policy) -> Any:
    """Append what we know about the call to a reply that reports a failure; return any other reply unchanged."""
    fields = as_object(reply)
    if "content" not in fields or not (is_failure(fields) or sounds_like_failure(text_of(fields))):
        return reply
    return _append(fields, render(replace(report, server_text=text_of(fields) or " "), budget=policy.budget))


def add_to_success(
    call: Call, reply: dict[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict
) -> dict[str, Any]:
    """Add to a success: corrections, warnings, tips; or, if its payload reports a failure, what its author advises."""
    if _is_unfinished(reply):
        return reply
    payload = payload_of(reply)
    tips = advise(verdict.call, payload, catalog) if policy.tips and payload else NO_ADVICE
    has_tips = bool(tips)
    if payload and (report := _explain_reported_failure(reply, payload, catalog, policy, verdict)):
        return _append(reply, render(report, budget=policy.budget))
    # A call that we would have refused and the server accepted was right: there is nothing to say about it.
    report = EMPTY_REPORT if verdict.report.is_refusal else verdict.report
    if report is EMPTY_REPORT and not has_tips:
        return reply
    envelope = render(report, budget=policy.budget)
    if not has_tips:
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
    return replace(report, corrections=verdict.report.corrections, warnings=verdict.report.warnings)


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
    tool = catalog.get(verdict.call.tool)
    if tool is None:
        return report
    report = replace(report, secret_names=tool.secret_names)
    fields = failure_fields(payload, is_error=True) or {}
    author = (
        _diagnose_author_fields(fields, verdict.call, tool, catalog) if fields.keys() - {"message", "said"} else None
    )
    if found := _join_with_server_text(report, text, verdict.call, tool):
        return _add_author_hints(found, author) if author else found
    if author:
        return replace(report, diagnoses=(author,))
    return replace(report, diagnoses=_diagnose_symptoms(fields.get("said") or text, tool, catalog, facts))


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
    joined = replace(first, hints=(*first.hints, *hints), routing_hint=author.routing_hint)
    return replace(report, diagnoses=(joined, *report.diagnoses[1:]))


def _explain_reported_failure(
    reply: dict[str, Any], payload: Mapping[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict
) -> Report | None:
    """Explain a failure that is reported in the payload of a success.

    It may be the requested answer after all (a job that failed, a file that is not valid), so nothing is advised
    that its author does not advise, and it never counts as a call that keeps failing.
    """
    fields = failure_fields(payload, is_error=False)
    if fields is None or (tool := catalog.get(verdict.call.tool)) is None:
        return None
    return Report(
        call=verdict.call,
        diagnoses=(_diagnose_author_fields(fields, verdict.call, tool, catalog, has_default=False),),
        is_refusal=True,
        server_text=text_of(reply) or " ",
        info_tool=available_info_tool(policy, catalog),
    )


def _diagnose_author_fields(
    fields: Mapping[str, Any], call: Call, tool: Tool, catalog: Catalog, *, has_default: bool = True
) -> Diagnosis:
    from fingerpost.engine.replies import author_diagnosis

    return author_diagnosis.diagnose_fields(
        fields, fields["message"], call, tool, catalog, text=fields["said"], has_default=has_default
    )


def _read_server_text(text: str, call: Call, tool: Tool) -> Report:
    """Report what the server's text says is wrong with the arguments, as far as it names declared parameters."""
    from fingerpost.engine import dialects  # a few dozen patterns, which a process without failures need not compile

    model = _MODEL.search(text[:LONGEST_READ])
    if not tool.is_checkable or (model and not _is_model_of(tool, normal_form(model[1]))):
        return Report(call=call)
    violations = dialects.read(text[:LONGEST_READ])
    return explain_violations(
        Case(call, tool, reported=tuple(one for one in violations if is_plausible(one, call, tool)))
    )


def _is_model_of(tool: Tool, model: str) -> bool:
    """Whether a model holds the tool's arguments; a failure of another model of the server is not about the call."""
    name = normal_form(tool.name)
    return model.startswith(name) or model.endswith(name)


def _diagnose_symptoms(text: str, tool: Tool, catalog: Catalog, facts: FailureFacts | None) -> tuple[Diagnosis, ...]:
    from fingerpost.engine.replies import symptoms

    diagnosis = symptoms.diagnose_text(text, tool, catalog, facts)
    return (diagnosis,) if diagnosis else ()


def _append_to_error(error: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    data = error.get("data")
    if not isinstance(data, dict | None) or KEY in (data or {}):
        return error
    guidance = {**envelope.structured, "text": envelope.text}
    return {**error, "data": {**cast("dict[str, Any]", data or {}), KEY: guidance}}


def _append(result: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    """Return the result with one more block of text and the copy for programs in `_meta`; nothing else changes."""
    meta, content = result.get("_meta"), result.get("content")
    if not isinstance(meta, dict | None) or not isinstance(content, list | None) or KEY in (meta or {}):
        return result
    block = [{"type": "text", "text": envelope.text}] if envelope.text else []
    return {
        **result,
        "content": [*cast("list[Any]", content or []), *block],
        "_meta": {**cast("dict[str, Any]", meta or {}), KEY: envelope.structured},
    }
