"""The audit finds what is wrong with a server, and nothing else: held against one whose every sin is known."""

from __future__ import annotations

import asyncio
import sys

import pytest

from fingerpost.audit.execute.run_audit import Settings, conducted
from fingerpost.audit.execute.server import Target
from fingerpost.audit.judge.checklist import CHECKLIST
from fingerpost.audit.report import Report
from tests.support.paths import SUPPORT
from tests.support.sinful import SINS

SINFUL = (sys.executable, str(SUPPORT / "sinful.py"))


def audited(*command: str, seed: int = 1, most: int = 60, seconds: float = 1.0) -> Report:
    settings = Settings(seed=seed, most=most, seconds=seconds)
    return asyncio.run(conducted(Target(command=command), settings))[0]


def test_exactly_the_known_sins_are_found() -> None:
    report = audited(*SINFUL)
    unsaid = ("out_of_range", SINS["alive"])  # where there is no answer, nothing is said either
    sins = {(item.id, SINS[item.id]) for item in CHECKLIST}
    assert {(one.item.id, one.tool) for one in report.findings} == {*sins, unsaid}
    assert {tally.item.id for tally in report.items} == {item.id for item in CHECKLIST}
    assert report.is_whole


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_found_on_a_perfect_server(seed: int) -> None:
    report = audited(*SINFUL, "perfect", seed=seed, most=200)
    assert [one.summary for one in report.findings] == []
    assert (report.grade, report.letter, report.repair_rate) == (100, "A", 1.0)
