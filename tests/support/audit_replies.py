"""Replies for tests of the judge: errors, results, and what right calls are expected to get."""

from __future__ import annotations

from typing import Any

from fingerpost.audit.judge.expected_reply import ExpectedReply
from fingerpost.audit.judge.reply import Reply


def error(text: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": text}]}


def result(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts]}


def expect(reply: dict[str, Any], again: dict[str, Any] | None = None) -> ExpectedReply:
    """The replies to a right call that was sent twice."""
    return ExpectedReply(Reply(reply).fingerprint, Reply(again or reply).fingerprint)
