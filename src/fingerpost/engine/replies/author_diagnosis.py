"""Turn what a server's author says about a failure into a diagnosis, from an exception or from a reply.

The author's fields take precedence; fields that are missing are inferred from the text and the kind of the failure.
Secrets, tracebacks and bulk data are removed, since no author means to send them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from math import ceil
from typing import Any, cast

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.failure_kinds import CATEGORIES, TRANSIENT_CATEGORIES, FailureFacts, category_of, is_retryable
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Applicability, Call, Diagnosis, Fix, Path, Replace, Severity, value_at
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.replies import symptoms
from fingerpost.engine.replies.unexplained import TOOL_FAILED
from fingerpost.engine.safety.json_input import as_object, is_number
from fingerpost.engine.safety.redact import (
    ECHO_LIMIT,
    describe,
    is_harmless,
    is_secret,
    is_sentence_about,
    safe_value,
    scrub,
)
from fingerpost.engine.safety.redact_error import hide_neighbours, name_of_value
from fingerpost.engine.safety.secrets import hide_secrets
from fingerpost.engine.tool import Tool
from fingerpost.engine.tool_errors import Reading

FIELDS = (
    "code", "category", "hint", "hints", "details", "parameter", "likely_fix", "step", "origin", "retryable",
    "next_steps", "routing_hint", "documentation_url", "readings",
)  # fmt: skip
"""The fields that an author may give besides the message."""

ENVELOPE_FIELDS = ("trace", "debug", "warnings")
"""The further fields of an envelope that a server returns. Attributes of these names on an exception are internal."""

LONGEST_MESSAGE, _LONGEST_HINT, _LONGEST_WARNING, _LONGEST_LABEL = 300, 240, 160, 96
_MOST_WARNINGS = 5
_CODE = lazy_pattern(r"[A-Za-z][\w.\-]{0,63}")
_STEP = lazy_pattern(r"([^.\[\]]+)|\[(\d{1,6})\]")
_WORD = lazy_pattern(r"[^\s()]+")
"""A single word: under the name of a secret it is no advice."""
_FIX_KEYS = frozenset({"value", "label", "confidence"})
_URL = lazy_pattern(r"https?://[^\s<>\"'`{}|\\^]{1,240}")
_UNSURE_CATEGORIES = frozenset({"timeout", "upstream"})
"""Categories of failures after which nobody may know whether the call took effect."""
_DEBUG_KEYS = frozenset({"traceback", "trace", "debug", "stack", "stack_trace", "stacktrace"})


def has_guidance(fields: Mapping[str, Any]) -> bool:
    """Whether these fields carry guidance. A code or details alone do not: any library may set those."""
    has_pointer = fields.get("routing_hint") is not None or bool(_documentation_url(fields))
    return _has_advice(fields) or has_pointer or bool(author_category(fields))


def _has_advice(fields: Mapping[str, Any]) -> bool:
    return bool(_text(fields, "hint") or _texts(fields, "hints") or _mapping(fields, "next_steps"))


def _documentation_url(fields: Mapping[str, Any]) -> str:
    """Return the author's link to a page about the failure, without credentials; empty if it is not a web address."""
    url = hide_secrets(_text(fields, "documentation_url").strip())
    return url if _URL.fullmatch(url) else ""


def author_category(fields: Mapping[str, Any]) -> str:
    category = fields.get("category")
    return category if isinstance(category, str) and category in CATEGORIES else ""


def author_code(fields: Mapping[str, Any]) -> str:
    code = _text(fields, "code")
    return code if _CODE.fullmatch(code) and is_harmless(code) else ""


def diagnose_fields(
    fields: Mapping[str, Any],
    message: str,
    call: Call,
    tool: Tool,
    catalog: Catalog,
    *,
    text: str = "",
    facts: FailureFacts | None = None,
    has_default: bool = True,
) -> Diagnosis:
    """Build a diagnosis from an author's fields, and infer the fields that are missing.

    `text` is all of a server's text and `facts` what an exception reveals. Without `has_default`, the diagnosis has
    a hint only where the author gives one.
    """
    facts = _with_retry_after(facts, fields)
    usual = _usual_diagnosis(fields, text or message, call, tool, catalog, facts)
    category, at, is_advised = usual.category, _path(fields, call, tool), _has_advice(fields)
    default = "" if is_advised or not has_default else _default_hint(fields, usual)
    return Diagnosis(
        code=author_code(fields) or usual.code,
        message=scrub(message, LONGEST_MESSAGE) or usual.message,
        severity=_severity(fields, category),
        at=at or (),
        category=category,
        origin=_origin(fields, category),
        retryable=_is_retryable(fields, usual),
        details=_details(fields),
        suggestions={} if at else _suggestions(fields),
        fixes=tuple(_fixes(fields, at, call)) if at else (),
        hint=_author_hint(fields, at) or default,
        hints=tuple(map(_advice, _texts(fields, "hints")[:5])),
        next_steps=_next_steps(fields) if is_advised else usual.next_steps,
        routing_hint=_sanitize_value(fields.get("routing_hint"), "", 0),
        documentation_url=_documentation_url(fields),
        trace=_sanitize_value(fields.get("trace"), "", 0),
        debug=_sanitize_value(fields.get("debug"), "", 0),
        server_warnings=tuple(scrub(one, _LONGEST_WARNING) for one in _texts(fields, "warnings")[:_MOST_WARNINGS]),
    )


def _with_retry_after(facts: FailureFacts | None, fields: Mapping[str, Any]) -> FailureFacts | None:
    seconds = _mapping(fields, "details").get("retry_after")
    return FailureFacts(facts.kind if facts else None, ceil(seconds)) if is_number(seconds) else facts


def _usual_diagnosis(
    fields: Mapping[str, Any], text: str, call: Call, tool: Tool, catalog: Catalog, facts: FailureFacts | None
) -> Diagnosis:
    """Return the default diagnosis for the author's category, or for the inferred one if the author names none."""
    inferred = symptoms.diagnose_text(text, call, tool, catalog, facts)
    category = author_category(fields) or category_of(author_code(fields))
    if inferred and category in ("", inferred.category):
        return inferred
    hint = symptoms.default_hint(category, text, tool, facts)  # none for a failure of an unknown kind
    category = category or "internal"
    is_unsure = category in _UNSURE_CATEGORIES and not tool.is_repeatable
    return Diagnosis(
        code=CATEGORIES[category],
        message=TOOL_FAILED,
        category=category,
        retryable=is_retryable(category) and not is_unsure,
        hint=hint,
    )


def _default_hint(fields: Mapping[str, Any], usual: Diagnosis) -> str:
    is_final = fields.get("retryable") is False and usual.category in TRANSIENT_CATEGORIES
    return "" if is_final else usual.hint


def _is_retryable(fields: Mapping[str, Any], usual: Diagnosis) -> bool:
    retryable = fields.get("retryable")
    if isinstance(retryable, bool):
        return retryable
    return usual.retryable if usual.category in _UNSURE_CATEGORIES else is_retryable(usual.category)


def _severity(fields: Mapping[str, Any], category: str) -> Severity:
    if author_code(fields) == "UNSAFE_INPUT":
        return Severity.CRITICAL
    return Severity.HIGH if category == "validation" else Severity.MEDIUM


def _author_hint(fields: Mapping[str, Any], at: Path | None) -> str:
    """Return the author's hint, else the first next step, else the likely value if no corrected call can show it."""
    if hint := _text(fields, "hint"):
        return _advice(hint)
    name, step = next(iter(_mapping(fields, "next_steps").items()), ("", None))
    if isinstance(step, str) and not _texts(fields, "hints"):
        return _next_step(step, str(name))
    readings = [] if at else list(_readings(fields))
    if not readings:
        return ""
    if readings[0].is_clear:
        return f"Did you mean {quote(readings[0].label)}?"
    return f"Nearest: {join_names(one.label for one in readings)}"


def _origin(fields: Mapping[str, Any], category: str) -> str:
    origin = _text(fields, "origin")
    if origin in ("call", "server", "upstream"):
        return origin
    return "upstream" if category in ("upstream", "timeout") else "server"


def _details(fields: Mapping[str, Any]) -> dict[str, Any]:
    step, parameter = fields.get("step"), _text(fields, "parameter")
    details: dict[str, Any] = {"parameter": scrub(parameter, ECHO_LIMIT)} if parameter else {}
    if isinstance(step, int) and not isinstance(step, bool):
        details["step"] = step
    return {**details, **_sanitize(_mapping(fields, "details"))}


def _sanitize(fields: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Remove secrets, tracebacks, bytes and bulk data."""
    some = islice(fields.items(), 16)
    return {
        scrub(str(name), ECHO_LIMIT): _sanitize_value(value, name_of_value(str(name), fields), depth)
        for name, value in some
        if str(name) not in _DEBUG_KEYS
    }


def _sanitize_value(value: Any, name: str, depth: int) -> Any:
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, str) and is_sentence_about(name, value):
        return scrub(value, _LONGEST_HINT)
    if is_secret(name, value=value) or depth > 3 or isinstance(value, bytes | bytearray):
        return describe(value)
    if isinstance(value, str):
        return scrub(value, _LONGEST_HINT)
    if isinstance(value, Mapping):
        return _sanitize(cast("Mapping[str, Any]", value), depth + 1)
    if isinstance(value, list | tuple | set | frozenset):
        items = hide_neighbours([*islice(cast("list[Any]", value), 16)])
        return [_sanitize_value(item, name, depth + 1) for item in items]
    return safe_value(value, name) if isinstance(value, int) else describe(value)


def _suggestions(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the author's fix as a suggestion, for when the call has no place to put it."""
    best = next(_readings(fields), None)
    if best is None:
        return {}
    fix = {"value": _sanitize_value(best.value, "", 0), "label": best.label, "confidence": best.confidence}
    return {"did_you_mean": best.label, "alternatives": [one.label for one in _readings(fields)]} | (
        {"likely_fix": fix} if best.is_clear else {}
    )


def _fixes(fields: Mapping[str, Any], at: Path, call: Call) -> Iterator[Fix]:
    for one in _readings(fields):
        if Replace(at, one.value).applied_to(call) == call:
            continue  # this call has just failed
        applicability = Applicability.MACHINE_APPLICABLE if one.is_clear else Applicability.MAYBE_INCORRECT
        yield Fix(Replace(at, one.value), applicability, confidence=one.confidence, value=one.value, label=one.label)


def _readings(fields: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield the likely values: those that `UnknownValue` found, or the one that the author names."""
    readings = fields.get("readings")
    if isinstance(readings, tuple):
        every = (one for one in cast("tuple[Any, ...]", readings) if isinstance(one, Reading))
        yield from (replace(one, label=scrub(one.label, _LONGEST_LABEL, keeps_ids=True)) for one in every)
    elif (fix := fields.get("likely_fix")) is not None:
        named = as_object(fix) if _FIX_KEYS.issuperset(as_object(fix)) else {}
        value, confidence = named.get("value", fix), named.get("confidence")
        label = scrub(str(named.get("label") or value), _LONGEST_LABEL, keeps_ids=True)
        yield Reading(value, label, confidence if is_number(confidence) else 1.0, is_clear=True)


def _path(fields: Mapping[str, Any], call: Call, tool: Tool) -> Path | None:
    """Return the path of the wrong argument (`factors[1].numerator`), or None if the call cannot have it."""
    steps = _STEP.findall(_text(fields, "parameter"))
    at = tuple(int(index) if index else name for name, index in steps)
    try:
        value_at(call.arguments, at)
    except (KeyError, IndexError, TypeError):
        return at if len(at) == 1 and at[0] in tool.params and isinstance(call.arguments, dict) else None
    return at or None


def _next_steps(fields: Mapping[str, Any]) -> dict[str, Any]:
    steps = islice(_mapping(fields, "next_steps").items(), 8)
    return {scrub(str(name), ECHO_LIMIT): _next_step(step, str(name)) for name, step in steps}


def _next_step(step: Any, name: str) -> Any:
    if isinstance(step, list):
        return [_next_step(one, name) for one in hide_neighbours(cast("list[Any]", step)[:5])]
    if isinstance(step, str) and not (is_secret(name) and _WORD.fullmatch(step)):
        return _advice(step)
    return _sanitize_value(step, name, 0)


def _advice(text: str) -> str:
    return scrub(text, _LONGEST_HINT, keeps_ids=True)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _texts(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name)
    many = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return [one for one in many if isinstance(one, str) and one]


def _mapping(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = fields.get(name)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
