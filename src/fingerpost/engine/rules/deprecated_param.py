"""An argument is declared deprecated.

The call is right and goes on; the caller is told what to use next time.

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
                hint=_said(name, case.schema((name,)).get("description")),
            )


def _said(name: str, description: Any) -> str:
    """The author's own words, which usually name the successor."""
    is_said = isinstance(description, str) and description.strip()
    return f"{parameter_label((name,))}: {literal(clean(str(description)))}" if is_said else ""
