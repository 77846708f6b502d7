"""Parse the code pages into cases: a call, the tool list and policy, and the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fingerpost
from fingerpost import KEY, Call, Catalog, Policy, Report, admit, enrich, render
from fingerpost.engine.judge import judge
from fingerpost.engine.prompts_resources import Resources, admit_prompt, prompt_catalog
from fingerpost.engine.repeated_calls import vary_answer
from fingerpost.engine.replies.enrich import add_guidance, append_report, explain_failure

PAGES = Path(fingerpost.__file__).parent / "codes"

_FENCE = re.compile(
    r"^```(?P<language>\w+) (?P<kind>\w+)\n(?P<body>.*?)^```$|^## (?P<heading>[^\n]+)$", re.MULTILINE | re.DOTALL
)
_ACTIONS = ("forward", "repair", "refuse", "ask")


@dataclass(frozen=True)
class Given:
    """The input of an answer on a page: the tool list, the policy, the call, and the server's reply."""

    tools: list[Any]
    policy: Policy
    call: Call
    result: dict[str, Any] | None
    attempts: int


@dataclass(frozen=True)
class PageCase:
    """One answer on a page: its fence, the text on the page, and the text that is rendered today."""

    fence: re.Match[str]
    heading: str
    written: tuple[str, str]
    rendered: tuple[str, str]
    report: Report | None
    given: Given
    structured: dict[str, Any]


def page_cases(page: str) -> Iterator[PageCase]:
    """Yield every answer of a page, with the answer that is rendered today."""
    tools: list[Any] = []
    prompts, addresses, attempts = Catalog(), Resources(), 1
    policy, call, heading, result, structured, report = Policy(), Call(""), "", None, {}, None
    text = ""
    for fence in _FENCE.finditer(page):
        if fence["heading"]:
            policy, heading, result, attempts = Policy(), fence["heading"], None, 1
            continue
        body, kind = fence["body"], fence["kind"]
        rendered: tuple[str, str] | None = None
        match kind:
            case "tools":
                tools = json.loads(body)
            case "policy":
                policy = Policy(**json.loads(body))
            case "call":
                sent = json.loads(body)
                call, result = Call(sent["name"], sent.get("arguments")), None
            case "result":
                result = json.loads(body)
            case "prompts":
                prompts = prompt_catalog(json.loads(body))
            case "resources":
                listed = json.loads(body)
                addresses = Resources.from_lists(listed["resources"], listed["resourceTemplates"])
            case "attempt":
                attempts = json.loads(body)
            case "prompt" | "uri":
                sent = json.loads(body)
                verdict = (
                    admit_prompt(Call(sent["name"], sent["arguments"]), prompts, policy) if kind == "prompt" else None
                )
                report = verdict.report if verdict else addresses.explain_unknown(sent)
                envelope = render(report)
                text, structured = envelope.text, envelope.structured
            case "data" | "rendered":
                rendered = "data" if report and report.is_refusal else "rendered", _with_newline(text)
            case "guidance":
                rendered = kind, json.dumps(structured, indent=2, ensure_ascii=False) + "\n"
            case _:
                answer, action, structured, report = _answer(call, Catalog.listed(tools), policy, result, attempts)
                rendered = action, answer
        if rendered:
            given = Given(tools, policy, call, result, attempts)
            yield PageCase(fence, heading, (kind, body), rendered, report, given, structured)


def _answer(
    call: Call, catalog: Catalog, policy: Policy, result: Any, attempts: int
) -> tuple[str, str, dict[str, Any], Report | None]:
    verdict = judge(call, catalog, policy)
    assert verdict == admit(call, catalog, policy=policy), "admit and judge disagree"
    if result is None:
        report = vary_answer(verdict.report, attempts)
        envelope = render(report, budget=policy.budget)
        return _with_newline(envelope.text), verdict.action, envelope.structured, report
    failure = explain_failure(call, result, catalog, policy, verdict)
    if failure is None:
        reply = add_guidance(call, result, catalog, policy, verdict)
    else:
        reply = append_report(result, vary_answer(failure, attempts), policy)
    assert attempts > 1 or reply == enrich(call, result, catalog, policy=policy)
    holder = reply.get("data", {}) if "content" not in reply else reply.get("_meta", {})
    guidance = holder.get(KEY, {})
    added = (
        reply["content"][len(result.get("content", [])) :]
        if "content" in reply
        else [{"text": guidance.get("text", "")}]
    )
    return _with_newline("\n".join(block["text"] for block in added)), "added", guidance, None


def _with_newline(text: str) -> str:
    return text + "\n" if text else ""


def bless(page: str) -> str:
    """Return the page with every answer replaced by what is rendered today."""
    parts: list[str] = []
    end = 0
    for case in page_cases(page):
        kind, text = case.rendered
        parts += [page[end : case.fence.start()], f"```{case.fence['language']} {kind}\n{text}```"]
        end = case.fence.end()
    return "".join([*parts, page[end:]])
