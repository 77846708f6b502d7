"""Findings again: each is found as long as nothing is put right, on one server as long as it lives."""

from __future__ import annotations

from pathlib import Path

from fingerpost.audit.replay import Replay
from fingerpost.audit.report import Finding
from fingerpost.audit.reports.common import parse_call
from tests.support.audit_stand import FAR, NEAR, WORD, audited, command
from tests.support.misbehaving import tool


def why_again(replay: Replay, finding: Finding) -> str:
    return replay.why_unmet(
        item=finding.item.id,
        kind=finding.kind,
        call=parse_call(finding.call),
        right=parse_call(finding.right),
        culprit=finding.culprits[0],
        is_repairable=finding.is_repairable,
    )


def test_every_finding_is_found_again_by_one_start_of_the_server(tmp_path: Path) -> None:
    careless = tool("careless", {**WORD, "limit": {"type": "integer", "maximum": 9}}, ("word",))
    taken = [["reply", {"content": [{"type": "text", "text": "all is well"}]}]]
    server = command(tools=[NEAR, FAR, careless], does={"careless": taken}, pids=str(tmp_path / "pids"))
    findings = audited(server).report.findings
    assert {one.is_repairable for one in findings} == {True, False}
    (tmp_path / "pids").unlink()
    with Replay(server) as replay:
        assert {one.id: why_again(replay, one) for one in findings} == {one.id: one.why for one in findings}
    assert len((tmp_path / "pids").read_text().split()) == 1


def test_a_server_that_a_finding_ends_is_there_again_for_the_next(tmp_path: Path) -> None:
    server = command(tools=[NEAR, tool("leave", WORD, ("word",))], pids=str(tmp_path / "pids"))
    call = {"name": "leave", "arguments": {"word": 1}}
    with Replay(server) as replay:
        for _ in range(3):
            why = replay.why_unmet(item="alive", kind="type.wrong", call=call, right=call, culprit="word")
            assert why == "exited with code 3"
    assert len((tmp_path / "pids").read_text().split()) >= 3, "some calls are sent to get to know the tool"
