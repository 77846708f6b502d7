"""The audit as JUnit XML: a suite for each item of the checklist, a test case for each finding.

Viewers group by suite and list what failed, and an item is what an author puts right, so each item that was tried is
a suite. One without a finding is a single case that passed. What a baseline knows is skipped; what it has in vain
fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import disarmed, ending, in_one_line, legible, marks, server_name, verdict
from fingerpost.engine.phrases import count_noun

_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def written(report: Report) -> str:
    suites = [_audit(report), *_items(report), *_stale(report)]
    root = Element("testsuites", name=f"fingerpost audit {server_name(report)}".strip())
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.extend(suites)
    indent(root)
    made = disarmed(tostring(root, encoding="unicode"), lambda sign: f"&#{ord(sign)};")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{made}\n'


def _audit(report: Report) -> Element:
    """The audit itself, so that one which ended early can never pass for a good one."""
    case = _case("audit", "The audit is complete")
    if why := ending(report):
        _outcome(case, "error", f"The audit ended early: {why}", verdict(report))
    suite = _suite("audit", [case])
    suite.insert(0, _properties(report))
    if remarks := "\n".join(_remarks(report)):
        SubElement(suite, "system-out").text = remarks
    return suite


def _properties(report: Report) -> Element:
    made = Element("properties")
    facts = {**marks(report), "seed": report.seed}
    if report.behind is not None:
        behind = marks(report.behind)
        facts |= {f"{name}_behind_fingerpost": behind[name] for name in ("grade", "repair_rate")}
    for name, value in facts.items():
        if value is not None:
            SubElement(made, "property", name=name, value=f"{value:.3g}" if isinstance(value, float) else str(value))
    return made


def _remarks(report: Report) -> Iterator[str]:
    for skipped in report.skipped:
        yield in_one_line(f"skipped: {skipped.tool}: {skipped.what}: {skipped.why}")
    for note in report.notes:
        yield in_one_line(f"note: {note.tool}: {note.text}")


def _items(report: Report) -> Iterator[Element]:
    findings = report.findings
    for tally in report.items:
        failed = [_found(finding) for finding in findings if finding.item is tally.item]
        yield _suite(tally.item.id, failed or [_passed(tally)])


def _passed(tally: Tally) -> Element:
    return _case(tally.item.id, f"{tally.item.title} ({count_noun(tally.tried, 'call')})")


def _found(finding: Finding) -> Element:
    case = _case(finding.item.id, f"{finding.tool}: {finding.kind}")
    if finding.is_known:
        _outcome(case, "skipped", f"In the baseline: {finding.told}")
    else:
        _outcome(case, "failure", finding.told, _shown(finding))
    return case


def _shown(finding: Finding) -> str:
    return (
        f"sent:  {finding.call}\nmeant: {finding.right}\ngot:   {finding.reply}\n\n"
        f"{finding.item.advice}\nfingerpost explain {finding.item.code}"
    )


def _stale(report: Report) -> Iterator[Element]:
    cases: list[Element] = []
    for known in report.stale:
        cases.append(case := _case("baseline", known))
        _outcome(case, "failure", "It is in the baseline, but no longer found: take it out")
    if cases:
        yield _suite("baseline", cases)


def _suite(name: str, cases: Iterable[Element]) -> Element:
    suite = Element("testsuite", name=name)
    suite.extend(cases)
    suite.set("tests", str(len(suite)))
    for total, tag in _COUNTED.items():
        suite.set(total, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _case(group: str, name: str) -> Element:
    return Element("testcase", classname=f"fingerpost.{group}", name=in_one_line(name))


def _outcome(case: Element, tag: str, message: str, text: str = "") -> None:
    made = SubElement(case, tag, message=in_one_line(message), type=case.get("classname", ""))
    made.text = legible(text) or None
