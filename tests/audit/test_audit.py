"""The audit finds exactly the known flaws of a server."""

from __future__ import annotations

import asyncio
import sys

import pytest

from fingerpost.audit.execute.run_audit import Settings, run_audit
from fingerpost.audit.execute.target import Target
from fingerpost.audit.judge.checklist import CHECKLIST
from fingerpost.audit.report import Report
from tests.support.flawed_server import FLAWED_TOOLS
from tests.support.paths import SUPPORT
from tests.support.waiting import PATIENCE, with_longer_timeouts

FLAWED_SERVER = (sys.executable, str(SUPPORT / "flawed_server.py"))


def audit(*command: str, seed: int = 1, most: int = 60, timeout: float = PATIENCE) -> Report:
    settings = Settings(seed=seed, most=most, timeout=timeout)
    return asyncio.run(run_audit(Target(command=command), settings))[0]


def test_the_audit_finds_exactly_the_known_flaws() -> None:
    with_longer_timeouts(_check_flaws, 1.0)


def _check_flaws(seconds: float) -> None:
    report = audit(*FLAWED_SERVER, timeout=seconds)
    unsaid = ("out_of_range", FLAWED_TOOLS["alive"])  # a missing answer does not state the range either
    flaws = {(item.id, FLAWED_TOOLS[item.id]) for item in CHECKLIST}
    assert {(one.item.id, one.tool) for one in report.findings} == {*flaws, unsaid}
    assert {tally.item.id for tally in report.items} == {item.id for item in CHECKLIST}
    assert report.is_whole


@pytest.mark.parametrize("seed", range(3))
def test_the_audit_finds_nothing_on_a_perfect_server(seed: int) -> None:
    report = audit(*FLAWED_SERVER, "perfect", seed=seed, most=200)
    assert [one.summary for one in report.findings] == []
    assert (report.grade, report.letter, report.repair_rate) == (100, "A", 1.0)
