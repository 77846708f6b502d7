"""The pytest file reproduces each finding and runs alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fingerpost.audit.reports import pytest_file
from fingerpost.audit.reports.format import Context
from tests.support.audit_events import HOSTILE, failing, report, tried
from tests.support.report_checks import (
    REPORTS,
    SECRET,
    every_report,
)


def import_source(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Import the file, and return its globals."""
    stand_in = ModuleType("fingerpost.audit.replay")
    stand_in.__dict__["Replay"] = object
    monkeypatch.setitem(sys.modules, stand_in.__name__, stand_in)
    names: dict[str, Any] = {}
    exec(compile(text.encode(), "test_findings.py", "exec"), names)
    return names


@every_report
def test_the_pytest_file_has_every_finding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = REPORTS[name]
    names = import_source(pytest_file.render(made, Context(["shop", HOSTILE])), monkeypatch)
    assert names["TARGET"] == ["shop", HOSTILE]
    assert len({case.id for case in names["FINDINGS"]}) == len(made.findings)
    for case, finding in zip(names["FINDINGS"], made.findings, strict=True):
        assert case.values[0]["item"] == finding.item.id
        assert case.values[0]["culprit"] == finding.culprits[0]
        assert case.values[0]["is_repairable"] is finding.is_repairable
        if "…" not in finding.call and "Infinity" not in finding.call:
            assert case.values[0]["call"] == json.loads(finding.call)


_STAND_IN = """
import sys
from types import ModuleType


class Replay:
    started = 0

    def __init__(self, target, *, allow_writes):
        self.target = target
        Replay.started += 1
        assert Replay.started == 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def why_unmet(self, *, item, kind, call, right, culprit, is_repairable):
        return f"{self.target}: {call['name']} does not" if item in ("alive", "not_dropped") else ""


module = ModuleType("fingerpost.audit.replay")
module.Replay = Replay
sys.modules["fingerpost.audit.replay"] = module
"""


def test_the_pytest_file_runs_alone(tmp_path: Path) -> None:
    secret = tried("brief", why="is long", number=9, kind="type.wrong", arguments={"password": SECRET})
    long = tried("brief", why="is long", number=10, kind="range.above", arguments={"x": ["y" * 999]})
    odd = tried("brief", why="is long", number=11, kind="choice.unknown", arguments={"z" * 999: 1})
    made = report([*failing(), secret, long, odd])
    made.findings[0].is_known = True
    (tmp_path / "conftest.py").write_text(_STAND_IN)
    (tmp_path / "test_findings.py").write_text(pytest_file.render(made, Context("http://127.0.0.1:1/mcp")))
    command = [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True)
    outcomes = re.findall(r"^(PASSED|FAILED|SKIPPED|XFAIL) (\[3\]|\S+)", ran.stdout, re.MULTILINE)
    test = "test_findings.py::test_the_server_guides"
    assert sorted(outcomes) == [
        ("FAILED", f"{test}[2-alive-buy-parameter_misspelt]"),
        ("PASSED", f"{test}[3-unknown_param-search-parameter_misspelt]"),
        ("PASSED", f"{test}[4-brief-search-required_missing]"),
        ("SKIPPED", "[3]"),
        ("XFAIL", f"{test}[1-not_dropped-search-parameter_misspelt]"),
    ], ran.stdout
    assert "fill in the values that are <hidden>" in ran.stdout
    assert "http://127.0.0.1:1/mcp: buy does not" in ran.stdout
