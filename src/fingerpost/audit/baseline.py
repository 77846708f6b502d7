"""The baseline: a file of known findings beside the server's code, so that only new findings fail.

    {
      "version": 1,
      "findings": {
        "brief/search/parameter.misspelt": {},
        "tips/list_files/range.above": {"reason": "the listing is never cut"}
      }
    }

Ids are sorted, so that a change is one line of a diff. A `reason` is for people; rewriting the file keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from fingerpost.audit.judge.checklist import ITEMS
from fingerpost.audit.report import Report
from fingerpost.audit.reports.common import strip_controls, strip_controls_deep
from fingerpost.engine.phrases import encode_json
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.command_error import CommandError

_VERSION = 1
_FIX_HINT = "Fix the file, or delete it and write a new one with --write-baseline"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The ids of the known findings, each with its entry in the file."""

    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


EMPTY_BASELINE = Baseline()


def parse_baseline(text: str) -> Baseline:
    """Parse a baseline file; raises `CommandError` if it is none."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"The baseline is not JSON: {clean(str(error), 200)}", _FIX_HINT) from error
    if not isinstance(parsed, dict):
        raise CommandError("The baseline is not a JSON object", _FIX_HINT)
    file = cast("dict[str, Any]", parsed)
    if (version := file.get("version")) != _VERSION:
        raise CommandError(
            f"The baseline is of version {clean(encode_json(version))}; this Fingerpost reads version {_VERSION}",
            "Update Fingerpost, or delete the file and write a new one with --write-baseline",
        )
    return Baseline(_parse_entries(file.get("findings")))


def _parse_entries(findings: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(findings, dict):
        raise CommandError('The baseline has no object "findings"', _FIX_HINT)
    entries: dict[str, Mapping[str, Any]] = {}
    for id, entry in cast("dict[str, Any]", findings).items():
        if id.count("/") < 2:
            raise CommandError(f"{encode_json(clean(id))} in the baseline is no id: item/tool/kind", _FIX_HINT)
        if not isinstance(entry, dict):
            raise CommandError(
                f"{encode_json(clean(id))} in the baseline is not an object",
                'Write {}, or {"reason": "why it is there"}',
            )
        entries[id] = cast("dict[str, Any]", entry)
    return entries


def apply_baseline(report: Report, baseline: Baseline) -> Report:
    """Mark the known findings and the stale entries in a report, and return it.

    An entry is stale if its kind of mistake was made with its tool and not found, or if its tool or its item no longer
    exists. A mistake that was not made this time (another seed, `--most`, a skipped tool) leaves its entry alone, and
    so does an audit that ended early.
    """
    findings = {finding.id: finding for finding in report.findings}
    for id in baseline.entries:
        if id in findings:
            findings[id].is_known = True
    absent = sorted(id for id in baseline.entries if id not in findings)
    report.stale = [id for id in absent if _is_stale(id, report)]
    return report


def _is_stale(id: str, report: Report) -> bool:
    item, _, rest = id.partition("/")
    tool = rest.rpartition("/")[0]
    exists = tool in {tried.rpartition("/")[0] for tried in report.tried_kinds} | {one.tool for one in report.skipped}
    return report.is_whole and (item not in ITEMS or rest in report.tried_kinds or not exists)


def failure_lines(report: Report) -> list[str]:
    """One line for each new finding and each stale entry: these fail a run with a baseline."""
    new = [f"new: {finding.summary}" for finding in report.findings if not finding.is_known]
    return new + [f"stale: {id} is in the baseline, but no longer found" for id in report.stale]


def render_baseline(report: Report, baseline: Baseline = EMPTY_BASELINE) -> str:
    """Write a baseline with all findings of a report, to which the previous baseline has been applied.

    Entries of the previous baseline stay with their reasons, except stale ones.
    """
    ids = {finding.id for finding in report.findings} | set(baseline.entries).difference(report.stale)
    entries = {id: baseline.entries.get(id, {}) for id in sorted(ids)}
    lines = [
        f"    {encode_json(strip_controls(id))}: {encode_json(strip_controls_deep(entry))}"
        for id, entry in entries.items()
    ]
    body = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    return f'{{\n  "version": {_VERSION},\n  "findings": {body}\n}}\n'
