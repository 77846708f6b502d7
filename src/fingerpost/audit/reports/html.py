"""The report as one self-contained HTML page, to read, send and print. It loads nothing from a network."""

from __future__ import annotations

from collections.abc import Sequence

from fingerpost.audit.judge.checklist import ADOPTION, CHECKLIST, Item
from fingerpost.audit.report import Report, Tally
from fingerpost.audit.reports.code_page import page_of_code
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.audit.reports.html_blocks import EMPTY_HTML, Html, csp_hash, fill, join, read_page_file
from fingerpost.audit.reports.html_findings import BARE, BEHIND, Entry, list_entries, lower_first, render_findings
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.safety.redact import clean


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report) -> str:
    style, script = read_page_file("page.css"), read_page_file("page.js")
    entries = list_entries(report)
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
        adopt=_adopt() if entries else EMPTY_HTML,
        findings=render_findings(report, entries),
        untried=_untried(report),
        notes=_notes(report),
        stale=_stale(report),
        pages=_pages(entries),
    )


def _columns(report: Report) -> list[tuple[str, Report]]:
    return [(BARE, report), (BEHIND, report.behind)] if report.behind else [("", report)]


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
    return fill("partial", whose=f" ({lower_first(whose)})" if whose else "", why=f"{done}: {why}.")


def _facts(report: Report) -> Html:
    if (subject := report.subject) is None:
        return EMPTY_HTML
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


def _checklist(report: Report, entries: Sequence[Entry]) -> Html:
    tried = {tally.item.id for _, one in _columns(report) for tally in one.items}
    if not tried:
        return EMPTY_HTML
    untried = [item.title for item in CHECKLIST if item.id not in tried]
    return fill(
        "checklist",
        items=join(_item(report, item, entries) for item in CHECKLIST if item.id in tried),
        untried=fill("items_untried", titles="; ".join(untried)) if untried else EMPTY_HTML,
    )


def _item(report: Report, item: Item, entries: Sequence[Entry]) -> Html:
    found = sum(entry.finding.item.id == item.id for entry in entries)
    return fill(
        "item",
        title=item.title,
        weight=item.weight,
        found=fill("found", item=item.id, count=count_noun(found, "finding")) if found else EMPTY_HTML,
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
    return fill("adopt", lines=join(fill("adopt_line", line=line, where=where) for line, where in ADOPTION))


# skipped calls, notes, baseline and pages of codes


def _untried(report: Report) -> Html:
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in report.skipped:
        reasons.setdefault((one.what, one.why), []).append(clean(one.tool, 200))
    rows = (
        fill("untried_row", what=clean(what, 400), why=clean(why, 400), tools=", ".join(filter(None, tools)))
        for (what, why), tools in reasons.items()
    )
    return fill("untried", rows=join(rows)) if reasons else EMPTY_HTML


def _notes(report: Report) -> Html:
    behind = report.behind.notes if report.behind else []
    notes = [("", one) for one in report.notes]
    notes += [(f"{BEHIND}: ", one) for one in behind if one not in report.notes]
    rows = (
        fill(
            "note" if one.tool else "note_on_all",
            whose=whose,
            tool=clean(one.tool, 200),
            text=clean(one.text, 1_000),
        )
        for whose, one in notes
    )
    return fill("notes", rows=join(rows)) if notes else EMPTY_HTML


def _stale(report: Report) -> Html:
    rows = join(fill("stale_row", id=one) for one in report.stale)
    return fill("stale", rows=rows) if report.stale else EMPTY_HTML


def _pages(entries: Sequence[Entry]) -> Html:
    codes = sorted({entry.finding.item.code for entry in entries})
    return fill("pages", pages=join(map(page_of_code, codes))) if codes else EMPTY_HTML
