"""The audit as workflow commands of GitHub Actions, which become annotations of the run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias

from fingerpost.audit.report import Finding, Report
from fingerpost.audit.reports.common import clipped, ending, fresh, in_one_line, legible, level, verdict
from fingerpost.engine.phrases import count_noun

_Command: TypeAlias = Literal["error", "warning", "notice"]

_MOST = 10
"""GitHub shows no more of a level for one step."""
_LONGEST = 1_500


def written(report: Report) -> str:
    errors = [*_alarms(report), *_annotations(report, "error")]
    warnings = list(_annotations(report, "warning"))
    notices = list(_annotations(report, "notice"))
    shown = [*islice(errors, _MOST), *islice(warnings, _MOST), *islice(notices, _MOST - 1)]
    left_off = len(errors) + len(warnings) + len(notices) - len(shown)
    return "\n".join((*shown, _summary(report, left_off))) + "\n"


def _alarms(report: Report) -> Iterator[str]:
    if why := ending(report):
        yield _command("error", "The audit ended early", f"{verdict(report)}: {why}")
    for known in report.stale:
        yield _command("error", "Stale baseline", f"{known} is in the baseline, but no longer found: take it out")


def _annotations(report: Report, name: _Command) -> Iterator[str]:
    for finding in fresh(report):
        if level(finding.item) == name.replace("notice", "note"):
            yield _command(name, f"Not met: {finding.item.title}", _told(finding))


def _told(finding: Finding) -> str:
    return (
        f"{finding.told}\nSent: {clipped(finding.call, 500)}\nGot: {clipped(finding.reply, 500)}\n{finding.item.advice}"
    )


def _summary(report: Report, left_off: int) -> str:
    known = len(report.findings) - len(fresh(report))
    parts = [
        verdict(report),
        count_noun(len(fresh(report)), "finding"),
        f"{known:,} more in the baseline" if known else "",
        f"{left_off:,} not shown here" if left_off else "",
    ]
    return _command("notice", "Fingerpost audit", "; ".join(filter(None, parts)))


def _command(name: _Command, title: str, message: str) -> str:
    return f"::{name} title={_property(in_one_line(title))}::{_data(clipped(legible(message), _LONGEST))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
