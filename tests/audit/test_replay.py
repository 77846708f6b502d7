"""Findings that are sent again: each is confirmed as long as the server is not fixed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fingerpost.audit.replay import Replay, replay_finding
from fingerpost.audit.report import Finding
from fingerpost.audit.reports.common import parse_call
from tests.support.audited_servers import FAR, NEAR, WORD, audit, by_http, command, requests_in
from tests.support.misbehaving import TOOLS, tool


def why_again(replay: Replay, finding: Finding) -> str:
    return replay.why_unmet(
        item=finding.item.id,
        kind=finding.kind,
        call=parse_call(finding.call),
        right=parse_call(finding.right),
        culprit=finding.culprits[0],
        is_repairable=finding.is_repairable,
    )


def test_every_finding_is_confirmed_with_one_start_of_the_server(tmp_path: Path) -> None:
    careless = tool("careless", {**WORD, "limit": {"type": "integer", "maximum": 9}}, ("word",))
    taken = [["reply", {"content": [{"type": "text", "text": "all is well"}]}]]
    server = command(tools=[NEAR, FAR, careless], does={"careless": taken}, pids=str(tmp_path / "pids"))
    findings = audit(server).report.findings
    assert {one.is_repairable for one in findings} == {True, False}
    (tmp_path / "pids").unlink()
    with Replay(server) as replay:
        assert {one.id: why_again(replay, one) for one in findings} == {one.id: one.why for one in findings}
    assert len((tmp_path / "pids").read_text().split()) == 1


def test_a_server_that_a_finding_ends_is_restarted_for_the_next(tmp_path: Path) -> None:
    server = command(tools=[NEAR, tool("leave", WORD, ("word",))], pids=str(tmp_path / "pids"))
    call = {"name": "leave", "arguments": {"word": 1}}
    with Replay(server) as replay:
        for _ in range(3):
            why = replay.why_unmet(item="alive", kind="type.wrong", call=call, right=call, culprit="word")
            assert why == "exited with code 3"
    assert len((tmp_path / "pids").read_text().split()) >= 3, "some calls are sent to get to know the tool"


def test_a_replay_sends_a_tool_that_may_write_only_calls_that_it_must_refuse(tmp_path: Path) -> None:
    record = tmp_path / "record"
    program = command(tools=TOOLS, record=str(record))
    right = {"name": "count_up", "arguments": {"key": "k"}}

    def again(call: dict[str, Any], **more: Any) -> str:
        record.unlink(missing_ok=True)
        return replay_finding(
            program, item="honest", kind="parameter.stray", call=call, right=right, culprit="key", **more
        )

    wrong = {"name": "count_up", "arguments": {"key": "k", "x": 1}}
    assert again(wrong).startswith("count_up does not declare readOnlyHint: true, so the call was not sent")
    assert requests_in(record, "tools/call") == []
    assert again({"name": "count_up"}) == again({"name": "count_pu", "arguments": {"key": "k"}}) == ""
    assert [one["name"] for one in requests_in(record, "tools/call")] == ["count_pu"]
    assert again(wrong, allow_writes=True) == ""
    assert right["arguments"] in [one["arguments"] for one in requests_in(record, "tools/call")]
    gone: dict[str, Any] = {"name": "gone", "arguments": {}}
    assert (
        replay_finding(program, item="brief", kind="tool.misspelt", call=gone, right=gone, culprit="gone")
        == "the server has no tool gone"
    )


def test_a_replay_over_http_confirms_the_finding() -> None:
    call, right = ({"name": name, "arguments": {"word": "x"}} for name in ("lok_up", "look_up"))
    with by_http(tools=[NEAR]) as url:
        why = replay_finding(url, item="unknown_tool", kind="tool.misspelt", call=call, right=right, culprit="look_up")
    assert why == "does not say that 'look_up' is the closest tool"
