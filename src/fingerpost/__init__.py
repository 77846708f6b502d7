"""Errors that tell an MCP client what to do next."""

from fingerpost.catalog import Catalog, Tool
from fingerpost.diagnosis import Applicability, Call, Diagnosis, Edit, Fix, Grade, Severity
from fingerpost.envelope import Envelope, render
from fingerpost.guide import Correction, Report, Verdict, admit
from fingerpost.matching import Match, closest
from fingerpost.policy import Policy
from fingerpost.replies import KEY, enrich, refusal
from fingerpost.shapes import reshape

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
