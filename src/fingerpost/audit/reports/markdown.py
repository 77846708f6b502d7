"""A Markdown summary, for a comment on a pull request or a job summary.

Text from a server is fenced or written as character references, so that it cannot add markup, link, or mention anyone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import (
    adoption_lines,
    clip,
    disarm_commands,
    early_end_reason,
    grade_line,
    new_findings,
    one_line,
    repair_rate_text,
    server_name,
    strip_controls,
)
from fingerpost.audit.reports.failures import count_failures
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.engine.phrases import count_noun, sentence

_MOST_FINDINGS = 8
_LONGEST_FENCE = 1_200
_LONGEST_INLINE = 300
_MARKUP = re.compile(r"[!#$&*+/<>@\[\\\]^_`{|}~]|^[-\d]|(?<=(?i:www))\.")
"""Every character that could begin markup, a link, or another kind of block."""


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report) -> str:
    return "\n\n".join(_paragraphs(report)) + "\n"


def _paragraphs(report: Report) -> Iterator[str]:
    yield f"## Fingerpost audit{_of(report)}"
    yield f"**{grade_line(report)}**"
    if report.behind is not None:
        yield f"Behind Fingerpost: **{grade_line(report.behind)}**"
    if why := early_end_reason(report):
        yield sentence(f"The audit ended early: {_inline(why)}")
    if report.items:
        yield _table(report)
    if report.stale:
        yield "\n".join(("In the baseline but no longer found; remove these entries:\n", *_bullets(report.stale)))
    yield from _worst(report)
    yield from _what_to_do(report)
    yield from _remarks(report)


def _of(report: Report) -> str:
    version = f" {one_line(report.subject.version)}" if report.subject else ""
    name = f"{server_name(report)}{version}".strip()
    return f" of {_inline(name)}" if name else ""


def _table(report: Report) -> str:
    behind = report.behind
    head = ["Item", "Weight", "Passed", *(["Behind Fingerpost"] if behind else [])]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    for tally in report.items:
        also = [_passed_of_tried(behind.tallies[tally.item.id])] if behind else []
        rows.append([tally.item.title, str(tally.item.weight), _passed_of_tried(tally), *also])
    rows.append(["Repair rate", "", repair_rate_text(report), *([repair_rate_text(behind)] if behind else [])])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _passed_of_tried(tally: Tally) -> str:
    if not tally.tried:
        return "not tried"
    text = f"{tally.passed:,} / {tally.tried:,}"
    return text if tally.passed == tally.tried else f"**{text}**"


def _worst(report: Report) -> Iterator[str]:
    findings = new_findings(report)
    known = len(report.findings) - len(findings)
    if not findings:
        if known:
            yield f"No new findings; {known:,} in the baseline."
        return
    listed = _worst_first(findings)
    yield f"### {count_noun(len(findings), 'finding')}{f', and {known:,} in the baseline' if known else ''}"
    for finding in listed:
        yield from _details(finding)
    if len(findings) > len(listed):
        yield f"{count_noun(len(findings) - len(listed), 'more finding')} not shown here."


def _worst_first(findings: list[Finding]) -> list[Finding]:
    """The first findings: one of each item, by weight, before a second of any item."""
    firsts = {finding.item.id: finding for finding in reversed(findings)}
    leading = [finding for finding in findings if firsts[finding.item.id] is finding]
    rest = [finding for finding in findings if firsts[finding.item.id] is not finding]
    return [*leading, *rest][:_MOST_FINDINGS]


def _details(finding: Finding) -> Iterator[str]:
    yield f"<details><summary>{_inline(finding.summary)}</summary>"
    yield f"{count_failures([finding])}."
    yield "Sent:"
    yield _fence(finding.call, "json")
    yield "Correct call:"
    yield _fence(finding.right, "json")
    yield "Reply:"
    yield _fence(finding.reply)
    yield "</details>"


def _what_to_do(report: Report) -> Iterator[str]:
    items = {finding.item.id: finding.item for finding in new_findings(report)}.values()
    if not items:
        return
    yield "### What to do"
    yield "\n".join(f"- {item.advice} (`fingerpost explain {item.code}`)" for item in items)
    yield "Or adopt Fingerpost with one of these lines:"
    yield _fence("\n".join(adoption_lines()))


def _remarks(report: Report) -> Iterator[str]:
    remarks = [f"Skipped: {one.tool}: {one.what}: {one.why}" for one in report.skipped]
    remarks += [f"{one.tool}: {one.text}" for one in report.notes]
    if remarks:
        yield f"<details><summary>{count_noun(len(remarks), 'remark')}</summary>"
        yield "\n".join(_bullets(remarks))
        yield "</details>"
    if report.subject is not None:
        yield f"{count_noun(report.done, 'call')}, seed {report.seed}."


def _bullets(lines: list[str], most: int = 20) -> Iterator[str]:
    for line in lines[:most]:
        yield f"- {_inline(line)}"
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"


def _inline(text: str) -> str:
    """Text from elsewhere as part of a line: markup escaped, and no mentions by `@` or `#`."""
    return _MARKUP.sub(_reference, clip(one_line(text), _LONGEST_INLINE))


def _reference(found: re.Match[str]) -> str:
    # GitHub looks for mentions in the rendered text, so a zero-width space has to separate `@` from the name
    return f"&#{ord(found[0])};{'&#8203;' if found[0] in '@#' else ''}"


def _fence(text: str, language: str = "") -> str:
    body = disarm_commands(clip(strip_controls(text), _LONGEST_FENCE), lambda sign: f"{sign} ")
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"
