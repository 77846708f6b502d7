"""What several forms say alike: the verdict in a line, why an audit ended early, and text that fits into any file."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, Literal, TypeAlias, cast

from fingerpost.audit.events import Subject
from fingerpost.audit.judge.checklist import ADOPTION, Item
from fingerpost.audit.report import Finding, Report
from fingerpost.engine.phrases import count_noun

Level: TypeAlias = Literal["error", "warning", "note"]

_LINE_END = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")


def legible(text: str) -> str:
    """`text` as every file can hold it: no controls but tab and newline, nothing hidden, no half of a character."""
    if text.isprintable():
        return text
    return "".join(char for char in _LINE_END.sub("\n", text) if char in "\n\t" or unicodedata.category(char)[0] != "C")


def all_legible(value: Any) -> Any:
    """The same for every text in a JSON value."""
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, Mapping):
        return {legible(key): all_legible(one) for key, one in cast("Mapping[str, Any]", value).items()}
    return [all_legible(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def in_one_line(text: str) -> str:
    return " ".join(legible(text).split())


_ORDER = re.compile(r"^([^\S\n]*):(?=:)|##(?=\[)", re.MULTILINE)
"""What the runner of GitHub Actions takes for an order when it is printed: `::` first on a line, and `##[` anywhere."""


def disarmed(text: str, spelled: Callable[[str], str]) -> str:
    """`text` with a sign of every such order spelled in another way."""
    return _ORDER.sub(lambda order: f"{order[0][:-1]}{spelled(order[0][-1])}", text)


def clipped(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def call_of(text: str) -> dict[str, Any]:
    """A call that stands in a finding as JSON. What JSON has no word for, such as infinity, becomes a text."""
    return json.loads(text, parse_constant=str)


def fingerpost_version() -> str:
    return version("fingerpost")


def ending(report: Report) -> str:
    """Why not all was tried; empty where all was."""
    if report.ended is None:
        return "it was interrupted"
    return in_one_line(report.ended.why)


def server_of(subject: Subject | None) -> dict[str, Any] | None:
    """The server as an object; none where it never got as far as listing its tools."""
    return None if subject is None else asdict(subject)


def server_name(report: Report) -> str:
    """How the server calls itself, or how it was called."""
    subject = report.subject
    return in_one_line(subject.name or subject.target) if subject else ""


def verdict(report: Report) -> str:
    """Grade and repair rate in one line."""
    if not report.is_graded:
        return "Not graded: nothing was tried"
    so_far = "" if report.is_whole else " so far"
    repaired = f"repair rate {rate(report)}" if report.repairable else rate(report)
    return f"Grade {report.grade} ({report.letter}){so_far}, {repaired}"


def marks(report: Report) -> dict[str, Any]:
    """Grade, letter and repair rate for programs: none of what nothing was tried for."""
    return {
        "grade": report.grade if report.is_graded else None,
        "letter": report.letter if report.is_graded else None,
        "repair_rate": report.repair_rate if report.repairable else None,
    }


def rate(report: Report) -> str:
    """The repair rate as people read it, with what it is a share of."""
    if not report.repairable:
        return "nothing to repair"
    return f"{100 * report.repaired // report.repairable} % of {count_noun(report.repairable, 'mistake')}"


def level(item: Item) -> Level:
    """How much an unmet item matters, by its weight."""
    return "error" if item.weight >= 3 else "warning" if item.weight == 2 else "note"


def fresh(report: Report) -> list[Finding]:
    """The findings that no baseline has."""
    return [finding for finding in report.findings if not finding.is_known]


def adoption() -> list[str]:
    """The lines that adopt Fingerpost, each with where it goes."""
    return [f"{line}  # {where}" for line, where in ADOPTION]
