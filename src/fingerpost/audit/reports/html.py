"""The report as one HTML file that asks nothing of any network: to be looked at, sent on and printed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from fingerpost.audit.judge.checklist import ADOPTION, CHECKLIST, Item
from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.code_page import page_of_code
from fingerpost.audit.reports.html_blocks import EMPTY_OBJECT, Html, filled, hashed, joined, part
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.safety.redact import clean

_BARE, _BEHIND = "Bare", "Behind Fingerpost"
_MOST_EVIDENCE = 3_400_000
_ROOMS = (8_000, 4_000, 2_000, 1_400, 1_000, 700, 500, 350, 200)
_CUT = " … (cut here)"
_ONE_LINE = 80
_MOST_FINDINGS = 1_500
"""Findings that are written out; of a server with more, each item shows its share of them."""
_MANY = 500
"""From here on a browser is told to lay out only what is in view."""


def written(report: Report) -> str:
    """The whole page."""
    style, script = part("page.css"), part("page.js")
    entries = _entries(report)
    return filled(
        "document",
        style=style,
        style_hash=hashed(style),
        script=script,
        script_hash=hashed(script),
        title=f"{_headline(report)} · Fingerpost audit",
        headline=filled("headline", server=_headline(report), grades=_grades(report)),
        partial=joined(_partial(one, whose) for whose, one in _columns(report) if not one.is_whole),
        facts=_facts(report),
        checklist=_checklist(report, entries),
        adopt=_adopt() if entries else EMPTY_OBJECT,
        findings=_findings(report, entries),
        untried=_untried(report),
        notes=_notes(report),
        stale=_stale(report),
        pages=_pages(entries),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A finding of the server itself, of the server behind Fingerpost, or of both."""

    bare: Finding | None
    behind: Finding | None

    @property
    def finding(self) -> Finding:
        found = self.bare or self.behind
        assert found is not None
        return found

    @property
    def replies(self) -> tuple[str, ...]:
        return tuple(one.reply for one in (self.bare, self.behind) if one)


def _entries(report: Report) -> list[_Entry]:
    """All findings, each once; as in the report, the weightiest item first."""
    behind = {one.id: one for one in report.behind.findings} if report.behind else {}
    entries = [_Entry(one, behind.pop(one.id, None)) for one in report.findings]
    entries += [_Entry(None, one) for one in behind.values()]
    order = {item.id: (-item.weight, place) for place, item in enumerate(CHECKLIST)}
    return sorted(entries, key=lambda entry: order[entry.finding.item.id])


def _columns(report: Report) -> list[tuple[str, Report]]:
    return [(_BARE, report), (_BEHIND, report.behind)] if report.behind else [("", report)]


# what it comes to


def _headline(report: Report) -> str:
    server = clean(f"{report.subject.name} {report.subject.version}", 120) if report.subject else ""
    server = server or "The server"
    if not report.is_graded:
        return f"{server} could not be graded"
    better = f", and {_graded(report.behind)} behind Fingerpost" if report.behind and report.behind.is_graded else ""
    return f"{server} earns {_graded(report)}{better}"


def _graded(report: Report) -> str:
    return f"{'an' if report.letter in 'AF' else 'a'} {report.letter}"


def _grades(report: Report) -> Html:
    return joined(_grade(one, whose or "Grade") for whose, one in _columns(report))


def _grade(report: Report, whose: str) -> Html:
    if not report.is_graded:
        return filled("ungraded", whose=whose)
    rate, explained = "No", "No mistake was tried that can be put right from the call alone."
    if report.repairable:
        rate = _percent(report.repair_rate)
        explained = (
            f"After {report.repaired:,} of {count_noun(report.repairable, 'mistake')}, what the reply says leads to"
            " the right call in one retry."
        )
    return filled(
        "grade",
        whose=whose,
        tone=_tone(report.grade / 100),
        letter=report.letter,
        score=report.grade,
        rate=rate,
        explained=explained,
    )


def _percent(share: float) -> str:
    """Rounded down: 100 % is all of them."""
    return f"{int(100 * share + 1e-9)}\N{NO-BREAK SPACE}%"


def _tone(share: float) -> str:
    return "good" if share >= 0.8 else "fair" if share >= 0.6 else "poor"


def _partial(report: Report, whose: str) -> Html:
    why = clean(report.ended.why, 400).rstrip(".") if report.ended else "it was stopped"
    done = (
        f"{report.done:,} of about {count_noun(report.calls, 'call')} came to an end"
        if report.done
        else "No call was tried"
    )
    return filled("partial", whose=f" ({_lower(whose)})" if whose else "", why=f"{done}: {why}.")


def _lower(whose: str) -> str:
    return f"{whose[0].lower()}{whose[1:]}"


def _facts(report: Report) -> Html:
    if (subject := report.subject) is None:
        return EMPTY_OBJECT
    facts = {
        "Target": clean(subject.target, 400),
        "Server": clean(f"{subject.name} {subject.version}", 200),
        "Protocol": clean(subject.protocol, 40),
        "Transport": subject.transport,
        "Tools": f"{subject.tools:,}",
        "Calls": f"{report.done:,}" if report.is_whole else f"{report.done:,} of about {report.calls:,}",
        "Seed": str(report.seed),
    }
    return filled("facts", facts=joined(filled("fact", name=name, value=value) for name, value in facts.items()))


# the checklist


def _checklist(report: Report, entries: Sequence[_Entry]) -> Html:
    tried = {tally.item.id for _, one in _columns(report) for tally in one.items}
    if not tried:
        return EMPTY_OBJECT
    untried = [item.title for item in CHECKLIST if item.id not in tried]
    return filled(
        "checklist",
        items=joined(_item(report, item, entries) for item in CHECKLIST if item.id in tried),
        untried=filled("items_untried", titles="; ".join(untried)) if untried else EMPTY_OBJECT,
    )


def _item(report: Report, item: Item, entries: Sequence[_Entry]) -> Html:
    found = sum(entry.finding.item.id == item.id for entry in entries)
    return filled(
        "item",
        title=item.title,
        weight=item.weight,
        found=filled("found", item=item.id, count=count_noun(found, "finding")) if found else EMPTY_OBJECT,
        measures=joined(_measure(one.tallies[item.id], whose) for whose, one in _columns(report)),
    )


def _measure(tally: Tally, whose: str) -> Html:
    return filled(
        "measure",
        whose=whose,
        tone=_tone(tally.share) if tally.tried else "none",
        width=f"{100 * tally.share:.1f}" if tally.tried else "0",
        share=_percent(tally.share) if tally.tried else "",
        passed=f"{tally.passed:,}",
        tried=f"{tally.tried:,}",
    )


def _adopt() -> Html:
    return filled("adopt", lines=joined(filled("adopt_line", line=line, where=where) for line, where in ADOPTION))


# the findings


def _findings(report: Report, entries: Sequence[_Entry]) -> Html:
    if not entries:
        said = "Nothing was found: every reply that was tried is as it should be."
        return filled("no_findings", said=said if report.is_graded else "Nothing was tried, so nothing was found.")
    tools = {tool: place for place, tool in enumerate(sorted({entry.finding.tool for entry in entries}))}
    grouped = [(item, list(some)) for item, some in groupby(entries, lambda entry: entry.finding.item)]
    most = _MOST_FINDINGS // len(grouped) if len(entries) > _MOST_FINDINGS else len(entries)
    room = _room([one for _, some in grouped for one in some[:most]])
    return filled(
        "findings",
        many=filled("many") if len(entries) > _MANY else EMPTY_OBJECT,
        tools=_options((str(place), tool) for tool, place in tools.items()),
        items=_options((item.id, item.title) for item, _ in grouped),
        count=count_noun(len(entries), "finding"),
        groups=joined(
            filled(
                "group",
                item=item.id,
                title=item.title,
                count=count_noun(len(some), "finding"),
                findings=joined(_finding(report, one, tools[one.finding.tool], room) for one in some[:most]),
                more=filled("more", count=count_noun(len(some) - most, "more finding"))
                if len(some) > most
                else EMPTY_OBJECT,
            )
            for item, some in grouped
        ),
    )


def _room(entries: Sequence[_Entry]) -> int:
    """How long a call or a reply may be, so that the page of a very large server can still be opened."""
    sizes = [len(text) for entry in entries for text in (entry.finding.call, entry.finding.right, *entry.replies)]
    return next((room for room in _ROOMS if sum(min(size, room) for size in sizes) <= _MOST_EVIDENCE), _ROOMS[-1])


def _options(options: Iterable[tuple[str, str]]) -> Html:
    return joined((filled("option", value=value, text=text) for value, text in options), "")


def _finding(report: Report, entry: _Entry, place: int, room: int) -> Html:
    found = entry.finding
    return filled(
        "finding",
        place=place,
        tool=found.tool,
        why=found.why,
        kind=found.kind,
        often=f", {count_noun(found.count, 'call')}" if found.count > 1 else "",
        tags=joined((filled("tag", kind=kind, text=text) for kind, text in _tags(report, entry)), ""),
        call=_cut(_laid_out(found.call), room),
        right=_cut(_laid_out(found.right), room),
        replies=joined(_replies(report, entry, room)),
        culprits=joined((filled("culprit", name=name) for name in found.culprits), ", "),
        advice=found.item.advice,
        code=found.item.code,
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


def _replies(report: Report, entry: _Entry, room: int) -> Iterable[Html]:
    """What came back, and with Fingerpost in front; of replies that are right, a report keeps none."""
    columns = ((_BARE, entry.bare), (_BEHIND, entry.behind)) if report.behind else (("", entry.bare),)
    for whose, found in columns:
        heading = f"What came back, {_lower(whose)}" if whose else "What came back"
        if found is None:
            yield filled("no_reply", heading=heading, said="No finding here.")
        else:
            yield filled("reply", heading=heading, reply=_cut(found.reply, room) or "(no text)")


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[:room] + _CUT


def _laid_out(call: str) -> str:
    """A call that is too long for one line, on several."""
    return call if len(call) <= _ONE_LINE else json.dumps(json.loads(call), ensure_ascii=False, indent=2)


# what else there is to know


def _untried(report: Report) -> Html:
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in report.skipped:
        reasons.setdefault((one.what, one.why), []).append(clean(one.tool, 200))
    rows = (
        filled("untried_row", what=clean(what, 400), why=clean(why, 400), tools=", ".join(filter(None, tools)))
        for (what, why), tools in reasons.items()
    )
    return filled("untried", rows=joined(rows)) if reasons else EMPTY_OBJECT


def _notes(report: Report) -> Html:
    behind = report.behind.notes if report.behind else []
    told = [("", one) for one in report.notes]
    told += [(f"{_BEHIND}: ", one) for one in behind if one not in report.notes]
    rows = (
        filled(
            "note" if one.tool else "note_on_all",
            whose=whose,
            tool=clean(one.tool, 200),
            text=clean(one.text, 1_000),
        )
        for whose, one in told
    )
    return filled("notes", rows=joined(rows)) if told else EMPTY_OBJECT


def _stale(report: Report) -> Html:
    rows = joined(filled("stale_row", id=one) for one in report.stale)
    return filled("stale", rows=rows) if report.stale else EMPTY_OBJECT


def _pages(entries: Sequence[_Entry]) -> Html:
    codes = sorted({entry.finding.item.code for entry in entries})
    return filled("pages", pages=joined(map(page_of_code, codes))) if codes else EMPTY_OBJECT
