"""JUnit XML: a suite for each checklist item, a test case for each finding.

Viewers group by suite and list failures, and an author fixes item by item, so each item that was tried is a suite. An
item without findings is one passed case. Findings in the baseline are skipped; stale baseline entries fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from fingerpost.audit.report import Finding, Report, Tally
from fingerpost.audit.reports.common import (
    disarm_commands,
    early_end_reason,
    grade_fields,
    grade_line,
    one_line,
    server_name,
    strip_controls,
)
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.engine.phrases import count_noun

_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report)


def render(report: Report) -> str:
    suites = [_audit(report), *_items(report), *_stale(report)]
    root = Element("testsuites", name=f"fingerpost audit {server_name(report)}".strip())
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.extend(suites)
    indent(root)
    text = disarm_commands(tostring(root, encoding="unicode"), lambda sign: f"&#{ord(sign)};")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _audit(report: Report) -> Element:
    """The suite of the audit itself: it fails if the audit ended early, so that an incomplete audit cannot pass."""
    case = _case("audit", "The audit is complete")
    if why := early_end_reason(report):
        _outcome(case, "error", f"The audit ended early: {why}", grade_line(report))
    suite = _suite("audit", [case])
    suite.insert(0, _properties(report))
    if remarks := "\n".join(_remarks(report)):
        SubElement(suite, "system-out").text = remarks
    return suite


def _properties(report: Report) -> Element:
    properties = Element("properties")
    facts = {**grade_fields(report), "seed": report.seed}
    if report.behind is not None:
        behind = grade_fields(report.behind)
        facts |= {f"{name}_behind_fingerpost": behind[name] for name in ("grade", "repair_rate")}
    for name, value in facts.items():
        if value is not None:
            SubElement(
                properties, "property", name=name, value=f"{value:.3g}" if isinstance(value, float) else str(value)
            )
    return properties


def _remarks(report: Report) -> Iterator[str]:
    for skipped in report.skipped:
        yield one_line(f"skipped: {skipped.tool}: {skipped.what}: {skipped.why}")
    for note in report.notes:
        yield one_line(f"note: {note.tool}: {note.text}")


def _items(report: Report) -> Iterator[Element]:
    findings = report.findings
    for tally in report.items:
        failed = [_failed_case(finding) for finding in findings if finding.item is tally.item]
        yield _suite(tally.item.id, failed or [_passed_case(tally)])


def _passed_case(tally: Tally) -> Element:
    return _case(tally.item.id, f"{tally.item.title} ({count_noun(tally.tried, 'call')})")


def _failed_case(finding: Finding) -> Element:
    case = _case(finding.item.id, f"{finding.tool}: {finding.kind}")
    if finding.is_known:
        _outcome(case, "skipped", f"In the baseline: {finding.summary}")
    else:
        _outcome(case, "failure", finding.summary, _evidence(finding))
    return case


def _evidence(finding: Finding) -> str:
    return (
        f"sent:    {finding.call}\ncorrect: {finding.right}\ngot:     {finding.reply}\n\n"
        f"{finding.item.advice}\nfingerpost explain {finding.item.code}"
    )


def _stale(report: Report) -> Iterator[Element]:
    cases: list[Element] = []
    for known in report.stale:
        cases.append(case := _case("baseline", known))
        _outcome(case, "failure", "In the baseline but no longer found: remove the entry")
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
    return Element("testcase", classname=f"fingerpost.{group}", name=one_line(name))


def _outcome(case: Element, tag: str, message: str, text: str = "") -> None:
    outcome = SubElement(case, tag, message=one_line(message), type=case.get("classname", ""))
    outcome.text = strip_controls(text) or None
