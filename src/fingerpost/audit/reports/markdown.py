"""The audit as Markdown for a comment on a pull request, or for the summary of a run.

What a server said is either fenced or written in character references, so it can neither mark anything up, nor link,
nor call a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import (
    adoption,
    clipped,
    disarmed,
    ending,
    fresh,
    in_one_line,
    legible,
    rate,
    server_name,
    verdict,
)
from fingerpost.engine.phrases import count_noun, sentence

_MOST_FINDINGS = 8
_LONGEST_SHOWN = 1_200
_LONGEST_WORDS = 300
_MARKUP = re.compile(r"[!#$&*+/<>@\[\\\]^_`{|}~]|^[-\d]|(?<=(?i:www))\.")
"""Every sign that could begin markup, an address, or a line of another kind."""


def written(report: Report) -> str:
    return "\n\n".join(_paragraphs(report)) + "\n"


def _paragraphs(report: Report) -> Iterator[str]:
    yield f"## Fingerpost audit{_of(report)}"
    yield f"**{verdict(report)}**"
    if report.behind is not None:
        yield f"Behind Fingerpost: **{verdict(report.behind)}**"
    if why := ending(report):
        yield sentence(f"The audit ended early: {_words(why)}")
    if report.items:
        yield _table(report)
    if report.stale:
        yield "\n".join(("In the baseline, but no longer found; take them out:\n", *_bullets(report.stale)))
    yield from _worst(report)
    yield from _what_to_do(report)
    yield from _remarks(report)


def _of(report: Report) -> str:
    version = f" {in_one_line(report.subject.version)}" if report.subject else ""
    name = f"{server_name(report)}{version}".strip()
    return f" of {_words(name)}" if name else ""


def _table(report: Report) -> str:
    behind = report.behind
    head = ["Item", "Weight", "Met", *(["Behind Fingerpost"] if behind else [])]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    for tally in report.items:
        also = [_met(behind.tallies[tally.item.id])] if behind else []
        rows.append([tally.item.title, str(tally.item.weight), _met(tally), *also])
    rows.append(["Repair rate", "", rate(report), *([rate(behind)] if behind else [])])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _met(tally: Tally) -> str:
    if not tally.tried:
        return "not tried"
    text = f"{tally.passed:,} / {tally.tried:,}"
    return text if tally.passed == tally.tried else f"**{text}**"


def _worst(report: Report) -> Iterator[str]:
    findings = fresh(report)
    known = len(report.findings) - len(findings)
    if not findings:
        if known:
            yield f"No finding but {known:,} in the baseline."
        return
    shown = _worst_first(findings)
    yield f"### {count_noun(len(findings), 'finding')}{f', and {known:,} in the baseline' if known else ''}"
    for finding in shown:
        yield from _details(finding)
    if len(findings) > len(shown):
        yield f"{count_noun(len(findings) - len(shown), 'more finding')} not shown here."


def _worst_first(findings: list[Finding]) -> list[Finding]:
    """One of each item before a second of any, as they weigh."""
    firsts = {finding.item.id: finding for finding in reversed(findings)}
    leading = [finding for finding in findings if firsts[finding.item.id] is finding]
    rest = [finding for finding in findings if firsts[finding.item.id] is not finding]
    return [*leading, *rest][:_MOST_FINDINGS]


def _details(finding: Finding) -> Iterator[str]:
    yield f"<details><summary>{_words(finding.told)}</summary>"
    yield f"Not met: {finding.item.title}."
    yield "Sent:"
    yield _fenced(finding.call, "json")
    yield "Meant:"
    yield _fenced(finding.right, "json")
    yield "Answered:"
    yield _fenced(finding.reply)
    yield "</details>"


def _what_to_do(report: Report) -> Iterator[str]:
    items = {finding.item.id: finding.item for finding in fresh(report)}.values()
    if not items:
        return
    yield "### What to do"
    yield "\n".join(f"- {item.advice} (`fingerpost explain {item.code}`)" for item in items)
    yield "Or adopt Fingerpost, in one of these lines:"
    yield _fenced("\n".join(adoption()))


def _remarks(report: Report) -> Iterator[str]:
    said = [f"Skipped: {one.tool}: {one.what}: {one.why}" for one in report.skipped]
    said += [f"{one.tool}: {one.text}" for one in report.notes]
    if said:
        yield f"<details><summary>{count_noun(len(said), 'remark')}</summary>"
        yield "\n".join(_bullets(said))
        yield "</details>"
    if report.subject is not None:
        yield f"{count_noun(report.done, 'call')}, seed {report.seed}."


def _bullets(lines: list[str], most: int = 20) -> Iterator[str]:
    for line in lines[:most]:
        yield f"- {_words(line)}"
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"


def _words(text: str) -> str:
    """Someone's text in a sentence: such signs by their numbers, and nobody called by `@` or `#`."""
    return _MARKUP.sub(_reference, clipped(in_one_line(text), _LONGEST_WORDS))


def _reference(sign: re.Match[str]) -> str:
    # people and issues are looked for in what is rendered, so there something has to stand between
    return f"&#{ord(sign[0])};{'&#8203;' if sign[0] in '@#' else ''}"


def _fenced(text: str, language: str = "") -> str:
    shown = disarmed(clipped(legible(text), _LONGEST_SHOWN), lambda sign: f"{sign} ")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"
