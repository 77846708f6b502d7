"""A value is inside an object of its own: `limit: {"value": 5}`, `name: {"name": "x"}`, `tags: {"items": […]}`."""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Diagnosis, Path, Replace
from fingerpost.engine.phrases import parameter_label, quote, quote_parameter
from fingerpost.engine.rules.shapes.diagnosis import lossless, shape_diagnosis
from fingerpost.engine.safety.json_input import as_object

_BOXES = frozenset(
    {"value", "values", "val", "text", "string", "items", "item", "list", "array", "data", "content", "id"}
)


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations_of("type", "required"):
        fields = as_object(case.value(violation.at)) if violation.at else {}
        is_scalar = violation.keyword == "type" and "object" not in violation.expected
        if len(fields) == 1 and (is_scalar or isinstance(next(iter(fields.values())), dict)):
            yield from _unbox(case, violation.at, next(iter(fields)))


def _unbox(case: Case, at: Path, box: str) -> Iterator[Diagnosis]:
    if normal_form(box) not in _BOXES and normal_form(box) != normal_form(str(at[-1])):
        return
    edit = Replace(at, case.value(at)[box])
    if case.is_valid_after(edit, at):
        fix = lossless(edit, f"{parameter_label(at)} was taken out of {quote(box)}")
        yield shape_diagnosis(case, f"{quote_parameter(at)} is wrapped in {quote(box)}", (fix,), "wrapped value", at)
