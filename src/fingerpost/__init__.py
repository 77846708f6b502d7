"""Errors that tell an MCP client what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fingerpost.engine.admit import admit
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import Match, closest
from fingerpost.engine.model import (
    KEY,
    Applicability,
    Call,
    Correction,
    Diagnosis,
    Edit,
    Fix,
    Grade,
    Report,
    Severity,
    Verdict,
)
from fingerpost.engine.policy import Policy
from fingerpost.engine.render.envelope import Envelope, render
from fingerpost.engine.render.shapes import reshape
from fingerpost.engine.tool import Tool

if TYPE_CHECKING:
    from fingerpost.engine.replies.enrich import enrich, refusal

__all__ = [
    "KEY",
    "Applicability",
    "Call",
    "Catalog",
    "Correction",
    "Diagnosis",
    "Edit",
    "Envelope",
    "Fix",
    "Grade",
    "Match",
    "Policy",
    "Report",
    "Severity",
    "Tool",
    "Verdict",
    "admit",
    "closest",
    "enrich",
    "refusal",
    "render",
    "reshape",
]


def __getattr__(name: str) -> Any:
    """Import what explains the replies of servers when it is first used: who only judges calls needs none of it."""
    if name not in ("enrich", "refusal"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fingerpost.engine.replies import enrich as replies

    return getattr(replies, name)
