"""Phrase failures as failures: "71 wrong calls got neither a repair nor a corrected call"."""

from __future__ import annotations

from collections.abc import Iterable

from fingerpost.audit.judge.checklist import Item
from fingerpost.audit.report import Finding

_FAILURES = {
    "unknown_tool": ("call", "calls", "to an unknown tool got no suggestion of the right tool"),
    "unknown_param": ("call", "calls", "with an unknown parameter got no suggestion of the right one"),
    "not_dropped": ("call", "calls", "lost an argument without notice"),
    "missing_required": ("call", "calls", "without a required parameter got no error that names it and what it takes"),
    "wrong_type": ("call", "calls", "with a wrong type got no error that names the parameter and both types"),
    "out_of_range": ("call", "calls", "with a value out of range got no error that states the range"),
    "choices": ("call", "calls", "with an invalid choice got no error that lists the choices"),
    "next_steps": ("error", "errors", "did not say what to do next"),
    "auto_correction": ("repairable call", "repairable calls", "got neither a repair nor a corrected call"),
    "schema_hint": ("call", "calls", "with nothing right got no description of the parameters"),
    "tips": ("result", "results", "left something out without saying so"),
    "actionable": ("warning", "warnings", "did not say what to send instead"),
    "honest": ("failure", "failures", "did not set isError: true"),
    "brief": ("error", "errors", "cost too many tokens"),
    "discreet": ("reply", "replies", "contained a traceback or a secret"),
    "stable": ("repeated call", "repeated calls", "got a worse reply than the first time"),
    "alive": ("call", "calls", "got no reply, or ended the server"),
}
"""For each item: what is counted, in singular and plural, and what is wrong with it."""


def describe_failure(item: Item) -> str:
    """The failure in general: "Errors did not say what to do next"."""
    _, plural, problem = _FAILURES[item.id]
    return f"{plural.capitalize()} {problem}"


def count_failures(findings: Iterable[Finding]) -> str:
    """The failures of one item, counted by calls: "12 errors did not say what to do next"."""
    found = list(findings)
    singular, plural, problem = _FAILURES[found[0].item.id]
    calls = sum(finding.count for finding in found)
    return f"{calls:,} {singular if calls == 1 else plural} {problem}"
