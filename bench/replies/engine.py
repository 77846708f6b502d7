"""What the public functions return for each case: `admit`, `render`, `refusal` and `enrich`."""

from __future__ import annotations

import json
from typing import Any

from bench.replies.pages import Case, Cases
from fingerpost import Call, Catalog, Policy, Verdict, admit, enrich, refusal, render


def record_engine(cases: Cases) -> dict[str, Any]:
    return {name: _judge(case) for name, case in cases.items() if case["method"] == "tools/call"}


def _judge(case: Case) -> dict[str, Any]:
    call = Call(case["params"]["name"], case["params"].get("arguments"))
    catalog, policy = Catalog.listed(case["tools"]), Policy(**case["policy"])
    verdict = admit(call, catalog, policy=policy)
    judged = {"action": verdict.action, "call": _dump([verdict.call.tool, verdict.call.arguments])}
    if case["result"] is not None:
        return judged | {"enriched": _dump(enrich(call, case["result"], catalog, policy=policy))}
    return judged | _render(verdict, catalog, policy)


def _render(verdict: Verdict, catalog: Catalog, policy: Policy) -> dict[str, Any]:
    envelope = render(verdict.report, budget=policy.budget)
    rendered = {"text": envelope.text, "structured": _dump(envelope.structured)}
    if verdict.action != "refuse":
        return rendered
    return rendered | {"refusal": _dump(refusal(verdict, catalog, policy=policy))}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
