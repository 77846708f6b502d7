"""An argument contains a path traversal or an injection.

`hazards` decides what counts. The call is refused even if the schema allows it, because no tool needs such a value.

Fix grading: none. The reply to an attack contains no schema, no suggestion and no echo.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis, Severity
from fingerpost.engine.phrases import parameter_label, quote_parameter

CODE = "UNSAFE_INPUT"


def diagnose(case: Case) -> Iterator[Diagnosis]:
    if case.first_hazard:
        at, kind = case.first_hazard
        yield Diagnosis(
            code=CODE,
            message=f"{quote_parameter(at)} is refused: it contains {kind}",
            severity=Severity.CRITICAL,
            at=at,
            retryable=False,
            details={"parameter": parameter_label(at)},
        )
