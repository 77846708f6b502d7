"""The report as one self-contained HTML page, to read, send and print. It loads nothing from a network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from fingerpost.audit.judge.checklist import ADOPT, CHECKLIST, Item
from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.code_page import page_of_code
from fingerpost.audit.reports.failures import count_failures
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.audit.reports.html_blocks import NOTHING, Html, csp_hash, fill, join, read_page_file
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.safety.redact import clean

_BARE, _BEHIND = "Bare", "Behind Fingerpost"
_MOST_EVIDENCE = 3_400_000
_LENGTHS = (8_000, 4_000, 2_000, 1_400, 1_000, 700, 500, 350, 200)
_CUT = " … (cut here)"
_ONE_LINE = 80
_MOST_FINDINGS = 1_500
"""Findings on the page. If there are more, each item shows the same number of them."""
_MANY = 500
"""With more findings the browser lays out only those in view."""


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report) -> str:
    style, script = read_page_file("page.css"), read_page_file("page.js")
    entries = _entries(report)
    return fill(
        "document",
        style=style,
        style_hash=csp_hash(style),
        script=script,
        script_hash=csp_hash(script),
        title=f"{_headline(report)} · Fingerpost audit",
        headline=fill("headline", server=_headline(report), grades=_grades(report)),
        partial=join(_partial(one, whose) for whose, one in _columns(report) if not one.is_whole),
        facts=_facts(report),
        checklist=_checklist(report, entries),
        adopt=_adopt() if entries else NOTHING,
        findings=_findings(report, entries),
        untried=_untried(report),
        notes=_notes(report),
        stale=_stale(report),
        pages=_pages(entries),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
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


def _entries(report: Report) -> list[_Entry]:
    """All findings, each once, by weight of their item."""
    behind = {one.id: one for one in report.behind.findings} if report.behind else {}
    entries = [_Entry(one, behind.pop(one.id, None)) for one in report.findings]
    entries += [_Entry(None, one) for one in behind.values()]
    order = {item.id: (-item.weight, place) for place, item in enumerate(CHECKLIST)}
    return sorted(entries, key=lambda entry: order[entry.finding.item.id])


def _columns(report: Report) -> list[tuple[str, Report]]:
    return [(_BARE, report), (_BEHIND, report.behind)] if report.behind else [("", report)]


# grades


def _headline(report: Report) -> str:
    server = clean(f"{report.subject.name} {report.subject.version}", 120) if report.subject else ""
    server = server or "The server"
    if not report.is_graded:
        return f"{server} could not be graded"
    behind = f", and {report.behind.letter} behind Fingerpost" if report.behind and report.behind.is_graded else ""
    return f"{server}: grade {report.letter}{behind}"


def _grades(report: Report) -> Html:
    return join(_grade(one, whose or "Grade") for whose, one in _columns(report))


def _grade(report: Report, whose: str) -> Html:
    if not report.is_graded:
        return fill("ungraded", whose=whose)
    rate, explained = "No", "No call was tried that could be repaired."
    if report.repairable:
        rate = _percent(report.repair_rate)
        explained = (
            f"Replies to {report.repaired:,} of {count_noun(report.repairable, 'mistake')} led to the correct call in"
            f" one retry; {report.repairable - report.repaired:,} did not."
        )
    return fill(
        "grade",
        whose=whose,
        tone=_tone(report.grade / 100),
        letter=report.letter,
        score=report.grade,
        rate=rate,
        explained=explained,
    )


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{int(100 * share + 1e-9)}\N{NO-BREAK SPACE}%"


def _tone(share: float) -> str:
    return "good" if share >= 0.8 else "fair" if share >= 0.6 else "poor"


def _partial(report: Report, whose: str) -> Html:
    why = clean(report.ended.why, 400).rstrip(".") if report.ended else "it was stopped"
    done = f"{report.done:,} of about {count_noun(report.calls, 'call')} ended" if report.done else "No call was tried"
    return fill("partial", whose=f" ({_lower(whose)})" if whose else "", why=f"{done}: {why}.")


def _lower(whose: str) -> str:
    return f"{whose[0].lower()}{whose[1:]}"


def _facts(report: Report) -> Html:
    if (subject := report.subject) is None:
        return NOTHING
    facts = {
        "Target": clean(subject.target, 400),
        "Server": clean(f"{subject.name} {subject.version}", 200),
        "Protocol": clean(subject.protocol, 40),
        "Transport": subject.transport,
        "Tools": f"{subject.tools:,}",
        "Calls": f"{report.done:,}" if report.is_whole else f"{report.done:,} of about {report.calls:,}",
        "Seed": str(report.seed),
    }
    return fill("facts", facts=join(fill("fact", name=name, value=value) for name, value in facts.items()))


# the checklist


def _checklist(report: Report, entries: Sequence[_Entry]) -> Html:
    tried = {tally.item.id for _, one in _columns(report) for tally in one.items}
    if not tried:
        return NOTHING
    untried = [item.title for item in CHECKLIST if item.id not in tried]
    return fill(
        "checklist",
        items=join(_item(report, item, entries) for item in CHECKLIST if item.id in tried),
        untried=fill("items_untried", titles="; ".join(untried)) if untried else NOTHING,
    )


def _item(report: Report, item: Item, entries: Sequence[_Entry]) -> Html:
    found = sum(entry.finding.item.id == item.id for entry in entries)
    return fill(
        "item",
        title=item.title,
        weight=item.weight,
        found=fill("found", item=item.id, count=count_noun(found, "finding")) if found else NOTHING,
        measures=join(_measure(one.tallies[item.id], whose) for whose, one in _columns(report)),
    )


def _measure(tally: Tally, whose: str) -> Html:
    return fill(
        "measure",
        whose=whose,
        tone=_tone(tally.share) if tally.tried else "none",
        width=f"{100 * tally.share:.1f}" if tally.tried else "0",
        share=_percent(tally.share) if tally.tried else "",
        passed=f"{tally.passed:,}",
        tried=f"{tally.tried:,}",
    )


def _adopt() -> Html:
    return fill("adopt", lines=join(fill("adopt_line", line=line, where=where) for line, where in ADOPT))


# the findings


def _findings(report: Report, entries: Sequence[_Entry]) -> Html:
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
        many=fill("many") if len(entries) > _MANY else NOTHING,
        tools=_options((str(place), tool) for tool, place in tools.items()),
        items=_options((item.id, item.title) for item, _ in groups),
        count=count_noun(len(entries), "finding"),
        groups=join(_group(report, item, some, some[:most], tools, longest) for item, some in groups),
    )


def _group(
    report: Report, item: Item, entries: Sequence[_Entry], listed: Sequence[_Entry], tools: dict[str, int], longest: int
) -> Html:
    """The findings of one item, as far as they are listed."""
    left_out = len(entries) - len(listed)
    return fill(
        "group",
        item=item.id,
        title=count_failures(entry.finding for entry in entries),
        count=count_noun(len(entries), "finding"),
        findings=join(_finding(report, one, tools[one.finding.tool], longest) for one in listed),
        more=fill("more", count=count_noun(left_out, "more finding")) if left_out else NOTHING,
    )


def _longest_evidence(entries: Sequence[_Entry]) -> int:
    """The length at which calls and replies are cut, so that a browser can open the page of a very large server."""
    sizes = [len(text) for entry in entries for text in (entry.finding.call, entry.finding.right, *entry.replies)]
    return next((most for most in _LENGTHS if sum(min(size, most) for size in sizes) <= _MOST_EVIDENCE), _LENGTHS[-1])


def _options(options: Iterable[tuple[str, str]]) -> Html:
    return join((fill("option", value=value, text=text) for value, text in options), "")


def _finding(report: Report, entry: _Entry, place: int, longest: int) -> Html:
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


def _tags(report: Report, entry: _Entry) -> Iterable[tuple[str, str]]:
    if entry.finding.is_known:
        yield "known", "known"
    if entry.bare is None:
        yield "only", "only behind Fingerpost"
    elif entry.behind is not None:
        yield "remains", "remains behind Fingerpost"
    elif report.behind and report.behind.is_whole:
        yield "gone", "gone behind Fingerpost"


def _replies(report: Report, entry: _Entry, longest: int) -> Iterable[Html]:
    """The bare reply, and the reply behind Fingerpost. The report keeps no replies that passed."""
    columns = ((_BARE, entry.bare), (_BEHIND, entry.behind)) if report.behind else (("", entry.bare),)
    for whose, finding in columns:
        heading = f"Reply, {_lower(whose)}" if whose else "Reply"
        if finding is None:
            yield fill("no_reply", heading=heading, text="No finding here.")
        else:
            yield fill("reply", heading=heading, reply=_cut(finding.reply, longest) or "(no text)")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + _CUT


def _indent_call(call: str) -> str:
    """Break a call over several lines if it is too long for one."""
    return call if len(call) <= _ONE_LINE else json.dumps(json.loads(call), ensure_ascii=False, indent=2)


# skipped calls, notes, baseline and pages of codes


def _untried(report: Report) -> Html:
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in report.skipped:
        reasons.setdefault((one.what, one.why), []).append(clean(one.tool, 200))
    rows = (
        fill("untried_row", what=clean(what, 400), why=clean(why, 400), tools=", ".join(filter(None, tools)))
        for (what, why), tools in reasons.items()
    )
    return fill("untried", rows=join(rows)) if reasons else NOTHING


def _notes(report: Report) -> Html:
    behind = report.behind.notes if report.behind else []
    notes = [("", one) for one in report.notes]
    notes += [(f"{_BEHIND}: ", one) for one in behind if one not in report.notes]
    rows = (
        fill(
            "note" if one.tool else "note_on_all",
            whose=whose,
            tool=clean(one.tool, 200),
            text=clean(one.text, 1_000),
        )
        for whose, one in notes
    )
    return fill("notes", rows=join(rows)) if notes else NOTHING


def _stale(report: Report) -> Html:
    rows = join(fill("stale_row", id=one) for one in report.stale)
    return fill("stale", rows=rows) if report.stale else NOTHING


def _pages(entries: Sequence[_Entry]) -> Html:
    codes = sorted({entry.finding.item.code for entry in entries})
    return fill("pages", pages=join(map(page_of_code, codes))) if codes else NOTHING
