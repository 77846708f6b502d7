"""The arguments are empty or truncated.

A model that runs out of tokens in the middle of a call sends truncated JSON, or nothing at all. A list of missing
parameters would be correct but useless, because the whole call was lost.

Fix grading: for a tool without required parameters, empty arguments are lossless. Otherwise the corrected call has a
placeholder for each required parameter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fingerpost.engine.model import Applicability, Diagnosis, Fix, Grade, Replace
from fingerpost.engine.phrases import count_noun, join_names, quote
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.schema import excerpt as disclosure

if TYPE_CHECKING:
    from fingerpost.engine.case import Case

CODE = "EMPTY_ARGUMENTS"

_MAX_LENGTH = 1 << 18
_SEND_AGAIN = "Send the whole call again"
_EMPTY = ("", "{}", "[]", "null")
_EMPTY_CALL = Fix(
    Replace((), {}), Applicability.MACHINE_APPLICABLE, Grade.LOSSLESS, applied_note="The arguments were read as empty"
)


def diagnose(case: Case) -> Iterator[Diagnosis]:
    sent, required = case.call.arguments, case.tool.required
    if sent == [] or (isinstance(sent, str) and sent.strip() in _EMPTY):
        message = "The arguments are empty" + (f"; {join_names(required)} must be given" if required else "")
        yield _diagnosis(case, message, "empty", _EMPTY_CALL if not required else placeholder_call(case))
    elif isinstance(sent, str) and sent.lstrip().startswith("{") and isinstance(parse_json(sent), str):
        message, hint = _describe_malformed(sent)
        yield _diagnosis(case, message, "malformed JSON", placeholder_call(case), hint)


def _describe_malformed(text: str) -> tuple[str, str]:
    """Say what keeps the text from being one JSON object, and what to do."""
    try:
        _, end = json.JSONDecoder(object_pairs_hook=_reject_repeated).raw_decode(text.lstrip()[:_MAX_LENGTH])
    except _RepeatedNameError as error:
        return f"The arguments are JSON that gives {quote(str(error))} twice", "Give each name once"
    except (ValueError, RecursionError):
        length = count_noun(len(text), "character")
        return f"The arguments are JSON that breaks off or is malformed after {length}", _SEND_AGAIN
    rest = text.lstrip()[end:].lstrip(" \t\r\n,;")
    if rest.startswith("{"):
        return "The arguments are several JSON objects, and a call takes one", "Send one call for each object"
    if rest:
        return "The arguments are a JSON object with more text behind it", "Send only the object"
    return "The arguments are JSON with a number that has too many digits to be kept exactly", _SEND_AGAIN


class _RepeatedNameError(ValueError):
    """An object gives a name twice."""


def _reject_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for name, value in pairs:
        if name in seen:
            raise _RepeatedNameError(name)
        seen[name] = value
    return seen


def placeholder_call(case: Case) -> Fix | None:
    """Build the call with a placeholder for each required parameter; None if nothing is required."""
    root, required = case.tool.schema, case.tool.required
    placeholders = {name: disclosure.placeholder(root, case.tool.params.get(name)) for name in required}
    return Fix(Replace((), placeholders), Applicability.HAS_PLACEHOLDERS) if required else None


def _diagnosis(case: Case, message: str, got: str, fix: Fix | None, hint: str = _SEND_AGAIN) -> Diagnosis:
    hint = "" if fix is _EMPTY_CALL else hint
    details = {"expected": "object", "got": got}
    return case.make_diagnosis(CODE, message, (), details=details, fixes=(fix,) if fix else (), hint=hint)
