"""What is added to a server's reply: to an error the way out, to a success what was changed and what comes next.

The server's own words stay where they are and as they are. Guidance is appended: one block of text, and
the machine copy under one key of `_meta` (in a JSON-RPC error, of `data`). Where there is nothing to add,
the very same object comes back. `refusal` is the reply to a call that never reached the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from fingerpost.case import Case
from fingerpost.catalog import Catalog, Tool
from fingerpost.diagnosis import Call, Diagnosis
from fingerpost.envelope import Envelope, render, trimmed
from fingerpost.guide import DEFAULT, SILENCE, Report, Verdict, admit, explained, helper
from fingerpost.hearsay import holds
from fingerpost.matching import normal_form
from fingerpost.policy import Policy
from fingerpost.shapes import Shape, reshape
from fingerpost.text import within
from fingerpost.tips import Advice, advice, payload_of
from fingerpost.untrusted import as_list, as_object, as_strings

KEY = "dev.fingerpost/guidance"
"""The key of the machine copy, and the id of the protocol extension."""

_LONGEST_READ = 16 * 1024
_MODEL = re.compile(r"\bvalidation errors? for (\S{1,128})")


def enrich(
    call: Call, result: Any, catalog: Catalog, *, policy: Policy = DEFAULT, verdict: Verdict | None = None
) -> Any:
    """The guided reply to `call`: a `tools/call` result, a JSON-RPC error, or a whole JSON-RPC response.

    `call` is the call as the client sent it; `verdict` is what `admit` said of it, where that is at hand.
    """
    try:
        return guided(call, result, catalog, policy, verdict or admit(call, catalog, policy=policy))
    except Exception:  # the server's own reply goes through whatever happens to ours
        return result


def refusal(verdict: Verdict, catalog: Catalog, *, policy: Policy = DEFAULT, shape: Shape = "nested") -> dict[str, Any]:
    """The `tools/call` result that answers a refused call.

    The structure stands in `structuredContent` too, in the server's own shape, but not where the tool
    declares an output schema: one widespread client throws on an error that breaks it.
    """
    envelope = render(verdict.report, budget=policy.budget)
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": envelope.text}],
        "isError": True,
        "_meta": {KEY: envelope.structured},
    }
    tool = catalog.get(verdict.call.tool)
    if tool is None or not tool.declares_output:
        result["structuredContent"] = reshape(envelope.structured, shape)
    return result


def guided(call: Call, reply: Any, catalog: Catalog, policy: Policy, verdict: Verdict) -> Any:
    """`enrich` without its safety net."""
    if not isinstance(reply, dict):
        return reply
    said = cast("dict[str, Any]", reply)
    if "jsonrpc" in said:
        part = next((part for part in ("result", "error") if part in said), "")
        inner = guided(call, said.get(part), catalog, policy, verdict)
        return said if inner is said.get(part) else {**said, part: inner}
    if said.get("resultType", "complete") != "complete":
        return said  # the server asks something back; the call is not over
    if isinstance(said.get("code"), int) and "content" not in said:
        failure = _failure(call, str(said.get("message")), as_object(said.get("data")), catalog, policy, verdict)
        return _protocol_error(said, failure, policy)
    if said.get("isError") is True:
        failure = _failure(call, _text(said), payload_of(said), catalog, policy, verdict)
        return _appended(said, render(failure, budget=policy.budget)) if failure.diagnoses else said
    return _success(said, catalog, policy, verdict)


def _failure(
    call: Call, text: str, payload: Mapping[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict
) -> Report:
    """Everything known about a failed call: what the schema says, what the server says, what usually helps."""
    report = replace(verdict.report, call=call, is_refusal=True, warnings=(), info_tool=helper(policy, catalog))
    if verdict.action == "repair":
        report = replace(report, diagnoses=(), corrected=None)
    tool = catalog.get(verdict.call.tool)
    if tool is None:
        return report
    report = replace(report, secret=tool.secret_names)
    heard = _heard(text, verdict.call, tool)
    known = {diagnosis.at for diagnosis in report.diagnoses}
    fresh = tuple(replace(one, origin="server") for one in heard.diagnoses if one.at not in known)
    if report.diagnoses or fresh:
        best = report if report.diagnoses else heard
        corrected = None if best.corrected == verdict.call else best.corrected  # which has just failed
        found = (*report.diagnoses, *fresh)
        return replace(report, diagnoses=found, corrected=corrected, applicability=best.applicability)
    return report if _has_hint(payload) else replace(report, diagnoses=_symptoms(_prose(text, payload), tool, catalog))


def _heard(text: str, call: Call, tool: Tool) -> Report:
    """What the server's own words say is wrong with the arguments, as far as they speak of declared names."""
    from fingerpost import dialects  # a few dozen patterns, which a process without failures need not compile

    model = _MODEL.search(text[:_LONGEST_READ])
    if not tool.is_checkable or (model and not _is_of(tool, normal_form(model[1]))):
        return Report(call=call)
    said = dialects.read(text[:_LONGEST_READ])
    return explained(Case(call, tool, said=tuple(one for one in said if holds(one, call, tool))))


def _is_of(tool: Tool, model: str) -> bool:
    """Whether a model is that of the tool's arguments; the failure of another of the server's is not about the call."""
    name = normal_form(tool.name)
    return model.startswith(name) or model.endswith(name)


def _symptoms(text: str, tool: Tool, catalog: Catalog) -> tuple[Diagnosis, ...]:
    from fingerpost import hints

    return tuple(hints.diagnose(text, tool, catalog))


def _prose(text: str, payload: Mapping[str, Any]) -> str:
    """The words of a failure, taken out of the JSON they may come in."""
    holders = [payload, *(as_object(payload.get(word)) for word in ("error", "error_detail"))]
    words = [holder.get(word) for holder in holders for word in ("error", "message", "detail", "reason")]
    return "\n".join(as_strings(words)) if payload else text


def _has_hint(payload: Mapping[str, Any]) -> bool:
    """Whether the server has given a hint of its own, in any of the shapes in use."""
    holders = [payload, payload.get("error"), payload.get("error_detail"), payload.get("data")]
    return any(as_object(one).get(word) for one in holders for word in ("hint", "hints", "next_steps"))


def _text(result: Mapping[str, Any]) -> str:
    blocks = as_list(result.get("content"))[:20]
    return "\n".join(as_strings([as_object(block).get("text") for block in blocks]))[:_LONGEST_READ]


def _protocol_error(error: dict[str, Any], report: Report, policy: Policy) -> dict[str, Any]:
    data = error.get("data")
    if not report.diagnoses or not isinstance(data, dict | None) or KEY in (data or {}):
        return error
    envelope = render(report, budget=policy.budget)
    guidance = {**envelope.structured, "text": envelope.text}
    return {**error, "data": {**cast("dict[str, Any]", data or {}), KEY: guidance}}


def _success(result: dict[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict) -> dict[str, Any]:
    # A call that we would have refused and the server took was right: there is nothing to say about it.
    report = SILENCE if verdict.report.is_refusal else verdict.report
    envelope = render(report, budget=policy.budget)
    advised = advice(verdict.call, result, catalog) if policy.tips else Advice()
    if not envelope.text and not advised:
        return result
    text = "\n".join(within(policy.budget, [*envelope.text.splitlines(), *advised.lines]))
    more = {"tips": dict(advised.tips), "next_steps": dict(advised.next_steps)}
    whole = {**envelope.structured, **{key: one for key, one in more.items() if one}}
    return _appended(result, Envelope(text, trimmed(whole, text)))


def _appended(result: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
    """The result with one more block of text and the machine copy in `_meta`; nothing else is touched."""
    meta, content = result.get("_meta"), result.get("content")
    if not isinstance(meta, dict | None) or not isinstance(content, list | None) or KEY in (meta or {}):
        return result
    block = [{"type": "text", "text": envelope.text}] if envelope.text else []
    return {
        **result,
        "content": [*cast("list[Any]", content or []), *block],
        "_meta": {**cast("dict[str, Any]", meta or {}), KEY: envelope.structured},
    }
