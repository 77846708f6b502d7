"""The SARIF report is valid against the official schema and fits code scanning."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from fingerpost.audit.events import AuditEnded
from fingerpost.audit.judge.checklist import CHECKLIST
from fingerpost.audit.report import Report
from fingerpost.audit.reports import sarif
from tests.support.audit_events import began, report, tried
from tests.support.report_checks import (
    IS_SARIF,
    REPORTS,
    every_report,
    strictly,
)


@every_report
def test_the_sarif_is_valid_against_the_official_schema(name: str) -> None:
    log = strictly(sarif.render(REPORTS[name]))
    IS_SARIF.validate(log)
    [run] = log["runs"]
    assert len(run["results"]) == len(REPORTS[name].findings)
    for result in run["results"]:
        assert len(result["message"]["text"]) <= 1_000
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place: str = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        uri = urlsplit(place)
        assert not uri.scheme
        assert re.fullmatch(r"mcp/[^/]+", uri.path)


def test_the_sarif_schema_rejects_invalid_logs() -> None:
    log = strictly(sarif.render(REPORTS["failing"]))
    log["runs"][0]["results"][0]["level"] = "grave"
    assert not IS_SARIF.is_valid(log)


def run_of(made: Report, file: str = "") -> dict[str, Any]:
    return strictly(sarif.render(made, file))["runs"][0]


def test_a_result_has_message_location_and_level() -> None:
    first, *others = run_of(REPORTS["failing"])["results"]
    assert [first["level"], *(one["level"] for one in others)] == ["error", "error", "warning", "note"]
    assert first["message"]["text"] == (
        "search: drops 'patern' silently (parameter.misspelt, 2 calls). Refuse arguments that the tool does not take "
        "(additionalProperties: false), or say that they were ignored.\n"
        'Sent: {"name": "search", "arguments": {"patern": "User"}}\nGot: Error: bad input'
    )
    assert first["locations"][0]["logicalLocations"] == [
        {"name": "search", "fullyQualifiedName": "shop/search", "kind": "function"}
    ]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "mcp/search"}
    assert first["occurrenceCount"] == 2
    assert "baselineState" not in first


def test_results_can_be_located_in_the_source_file_of_the_tools() -> None:
    result = run_of(REPORTS["failing"], "src\\my server.py")["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "src/my%20server.py"}


def test_a_tool_name_cannot_escape_the_path_of_its_result() -> None:
    for name, segment in (
        ("..", "unnamed"),
        ("", "unnamed"),
        ("a/../b", "a%2F..%2Fb"),
        ("https://x", "https%3A%2F%2Fx"),
    ):
        result = run_of(report([began(), tried("brief", why="is long", tool=name), AuditEnded()]))["results"][0]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": f"mcp/{segment}"}


def test_fingerprints_are_unique_and_stable() -> None:
    def prints(made: Report) -> list[str]:
        return [one["partialFingerprints"]["primaryLocationLineHash"] for one in run_of(made)["results"]]

    assert len(set(prints(REPORTS["failing"]))) == 4
    assert prints(REPORTS["failing"]) == prints(REPORTS["known"])


def test_every_result_has_its_baseline_state() -> None:
    run = run_of(REPORTS["known"])
    assert [one["baselineState"] for one in run["results"]] == ["unchanged", "new", "new", "new"]
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"]
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == [
        "In the baseline but no longer found: tips/list/range.above",
        "Skipped: buy: calls that could execute: it is not declared read-only",
        "buy: had to be started again",
    ]


def test_an_incomplete_audit_is_no_successful_execution() -> None:
    [invocation] = run_of(REPORTS["interrupted"])["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0] == {
        "level": "error",
        "message": {"text": "The audit ended early: it was interrupted"},
    }


def test_there_are_no_more_results_than_code_scanning_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "_MOST_RESULTS", 3)
    run = run_of(REPORTS["failing"])
    assert [one["level"] for one in run["results"]] == ["error", "error", "warning"]
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "Left out: 1 finding"


def test_a_message_contains_no_links_or_placeholders() -> None:
    events = [
        began(),
        tried("brief", why="says [this](http://evil.example) and {0}", reply="[a](1) {12}"),
        AuditEnded(),
    ]
    text = run_of(report(events))["results"][0]["message"]["text"]
    assert "](" not in text
    assert not re.search(r"\{\d+\}", text)


def test_every_rule_has_the_failure_and_the_advice() -> None:
    driver = run_of(REPORTS["nothing"])["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == [item.id for item in CHECKLIST]
    for rule, item in zip(driver["rules"], CHECKLIST, strict=True):
        assert rule["shortDescription"]["text"] == f"{item.describe_failure()}."
        for text in rule["help"].values():
            assert item.advice in text
            assert "mcp.add_middleware(Guidance())" in text
    assert run_of(REPORTS["compared"])["properties"]["behind"] == {"grade": 100, "letter": "A", "repairRate": 1.0}
