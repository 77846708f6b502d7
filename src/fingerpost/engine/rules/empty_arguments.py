"""The arguments arrived empty or cut off.

A model that runs out of tokens in mid-call sends JSON that breaks off, or nothing at all. Saying which
parameters are missing would be true and useless: what was lost is the whole of them.

Fix grading: nothing for a tool that needs nothing is lossless. Otherwise the call is given with a
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
    sent, needed = case.call.arguments, case.tool.required
    if sent == [] or (isinstance(sent, str) and sent.strip() in _EMPTY):
        message = "The arguments are empty" + (f"; {join_names(needed)} must be given" if needed else "")
        yield _found(case, message, "empty", _EMPTY_CALL if not needed else to_fill_in(case))
    elif isinstance(sent, str) and sent.lstrip().startswith("{") and isinstance(parse_json(sent), str):
        message = f"The arguments are JSON that breaks off or is malformed after {count_noun(len(sent), 'character')}"
        yield _found(case, message, "malformed JSON", to_fill_in(case))


def to_fill_in(case: Case) -> Fix | None:
    """The call with a placeholder for each required parameter; none where nothing is required."""
    root, needed = case.tool.schema, case.tool.required
    filled = {name: disclosure.placeholder(root, case.tool.params.get(name)) for name in needed}
    return Fix(Replace((), filled), Applicability.HAS_PLACEHOLDERS) if needed else None


def _found(case: Case, message: str, got: str, fix: Fix | None) -> Diagnosis:
    hint = "" if fix is _EMPTY_CALL else "Send the whole call again"
    details = {"expected": "object", "got": got}
    return case.make_diagnosis(CODE, message, (), details=details, fixes=(fix,) if fix else (), hint=hint)
