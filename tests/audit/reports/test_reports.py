"""The report formats for programs: each is valid against its schema, whatever text a server sends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import jsonschema
import jsonschema_rs
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fingerpost.audit.events import Ended, Noted
from fingerpost.audit.judge.checklist import CHECKLIST, ITEMS
from fingerpost.audit.redact import redact_call
from fingerpost.audit.report import Report
from fingerpost.audit.reports import github, junit, markdown, ndjson, plain_json, pytest_file, sarif
from fingerpost.audit.reports.failures import count_failures, describe_failure
from fingerpost.audit.reports.format import Context
from fingerpost.engine.model import Call
from tests.support.audit_lab import HOSTILE, began, failing, hostile, large, perfect, report, reports, tried
from tests.support.paths import DATA

SCHEMAS = DATA / "schemas"
AUDIT = json.loads((Path(plain_json.__file__).parent / "audit.schema.json").read_text())
IS_AUDIT = jsonschema_rs.validator_for(AUDIT)
IS_SARIF: Any = jsonschema.Draft4Validator(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text()))
IS_JUNIT = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
REPORTS = reports()
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0"

every_report = pytest.mark.parametrize("name", REPORTS)
any_text = st.text(st.characters(codec=None, exclude_categories=()) | st.sampled_from("`|@#<&]:%{}'\"\\\n\r\0\ud800"))


def strictly(text: str) -> Any:
    """Parse strict JSON: no NaN, and valid UTF-8."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    return json.loads(text.encode().decode(), parse_constant=refuse)


# JSON


@every_report
def test_the_json_is_valid_against_its_schema(name: str) -> None:
    jsonschema_rs.meta.validate(AUDIT)
    IS_AUDIT.validate(strictly(plain_json.render(REPORTS[name])))


def test_the_json_schema_rejects_invalid_reports() -> None:
    made = strictly(plain_json.render(REPORTS["compared"]))
    for path in (["grade"], ["items"], ["findings", 0, "call"], ["behind", "letter"], ["server", "tools"]):
        for wrong in ("?", -1):
            spoilt = json.loads(json.dumps(made))
            at = spoilt
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = wrong
            assert not IS_AUDIT.is_valid(spoilt), path
    assert not IS_AUDIT.is_valid({**made, "extra": 1})


def test_the_json_has_every_field() -> None:
    made = strictly(plain_json.render(REPORTS["known"]))
    assert {name: value for name, value in made.items() if name not in ("items", "findings", "server")} == {
        "fingerpost": made["fingerpost"],
        "grade": 10,
        "letter": "F",
        "repair_rate": 0.25,
        "repaired": 1,
        "repairable": 4,
        "seed": 7,
        "calls": 6,
        "complete": True,
        "ended": "",
        "stale": ["tips/list/range.above"],
        "skipped": [{"tool": "buy", "what": "calls that could execute", "why": "it is not declared read-only"}],
        "notes": [{"tool": "buy", "text": "had to be started again"}],
    }
    assert made["server"]["name"] == "shop"
    assert made["items"][2] == {
        "id": "not_dropped",
        "title": "No argument is dropped in silence",
        "weight": 3,
        "passed": 0,
        "tried": 2,
    }
    assert made["findings"][0] == {
        "id": "not_dropped/search/parameter.misspelt",
        "item": "not_dropped",
        "tool": "search",
        "kind": "parameter.misspelt",
        "why": "drops 'patern' in silence",
        "call": {"name": "search", "arguments": {"patern": "User"}},
        "right": {"name": "search", "arguments": {"pattern": "User"}},
        "reply": "Error: bad input",
        "culprits": ["pattern", "limit"],
        "count": 2,
        "known": True,
        "advice": made["findings"][0]["advice"],
        "code": "UNKNOWN_PARAM",
    }


def test_the_json_says_why_an_audit_ended_early() -> None:
    assert strictly(plain_json.render(REPORTS["interrupted"]))["ended"] == "it was interrupted"
    made = strictly(plain_json.render(REPORTS["never started"]))
    assert (made["complete"], made["ended"], made["server"]) == (False, "the server did not start: exit code 1", None)


# events


def test_each_event_is_one_line_of_json() -> None:
    lines = [ndjson.render_event(event) for event in failing()]
    assert not any("\n" in line for line in lines)
    assert [strictly(line)["event"] for line in lines] == ["began", "skipped", *["tried"] * 6, "noted", "ended"]
    assert strictly(lines[6]) == {
        "event": "tried",
        "number": 5,
        "tool": "buy",
        "kind": "parameter.misspelt",
        "culprit": "pattern",
        "call": {"name": "buy", "arguments": {"patern": "User"}},
        "right": {"name": "buy", "arguments": {"pattern": "User"}},
        "reply": None,
        "lost": "gave no answer within 10 s",
        "checks": [{"item": "alive", "passed": False, "why": "gave no answer"}],
        "repaired": None,
    }


def test_an_event_behind_fingerpost_is_marked() -> None:
    assert strictly(ndjson.render_event(Ended("x"), is_behind=True)) == {
        "event": "ended",
        "complete": False,
        "why": "x",
        "behind": True,
    }


def test_events_contain_no_secrets() -> None:
    line = ndjson.render_event(tried("brief", arguments={"password": SECRET}, reply=f"no such token: {SECRET}"))
    assert "<hidden>" in line
    assert SECRET not in line


# JUnit


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


# SARIF


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
        "search: drops 'patern' in silence (parameter.misspelt, 2 calls). Refuse arguments that the tool does not take "
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
        result = run_of(report([began(), tried("brief", why="is long", tool=name), Ended()]))["results"][0]
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
    events = [began(), tried("brief", why="says [this](http://evil.example) and {0}", reply="[a](1) {12}"), Ended()]
    text = run_of(report(events))["results"][0]["message"]["text"]
    assert "](" not in text
    assert not re.search(r"\{\d+\}", text)


def test_every_rule_has_the_failure_and_the_advice() -> None:
    driver = run_of(REPORTS["nothing"])["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == [item.id for item in CHECKLIST]
    for rule, item in zip(driver["rules"], CHECKLIST, strict=True):
        assert rule["shortDescription"]["text"] == f"{describe_failure(item)}."
        for text in rule["help"].values():
            assert item.advice in text
            assert "mcp.add_middleware(Guidance())" in text
    assert run_of(REPORTS["compared"])["properties"]["behind"] == {"grade": 100, "letter": "A", "repairRate": 1.0}


# Markdown


class Page(HTMLParser):
    """The tags of a page, and its text outside of code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.words = ""
        self._is_code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._is_code |= tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._is_code &= tag != "code"

    def handle_comment(self, data: str) -> None:
        self.tags.add("<!--")

    def handle_data(self, data: str) -> None:
        self.words += "" if self._is_code else data


def page(made: Report) -> Page:
    return Page(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown.render(made)))


_FENCE = re.compile(r"^(`{3,})\w*\n.*?\n\1$", re.DOTALL | re.MULTILINE)

ALLOWED = {
    "h2", "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "details", "summary", "pre",
    "code",
}  # fmt: skip


@every_report
def test_text_from_a_server_adds_no_markup(name: str) -> None:
    made = page(REPORTS[name])
    assert made.tags <= ALLOWED
    assert not re.search(r"[@#]\w", made.words)
    text = markdown.render(REPORTS[name])
    assert not re.search(r"://|www\.", _FENCE.sub("", text))
    assert len(text) < 65_536, "more than a comment may have"


def test_a_fence_is_longer_than_any_in_the_reply() -> None:
    made = markdown.render(report([began(), tried("brief", why="is long", reply="````\nx\n`````"), Ended()]))
    assert "``````\n````\nx\n`````\n``````" in made


def test_a_comparison_has_both_columns() -> None:
    made = markdown.render(REPORTS["compared"])
    assert made.startswith(
        "## Fingerpost audit of shop 1.2.0\n\n**Grade 10 (F), repair rate 25 % of 4 mistakes**\n\n"
        "Behind Fingerpost: **Grade 100 (A), repair rate 100 % of 17 mistakes**\n\n"
        "| Item | Weight | Passed | Behind Fingerpost |\n| --- | ---: | ---: | ---: |\n"
    )
    assert "| No argument is dropped in silence | 3 | **0 / 2** | 1 / 1 |\n" in made
    assert "| Repair rate |  | 25 % of 4 mistakes | 100 % of 17 mistakes |" in made
    partial = markdown.render(report(failing(), behind=[began()]))
    assert "| No argument is dropped in silence | 3 | **0 / 2** | not tried |\n" in partial


def test_the_summary_shows_the_worst_findings_and_the_advice() -> None:
    made = markdown.render(REPORTS["failing"])
    assert (
        "### 4 findings\n\n<details><summary>search: drops 'patern' in silence (parameter.misspelt, 2 calls)"
        "</summary>\n\n2 calls lost an argument without notice.\n\nSent:\n\n```json\n"
        '{"name": "search", "arguments": {"patern": "User"}}\n```\n\nCorrect call:\n\n```json\n'
        '{"name": "search", "arguments": {"pattern": "User"}}\n```\n\nReply:\n\n'
        "```\nError: bad input\n```\n\n</details>"
    ) in made
    assert "- Show the part of the schema that matters, not all of it. (`fingerpost explain INVALID_INPUT`)" in made
    assert "mcp.add_middleware(Guidance())" in made
    assert made.endswith("6 calls, seed 7.\n")


def test_a_long_summary_shows_one_finding_of_each_item_first() -> None:
    made = markdown.render(REPORTS["large"])
    sentences = {count_failures([finding]) for finding in REPORTS["large"].findings}
    assert len([one for one in sentences if f"\n{one}.\n" in made]) == 8
    assert "### 1,200 findings" in made
    assert "1,192 more findings not shown here." in made


def test_a_summary_without_findings_has_no_advice() -> None:
    for name in ("perfect", "no tools"):
        assert "What to do" not in markdown.render(REPORTS[name])
    assert "**Not graded: no call was tried**" in markdown.render(REPORTS["no tools"])
    assert markdown.render(REPORTS["never started"]) == (
        "## Fingerpost audit\n\n**Not graded: no call was tried**\n\n"
        "The audit ended early: the server did not start: exit code 1.\n"
    )


def test_a_summary_counts_the_known_findings() -> None:
    known = report([*failing()[:4], Ended()])
    known.findings[0].is_known = True
    assert "No new findings; 1 in the baseline." in markdown.render(known)
    assert "### 3 findings, and 1 in the baseline\n" in markdown.render(REPORTS["known"])
    assert "remove these entries:\n\n- tips&#47;list&#47;range.above\n" in markdown.render(REPORTS["known"])


@pytest.mark.parametrize(
    "start", ["1. x", "- - x", "+ x", "# x", "> x", "=== x", "--- x", "    x", "1) x", ": x", "* * *"]
)
def test_a_remark_cannot_start_a_markdown_block(start: str) -> None:
    made = report([began(), Noted(start, "y"), Ended(start)])
    assert page(made).tags == {"h2", "p", "strong", "details", "summary", "ul", "li"}
    assert f"{' '.join(start.split())}: y" in re.sub("\u200b", "", page(made).words)


def test_only_the_first_remarks_are_listed() -> None:
    made = markdown.render(report([began(), *(Noted("buy", f"remark {at}") for at in range(30)), Ended()]))
    assert "<summary>30 remarks</summary>" in made
    assert made.count("- buy: remark") == 20
    assert "- and 10 more" in made


# annotations

_COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]+)::([^\r\n]+)")


def commands(made: Report) -> list[tuple[str, str, str]]:
    lines = github.render(made).removesuffix("\n").split("\n")
    found = [_COMMAND.fullmatch(line) for line in lines]
    assert all(found), lines
    return [(one[1], unquote(one[2]), unquote(one[3])) for one in found if one]


@every_report
def test_every_line_is_one_command_and_no_level_exceeds_the_limit_of_github(name: str) -> None:
    made = commands(REPORTS[name])
    assert max(Counter(level for level, _, _ in made).values()) <= 10
    assert made[-1][:2] == ("notice", "Fingerpost audit")


def test_annotations_are_ordered_by_weight_and_leave_out_known_findings() -> None:
    made = commands(REPORTS["known"])
    assert [(level, title) for level, title, _ in made] == [
        ("error", "Stale baseline"),
        ("error", "1 call got no reply, or ended the server"),
        ("warning", "1 call with an unknown parameter got no suggestion of the right one"),
        ("notice", "1 error cost too many tokens"),
        ("notice", "Fingerpost audit"),
    ]
    assert made[1][2] == (
        'buy: gave no answer (parameter.misspelt)\nSent: {"name": "buy", "arguments": {"patern": "User"}}\n'
        "Got: gave no answer within 10 s\nAnswer every request within seconds, and never end because of one."
    )
    assert made[-1][2] == "Grade 10 (F), repair rate 25 % of 4 mistakes; 3 findings; 1 more in the baseline"


def test_the_last_annotation_counts_those_left_out() -> None:
    assert commands(REPORTS["large"])[-1][2] == "Grade 81 (B), nothing to repair; 1,200 findings; 1,181 not shown here"


def test_an_audit_that_ended_early_is_annotated() -> None:
    assert commands(REPORTS["interrupted"])[0] == (
        "error",
        "The audit ended early",
        "Grade 0 (F) so far, repair rate 0 % of 3 mistakes: it was interrupted",
    )


@pytest.mark.parametrize("form", [markdown.render, junit.render])
def test_a_printed_report_contains_no_workflow_commands(form: Callable[[Report], str]) -> None:
    orders = "x\n::error::a\n  ::set-output name=b::c\nd ##[add-mask]e"
    made = form(report([began(), tried("brief", why=orders, reply=orders), Noted("t", orders), Ended(orders)]))
    assert "set-output" in made and "add-mask" in made
    assert not re.search(r"^\s*::|##\[", made, re.MULTILINE)


# the pytest file


def import_source(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Import the file, and return its globals."""
    stand_in = ModuleType("fingerpost.audit.replay")
    stand_in.__dict__["Replay"] = object
    monkeypatch.setitem(sys.modules, stand_in.__name__, stand_in)
    names: dict[str, Any] = {}
    exec(compile(text.encode(), "test_findings.py", "exec"), names)
    return names


@every_report
def test_the_pytest_file_has_every_finding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = REPORTS[name]
    names = import_source(pytest_file.render(made, Context(["shop", HOSTILE])), monkeypatch)
    assert names["TARGET"] == ["shop", HOSTILE]
    assert len({case.id for case in names["FINDINGS"]}) == len(made.findings)
    for case, finding in zip(names["FINDINGS"], made.findings, strict=True):
        assert case.values[0]["item"] == finding.item.id
        assert case.values[0]["culprit"] == finding.culprits[0]
        assert case.values[0]["is_repairable"] is finding.is_repairable
        if "…" not in finding.call and "Infinity" not in finding.call:
            assert case.values[0]["call"] == json.loads(finding.call)


def test_only_possible_secrets_are_hidden() -> None:
    token = {"none": None, "flag": True, "digit": 7, "sign": "x", "made": "audit-canaryyyyy", "text": "pw", "pin": 1234}
    redacted = redact_call(Call("log_in", {"token": token, "tokens": ["audit-canary", float("inf"), "hunter2"]}))
    assert redacted["arguments"] == {
        "token": {**token, "text": "<hidden>", "pin": "<hidden>"},
        "tokens": ["audit-canary", "<hidden>", "<hidden>"],
    }


_STAND_IN = """
import sys
from types import ModuleType


class Replay:
    started = 0

    def __init__(self, target, *, allow_writes):
        self.target = target
        Replay.started += 1
        assert Replay.started == 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def why_unmet(self, *, item, kind, call, right, culprit, is_repairable):
        return f"{self.target}: {call['name']} does not" if item in ("alive", "not_dropped") else ""


module = ModuleType("fingerpost.audit.replay")
module.Replay = Replay
sys.modules["fingerpost.audit.replay"] = module
"""


def test_the_pytest_file_runs_alone(tmp_path: Path) -> None:
    secret = tried("brief", why="is long", number=9, kind="type.wrong", arguments={"password": SECRET})
    long = tried("brief", why="is long", number=10, kind="range.above", arguments={"x": ["y" * 999]})
    odd = tried("brief", why="is long", number=11, kind="choice.unknown", arguments={"z" * 999: 1})
    made = report([*failing(), secret, long, odd])
    made.findings[0].is_known = True
    (tmp_path / "conftest.py").write_text(_STAND_IN)
    (tmp_path / "test_findings.py").write_text(pytest_file.render(made, Context("http://127.0.0.1:1/mcp")))
    command = [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True)
    outcomes = re.findall(r"^(PASSED|FAILED|SKIPPED|XFAIL) (\[3\]|\S+)", ran.stdout, re.MULTILINE)
    test = "test_findings.py::test_the_server_guides"
    assert sorted(outcomes) == [
        ("FAILED", f"{test}[2-alive-buy-parameter_misspelt]"),
        ("PASSED", f"{test}[3-unknown_param-search-parameter_misspelt]"),
        ("PASSED", f"{test}[4-brief-search-required_missing]"),
        ("SKIPPED", "[3]"),
        ("XFAIL", f"{test}[1-not_dropped-search-parameter_misspelt]"),
    ], ran.stdout
    assert "fill in the values that are <hidden>" in ran.stdout
    assert "http://127.0.0.1:1/mcp: buy does not" in ran.stdout


# failures


def test_failures_are_phrased_as_failures_and_counted_by_calls() -> None:
    assert describe_failure(ITEMS["next_steps"]) == "Errors did not say what to do next"
    assert describe_failure(ITEMS["auto_correction"]) == "Repairable calls got neither a repair nor a corrected call"
    dropped, *others = REPORTS["failing"].findings
    assert count_failures([dropped]) == "2 calls lost an argument without notice"
    assert count_failures(others[:1]) == "1 call got no reply, or ended the server"


# laws


@given(any_text)
def test_any_text_fits_into_every_format(text: str) -> None:
    made = report(hostile(text), behind=hostile(text, ended=False), stale=[text])
    IS_AUDIT.validate(strictly(plain_json.render(made)))
    IS_SARIF.validate(strictly(sarif.render(made)))
    IS_JUNIT.validate(junit.render(made))
    assert page(made).tags <= ALLOWED
    assert commands(made)
    compile(pytest_file.render(made, Context(text)).encode(), "test_findings.py", "exec")
    for event in hostile(text):
        assert "\n" not in ndjson.render_event(event)
        strictly(ndjson.render_event(event))


@pytest.mark.parametrize("form", [plain_json.render, junit.render, sarif.render, markdown.render, github.render])
def test_every_format_is_deterministic(form: Callable[[Report], str]) -> None:
    assert form(report(large(3))) == form(report(large(3)))
    assert form(report(perfect())) != form(report(failing()))
