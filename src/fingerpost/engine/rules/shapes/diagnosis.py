"""What every finding about the container of the arguments has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fingerpost.engine.model import Applicability, Diagnosis, Edit, Fix, Grade, Path, Replace

if TYPE_CHECKING:
    from fingerpost.engine.case import Case

CODE = "WRONG_SHAPE"


def lossless(edit: Edit, note: str) -> Fix:
    """Return the fix that changes only the container; `note` tells the caller once it is applied."""
    return Fix(edit, Applicability.MACHINE_APPLICABLE, Grade.LOSSLESS, applied_note=note)


def lossless_arguments(arguments: dict[str, Any], note: str) -> Fix:
    return lossless(Replace((), arguments), note)


def offered(edit: Edit, confidence: float) -> Fix:
    """Return a fix that is plausible but may change what the call means."""
    return Fix(edit, Applicability.MAYBE_INCORRECT, confidence=confidence)


def shape_diagnosis(case: Case, message: str, fixes: tuple[Fix, ...], got: str, at: Path = ()) -> Diagnosis:
    return case.make_diagnosis(CODE, message, at, fixes=fixes, details={"expected": "object", "got": got})
