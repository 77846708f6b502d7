"""The call uses a deprecated parameter.

The call is valid and is forwarded; the reply tells the caller what to use next time.

Fix grading: none. A deprecated parameter still works.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Severity
from fingerpost.engine.phrases import literal, parameter_label, quote
from fingerpost.engine.safety.redact import clean

CODE = "DEPRECATED_PARAM"


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for name in case.arguments:
        if name in case.tool.deprecated:
            yield case.make_diagnosis(
                CODE,
                f"Parameter {quote(name)} is deprecated",
                (name,),
                severity=Severity.LOW,
                hint=_author_note(name, case.schema((name,)).get("description")),
            )


def _author_note(name: str, description: Any) -> str:
    """Return the parameter's description, which usually names the replacement."""
    if not isinstance(description, str) or not description.strip():
        return ""
    return f"{parameter_label((name,))}: {literal(clean(description))}"
