"""The JUnit report is valid against its schema, and its outcomes match the findings."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

from fingerpost.audit.report import Report
from fingerpost.audit.reports import junit
from tests.support.report_checks import (
    IS_JUNIT,
    REPORTS,
    every_report,
)


@every_report
def test_the_junit_xml_is_valid_against_its_schema(name: str) -> None:
    IS_JUNIT.validate(junit.render(REPORTS[name]))


def test_the_junit_schema_rejects_invalid_xml() -> None:
    assert not IS_JUNIT.is_valid(junit.render(REPORTS["failing"]).replace("<testcase classname", "<testcase class"))


def suites(of: Report) -> dict[str, list[tuple[str, str]]]:
    """Return the cases of each suite with their outcomes, and check the totals."""
    root = ElementTree.fromstring(junit.render(of))
    seen: dict[str, list[tuple[str, str]]] = {}
    for suite in root:
        cases = [(case.get("name", ""), "".join(child.tag for child in case)) for case in suite.iter("testcase")]
        seen[suite.get("name", "")] = cases
        outcomes = Counter(outcome for _, outcome in cases)
        assert [suite.get(total) for total in ("tests", "failures", "errors", "skipped")] == [
            str(count) for count in (len(cases), outcomes["failure"], outcomes["error"], outcomes["skipped"])
        ]
    assert root.get("tests") == str(sum(map(len, seen.values())))
    return seen


def test_new_and_stale_findings_fail_and_known_ones_are_skipped() -> None:
    assert suites(REPORTS["known"]) == {
        "audit": [("The audit is complete", "")],
        "unknown_param": [("search: parameter.misspelt", "failure")],
        "not_dropped": [("search: parameter.misspelt", "skipped")],
        "honest": [("A failure is marked as one (1 call)", "")],
        "brief": [("search: required.missing", "failure")],
        "alive": [("buy: parameter.misspelt", "failure")],
        "baseline": [("tips/list/range.above", "failure")],
    }


def test_an_incomplete_audit_is_a_junit_error() -> None:
    for name in ("nothing", "interrupted", "never started"):
        assert suites(REPORTS[name])["audit"] == [("The audit is complete", "error")]
    assert suites(REPORTS["no tools"]) == {"audit": [("The audit is complete", "")]}


def test_a_failure_shows_the_call_the_reply_and_the_advice() -> None:
    failure = ElementTree.fromstring(junit.render(REPORTS["failing"])).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "search: does not name the nearest parameter (parameter.misspelt)"
    assert failure.text == (
        'sent:    {"name": "search", "arguments": {"patern": "User"}}\n'
        'correct: {"name": "search", "arguments": {"pattern": "User"}}\n'
        "got:     Error: bad input\n\n"
        "Compare the name with those that the tool takes, and name both.\n"
        "fingerpost explain UNKNOWN_PARAM"
    )


def test_the_junit_xml_of_a_comparison_has_both_grades() -> None:
    found = ElementTree.fromstring(junit.render(REPORTS["compared"])).iter("property")
    assert {one.get("name"): one.get("value") for one in found} == {
        "grade": "10",
        "letter": "F",
        "repair_rate": "0.25",
        "seed": "7",
        "grade_behind_fingerpost": "100",
        "repair_rate_behind_fingerpost": "1",
    }
