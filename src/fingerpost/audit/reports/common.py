"""Texts and helpers that several report formats share."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, Literal, TextIO, TypeAlias, cast

from fingerpost.audit.events import Subject
from fingerpost.audit.judge.checklist import ADOPTION, Item
from fingerpost.audit.report import Finding, Report
from fingerpost.engine.phrases import count_noun

Level: TypeAlias = Literal["error", "warning", "note"]

_LINE_END = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")


def strip_controls(text: str) -> str:
    """Remove control characters (except tab and newline), invisible characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join(char for char in _LINE_END.sub("\n", text) if char in "\n\t" or unicodedata.category(char)[0] != "C")


def strip_controls_deep(value: Any) -> Any:
    """Apply `strip_controls` to every string of a JSON value."""
    if isinstance(value, str):
        return strip_controls(value)
    if isinstance(value, Mapping):
        return {strip_controls(key): strip_controls_deep(one) for key, one in cast("Mapping[str, Any]", value).items()}
    return [strip_controls_deep(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def one_line(text: str) -> str:
    return " ".join(strip_controls(text).split())


def fit_encoding(text: str, out: TextIO) -> str:
    """Replace characters that the encoding of `out` lacks."""
    encoding = out.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_IN_ASCII).encode(encoding, "replace").decode(encoding)
    return text


_IN_ASCII = str.maketrans({"✓": "+", "✗": "x", "→": ">", "…": ".", "█": "#", "░": "."})


_WORKFLOW_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|##(?=\[)", re.MULTILINE)
"""What GitHub Actions executes when a step prints it: `::` at the start of a line, and `##[` anywhere."""


def disarm_commands(text: str, respell: Callable[[str], str]) -> str:
    """Respell one character of every GitHub Actions workflow command, so that printing the text executes none."""
    return _WORKFLOW_COMMAND.sub(lambda found: f"{found[0][:-1]}{respell(found[0][-1])}", text)


def clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def parse_call(text: str) -> dict[str, Any]:
    """Parse a call of a finding. Numbers that JSON cannot express, such as infinity, become strings."""
    return json.loads(text, parse_constant=str)


def fingerpost_version() -> str:
    return version("fingerpost")


def early_end_reason(report: Report) -> str:
    """Why the audit is incomplete; empty if it is complete."""
    if report.ended is None:
        return "it was interrupted"
    return one_line(report.ended.why)


def server_object(subject: Subject | None) -> dict[str, Any] | None:
    """The server as a JSON object; None if it never listed its tools."""
    return None if subject is None else asdict(subject)


def server_name(report: Report) -> str:
    """The name that the server reports, or its command or URL."""
    subject = report.subject
    return one_line(subject.name or subject.target) if subject else ""


def grade_line(report: Report) -> str:
    """Grade and repair rate in one line."""
    if not report.is_graded:
        return "Not graded: no call was tried"
    so_far = "" if report.is_whole else " so far"
    repaired = f"repair rate {repair_rate_text(report)}" if report.repairable else repair_rate_text(report)
    return f"Grade {report.grade} ({report.letter}){so_far}, {repaired}"


def grade_fields(report: Report) -> dict[str, Any]:
    """Grade, letter and repair rate for programs; None where nothing was tried."""
    return {
        "grade": report.grade if report.is_graded else None,
        "letter": report.letter if report.is_graded else None,
        "repair_rate": report.repair_rate if report.repairable else None,
    }


def repair_rate_text(report: Report) -> str:
    """The repair rate for people, with the number of mistakes."""
    if not report.repairable:
        return "nothing to repair"
    return f"{100 * report.repaired // report.repairable} % of {count_noun(report.repairable, 'mistake')}"


def level(item: Item) -> Level:
    """The severity of a failed item, by its weight."""
    return "error" if item.weight >= 3 else "warning" if item.weight == 2 else "note"


def new_findings(report: Report) -> list[Finding]:
    """The findings that are not in the baseline."""
    return [finding for finding in report.findings if not finding.is_known]


def adoption_lines() -> list[str]:
    """The lines of code that adopt Fingerpost, each with a comment."""
    return [f"{line}  # {where}" for line, where in ADOPTION]
