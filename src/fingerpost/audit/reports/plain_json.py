"""The complete report as JSON. Its schema is `audit.schema.json` in this folder."""

from __future__ import annotations

import json
from typing import Any

from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import (
    early_end_reason,
    fingerpost_version,
    grade_fields,
    parse_call,
    server_object,
    strip_controls_deep,
)
from fingerpost.audit.reports.format import Context, ReportFormat


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report) -> str:
    whole = {"fingerpost": fingerpost_version(), **_audit(report)}
    if report.behind is not None:
        whole["behind"] = _audit(report.behind)
    return json.dumps(strip_controls_deep(whole), ensure_ascii=False, indent=2) + "\n"


def _audit(report: Report) -> dict[str, Any]:
    return {
        **grade_fields(report),
        "repaired": report.repaired,
        "repairable": report.repairable,
        "seed": report.seed,
        "calls": report.done,
        "complete": report.is_whole,
        "ended": early_end_reason(report),
        "server": server_object(report.subject),
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
        "call": parse_call(finding.call),
        "right": parse_call(finding.right),
        "reply": finding.reply,
        "culprits": finding.culprits,
        "count": finding.count,
        "known": finding.is_known,
        "advice": finding.item.advice,
        "code": finding.item.code,
    }
