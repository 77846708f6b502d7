"""The findings section of the HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from fingerpost.audit.judge.checklist import CHECKLIST, Item
from fingerpost.audit.report import Finding, Report
from fingerpost.audit.reports.failures import count_failures
from fingerpost.audit.reports.html_blocks import EMPTY_HTML, Html, fill, join
from fingerpost.engine.phrases import count_noun

BARE, BEHIND = "Bare", "Behind Fingerpost"
_MOST_EVIDENCE = 3_400_000
_LENGTHS = (8_000, 4_000, 2_000, 1_400, 1_000, 700, 500, 350, 200)
_CUT = " … (cut here)"
_ONE_LINE = 80
_MOST_FINDINGS = 1_500
"""Findings on the page. If there are more, each item shows the same number of them."""
_MANY = 500
"""With more findings the browser lays out only those in view."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding of the bare server, of the server behind Fingerpost, or of both."""

    bare: Finding | None
    behind: Finding | None

    @property
    def finding(self) -> Finding:
        finding = self.bare or self.behind
        assert finding is not None
        return finding

    @property
    def replies(self) -> tuple[str, ...]:
        return tuple(one.reply for one in (self.bare, self.behind) if one)


def list_entries(report: Report) -> list[Entry]:
    """All findings, each once, by weight of their item."""
    behind = {one.id: one for one in report.behind.findings} if report.behind else {}
    entries = [Entry(one, behind.pop(one.id, None)) for one in report.findings]
    entries += [Entry(None, one) for one in behind.values()]
    order = {item.id: (-item.weight, place) for place, item in enumerate(CHECKLIST)}
    return sorted(entries, key=lambda entry: order[entry.finding.item.id])


def render_findings(report: Report, entries: Sequence[Entry]) -> Html:
    if not entries:
        text = (
            "No findings: every reply passed." if report.is_graded else "No call was tried, so there are no findings."
        )
        return fill("no_findings", text=text)
    tools = {tool: place for place, tool in enumerate(sorted({entry.finding.tool for entry in entries}))}
    groups = [(item, list(some)) for item, some in groupby(entries, lambda entry: entry.finding.item)]
    most = _MOST_FINDINGS // len(groups) if len(entries) > _MOST_FINDINGS else len(entries)
    longest = _longest_evidence([one for _, some in groups for one in some[:most]])
    return fill(
        "findings",
        many=fill("many") if len(entries) > _MANY else EMPTY_HTML,
        tools=_options((str(place), tool) for tool, place in tools.items()),
        items=_options((item.id, item.title) for item, _ in groups),
        count=count_noun(len(entries), "finding"),
        groups=join(_group(report, item, some, some[:most], tools, longest) for item, some in groups),
    )


def _group(
    report: Report, item: Item, entries: Sequence[Entry], listed: Sequence[Entry], tools: dict[str, int], longest: int
) -> Html:
    """The findings of one item, as far as they are listed."""
    left_out = len(entries) - len(listed)
    return fill(
        "group",
        item=item.id,
        title=count_failures(entry.finding for entry in entries),
        count=count_noun(len(entries), "finding"),
        findings=join(_finding(report, one, tools[one.finding.tool], longest) for one in listed),
        more=fill("more", count=count_noun(left_out, "more finding")) if left_out else EMPTY_HTML,
    )


def _longest_evidence(entries: Sequence[Entry]) -> int:
    """The length at which calls and replies are cut, so that a browser can open the page of a very large server."""
    sizes = [len(text) for entry in entries for text in (entry.finding.call, entry.finding.right, *entry.replies)]
    return next((most for most in _LENGTHS if sum(min(size, most) for size in sizes) <= _MOST_EVIDENCE), _LENGTHS[-1])


def _options(options: Iterable[tuple[str, str]]) -> Html:
    return join((fill("option", value=value, text=text) for value, text in options), "")


def _finding(report: Report, entry: Entry, place: int, longest: int) -> Html:
    finding = entry.finding
    return fill(
        "finding",
        place=place,
        tool=finding.tool,
        why=finding.why,
        kind=finding.kind,
        calls=f", {count_noun(finding.count, 'call')}" if finding.count > 1 else "",
        tags=join((fill("tag", kind=kind, text=text) for kind, text in _tags(report, entry)), ""),
        call=_cut(_indent_call(finding.call), longest),
        right=_cut(_indent_call(finding.right), longest),
        replies=join(_replies(report, entry, longest)),
        culprits=join((fill("culprit", name=name) for name in finding.culprits), ", "),
        advice=finding.item.advice,
        code=finding.item.code,
    )


def _tags(report: Report, entry: Entry) -> Iterable[tuple[str, str]]:
    if entry.finding.is_known:
        yield "known", "known"
    if entry.bare is None:
        yield "only", "only behind Fingerpost"
    elif entry.behind is not None:
        yield "remains", "remains behind Fingerpost"
    elif report.behind and report.behind.is_whole:
        yield "gone", "gone behind Fingerpost"


def _replies(report: Report, entry: Entry, longest: int) -> Iterable[Html]:
    """The bare reply, and the reply behind Fingerpost. The report keeps no replies that passed."""
    columns = ((BARE, entry.bare), (BEHIND, entry.behind)) if report.behind else (("", entry.bare),)
    for whose, finding in columns:
        heading = f"Reply, {lower_first(whose)}" if whose else "Reply"
        if finding is None:
            yield fill("no_reply", heading=heading, text="No finding here.")
        else:
            yield fill("reply", heading=heading, reply=_cut(finding.reply, longest) or "(no text)")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + _CUT


def _indent_call(call: str) -> str:
    """Break a call over several lines if it is too long for one."""
    return call if len(call) <= _ONE_LINE else json.dumps(json.loads(call), ensure_ascii=False, indent=2)


def lower_first(whose: str) -> str:
    return f"{whose[0].lower()}{whose[1:]}"
