"""The audit as SARIF 2.1.0, as GitHub's code scanning and other viewers take it.

A finding is about a tool of a running server, so its place is a logical one. Code scanning shows only what has a file:
`written(report, file)` takes the one that the tools are written in, relative to the repository. Without it each tool
stands under `mcp/`, a path that need not exist.
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
    adoption,
    all_legible,
    clipped,
    ending,
    fingerpost_version,
    in_one_line,
    level,
    marks,
    server_name,
    server_of,
)
from fingerpost.engine.phrases import count_noun

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST_RESULTS = 25_000
"""A file with more is refused by code scanning."""
_LONGEST_MESSAGE = 1_000
_RULES = {item.id: place for place, item in enumerate(CHECKLIST)}
_MARKUP = re.compile(r"(?<=\])(?=\()|(?<=\{)(?=\d+\})")
"""Where a message would begin to be a link or a placeholder."""


def written(report: Report, file: str = "") -> str:
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, file)]}
    return json.dumps(all_legible(log), ensure_ascii=False, indent=2) + "\n"


def _run(report: Report, file: str) -> dict[str, Any]:
    findings = report.findings
    has_baseline = bool(report.stale) or any(finding.is_known for finding in findings)
    server = server_name(report)
    return {
        "tool": {"driver": _driver()},
        "automationDetails": {"id": f"fingerpost-audit/{_segment(server)}/"},
        "invocations": [_invocation(report, left_off=max(0, len(findings) - _MOST_RESULTS))],
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
        "shortDescription": {"text": f"{item.title}."},
        "fullDescription": {"text": f"{item.title}. {item.advice}"},
        "help": {
            "text": "\n".join(
                (item.advice, f"What a good reply looks like: {page}", "Or adopt Fingerpost:", *adoption())
            ),
            "markdown": "\n".join(
                (
                    f"{item.advice}\n\nWhat a good reply looks like: `{page}`\n\nOr adopt Fingerpost:\n",
                    *("```", *adoption(), "```"),
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
        # the first is the only one that code scanning compares
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
    told = clipped(in_one_line(finding.told), 300)
    text = f"{told}. {finding.item.advice}\nSent: {clipped(finding.call, 250)}\nGot: {finding.reply}"
    return clipped(_MARKUP.sub(" ", clipped(text, _LONGEST_MESSAGE)), _LONGEST_MESSAGE)


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
    """A name as one step of a path, whatever stands in it."""
    return quote(clipped(name, 200), safe="", errors="replace") if name.strip(".") else "unnamed"


def _invocation(report: Report, left_off: int) -> dict[str, Any]:
    said: list[dict[str, Any]] = []
    if why := ending(report):
        said.append(_notice("error", f"The audit ended early: {why}"))
    if left_off:
        said.append(_notice("warning", f"Left off: {count_noun(left_off, 'finding')}"))
    said += [_notice("warning", f"In the baseline, but no longer found: {known}") for known in report.stale]
    said += [_notice("note", f"Skipped: {one.tool}: {one.what}: {one.why}") for one in report.skipped]
    said += [_notice("note", f"{one.tool}: {one.text}") for one in report.notes]
    return {"executionSuccessful": report.is_whole, "toolExecutionNotifications": said}


def _notice(how: Level, text: str) -> dict[str, Any]:
    return {"level": how, "message": {"text": clipped(_MARKUP.sub(" ", in_one_line(text)), _LONGEST_MESSAGE)}}


def _properties(report: Report) -> dict[str, Any]:
    made = {**_grade(report), "seed": report.seed, "server": server_of(report.subject)}
    return {**made, "behind": _grade(report.behind)} if report.behind is not None else made


def _grade(report: Report) -> dict[str, Any]:
    made = marks(report)
    return {"grade": made["grade"], "letter": made["letter"], "repairRate": made["repair_rate"]}
