"""Our own three servers, audited as anyone would audit them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from fingerpost.audit.execute.run_audit import Settings, run_audit
from fingerpost.audit.execute.target import Target
from tests.support.paths import SOURCE
from tests.support.waiting import PATIENCE


@pytest.mark.parametrize("kind", ["code", "units", "workspace"])
def test_our_own_servers_get_full_marks(kind: str, tmp_path: Path) -> None:
    folder = {"code": [str(SOURCE / "engine" / "rules")], "units": [], "workspace": [str(tmp_path)]}[kind]
    target = Target(command=(sys.executable, "-m", "fingerpost", "serve", kind, *folder))
    report, _ = asyncio.run(run_audit(target, Settings(allow_writes=True, timeout=PATIENCE)))
    assert [finding.summary for finding in report.findings] == []
    assert (report.grade, report.repair_rate, report.is_whole) == (100, 1.0, True)
    assert report.done > 90
