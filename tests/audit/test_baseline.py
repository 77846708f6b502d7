"""The baseline: known findings, its file, and stale entries."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.audit import baseline
from fingerpost.audit.baseline import Baseline, apply_baseline
from fingerpost.audit.events import AuditEnded, CallsSkipped, Event
from fingerpost.audit.report import Report
from fingerpost.terminal.command_error import CommandError
from tests.support.audit_events import HOSTILE, began, failing, hostile, report, tried

DROPPED = "not_dropped/search/parameter.misspelt"
UNKNOWN = "unknown_param/search/parameter.misspelt"
BRIEF = "brief/search/required.missing"
ALIVE = "alive/buy/parameter.misspelt"
FIXED = "honest/search/parameter.misspelt"


def baseline_of(*ids: str) -> Baseline:
    return Baseline({known: {} for known in ids})


def known_ids(of: Report) -> list[str]:
    return [finding.id for finding in of.findings if finding.is_known]


def test_findings_in_the_baseline_are_known_and_the_others_fail() -> None:
    made = apply_baseline(report(failing()), baseline_of(DROPPED, BRIEF))
    assert known_ids(made) == [DROPPED, BRIEF]
    assert made.stale == []
    assert baseline.failure_lines(made) == [
        "new: buy: gave no answer (parameter.misspelt)",
        "new: search: does not name the nearest parameter (parameter.misspelt)",
    ]


def test_an_entry_that_was_tested_and_not_found_is_stale_and_fails() -> None:
    made = apply_baseline(report(failing()), baseline_of(DROPPED, UNKNOWN, BRIEF, ALIVE, FIXED))
    assert made.stale == [FIXED]
    assert baseline.failure_lines(made) == [f"stale: {FIXED} is in the baseline, but no longer found"]


@pytest.mark.parametrize("end", [[], [AuditEnded("the server went away")]])
def test_an_audit_that_ended_early_marks_nothing_as_stale(end: list[Event]) -> None:
    assert apply_baseline(report([*failing()[:-1], *end]), baseline_of(FIXED, "gone/search/x")).stale == []


def test_for_a_partly_skipped_tool_only_tested_entries_can_be_stale() -> None:
    made = apply_baseline(report(failing()), baseline_of("honest/buy/parameter.misspelt", "honest/buy/type.wrong"))
    assert made.stale == ["honest/buy/parameter.misspelt"]


def test_a_kind_of_mistake_that_was_not_made_this_time_is_not_stale() -> None:
    """Another seed, or --most, makes others."""
    assert apply_baseline(report(failing()), baseline_of("honest/search/type.wrong", FIXED)).stale == [FIXED]


def test_an_entry_of_a_removed_tool_is_stale() -> None:
    assert apply_baseline(report(failing()), baseline_of("honest/sell/type.wrong")).stale == ["honest/sell/type.wrong"]


def test_an_entry_of_a_removed_item_is_stale() -> None:
    assert apply_baseline(report(failing()), baseline_of("polite/buy/x")).stale == ["polite/buy/x"]


def test_a_tool_name_may_contain_a_slash() -> None:
    events = [began(), CallsSkipped("a/b", "writes", "it may write"), tried("honest", tool="a/c"), AuditEnded()]
    ids = [f"honest/{tool}/{kind}" for tool in ("a/b", "a/c", "a/d") for kind in ("parameter.misspelt", "type.wrong")]
    made = apply_baseline(report(events), baseline_of(*ids))
    assert made.stale == ["honest/a/c/parameter.misspelt", "honest/a/d/parameter.misspelt", "honest/a/d/type.wrong"]


def test_the_file_is_sorted_with_an_id_on_each_line() -> None:
    assert baseline.render_baseline(report(failing())) == (
        "{\n"
        '  "version": 1,\n'
        '  "findings": {\n'
        '    "alive/buy/parameter.misspelt": {},\n'
        '    "brief/search/required.missing": {},\n'
        '    "not_dropped/search/parameter.misspelt": {},\n'
        '    "unknown_param/search/parameter.misspelt": {}\n'
        "  }\n"
        "}\n"
    )
    assert baseline.render_baseline(report([])) == '{\n  "version": 1,\n  "findings": {}\n}\n'


def test_rewriting_keeps_reasons_and_untested_entries_and_drops_stale_ones() -> None:
    text = json.dumps({"version": 1, "findings": {BRIEF: {"reason": "we like it long"}, FIXED: {}, "tips/buy/y": {}}})
    former = baseline.parse_baseline(text)
    made = apply_baseline(report(failing()), former)
    assert json.loads(baseline.render_baseline(made, former))["findings"] == {
        ALIVE: {},
        BRIEF: {"reason": "we like it long"},
        DROPPED: {},
        "tips/buy/y": {},
        UNKNOWN: {},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "The baseline is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[" * 100_000, "The baseline is not JSON: "),
        ("[]", "The baseline is not a JSON object"),
        ("{}", "The baseline is of version null; this Fingerpost reads version 1"),
        ('{"version": 2}', "The baseline is of version 2; this Fingerpost reads version 1"),
        ('{"version": 1}', 'The baseline has no object "findings"'),
        ('{"version": 1, "findings": {"x": {}}}', '"x" in the baseline is no id: item/tool/kind'),
        ('{"version": 1, "findings": {"a/b/c": 1}}', '"a/b/c" in the baseline is not an object'),
    ],
)
def test_an_invalid_baseline_is_rejected_with_a_hint(text: str, message: str) -> None:
    with pytest.raises(CommandError) as refused:
        baseline.parse_baseline(text)
    assert str(refused.value).startswith(message)
    assert refused.value.way_out


def test_a_reason_is_written_without_invalid_characters() -> None:
    former = baseline.parse_baseline(json.dumps({"version": 1, "findings": {BRIEF: {"reason": "half \ud800 a sign"}}}))
    assert '{"reason": "half  a sign"}' in baseline.render_baseline(report([]), former).encode().decode()


@given(st.text() | st.just(HOSTILE))
def test_a_written_baseline_knows_every_finding(text: str) -> None:
    events = [*hostile(text)[:-1], AuditEnded()]
    written = baseline.render_baseline(report(events)).encode().decode()
    made = apply_baseline(report(events), baseline.parse_baseline(written))
    assert baseline.failure_lines(made) == []
    assert all(finding.is_known for finding in made.findings)
    assert baseline.render_baseline(made, baseline.parse_baseline(written)) == written
