"""What is added to a server's reply: to an error the way out, to a success what was changed and what comes next.

The server's own words stay where they are and as they are. Guidance is appended: one block of text, and
the machine copy under one key of `_meta` (in a JSON-RPC error, of `data`). Where there is nothing to add,
the very same object comes back. `refusal` is the reply to a call that never reached the server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, cast

from fingerpost.engine.admit import admit, available_info_tool, explain_violations, explain_with
from fingerpost.engine.case import Case
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.dialects.plausible import is_plausible
from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.matching import normal_form
from fingerpost.engine.model import SILENCE, Call, Diagnosis, Report, Verdict
from fingerpost.engine.policy import DEFAULT, Policy
from fingerpost.engine.render.envelope import Envelope, fit_structure, render
from fingerpost.engine.render.shapes import Shape, reshape
from fingerpost.engine.render.text import fit_budget
from fingerpost.engine.replies.paging_tips import NO_ADVICE, PARTIAL, advise, payload_of
from fingerpost.engine.replies.server_errors import failure_fields
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

KEY = "dev.fingerpost/guidance"
"""The key of the machine copy, and the id of the protocol extension."""

LONGEST_READ = 16 * 1024
"""As much of a reply's text as is read."""

_LONGEST_FAILURE = 1_000

_TELLING = frozenset({"ok", "success", "status", "error", "error_detail", "errorDetail", *PARTIAL})
"""Fields of a successful reply by which it may tell of a failure after all, whole or in part."""

_NO_TOOL = (-32602, -32601)
_UNKNOWN = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|invalid|no such|undefined) (?:tool|function|method|command)"
    r"|\btool\b.{0,160}?\b(?:not|isn't|doesn't)\b (?:be )?"
    r"(?:found|exist|known|registered|available|recogni[sz]ed|defined)",
    re.IGNORECASE | re.DOTALL,
)
_FAILURE = re.compile(r"\W*(?:error|unknown|invalid|fail(?:ed|ure)|exception|no such|cannot|could not|missing)\b", re.I)
_MODEL = re.compile(r"\bvalidation errors? for (\S{1,128})")


Recount: TypeAlias = Callable[[Report], Report]
"""Told of each failure, it may answer with another report: what is said to a call that keeps failing."""


def enrich(
    call: Call, result: Any, catalog: Catalog, *, policy: Policy = DEFAULT, verdict: Verdict | None = None
) -> Any:
    """The guided reply to `call`: a `tools/call` result, a JSON-RPC error, or a whole JSON-RPC response.

    `call` is the call as the client sent it; `verdict` is what `admit` said of it, where that is at hand.
    """
    try:
        return add_guidance(call, result, catalog, policy, verdict or admit(call, catalog, policy=policy))
    except Exception:  # the server's own reply goes through whatever happens to ours
        return result


def refusal(verdict: Verdict, catalog: Catalog, *, policy: Policy = DEFAULT, shape: Shape = "nested") -> dict[str, Any]:
    """The `tools/call` result that answers a refused call."""
    return error_result(verdict.report, catalog.get(verdict.call.tool), policy, shape)


def error_result(report: Report, tool: Tool | None, policy: Policy, shape: Shape) -> dict[str, Any]:
    """A failed `tools/call` result that is ours from end to end.

    The structure stands in `structuredContent` too, in the server's own shape, but not where the tool
    declares an output schema: one widespread client throws on an error that breaks it.
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


def explain_exception(
    exception: BaseException, catalog: Catalog, policy: Policy, verdict: Verdict, *, is_masked: bool
) -> Report | None:
    """What the author of a tool says by an exception; nothing where it was not made to be read by callers."""
    from fingerpost.engine.replies import exceptions as exceptions

    call, tool = verdict.call, catalog.get(verdict.call.tool) or Tool(verdict.call.tool)
    said = exceptions.diagnose_exception(exceptions.root_cause(exception), call, tool, catalog, is_masked=is_masked)
    if said is None:
        return None
    report = explain_with(said, Case(call, tool), available_info_tool(policy, catalog))
    return replace(report, corrections=verdict.report.corrections, warnings=verdict.report.warnings)


def add_guidance(
    call: Call,
    reply: Any,
    catalog: Catalog,
    policy: Policy,
    verdict: Verdict,
    *,
    recount: Recount = lambda report: report,
    facts: FailureFacts | None = None,
) -> Any:
    """`enrich` without its safety net. `facts` is what is known of a failure beside the reply."""
    if not isinstance(reply, dict):
        return reply
    said = cast("dict[str, Any]", reply)
    if "jsonrpc" in said:
        part = next((part for part in ("result", "error") if part in said), "")
        inner = add_guidance(call, said.get(part), catalog, policy, verdict, recount=recount, facts=facts)
        return said if inner is said.get(part) else {**said, part: inner}
    if said.get("resultType", "complete") != "complete":
        return said  # the server asks something back; the call is not over
    if isinstance(said.get("code"), int) and "content" not in said:
        failure = _failure(call, str(said.get("message")), as_object(said.get("data")), catalog, policy, verdict, facts)
        return _protocol_error(said, recount(failure), policy)
    if said.get("isError") is True:
        failure = recount(_failure(call, text_of(said), payload_of(said), catalog, policy, verdict, facts))
        return _appended(said, render(failure, budget=policy.budget)) if _says(failure) else said
    payload = payload_of(said)
    if payload and (told := _told_as_success(call, said, payload, catalog, policy, verdict)):
        return _appended(said, render(told, budget=policy.budget))
    return _success(said, payload, catalog, policy, verdict)


def _told_as_success(
    call: Call,
    result: dict[str, Any],
    payload: Mapping[str, Any],
    catalog: Catalog,
    policy: Policy,
    verdict: Verdict,
) -> Report | None:
    """A failure that came as a success: its envelope is read, and the reply is left as it is.

    It may after all be the answer that was asked for (a job that failed, a file that is not valid), so nothing
    is advised that its author does not advise, and it is never counted as a call that keeps failing.
    """
    fields = failure_fields(payload, is_error=False)
    if fields is None or (tool := catalog.get(verdict.call.tool)) is None:
        return None
    said = _authored(fields, verdict.call, tool, catalog, has_default=False)
    heard = text_of(result) or " "
    return Report(
        call=verdict.call,
        diagnoses=(said,),
        is_refusal=True,
        server_text=heard,
        info_tool=available_info_tool(policy, catalog),
    )


def _authored(
    fields: Mapping[str, Any], call: Call, tool: Tool, catalog: Catalog, *, has_default: bool = True
) -> Diagnosis:
    from fingerpost.engine.replies import author_diagnosis as authored

    said = fields["said"]
    return authored.diagnose_fields(fields, fields["message"], call, tool, catalog, text=said, has_default=has_default)


def is_plain_success(reply: Any) -> bool:
    """Whether a reply is a success about which nothing is ever said: it holds no list and no word of a failure."""
    said: dict[str, Any] = reply
    if type(reply) is not dict or said.get("isError") is True:
        return False
    payload: dict[str, Any] | None = said.get("structuredContent")
    if type(payload) is not dict:
        return not payload_of(said)
    return _TELLING.isdisjoint(payload) and list not in map(type, payload.values())


def is_unknown_tool(reply: Any, name: str) -> bool:
    """Whether a reply says that there is no such tool."""
    said = as_object(reply)
    is_result = "content" in said
    if not is_result and said.get("code") in _NO_TOOL:
        return True
    text = (text_of(said) if is_result else str(said.get("message")))[:LONGEST_READ]
    return (is_failure(said) or sounds_like_failure(text)) and name[:64] in text and _UNKNOWN.search(text) is not None


def sounds_like_failure(text: str) -> bool:
    """Whether a text begins as failures do: some servers answer with one as if it were a result."""
    return len(text) < _LONGEST_FAILURE and _FAILURE.match(text) is not None


def append_guidance(reply: Any, report: Report, policy: Policy) -> Any:
    """A reply that tells of a failure with what we know of the call beside it; any other as it is."""
    said = as_object(reply)
    if "content" not in said or not (is_failure(said) or sounds_like_failure(text_of(said))):
        return reply
    return _appended(said, render(replace(report, server_text=text_of(said) or " "), budget=policy.budget))


def is_failure(reply: Any) -> bool:
    """Whether a reply is an error, of the tool or of the protocol."""
    said = as_object(reply)
    return said.get("isError") is True or (isinstance(said.get("code"), int) and "content" not in said)


def _failure(
    call: Call,
    text: str,
    payload: Mapping[str, Any],
    catalog: Catalog,
    policy: Policy,
    verdict: Verdict,
    facts: FailureFacts | None,
) -> Report:
    """Everything known about a failed call: what the schema says, what the server says, what usually helps."""
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
    report = replace(report, secret=tool.secret_names)
    heard = _heard(text, verdict.call, tool)
    known = {diagnosis.at for diagnosis in report.diagnoses}
    fresh = tuple(replace(one, origin="server") for one in heard.diagnoses if one.at not in known)
    fields = failure_fields(payload, is_error=True) or {}
    has_word = bool(fields.keys() - {"message", "said"})
    if report.diagnoses or fresh:
        best = report if report.diagnoses else heard
        corrected = None if best.corrected == verdict.call else best.corrected  # which has just failed
        found = (*report.diagnoses, *fresh)
        if has_word:
            found = (_with_own_hints(found[0], _authored(fields, verdict.call, tool, catalog)), *found[1:])
        return replace(report, diagnoses=found, corrected=corrected, applicability=best.applicability)
    if has_word:
        return replace(report, diagnoses=(_authored(fields, verdict.call, tool, catalog),))
    words = fields.get("said") or text
    return replace(report, diagnoses=_symptoms(words, tool, catalog, facts))


def _with_own_hints(ours: Diagnosis, theirs: Diagnosis) -> Diagnosis:
    """Our finding leads; the hints that the server itself gives are kept beside it."""
    given = tuple(hint for hint in (theirs.hint, *theirs.hints) if hint)
    return replace(ours, hints=(*ours.hints, *given), routing_hint=theirs.routing_hint)


def _heard(text: str, call: Call, tool: Tool) -> Report:
    """What the server's own words say is wrong with the arguments, as far as they speak of declared names."""
    from fingerpost.engine import dialects  # a few dozen patterns, which a process without failures need not compile

    model = _MODEL.search(text[:LONGEST_READ])
    if not tool.is_checkable or (model and not _is_of(tool, normal_form(model[1]))):
        return Report(call=call)
    said = dialects.read(text[:LONGEST_READ])
    return explain_violations(Case(call, tool, reported=tuple(one for one in said if is_plausible(one, call, tool))))


def _is_of(tool: Tool, model: str) -> bool:
    """Whether a model is that of the tool's arguments; the failure of another of the server's is not about the call."""
    name = normal_form(tool.name)
    return model.startswith(name) or model.endswith(name)


def _symptoms(text: str, tool: Tool, catalog: Catalog, facts: FailureFacts | None) -> tuple[Diagnosis, ...]:
    from fingerpost.engine.replies import symptoms

    diagnosis = symptoms.diagnose_text(text, tool, catalog, facts)
    return (diagnosis,) if diagnosis else ()


def text_of(result: Mapping[str, Any]) -> str:
    """The words of a reply, as far as they are read."""
    blocks = as_list(result.get("content"))[:20]
    return "\n".join(as_strings([as_object(block).get("text") for block in blocks]))[:LONGEST_READ]


def _says(report: Report) -> bool:
    """Whether there is anything to say about a failure: what is wrong, or that another call was made than was sent."""
    return bool(report.diagnoses or report.corrections)


def _protocol_error(error: dict[str, Any], report: Report, policy: Policy) -> dict[str, Any]:
    data = error.get("data")
    if not _says(report) or not isinstance(data, dict | None) or KEY in (data or {}):
        return error
    envelope = render(report, budget=policy.budget)
    guidance = {**envelope.structured, "text": envelope.text}
    return {**error, "data": {**cast("dict[str, Any]", data or {}), KEY: guidance}}


def _success(
    result: dict[str, Any], payload: Mapping[str, Any], catalog: Catalog, policy: Policy, verdict: Verdict
) -> dict[str, Any]:
    # A call that we would have refused and the server took was right: there is nothing to say about it.
    report = SILENCE if verdict.report.is_refusal else verdict.report
    advised = advise(verdict.call, payload, catalog) if policy.tips and payload else NO_ADVICE
    if report is SILENCE and not advised:
        return result
    envelope = render(report, budget=policy.budget)
    text = "\n".join(fit_budget(policy.budget, [*envelope.text.splitlines(), *advised.lines]))
    more = {"tips": dict(advised.tips), "next_steps": dict(advised.next_steps)}
    whole = {**envelope.structured, **{key: one for key, one in more.items() if one}}
    return _appended(result, Envelope(text, fit_structure(whole, text)))


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
