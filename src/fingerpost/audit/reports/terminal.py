"""The report for a terminal: the checklist as a table, the grade, the worst failures verbatim, and what to do."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from textwrap import wrap

from fingerpost.audit.judge.checklist import ADOPTION
from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import fit_encoding, one_line
from fingerpost.audit.reports.failures import count_failures
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.engine.phrases import count_noun
from fingerpost.terminal.style import Style

_WIDTH = 100
_NARROWEST = 20
_MOST_WORST, _MOST_LINES, _MOST_NOTES = 6, 6, 3


class Format(ReportFormat):
    @property
    def encoding(self) -> str:
        return sys.stdout.encoding or "utf-8"

    def on_end(self, report: Report, context: Context) -> str:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        return fit_encoding(render(report, Style.of(sys.stdout), width), sys.stdout)


def render(report: Report, style: Style, width: int = 0) -> str:
    """Render the report with a table of at most `width` columns; 0 means any width."""
    return "\n".join(_lines(report, style, width)) + "\n"


def _lines(report: Report, style: Style, width: int) -> Iterator[str]:
    yield from _head(report, style)
    yield from _table(report, style, width)
    yield from _grade(report, style)
    yield from _worst(report, style)
    yield from _remarks(report, style)
    if report.findings and report.behind is None:
        yield ""
        yield style.strong("One line fixes most of this:")
        longest = max(len(line) for line, _ in ADOPTION)
        yield from (f"  {line:{longest}}  {style.faint(f'# {note}')}" for line, note in ADOPTION)
        yield style.faint("  Run fingerpost audit --compare to see the difference.")


def _head(report: Report, style: Style) -> Iterator[str]:
    subject = report.subject
    if subject is None:
        return
    name = one_line(" ".join(filter(None, (subject.name or subject.target, subject.version))))
    protocol = f"{one_line(subject.protocol)} over {subject.transport}"
    yield f"{style.strong(name)}  {count_noun(subject.tools, 'tool')}, {protocol}, seed {report.seed}"
    yield from (style.bad(f"! {one_line(one.tool)} {one_line(one.text)}") for one in report.notes if one.is_urgent)
    yield ""


def _table(report: Report, style: Style, width: int) -> Iterator[str]:
    if not report.items:
        return
    longest = max(len(tally.item.title) for tally in report.items)
    behind = report.behind.tallies if report.behind else None
    if width:
        longest = min(longest, max(_NARROWEST, width - (23 if behind is None else 42)))
    if behind is not None:
        yield style.faint(f"      {'':{longest}}  {'bare':>15}  {'with Fingerpost':>17}")
    for tally in report.items:
        mark = style.good("✓") if tally.passed == tally.tried else style.bad("✗")
        other = f"  {_share(behind[tally.item.id], style, 17)}" if behind is not None else ""
        weight = style.faint(f"[{tally.item.weight}]")
        title, *more = wrap(tally.item.title, longest)
        yield f"{mark} {weight} {title:{longest}}  {_share(tally, style, 15)}{other}"
        yield from (f"      {line}" for line in more)
    yield style.faint("In brackets: the weight of an item in the grade.")


def _share(tally: Tally, style: Style, width: int) -> str:
    text = f"{f'{tally.passed}/{tally.tried}':>{width - 6}} {tally.share:>5.0%}"
    return (style.good if tally.share == 1 else style.notice if tally.share >= 0.5 else style.bad)(text)


def _grade(report: Report, style: Style) -> Iterator[str]:
    yield ""
    yield _grade_line(report, style, "Grade")
    if report.behind is not None:
        yield _grade_line(report.behind, style, "With Fingerpost")
    for one, where in ((report, ""), (report.behind, " with Fingerpost")):
        if one is not None and not one.is_whole:
            yield style.notice(f"Incomplete{where}: {one_line(one.ended.why) if one.ended else 'stopped'}.")


def _grade_line(report: Report, style: Style, label: str) -> str:
    if not report.is_graded:
        return f"{label}: {style.notice('none')}, no call was tried"
    colour = style.good if report.grade >= 80 else style.notice if report.grade >= 60 else style.bad
    rate = f"repair rate {report.repair_rate:.1%} ({report.repaired} of {report.repairable})"
    repaired = rate if report.repairable else "nothing to repair"
    return f"{label}: {colour(f'{report.grade} ({report.letter})')}  {repaired}"


def _worst(report: Report, style: Style) -> Iterator[str]:
    """The first finding of each failed item, the heaviest items first."""
    every: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if not finding.is_known:
            every.setdefault(finding.item.id, []).append(finding)
    for found in list(every.values())[:_MOST_WORST]:
        worst = found[0]
        yield ""
        yield f"{style.bad('✗')} {style.strong(count_failures(found))}, for example"
        yield from (f"    {line}" for line in wrap(f"> {worst.call}", _WIDTH - 4)[:3])
        yield from (style.faint(f"    < {line}") for line in _reply(worst))
        yield f"  {one_line(worst.summary)}"
        yield f"  {style.good('→')} {worst.item.advice}"
    if len(every) > _MOST_WORST:
        yield ""
        yield style.faint(
            f"{count_noun(len(every) - _MOST_WORST, 'more item')} failed: use --json or --html to see all."
        )


def _reply(finding: Finding) -> Iterator[str]:
    lines = [part for line in finding.reply.splitlines() for part in wrap(line, _WIDTH - 6)] or ["(no text)"]
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {count_noun(len(lines) - _MOST_LINES, 'more line')}"


def _remarks(report: Report, style: Style) -> Iterator[str]:
    """What was skipped, notes, and the baseline."""
    reasons: dict[str, list[str]] = {}
    for one in report.skipped:
        reasons.setdefault(f"{one.what}: {one.why}", []).append(one.tool)
    if reasons or report.notes or report.stale:
        yield ""
    for reason, tools in reasons.items():
        yield style.faint(one_line(f"Skipped for {_list_names(tools)}: {reason}."))
    notes = [note for note in report.notes if not note.is_urgent]
    for note in notes[:_MOST_NOTES]:
        yield style.faint(one_line(f"Note on {note.tool}: {note.text}"))
    if len(notes) > _MOST_NOTES:
        yield style.faint(f"And {count_noun(len(notes) - _MOST_NOTES, 'more note')}.")
    if any(note.needs_examples for note in report.notes):
        yield style.faint(
            "Provide working values with --examples FILE; --write-examples FILE writes a file to fill in."
        )
    if known := sum(1 for one in report.findings if one.is_known):
        yield style.faint(f"{count_noun(known, 'known finding')} in the baseline.")
    for stale in report.stale:
        yield style.bad(one_line(f"In the baseline but no longer found: {stale}"))


def _list_names(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
