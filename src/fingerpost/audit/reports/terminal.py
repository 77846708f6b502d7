"""The report for someone at a terminal: how far each item is met, the worst of it verbatim, and what to do."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from textwrap import wrap
from typing import TextIO

from fingerpost.audit.events import AuditStarted, CallJudged, Event
from fingerpost.audit.judge.checklist import ADOPTION
from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import in_one_line
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.style import Style

_WIDTH = 100
_NARROWEST = 20
_PATIENCE = 5.0
_MOST_WORST, _MOST_LINES, _MOST_ASIDES = 6, 6, 3


def written(report: Report, style: Style, width: int = 0) -> str:
    """The whole report, its table as wide as the terminal; as wide as it likes where none is given."""
    return "\n".join(_lines(report, style, width)) + "\n"


def fitting(text: str, out: TextIO) -> str:
    """The text as a terminal of any alphabet can show it."""
    encoding = out.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_IN_ASCII).encode(encoding, "replace").decode(encoding)
    return text


_IN_ASCII = str.maketrans({"✓": "+", "✗": "x", "→": ">", "…": ".", "█": "#", "░": "."})


def _lines(report: Report, style: Style, width: int) -> Iterator[str]:
    yield from _head(report, style)
    yield from _table(report, style, width)
    yield from _grade(report, style)
    yield from _worst(report, style)
    yield from _asides(report, style)
    if report.findings and report.behind is None:
        yield ""
        yield style.strong("Most of it comes with one line:")
        longest = max(len(line) for line, _ in ADOPTION)
        yield from (f"  {line:{longest}}  {style.faint(f'# {note}')}" for line, note in ADOPTION)
        yield style.faint("  fingerpost audit --compare shows what it comes to.")


def _head(report: Report, style: Style) -> Iterator[str]:
    subject = report.subject
    if subject is None:
        return
    name = in_one_line(" ".join(filter(None, (subject.name or subject.target, subject.version))))
    speaks = f"{in_one_line(subject.protocol)} over {subject.transport}"
    yield f"{style.strong(name)}  {count_noun(subject.tools, 'tool')}, {speaks}, seed {report.seed}"
    yield from (
        style.bad(f"! {in_one_line(one.tool)} {in_one_line(one.text)}") for one in report.notes if one.is_urgent
    )
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
    yield style.faint("In brackets: what an item weighs in the grade.")


def _share(tally: Tally, style: Style, width: int) -> str:
    said = f"{f'{tally.passed}/{tally.tried}':>{width - 6}} {tally.share:>5.0%}"
    return (style.good if tally.share == 1 else style.notice if tally.share >= 0.5 else style.bad)(said)


def _grade(report: Report, style: Style) -> Iterator[str]:
    yield ""
    yield _graded(report, style, "Grade")
    if report.behind is not None:
        yield _graded(report.behind, style, "With Fingerpost")
    for one, where in ((report, ""), (report.behind, " with Fingerpost")):
        if one is not None and not one.is_whole:
            yield style.notice(f"Not all was tried{where}: {in_one_line(one.ended.why) if one.ended else 'stopped'}.")


def _graded(report: Report, style: Style, label: str) -> str:
    if not report.is_graded:
        return f"{label}: {style.notice('not graded')}, for nothing was tried"
    colour = style.good if report.grade >= 80 else style.notice if report.grade >= 60 else style.bad
    rate = f"repair rate {report.repair_rate:.1%} ({report.repaired} of {report.repairable})"
    repaired = rate if report.repairable else "nothing to repair"
    return f"{label}: {colour(f'{report.grade} ({report.letter})')}  {repaired}"


def _worst(report: Report, style: Style) -> Iterator[str]:
    """The first finding of each item, the weightiest items first."""
    every: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if not finding.is_known:
            every.setdefault(finding.item.id, []).append(finding)
    for found in list(every.values())[:_MOST_WORST]:
        worst, calls = found[0], sum(one.count for one in found)
        yield ""
        yield f"{style.bad('✗')} {style.strong(worst.item.describe_failures(calls))}, such as"
        yield from (f"    {line}" for line in wrap(f"> {worst.call}", _WIDTH - 4)[:3])
        yield from (style.faint(f"    < {line}") for line in _reply(worst))
        yield f"  {in_one_line(worst.told)}"
        yield f"  {style.good('→')} {worst.item.advice}"
    if len(every) > _MOST_WORST:
        yield ""
        yield style.faint(f"And {count_noun(len(every) - _MOST_WORST, 'more item')}: --json or --html has them all.")


def _reply(finding: Finding) -> Iterator[str]:
    lines = [part for line in finding.reply.splitlines() for part in wrap(line, _WIDTH - 6)] or ["(nothing)"]
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {count_noun(len(lines) - _MOST_LINES, 'more line')}"


def _asides(report: Report, style: Style) -> Iterator[str]:
    """What was left out, what to know beside, and what a baseline has to do with it."""
    reasons: dict[str, list[str]] = {}
    for one in report.skipped:
        reasons.setdefault(f"{one.what}: {one.why}", []).append(one.tool)
    if reasons or report.notes or report.stale:
        yield ""
    for reason, tools in reasons.items():
        yield style.faint(in_one_line(f"Skipped for {_some(tools)}: {reason}."))
    notes = [note for note in report.notes if not note.is_urgent]
    for note in notes[:_MOST_ASIDES]:
        yield style.faint(in_one_line(f"Note on {note.tool}: {note.text}"))
    if len(notes) > _MOST_ASIDES:
        yield style.faint(f"And {count_noun(len(notes) - _MOST_ASIDES, 'more note')}.")
    if any(note.needs_examples for note in report.notes):
        yield style.faint("Give values that work with --examples FILE; --write-examples FILE makes one to fill in.")
    if known := sum(1 for one in report.findings if one.is_known):
        yield style.faint(f"{count_noun(known, 'finding')} that the baseline knows.")
    for stale in report.stale:
        yield style.bad(in_one_line(f"No longer found, and still in the baseline: {stale}"))


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


class Progress:
    """One line that is written over and over while the audit runs, where someone can see it."""

    _WIDTH = 24

    def __init__(self, out: TextIO, label: str = "") -> None:
        self._out = out
        self._label, self._total, self._done, self._last = label, 0, 0, 0.0
        self._has_begun = False
        self._is_shown = out.isatty() and os.environ.get("TERM") != "dumb"

    def take(self, event: Event) -> None:
        if isinstance(event, AuditStarted):
            self._has_begun, self._total = True, event.calls
        elif isinstance(event, CallJudged):
            self._done += 1
            now = time.monotonic()
            if now - self._last >= 0.1:
                self._last = now
                self.say(self._line(event.tool))

    async def waiting(self, most: float) -> None:
        """Say that the server is being started, and for how long by now."""
        self.say("starting the server …")
        begun = time.monotonic()
        while True:
            await asyncio.sleep(_PATIENCE)
            if self._has_begun:
                return
            self.say(f"starting the server … {time.monotonic() - begun:.0f} s of {most:g}")

    def say(self, line: str) -> None:
        """Put this in place of what stands there."""
        if self._is_shown:
            shown = fitting(line, self._out)[: shutil.get_terminal_size().columns - 1]
            self._out.write(f"\r\x1b[K{shown}")
            self._out.flush()

    def _line(self, tool: str) -> str:
        share = min(1.0, self._done / max(1, self._total))
        bar = "█" * round(share * self._WIDTH)
        return f"{self._label}{bar:░<{self._WIDTH}} {share:4.0%}  {self._done}/{self._total}  {clean(tool, 40)}"

    def close(self) -> None:
        self.say("")
