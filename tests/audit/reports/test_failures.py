"""Failures are phrased as failures."""

from __future__ import annotations

from fingerpost.audit.judge.checklist import ITEMS
from fingerpost.audit.reports.failures import count_failures
from tests.support.report_checks import (
    REPORTS,
)


def test_failures_are_phrased_as_failures_and_counted_by_calls() -> None:
    assert ITEMS["next_steps"].describe_failure() == "Errors did not say what to do next"
    assert ITEMS["auto_correction"].describe_failure() == "Repairable calls got neither a repair nor a corrected call"
    dropped, *others = REPORTS["failing"].findings
    assert count_failures([dropped]) == "2 calls lost an argument without notice"
    assert count_failures(others[:1]) == "1 call got no reply, or ended the server"
