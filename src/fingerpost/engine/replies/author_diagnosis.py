"""What the author of a server says about a failure, as a diagnosis: from an exception or from a reply, alike.

What the author says stands; what is left open is inferred from the words and the kind of the failure. An
author's words are for the caller, yet nobody means to send a traceback, a password or a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.failure_kinds import CATEGORIES, TRANSIENT_CATEGORIES, category_of, is_retryable
from fingerpost.engine.model import Applicability, Call, Diagnosis, Fix, Path, Replace, Severity, value_at
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.replies import symptoms as hints
from fingerpost.engine.safety.json_input import as_object, is_number
from fingerpost.engine.safety.redact import clean, describe, is_secret, safe_value, scrub
from fingerpost.engine.tool_errors import Reading

FIELDS = (
    "code", "category", "hint", "hints", "details", "parameter", "likely_fix", "step", "origin", "retryable",
    "next_steps", "routing_hint", "readings",
)  # fmt: skip
"""What an author may say beside the message."""

LONGEST_MESSAGE, _LONGEST_HINT = 300, 240
_CODE = re.compile(r"[A-Za-z][\w.\-]{0,63}")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d{1,6})\]")
_DESCRIBED = frozenset({"value", "label", "confidence"})
_NEVER = frozenset({"traceback", "trace", "debug", "stack", "stack_trace", "stacktrace"})


def guides(fields: Mapping[str, Any]) -> bool:
    """Whether these fields carry guidance. A code or details alone may be any library's, and are not."""
    return bool(
        _text(fields, "hint")
        or _texts(fields, "hints")
        or _mapping(fields, "next_steps")
        or fields.get("routing_hint") is not None
        or said_category(fields)
    )


def said_category(fields: Mapping[str, Any]) -> str:
    category = fields.get("category")
    return category if isinstance(category, str) and category in CATEGORIES else ""


def said_code(fields: Mapping[str, Any]) -> str:
    return code if _CODE.fullmatch(code := _text(fields, "code")) else ""


def diagnosed(
    fields: Mapping[str, Any],
    message: str,
    call: Call,
    tool: Tool,
    catalog: Catalog,
    *,
    kind: str = "",
    has_default: bool = True,
) -> Diagnosis:
    """What an author said, made whole. `kind` is what else is known of the failure, in words that `hints` reads.

    Without `has_default`, a hint is given only where the author gives one.
    """
    if is_number(seconds := _mapping(fields, "details").get("retry_after")):
        kind = f"Retry-After: {int(seconds)} {kind}"
    guess = next(hints.diagnose(f"{kind} {message}".strip(), tool, catalog), None)
    code = said_code(fields)
    category = said_category(fields) or category_of(code) or (guess.category if guess else "internal")
    fits = guess if guess and guess.category == category else None
    retryable = fields.get("retryable")
    has_hint = bool(_text(fields, "hint") or _texts(fields, "hints") or _mapping(fields, "next_steps"))
    is_final = retryable is False and category in TRANSIENT_CATEGORIES
    wait = hints.wait_in(kind) if category in TRANSIENT_CATEGORIES else ""
    usual = "" if is_final or not has_default else wait or (fits.hint if fits else hints.usual_hint(category))
    at = _at(fields, call, tool)
    return Diagnosis(
        code=code or (fits.code if fits else CATEGORIES[category]),
        message=scrub(message, LONGEST_MESSAGE) or (fits.message if fits else "The tool failed"),
        severity=_severity(code, category),
        at=at or (),
        category=category,
        origin=_origin(fields, category),
        retryable=retryable if isinstance(retryable, bool) else is_retryable(category),
        details=_details(fields),
        suggestions={} if at else _suggestions(fields),
        fixes=tuple(_fixes(fields, at, call)) if at else (),
        hint=_hint(fields, at) or ("" if has_hint else usual),
        hints=tuple(map(_advice, _texts(fields, "hints")[:5])),
        next_steps=_next_steps(fields) if has_hint or not fits else fits.next_steps,
        routing_hint=_fit(fields.get("routing_hint"), "", 0),
    )


def _severity(code: str, category: str) -> Severity:
    """How bad a failure is; an attack that only the server could see is as bad as one that the call shows."""
    if code == "UNSAFE_INPUT":
        return Severity.CRITICAL
    return Severity.HIGH if category == "validation" else Severity.MEDIUM


def _hint(fields: Mapping[str, Any], at: Path | None) -> str:
    """The author's hint; else the first step that stands in for one, or what was meant where no call can tell."""
    if said := _text(fields, "hint"):
        return _advice(said)
    step = next(iter(_mapping(fields, "next_steps").values()), None)
    if isinstance(step, str) and not _texts(fields, "hints"):
        return _advice(step)
    readings = [] if at else list(_readings(fields))
    if not readings:
        return ""
    return f"Did you mean {quote(readings[0].label)}?" if readings[0].is_clear else (
        f"Nearest: {join_names(one.label for one in readings)}"
    )  # fmt: skip


def _origin(fields: Mapping[str, Any], category: str) -> str:
    said = _text(fields, "origin")
    if said in ("call", "server", "upstream"):
        return said
    return "upstream" if category in ("upstream", "timeout") else "server"


def _details(fields: Mapping[str, Any]) -> dict[str, Any]:
    step, parameter = fields.get("step"), _text(fields, "parameter")
    details: dict[str, Any] = {"parameter": clean(parameter)} if parameter else {}
    if isinstance(step, int) and not isinstance(step, bool):
        details["step"] = step
    return {**details, **sanitised(_mapping(fields, "details"))}


def sanitised(fields: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Fields without secrets, tracebacks, bytes and bulk."""
    some = islice(fields.items(), 16)
    return {clean(str(name)): _fit(value, str(name), depth) for name, value in some if str(name) not in _NEVER}


def _fit(value: Any, name: str, depth: int) -> Any:
    if value is None or isinstance(value, bool | float):
        return value
    if is_secret(name, value=value) or depth > 3 or isinstance(value, bytes | bytearray):
        return describe(value)
    if isinstance(value, str):
        return scrub(value, _LONGEST_HINT)
    if isinstance(value, Mapping):
        return sanitised(cast("Mapping[str, Any]", value), depth + 1)
    if isinstance(value, list | tuple | set | frozenset):
        return [_fit(item, name, depth + 1) for item in islice(cast("list[Any]", value), 16)]
    return safe_value(value, name) if isinstance(value, int) else describe(value)


def _suggestions(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fix that an author names, where there is no place in the call to put it."""
    best = next(_readings(fields), None)
    if best is None:
        return {}
    fix = {"value": _fit(best.value, "", 0), "label": best.label, "confidence": best.confidence}
    return {"did_you_mean": best.label, "alternatives": [one.label for one in _readings(fields)]} | (
        {"likely_fix": fix} if best.is_clear else {}
    )


def _fixes(fields: Mapping[str, Any], at: Path, call: Call) -> Iterator[Fix]:
    for one in _readings(fields):
        if Replace(at, one.value).applied_to(call) == call:
            continue  # which has just failed
        applicability = Applicability.MACHINE_APPLICABLE if one.is_clear else Applicability.MAYBE_INCORRECT
        yield Fix(Replace(at, one.value), applicability, confidence=one.confidence, value=one.value, label=one.label)


def _readings(fields: Mapping[str, Any]) -> Iterator[Reading]:
    """What was probably meant: found by `UnknownValue`, or named by the author, with or without a label."""
    readings = fields.get("readings")
    if isinstance(readings, tuple):
        yield from (one for one in cast("tuple[Any, ...]", readings) if isinstance(one, Reading))
    elif (fix := fields.get("likely_fix")) is not None:
        named = as_object(fix) if _DESCRIBED.issuperset(as_object(fix)) else {}
        value, sure = named.get("value", fix), named.get("confidence")
        label = scrub(str(named.get("label") or value), 96, keeps_ids=True)
        yield Reading(value, label, sure if is_number(sure) else 1.0, is_clear=True)


def _at(fields: Mapping[str, Any], call: Call, tool: Tool) -> Path | None:
    """The place that is spoken of: `factors[1].numerator`; none where the call neither has nor could have it."""
    steps = _STEP.findall(_text(fields, "parameter"))
    at = tuple(int(index) if index else name for name, index in steps)
    try:
        value_at(call.arguments, at)
    except (KeyError, IndexError, TypeError):
        return at if len(at) == 1 and at[0] in tool.params and isinstance(call.arguments, dict) else None
    return at or None


def _next_steps(fields: Mapping[str, Any]) -> dict[str, Any]:
    steps = islice(_mapping(fields, "next_steps").items(), 8)
    return {clean(str(name)): _steps(step) for name, step in steps}


def _steps(step: Any) -> Any:
    return [_steps(one) for one in cast("list[Any]", step)[:5]] if isinstance(step, list) else _advice(str(step))


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
