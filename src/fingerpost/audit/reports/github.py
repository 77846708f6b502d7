"""Workflow commands for GitHub Actions, which become annotations of the run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias

from fingerpost.audit.report import Finding, Report
from fingerpost.audit.reports.common import (
    clip,
    early_end_reason,
    grade_line,
    level,
    new_findings,
    one_line,
    strip_controls,
)
from fingerpost.audit.reports.failures import count_failures
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.engine.phrases import count_noun

_Command: TypeAlias = Literal["error", "warning", "notice"]

_MOST = 10
"""GitHub shows at most this many annotations of a level per step."""
_LONGEST = 1_500


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report) -> str:
    errors = [*_alarms(report), *_annotations(report, "error")]
    warnings = list(_annotations(report, "warning"))
    notices = list(_annotations(report, "notice"))
    visible = [*islice(errors, _MOST), *islice(warnings, _MOST), *islice(notices, _MOST - 1)]
    left_out = len(errors) + len(warnings) + len(notices) - len(visible)
    return "\n".join((*visible, _summary(report, left_out))) + "\n"


def _alarms(report: Report) -> Iterator[str]:
    if why := early_end_reason(report):
        yield _command("error", "The audit ended early", f"{grade_line(report)}: {why}")
    for known in report.stale:
        yield _command("error", "Stale baseline", f"{known} is in the baseline but no longer occurs: remove it")


def _annotations(report: Report, name: _Command) -> Iterator[str]:
    for finding in new_findings(report):
        if level(finding.item) == name.replace("notice", "note"):
            yield _command(name, count_failures([finding]), _details(finding))


def _details(finding: Finding) -> str:
    return f"{finding.summary}\nSent: {clip(finding.call, 500)}\nGot: {clip(finding.reply, 500)}\n{finding.item.advice}"


def _summary(report: Report, left_out: int) -> str:
    new = len(new_findings(report))
    known = len(report.findings) - new
    parts = [
        grade_line(report),
        count_noun(new, "finding"),
        f"{known:,} more in the baseline" if known else "",
        f"{left_out:,} not shown here" if left_out else "",
    ]
    return _command("notice", "Fingerpost audit", "; ".join(filter(None, parts)))


def _command(name: _Command, title: str, message: str) -> str:
    text = clip(strip_controls(message), _LONGEST)
    return f"::{name} title={_escape_property(one_line(title))}::{_escape_data(text)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
