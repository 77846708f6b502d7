"""The Markdown summary: its contents, and that text from a server adds no markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from fingerpost.audit.events import AuditEnded, Note
from fingerpost.audit.report import Report
from fingerpost.audit.reports import markdown
from fingerpost.audit.reports.failures import count_failures
from tests.support.audit_events import began, failing, report, tried
from tests.support.report_checks import (
    REPORTS,
    every_report,
)


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
    made = markdown.render(report([began(), tried("brief", why="is long", reply="````\nx\n`````"), AuditEnded()]))
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
        "### 4 findings\n\n<details><summary>search: drops 'patern' silently (parameter.misspelt, 2 calls)"
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
    known = report([*failing()[:4], AuditEnded()])
    known.findings[0].is_known = True
    assert "No new findings; 1 in the baseline." in markdown.render(known)
    assert "### 3 findings, and 1 in the baseline\n" in markdown.render(REPORTS["known"])
    assert "remove these entries:\n\n- tips&#47;list&#47;range.above\n" in markdown.render(REPORTS["known"])


@pytest.mark.parametrize(
    "start", ["1. x", "- - x", "+ x", "# x", "> x", "=== x", "--- x", "    x", "1) x", ": x", "* * *"]
)
def test_a_remark_cannot_start_a_markdown_block(start: str) -> None:
    made = report([began(), Note(start, "y"), AuditEnded(start)])
    assert page(made).tags == {"h2", "p", "strong", "details", "summary", "ul", "li"}
    assert f"{' '.join(start.split())}: y" in re.sub("\u200b", "", page(made).words)


def test_only_the_first_remarks_are_listed() -> None:
    made = markdown.render(report([began(), *(Note("buy", f"remark {at}") for at in range(30)), AuditEnded()]))
    assert "<summary>30 remarks</summary>" in made
    assert made.count("- buy: remark") == 20
    assert "- and 10 more" in made
