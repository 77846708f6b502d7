"""The rules, in the order in which their findings are reported.

Each rule sees the call as the certain fixes of earlier rules leave it, so that one mistake is one diagnosis:
`UNKNOWN_PARAM` renames `patern` before `MISSING_REQUIRED` looks for `pattern`. Nothing is reported after an
attack, and nothing about the contents of a broken container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis
from fingerpost.engine.rules import (
    conflicting_params,
    deprecated_param,
    empty_arguments,
    invalid_choice,
    invalid_format,
    invalid_input,
    invalid_length,
    invalid_type,
    missing_required,
    out_of_range,
    swallowed_params,
    unknown_param,
    unsafe_input,
    wrong_shape,
)

Rule: TypeAlias = Callable[[Case], Iterable[Diagnosis]]


def _diagnose_shape(case: Case) -> Iterable[Diagnosis]:
    """Two rules share a code: the wrong container, and several arguments in one text."""
    return list(wrong_shape.diagnose(case)) or swallowed_params.diagnose(case)


CONTAINER: dict[str, Rule] = {
    unsafe_input.CODE: unsafe_input.diagnose,
    empty_arguments.CODE: empty_arguments.diagnose,
    wrong_shape.CODE: _diagnose_shape,
}
"""Rules about the arguments as a whole. If such a finding has no sure fix, the remaining rules are skipped."""

CONTENT: dict[str, Rule] = {
    unknown_param.CODE: unknown_param.diagnose,
    missing_required.CODE: missing_required.diagnose,
    conflicting_params.CODE: conflicting_params.diagnose,
    invalid_type.CODE: invalid_type.diagnose,
    invalid_choice.CODE: invalid_choice.diagnose,
    out_of_range.CODE: out_of_range.diagnose,
    invalid_length.CODE: invalid_length.diagnose,
    invalid_format.CODE: invalid_format.diagnose,
    invalid_input.CODE: invalid_input.diagnose,
    deprecated_param.CODE: deprecated_param.diagnose,
}
"""Rules about one argument each."""
