"""Render a report as a client receives it: text for the model, structure for its program.

Text and structure have the same content, and together they stay under two kilobytes. The structure is built in the
nested shape, trimmed (see `fit`), and converted to the requested shape (see `shapes`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.model import Applicability, CallTool, Diagnosis, Drop, Fix, Grade, Rename, Report, Severity
from fingerpost.engine.phrases import key_of
from fingerpost.engine.render.corrected_call import (
    PresentableCall,
    SentCall,
    call_for_program,
    changes_for_program,
    present_in_text,
)
from fingerpost.engine.render.fit import fit_structure
from fingerpost.engine.render.shapes import Shape, reshape
from fingerpost.engine.render.text import (
    call_line,
    correction_note,
    fit_budget,
    has_better_call,
    help_call,
    longest_call,
    readings_line,
    text_lines,
)
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import clean, is_clean, is_harmless, safe_value
from fingerpost.engine.safety.secrets import hide_secrets

UNKNOWN_TOOL = "UNKNOWN_TOOL"
_LONGEST_FIX = 256
_MOST_READINGS = 3
_MANY_SAME = 3


@dataclass(frozen=True, slots=True)
class Envelope:
    """`text` is what the model reads; `structured` is what its program reads."""

    text: str
    structured: dict[str, Any]


def render(report: Report, *, shape: Shape = "nested", budget: int = 800) -> Envelope:
    """Render a report as text and as structure."""
    longest = longest_call(report, budget)
    sent = SentCall(report.call, report.secret_names, shows_lines=report.is_by_author)
    presented = present_in_text(report.corrected, sent, longest) if report.corrected else None
    in_text = report
    if presented and not presented.is_complete:
        in_text = replace(report, applicability=Applicability.HAS_PLACEHOLDERS)
        report = report if presented.is_shortened else in_text  # a program has more room than the text
    call = presented.text if presented else ""
    readings = [present_in_text(one, sent, longest // 2) for one in report.readings[:_MOST_READINGS]]
    lines = text_lines(in_text, call if len(call) <= longest else "", _readings_line(report, readings))
    text = "\n".join(fit_budget(budget, lines, report.server_text))
    build = _error_structure if report.is_refusal else _success_structure
    structured = build(report, call, presented)
    if readings:
        structured.get("error", structured)["possible_calls"] = _possible_calls(report, readings)
    if report.corrected is None:
        return Envelope(text, reshape(fit_structure(structured, text), shape))
    changes = partial(changes_for_program, report.corrected, sent, report.applicability)
    return Envelope(text, reshape(fit_structure(structured, text, changes), shape))


def _readings_line(report: Report, readings: list[PresentableCall]) -> str:
    """Write the equally plausible calls. Many arguments that all of them have as they were sent are not repeated."""
    if not readings:
        return ""
    calls = [as_object(one.arguments) for one in report.readings[:_MOST_READINGS]]
    sent = as_object(report.call.arguments)
    same = {name for name, value in sent.items() if all(name in call and call[name] == value for call in calls)}
    is_other_tool = any(one.tool != report.call.tool for one in report.readings)
    if len(same) < _MANY_SAME or is_other_tool:
        return readings_line([one.text for one in readings])
    return readings_line([one.without(same).text for one in readings], ending=", the other arguments as sent")


def _error_structure(report: Report, call: str, presented: PresentableCall | None) -> dict[str, Any]:
    warnings = [*report.warnings, *(one for diagnosis in report.diagnoses for one in diagnosis.server_warnings)]
    changed: dict[str, Any] = {
        **({"corrections": _corrections(report), "note": correction_note(report)} if report.corrections else {}),
        **({"warnings": warnings} if warnings else {}),
    }
    if not report.diagnoses:
        return changed
    error = _describe(report.diagnoses[0], report, call)
    error |= _better_call(report, presented)
    if len(report.diagnoses) > 1:
        error["problems"] = [_summarize(diagnosis) for diagnosis in report.diagnoses]
    if report.more_problems:
        error["more_problems"] = report.more_problems
    return {"error": error, **changed}


def _describe(diagnosis: Diagnosis, report: Report, call: str) -> dict[str, Any]:
    """Render one diagnosis in full. Empty fields are omitted, except `suggestions` and `next_steps`."""
    whole: dict[str, Any] = {
        "code": diagnosis.code,
        "message": diagnosis.message,
        "severity": diagnosis.severity.value,
        "category": diagnosis.category,
        "origin": diagnosis.origin,
        "retryable": _is_retryable(diagnosis, report),
        "details": {
            **_step(diagnosis),
            **{key: _hide_in_echo(value) for key, value in diagnosis.details.items() if value is not None},
        },
        "suggestions": _suggestions(diagnosis),
        "hint": _hint(diagnosis, report, call),
        "hints": list(diagnosis.hints) or _unsure_labels(diagnosis),
        "schema_hint": dict(diagnosis.schema_hint),
        "next_steps": _next_steps(diagnosis, report, call),
        "routing_hint": diagnosis.routing_hint,
        "documentation_url": diagnosis.documentation_url,
        "trace": diagnosis.trace,
        "debug": diagnosis.debug,
    }
    always = ("suggestions", "next_steps")
    return {key: value for key, value in whole.items() if value not in ("", [], {}, None) or key in always}


def _is_retryable(diagnosis: Diagnosis, report: Report) -> bool:
    """Whether another call may succeed: certainly so if one is offered, and not if nothing like the tool exists."""
    if report.corrected or report.readings:
        return True
    has_suggestion = bool(diagnosis.fixes or diagnosis.suggestions.get("similar_tools"))
    return diagnosis.retryable and (has_suggestion or diagnosis.code != UNKNOWN_TOOL)


def _step(diagnosis: Diagnosis) -> dict[str, int]:
    """Return which item of a list the diagnosis is about, counted from 0."""
    step = next((step for step in diagnosis.at if isinstance(step, int)), None)
    return {} if step is None else {"step": step}


def _hint(diagnosis: Diagnosis, report: Report, call: str) -> str:
    """Return the hint. For an unknown tool it is the call to try, which `next_steps` then omits."""
    if diagnosis.hint or diagnosis.code != UNKNOWN_TOOL:
        return diagnosis.hint
    return call_line(report, call) if call else ""


def _hide_in_echo(value: Any) -> Any:
    """Hide a secret in what the caller sent as a name (`token=…`); `auth:login` is the name of a tool."""
    return hide_secrets(value) if type(value) is str and ("=" in value or " " in value) else value


def _summarize(diagnosis: Diagnosis) -> dict[str, Any]:
    """Render one of several diagnoses: what is wrong, where, and the likely name."""
    whole: dict[str, Any] = {
        "code": diagnosis.code,
        "message": diagnosis.message,
        "details": {key: diagnosis.details[key] for key in ("parameter",) if key in diagnosis.details},
        "suggestions": _name_suggestions(diagnosis),
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


def _name_suggestions(diagnosis: Diagnosis) -> dict[str, Any]:
    return {key: value for key, value in _suggestions(diagnosis).items() if key in ("did_you_mean", "alternatives")}


def _likely_fix(fix: Fix, diagnosis: Diagnosis) -> dict[str, Any] | None:
    """Return the value to send; None if it cannot be shown completely."""
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


def _unsure_labels(diagnosis: Diagnosis) -> list[str]:
    """Return the candidates to choose from, or to ask the user about, if no fix is sure."""
    return [fix.label for fix in diagnosis.fixes if fix.label][:3] if diagnosis.certain_fix is None else []


def _next_steps(diagnosis: Diagnosis, report: Report, call: str) -> dict[str, Any]:
    steps = dict(diagnosis.next_steps)
    if call and call not in _hint(diagnosis, report, call):
        steps.setdefault("fix", call)
    if report.info_tool and diagnosis.severity is not Severity.CRITICAL:
        steps.setdefault("help", help_call(report))
    if diagnosis.documentation_url:
        steps.setdefault("docs", diagnosis.documentation_url)
    return steps


def _corrections(report: Report) -> list[dict[str, Any]]:
    return [
        {
            **({"parameter": one.parameter} if one.parameter else {}),
            "from": one.source,
            "to": one.target,
            "confidence": one.confidence,
            "auto_corrected": True,
        }
        for one in report.corrections
    ]


def _better_call(report: Report, presented: PresentableCall | None) -> dict[str, Any]:
    """Return the corrected call for programs, if there is one."""
    if presented is None or report.corrected is None:
        return {}
    return {"corrected_call": call_for_program(presented, report.corrected, report.applicability)}


def _possible_calls(report: Report, readings: list[PresentableCall]) -> list[dict[str, Any]]:
    """Return the equally plausible calls for programs."""
    return [
        call_for_program(in_text, call, Applicability.MAYBE_INCORRECT)
        for in_text, call in zip(readings, report.readings, strict=False)
    ]


def _success_structure(report: Report, call: str, presented: PresentableCall | None) -> dict[str, Any]:
    corrected = [one.message for one in report.diagnoses if one.certain_fix and one.code == "UNKNOWN_PARAM"]
    named = {
        str(one.details["parameter"]): _name_suggestions(one) for one in report.diagnoses if "parameter" in one.details
    }
    whole: dict[str, Any] = {
        "corrections": _corrections(report),
        "note": correction_note(report),
        "warnings": list(dict.fromkeys([*report.warnings, *corrected])),
        "suggestions": {parameter: found for parameter, found in named.items() if found},
        "hint": call_line(report, call) if has_better_call(report) else "",
        **(_better_call(report, presented) if has_better_call(report) else {}),
        "hints": [one.hint for one in report.diagnoses if one.hint and not one.certain_fix],
    }
    return {key: value for key, value in whole.items() if value}
