"""The annotations for GitHub Actions."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import unquote

from fingerpost.audit.report import Report
from fingerpost.audit.reports import github
from tests.support.report_checks import (
    REPORTS,
    every_report,
)

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
