"""The arguments are empty or truncated.

A model that runs out of tokens in the middle of a call sends truncated JSON, or nothing at all. A list of missing
parameters would be correct but useless, because the whole call was lost.

Fix grading: for a tool without required parameters, empty arguments are lossless. Otherwise the corrected call has a
placeholder for each required parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Grade, Replace
from fingerpost.engine.phrases import count_noun, join_names
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.schema import excerpt as disclosure

CODE = "EMPTY_ARGUMENTS"

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
        message = f"The arguments are JSON that breaks off or is malformed after {count_noun(len(sent), 'character')}"
        yield _diagnosis(case, message, "malformed JSON", placeholder_call(case))


def placeholder_call(case: Case) -> Fix | None:
    """Build the call with a placeholder for each required parameter; None if nothing is required."""
    root, required = case.tool.schema, case.tool.required
    placeholders = {name: disclosure.placeholder(root, case.tool.params.get(name)) for name in required}
    return Fix(Replace((), placeholders), Applicability.HAS_PLACEHOLDERS) if required else None


def _diagnosis(case: Case, message: str, got: str, fix: Fix | None) -> Diagnosis:
    hint = "" if fix is _EMPTY_CALL else "Send the whole call again"
    details = {"expected": "object", "got": got}
    return case.make_diagnosis(CODE, message, (), details=details, fixes=(fix,) if fix else (), hint=hint)
