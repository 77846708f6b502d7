"""Errors that tell an MCP client what to do next."""

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
from fingerpost.engine.replies.enrich import enrich, refusal
from fingerpost.engine.tool import Tool

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
