"""Failures are phrased as failures."""

from __future__ import annotations

from fingerpost.audit.judge.checklist import ITEMS
from fingerpost.audit.reports.failures import count_failures, describe_failure
from tests.support.report_checks import (
    REPORTS,
)


def test_failures_are_phrased_as_failures_and_counted_by_calls() -> None:
    assert describe_failure(ITEMS["next_steps"]) == "Errors did not say what to do next"
    assert describe_failure(ITEMS["auto_correction"]) == "Repairable calls got neither a repair nor a corrected call"
    dropped, *others = REPORTS["failing"].findings
    assert count_failures([dropped]) == "2 calls lost an argument without notice"
    assert count_failures(others[:1]) == "1 call got no reply, or ended the server"
