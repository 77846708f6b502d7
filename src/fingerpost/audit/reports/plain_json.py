"""The audit as JSON for programs; `audit.schema.json` beside this module says what stands where."""

from __future__ import annotations

import json
from typing import Any

from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import all_legible, call_of, ending, fingerpost_version, marks, server_of


def written(report: Report) -> str:
    made = {"fingerpost": fingerpost_version(), **_audit(report)}
    if report.behind is not None:
        made["behind"] = _audit(report.behind)
    return json.dumps(all_legible(made), ensure_ascii=False, indent=2) + "\n"


def _audit(report: Report) -> dict[str, Any]:
    return {
        **marks(report),
        "repaired": report.repaired,
        "repairable": report.repairable,
        "seed": report.seed,
        "calls": report.done,
        "complete": report.is_whole,
        "ended": ending(report),
        "server": server_of(report.subject),
        "items": [_item(tally) for tally in report.tallies.values()],
        "findings": [_finding(finding) for finding in report.findings],
        "stale": report.stale,
        "skipped": [{"tool": one.tool, "what": one.what, "why": one.why} for one in report.skipped],
        "notes": [{"tool": one.tool, "text": one.text} for one in report.notes],
    }


def _item(tally: Tally) -> dict[str, Any]:
    item = tally.item
    return {
        "id": item.id,
        "title": item.title,
        "weight": item.weight,
        "passed": tally.passed,
        "tried": tally.tried,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "item": finding.item.id,
        "tool": finding.tool,
        "kind": finding.kind,
        "why": finding.why,
        "call": call_of(finding.call),
        "right": call_of(finding.right),
        "reply": finding.reply,
        "culprits": finding.culprits,
        "count": finding.count,
        "known": finding.is_known,
        "advice": finding.item.advice,
        "code": finding.item.code,
    }
