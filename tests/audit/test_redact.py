"""Redaction of calls for reports."""

from __future__ import annotations

from fingerpost.audit.redact import redact_call
from fingerpost.engine.model import Call


def test_only_possible_secrets_are_hidden() -> None:
    token = {"none": None, "flag": True, "digit": 7, "sign": "x", "made": "audit-canaryyyyy", "text": "pw", "pin": 1234}
    redacted = redact_call(Call("log_in", {"token": token, "tokens": ["audit-canary", float("inf"), "hunter2"]}))
    assert redacted["arguments"] == {
        "token": {**token, "text": "<hidden>", "pin": "<hidden>"},
        "tokens": ["audit-canary", "<hidden>", "<hidden>"],
    }
