"""The events as lines of JSON."""

from __future__ import annotations

from fingerpost.audit.events import AuditEnded
from fingerpost.audit.reports import ndjson
from tests.support.audit_events import failing, tried
from tests.support.report_checks import (
    SECRET,
    strictly,
)


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
    assert strictly(ndjson.render_event(AuditEnded("x"), is_behind=True)) == {
        "event": "ended",
        "complete": False,
        "why": "x",
        "behind": True,
    }


def test_events_contain_no_secrets() -> None:
    line = ndjson.render_event(tried("brief", arguments={"password": SECRET}, reply=f"no such token: {SECRET}"))
    assert "<hidden>" in line
    assert SECRET not in line
