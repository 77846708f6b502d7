"""A report as a client receives it: prose for the model, structure for its program.

Text and structure say the same, and together they stay under two kilobytes whatever was sent. The
structure is built in the canonical shape, trimmed, and handed out in one of three (see `shapes`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.model import Applicability, CallTool, Diagnosis, Drop, Fix, Grade, Rename, Report, Severity
from fingerpost.engine.phrases import key_of
from fingerpost.engine.render.corrected_call import PresentableCall, corrected_call, present_call
from fingerpost.engine.render.shapes import Shape, reshape
from fingerpost.engine.render.text import call_line, fit_budget, has_better_call, help_call, lines, note
from fingerpost.engine.safety.redact import clean, is_clean, is_harmless, safe_value

LARGEST = 2048
"""The most bytes one reply gains, text and structure together."""

_LONGEST_FIX = 256
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_OVERHEAD = 80
"""What the names of its own cost the largest of the three shapes."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """`text` is what the model reads; `structured` is what its program reads."""

    text: str
    structured: dict[str, Any]


def render(report: Report, *, shape: Shape = "nested", budget: int = 800) -> Envelope:
    """Say a report once, in both forms."""
    said = present_call(report.corrected, report.call, report.secret_names) if report.corrected else None
    if said and not said.is_complete:
        report = replace(report, applicability=Applicability.HAS_PLACEHOLDERS)
    call = said.text if said else ""
    text_call = call if len(call) <= budget * 3 // 4 else ""  # else the fact and what is needed would have no room
    text = "\n".join(fit_budget(budget, lines(report, text_call), report.server_text))
    structured = _error(report, call, said) if report.is_refusal else _success(report, call, said)
    return Envelope(text, reshape(fit_structure(structured, text), shape))


def _error(report: Report, call: str, said: PresentableCall | None) -> dict[str, Any]:
    changed: dict[str, Any] = {
        **({"corrections": _corrections(report), "note": note(report)} if report.corrections else {}),
        **({"warnings": list(report.warnings)} if report.warnings else {}),
    }
    if not report.diagnoses:
        return changed
    error = _problem(report.diagnoses[0], report, call)
    error |= _better(report, said)
    if len(report.diagnoses) > 1:
        error["problems"] = [_in_brief(diagnosis) for diagnosis in report.diagnoses]
    if report.more_problems:
        error["more_problems"] = report.more_problems
    return {"error": error, **changed}


def _problem(diagnosis: Diagnosis, report: Report, call: str) -> dict[str, Any]:
    """One diagnosis in full; the four fields that every error has are there even when they are empty."""
    whole: dict[str, Any] = {
        "code": diagnosis.code,
        "message": diagnosis.message,
        "severity": diagnosis.severity.value,
        "category": diagnosis.category,
        "origin": diagnosis.origin,
        "retryable": diagnosis.retryable,
        "details": {key: value for key, value in diagnosis.details.items() if value is not None},
        "suggestions": _suggestions(diagnosis),
        "hint": diagnosis.hint or (call_line(report, call) if call else ""),
        "hints": list(diagnosis.hints) or _open_readings(diagnosis),
        "schema_hint": dict(diagnosis.schema_hint),
        "next_steps": _next_steps(diagnosis, report, call),
        "routing_hint": diagnosis.routing_hint,
    }
    always = ("suggestions", "next_steps")
    return {key: value for key, value in whole.items() if value not in ("", [], {}, None) or key in always}


def _in_brief(diagnosis: Diagnosis) -> dict[str, Any]:
    """One of several diagnoses: what is wrong where, and what was probably meant."""
    whole: dict[str, Any] = {
        "code": diagnosis.code,
        "message": diagnosis.message,
        "details": {key: diagnosis.details[key] for key in ("parameter",) if key in diagnosis.details},
        "suggestions": _named_readings(diagnosis),
        "hint": diagnosis.hint,
    }
    return {key: value for key, value in whole.items() if value}


def _suggestions(diagnosis: Diagnosis) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = [fix.label for fix in diagnosis.fixes if fix.label]
    if names and diagnosis.fixes[0].confidence > OFFER_THRESHOLD and not diagnosis.is_contested:
        found["did_you_mean"] = names[0]
    if names and not isinstance(diagnosis.fixes[0].edit, CallTool):
        found["alternatives"] = names[:3]
    found |= diagnosis.suggestions
    if sure := diagnosis.certain_fix:
        found |= {"likely_fix": _likely_fix(sure, diagnosis), "auto_correctable": sure.grade is not Grade.OFFERED}
    return {key: value for key, value in found.items() if value is not None}


def _named_readings(diagnosis: Diagnosis) -> dict[str, Any]:
    return {key: value for key, value in _suggestions(diagnosis).items() if key in ("did_you_mean", "alternatives")}


def _likely_fix(fix: Fix, diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The value to send as it stands; one that could only be shown in part would not be that."""
    value, key = fix.value, key_of(diagnosis.at)
    if isinstance(fix.edit, Drop) or value is None:
        return None
    is_name = isinstance(fix.edit, CallTool | Rename)
    if isinstance(value, str):
        is_whole = is_clean(value, _LONGEST_FIX) and (is_name or is_harmless(value, key))
    else:
        is_whole = safe_value(value, key) == value
    label = fix.label or clean(str(value))
    return {"value": value, "label": label, "confidence": fix.confidence} if is_whole else None


def _open_readings(diagnosis: Diagnosis) -> list[str]:
    """Where no fix is sure, the readings to reason about or to ask the user about."""
    return [fix.label for fix in diagnosis.fixes if fix.label][:3] if diagnosis.certain_fix is None else []


def _next_steps(diagnosis: Diagnosis, report: Report, call: str) -> dict[str, Any]:
    steps = dict(diagnosis.next_steps)
    if call or diagnosis.hint:
        steps.setdefault("fix", call or diagnosis.hint)
    if report.info_tool and diagnosis.severity is not Severity.CRITICAL:
        steps.setdefault("help", help_call(report))
    return steps


def _corrections(report: Report) -> list[dict[str, Any]]:
    return [
        {"from": one.source, "to": one.target, "confidence": one.confidence, "auto_corrected": True}
        for one in report.corrections
    ]


def _better(report: Report, said: PresentableCall | None) -> dict[str, Any]:
    """The corrected call for programs, where there is one."""
    if said is None or report.corrected is None:
        return {}
    call = corrected_call(said, report.corrected, report.call, report.applicability, report.secret_names)
    return {"corrected_call": call}


def _success(report: Report, call: str, said: PresentableCall | None) -> dict[str, Any]:
    mended = [one.message for one in report.diagnoses if one.certain_fix and one.code == "UNKNOWN_PARAM"]
    named = {
        str(one.details["parameter"]): _named_readings(one) for one in report.diagnoses if "parameter" in one.details
    }
    whole: dict[str, Any] = {
        "corrections": _corrections(report),
        "note": note(report),
        "warnings": list(dict.fromkeys([*report.warnings, *mended])),
        "suggestions": {parameter: found for parameter, found in named.items() if found},
        "hint": call_line(report, call) if has_better_call(report) else "",
        **(_better(report, said) if has_better_call(report) else {}),
        "hints": [one.hint for one in report.diagnoses if one.hint and not one.certain_fix],
    }
    return {key: value for key, value in whole.items() if value}


_EXPENDABLE: tuple[tuple[str, ...], ...] = (
    ("schema_hint",), ("suggestions", "available_categories"), ("suggestions", "similar_tools"), ("hints",),
    ("details", "expected"), ("problems",), ("next_steps", "fix"), ("hint",), ("corrected_call",), ("suggestions",),
    ("tips",), ("warnings",), ("next_steps", "refine_search"), ("next_steps", "retry_failed"), ("corrections",),
    ("next_steps", "get_more"), ("details",),
)  # fmt: skip
"""What goes first when the structure is too large: what can be asked for, then what is also in the text."""


def fit_structure(structured: dict[str, Any], text: str) -> dict[str, Any]:
    """The structure cut down to the room that `text` leaves it, whole fields at a time and alike for every shape."""
    holder: dict[str, Any] = structured.get("error", structured)
    said_twice = _size(holder.get("message", ""))  # in one of the shapes
    room = LARGEST - len(text.encode("utf-8", "replace")) - _OVERHEAD - said_twice
    for *outer, name in _EXPENDABLE:
        if _size(structured) <= room:
            break
        if name == "problems":
            _shorten(holder, structured, room)
        elif name == "suggestions" and name in holder:
            holder[name] = {}
        else:
            (holder.get(outer[0], {}) if outer else holder).pop(name, None)
    if _size(structured) > room and "message" in holder:
        holder["message"] = clean(holder["message"], 100)
    return structured


def _shorten(holder: dict[str, Any], structured: dict[str, Any], room: int) -> None:
    """As many problems as there is room for; the rest are counted."""
    problems: list[Any] = holder.get("problems", [])
    while problems and _size(structured) > room:
        problems.pop()
        holder["more_problems"] = holder.get("more_problems", 0) + 1


def _size(value: Any) -> int:
    return len(_ENCODER.encode(value).encode("utf-8", "replace"))
