"""Which tool the audit blames when a server hangs, floods or ends, and that the audit goes on."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fingerpost.audit.events import CallJudged, CallsSkipped, Note
from fingerpost.audit.execute.run import IN_FLIGHT
from fingerpost.audit.reports import plain_json
from tests.support.audited_servers import FAR, NEAR, WORD, audit, by_http, doing
from tests.support.misbehaving import tool
from tests.support.waiting import PATIENCE, with_longer_timeouts


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", program)


_DAWDLES = "1.6 times the timeout"


@cache
def checks_of_the_good_tools() -> list[set[Any]]:
    """The checks of the good tools when there are no others."""
    made = audit(doing())
    return [made.verdicts(one["name"]) for one in (NEAR, FAR)]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([["kill"]], "was killed by SIGKILL"),
        ([["exit", 3]], "exited with code 3"),
        ([["close"], ["hang"]], "closed its output"),
        ([["hang"]], "gave no answer within {seconds:g} s"),
        ([["sleep", PATIENCE]], "gave no answer within {seconds:g} s, and none to a ping either"),
        ([["sleep", _DAWDLES], ["usual"]], "gave no answer within {seconds:g} s"),
        ([["flood", 100_000]], "without an answer in them"),
        ([["big", 300_000]], "sent a message of 300,0"),
    ],
    ids=["killed", "exits", "closes", "hangs", "blocks", "dawdles", "floods", "sends too much"],
)
def test_only_the_tool_that_harms_the_server_is_blamed(steps: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.connection._MAX_UNANSWERED", 400_000)
    monkeypatch.setattr("fingerpost.audit.execute.connection._MAX_MESSAGE", 250_000)
    with_longer_timeouts(lambda seconds: _check_blame(steps, why.format(seconds=seconds), seconds), 0.5)


def _check_blame(steps: Any, why: str, seconds: float) -> None:
    steps = [["sleep", 1.6 * seconds] if step == ["sleep", _DAWDLES] else step for step in steps]
    made = audit(doing(guilty=steps), timeout=seconds, most=24)
    assert made.unmet("alive") == {"guilty"}
    unanswered = [event for event in made.events if isinstance(event, CallJudged) and event.outcome.reply is None]
    assert {event.tool for event in unanswered} == {"guilty"}
    unanswered = [event for event in unanswered if not event.outcome.loss.startswith("was not sent")]
    assert 2 <= len(unanswered) < 2 + IN_FLIGHT, "and the right call is the third; others may have been under way"
    assert all(why in event.outcome.loss for event in unanswered)
    assert [made.verdicts(one["name"]) for one in (NEAR, FAR)] == checks_of_the_good_tools()
    notes = [event for event in made.events if isinstance(event, Note)]
    assert [note.tool for note in notes] == ["guilty"] and why in notes[0].text
    skipped = [(event.tool, event.why) for event in made.events if isinstance(event, CallsSkipped)]
    assert skipped == [("guilty", "it had left 3 calls unanswered")]
    assert made.report.is_whole


_STOPS_ANSWERING = """
import json, sys
from collections import Counter
seen = Counter()
tool = {"name": "t", "inputSchema": {"properties": {"a": {"type": "integer"}}}, "annotations": {"readOnlyHint": True}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    called = json.dumps([asked.get("params", {}).get(key) for key in ("name", "arguments")])
    seen[called] += asked["method"] == "tools/call"
    if seen[called] > TIMES:
        continue
    result = {"content": [{"type": "text", "text": called}], "isError": True}
    result = {"tools": [tool]} if asked["method"] == "tools/list" else result
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_a_call_that_is_unanswered_the_second_time_is_a_finding() -> None:
    def play(seconds: float) -> None:
        made = audit(python(_STOPS_ANSWERING.replace("TIMES", "1")), timeout=seconds, in_flight=1, most=3)
        findings = [one.why for one in made.report.findings if one.item.id == "stable"]
        assert findings == [f"the second time gave no answer within {seconds:g} s"]
        assert [note.text for note in made.report.notes] == [f"a right call gave no answer within {seconds:g} s"]

    with_longer_timeouts(play, 0.5)


def test_a_right_call_that_becomes_unanswered_keeps_its_first_reply() -> None:
    def play(seconds: float) -> None:
        made = audit(python(_STOPS_ANSWERING.replace("TIMES", "2")), timeout=seconds, in_flight=1, most=2)
        assert made.report.is_whole
        assert made.unmet("alive") == set()

    with_longer_timeouts(play, 0.5)


def test_failing_right_calls_are_noted_once_per_tool() -> None:
    made = audit(python(_STOPS_ANSWERING.replace("TIMES", "99")), most=12)
    assert [note.text for note in made.report.notes] == ['a right call fails: ["t", {}]']


def test_a_server_that_cannot_be_restarted_ends_the_audit_with_a_partial_report(tmp_path: Path) -> None:
    once = f'test -e {tmp_path}/was && exit 7; touch {tmp_path}/was; exec "$@"'
    made = audit(("sh", "-c", once, "sh", *doing(guilty=[["kill"]])), most=12)
    assert not made.report.is_whole
    assert made.report.ended and made.report.ended.why.startswith(
        "the server exited with code 7 during the MCP handshake; "
    )
    assert "the last calls were of" in made.report.ended.why and "guilty" in made.report.ended.why
    assert made.report.done
    assert json.loads(plain_json.render(made.report))["complete"] is False


def test_restarts_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._MAX_STARTS", 3)
    made = audit(doing(guilty=[["kill"]]), most=12)
    assert made.report.ended and made.report.ended.why.startswith("the server had to be started 3 times; ")


@pytest.mark.parametrize("steps", [[["kill"]], [["hang"]]], ids=["killed", "hangs"])
def test_the_same_tool_is_blamed_behind_fingerpost(steps: Any) -> None:
    def play(seconds: float) -> None:
        behind = audit(doing(guilty=steps), timeout=seconds, most=3, compare=True).report.behind
        assert behind and behind.is_whole
        assert {one.tool for one in behind.findings if one.item.id == "alive"} == {"guilty"}

    with_longer_timeouts(play, 0.5)


def test_an_http_server_that_ends_stops_the_audit_and_its_last_calls_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._DISCOVER_TIMEOUT", 0.3)
    guilty = tool("guilty", WORD, ("word",))
    with by_http(tools=[NEAR, guilty], does={"guilty": [["kill"]]}) as url:
        made = audit(url, most=8)
    assert made.report.ended and made.report.ended.why.startswith("the server cannot be reached (")
    assert made.report.ended.why.endswith("; the last calls were of 'guilty'")
    assert made.report.done
    assert made.unmet("alive") <= {"guilty"}


def test_a_tool_that_hangs_is_blamed_over_http() -> None:
    guilty = tool("guilty", WORD, ("word",))

    def play(seconds: float) -> None:
        with by_http(tools=[NEAR, guilty], does={"guilty": [["hang"]]}, era="legacy") as url:
            made = audit(url, most=5, timeout=seconds)
        assert made.unmet("alive") == {"guilty"}
        assert made.report.is_whole

    with_longer_timeouts(play, 0.6)


def test_a_server_that_cannot_answer_concurrently_has_one_finding() -> None:
    def play(seconds: float) -> None:
        made = audit(doing(shy=[["sleep", seconds * 2 / 3], ["usual"]]), timeout=seconds, most=6)
        alive = [one for one in made.report.findings if one.item.id == "alive"]
        assert [one.why for one in alive] == [
            f"{one.reply} beside other calls, but answered when the call was sent alone" for one in alive[:1]
        ]
        assert alive and made.report.is_whole

    with_longer_timeouts(play, 0.9)
