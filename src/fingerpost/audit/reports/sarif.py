"""SARIF 2.1.0, for GitHub code scanning and other viewers.

A finding is about a tool of a running server, so its location is logical. Code scanning only shows results that have a
file: `render(report, file)` takes the source file of the tools, relative to the repository. Without it, each tool gets
the path `mcp/TOOL`, which need not exist.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from fingerpost.audit.judge.checklist import CHECKLIST, Item
from fingerpost.audit.report import Finding, Report
from fingerpost.audit.reports.common import (
    Level,
    adoption_lines,
    clip,
    early_end_reason,
    fingerpost_version,
    grade_fields,
    level,
    one_line,
    server_name,
    server_object,
    strip_controls_deep,
)
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.engine.phrases import count_noun

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST_RESULTS = 25_000
"""Code scanning rejects a file with more."""
_LONGEST_MESSAGE = 1_000
_RULES = {item.id: place for place, item in enumerate(CHECKLIST)}
_MARKUP = re.compile(r"(?<=\])(?=\()|(?<=\{)(?=\d+\})")
"""Where a message could be read as a link or a placeholder."""


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report, file: str = "") -> str:
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, file)]}
    return json.dumps(strip_controls_deep(log), ensure_ascii=False, indent=2) + "\n"


def _run(report: Report, file: str) -> dict[str, Any]:
    findings = report.findings
    has_baseline = bool(report.stale) or any(finding.is_known for finding in findings)
    server = server_name(report)
    return {
        "tool": {"driver": _driver()},
        "automationDetails": {"id": f"fingerpost-audit/{_segment(server)}/"},
        "invocations": [_invocation(report, left_out=max(0, len(findings) - _MOST_RESULTS))],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, server, file, has_baseline) for finding in findings[:_MOST_RESULTS]],
        "properties": _properties(report),
    }


def _driver() -> dict[str, Any]:
    version = fingerpost_version()
    return {
        "name": "Fingerpost",
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(item) for item in CHECKLIST],
    }


def _rule(item: Item) -> dict[str, Any]:
    page = f"fingerpost explain {item.code}"
    return {
        "id": item.id,
        "shortDescription": {"text": f"{item.describe_failure()}."},
        "fullDescription": {"text": f"{item.describe_failure()}. Expected: {item.title}. {item.advice}"},
        "help": {
            "text": "\n".join(
                (item.advice, f"What a good reply looks like: {page}", "Or adopt Fingerpost:", *adoption_lines())
            ),
            "markdown": "\n".join(
                (
                    f"{item.advice}\n\nWhat a good reply looks like: `{page}`\n\nOr adopt Fingerpost:\n",
                    *("```", *adoption_lines(), "```"),
                )
            ),
        },
        "defaultConfiguration": {"level": level(item)},
        "properties": {"tags": ["mcp", "guidance"], "precision": "high", "weight": item.weight},
    }


def _result(finding: Finding, server: str, file: str, has_baseline: bool) -> dict[str, Any]:
    digest = sha256(finding.id.encode(errors="replace")).hexdigest()
    result = {
        "ruleId": finding.item.id,
        "ruleIndex": _RULES[finding.item.id],
        "level": level(finding.item),
        "message": {"text": _message(finding)},
        "locations": [_location(finding.tool, server, file)],
        # code scanning compares only the first
        "partialFingerprints": {"primaryLocationLineHash": f"{digest[:16]}:1", "fingerpost/v1": digest},
        "occurrenceCount": finding.count,
        "properties": {
            "id": finding.id,
            "kind": finding.kind,
            "call": finding.call,
            "right": finding.right,
            "reply": finding.reply,
            "culprits": finding.culprits,
        },
    }
    return {**result, "baselineState": "unchanged" if finding.is_known else "new"} if has_baseline else result


def _message(finding: Finding) -> str:
    summary = clip(one_line(finding.summary), 300)
    text = f"{summary}. {finding.item.advice}\nSent: {clip(finding.call, 250)}\nGot: {finding.reply}"
    return clip(_MARKUP.sub(" ", clip(text, _LONGEST_MESSAGE)), _LONGEST_MESSAGE)


def _location(tool: str, server: str, file: str) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {
                "uri": quote(file.replace("\\", "/"), errors="replace") if file else f"mcp/{_segment(tool)}"
            },
            "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1},
        },
        "logicalLocations": [{"name": tool, "fullyQualifiedName": f"{server}/{tool}", "kind": "function"}],
    }


def _segment(name: str) -> str:
    """The name as a single segment of a path."""
    return quote(clip(name, 200), safe="", errors="replace") if name.strip(".") else "unnamed"


def _invocation(report: Report, left_out: int) -> dict[str, Any]:
    notices: list[dict[str, Any]] = []
    if why := early_end_reason(report):
        notices.append(_notice("error", f"The audit ended early: {why}"))
    if left_out:
        notices.append(_notice("warning", f"Left out: {count_noun(left_out, 'finding')}"))
    notices += [_notice("warning", f"In the baseline but no longer found: {known}") for known in report.stale]
    notices += [_notice("note", f"Skipped: {one.tool}: {one.what}: {one.why}") for one in report.skipped]
    notices += [_notice("note", f"{one.tool}: {one.text}") for one in report.notes]
    return {"executionSuccessful": report.is_whole, "toolExecutionNotifications": notices}


def _notice(severity: Level, text: str) -> dict[str, Any]:
    return {"level": severity, "message": {"text": clip(_MARKUP.sub(" ", one_line(text)), _LONGEST_MESSAGE)}}


def _properties(report: Report) -> dict[str, Any]:
    properties = {**_grade(report), "seed": report.seed, "server": server_object(report.subject)}
    return {**properties, "behind": _grade(report.behind)} if report.behind is not None else properties


def _grade(report: Report) -> dict[str, Any]:
    fields = grade_fields(report)
    return {"grade": fields["grade"], "letter": fields["letter"], "repairRate": fields["repair_rate"]}
