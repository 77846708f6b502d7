"""Errors that tell an MCP client what to do next."""

from __future__ import annotations

from importlib import import_module
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
from fingerpost.engine.tool import Tool

if TYPE_CHECKING:
    from fingerpost.engine.render.envelope import Envelope, render
    from fingerpost.engine.render.shapes import reshape
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

_LOADED_ON_FIRST_USE = {
    "Envelope": "fingerpost.engine.render.envelope",
    "enrich": "fingerpost.engine.replies.enrich",
    "refusal": "fingerpost.engine.replies.enrich",
    "render": "fingerpost.engine.render.envelope",
    "reshape": "fingerpost.engine.render.shapes",
}
"""Right calls need neither texts nor replies, so a server that gets only right calls never loads these modules."""


def __getattr__(name: str) -> Any:
    if module := _LOADED_ON_FIRST_USE.get(name):
        return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
