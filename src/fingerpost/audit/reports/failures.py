"""Phrase failures as failures: "71 repairable calls got neither a repair nor a corrected call"."""

from __future__ import annotations

from collections.abc import Iterable

from fingerpost.audit.report import Finding


def count_failures(findings: Iterable[Finding]) -> str:
    """Count the calls behind findings of one item: "12 errors did not say what to do next"."""
    found = list(findings)
    return found[0].item.count_failures(sum(finding.count for finding in found))
