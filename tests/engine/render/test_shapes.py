"""Convert an error between the three shapes without loss."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from fingerpost import reshape
from fingerpost.engine.render.shapes import Shape

ERROR: dict[str, Any] = {
    "error": {
        "code": "UNKNOWN_UNIT",
        "message": "Unknown unit: 'kilgoram'",
        "severity": "high",
        "category": "validation",
        "details": {"parameter": "from_unit", "step": 1, "got": "kilgoram", "expected": "a unit", "minimum": 0},
        "suggestions": {
            "likely_fix": {"value": "kilogram", "label": "kilogram (kg)", "confidence": 0.95},
            "auto_correctable": False,
        },
        "hints": ["kilogram (kg)"],
        "routing_hint": {"to": "units"},
        "next_steps": {"fix": "convert(…)"},
    },
    "warnings": ["careful"],
}


def test_the_flat_shape_has_what_a_simple_client_branches_on_at_the_top_level() -> None:
    flat = reshape(ERROR, "flat")
    assert flat["error"] == "Unknown unit: 'kilgoram'"
    assert flat["error_type"] == "unknown_unit"
    assert (flat["parameter"], flat["step"], flat["got"], flat["expected"]) == ("from_unit", 1, "kilgoram", "a unit")
    assert flat["likely_fix"]["value"] == "kilogram"
    assert flat["details"] == {"minimum": 0}
    assert "code" not in flat


def test_the_envelope_shape_starts_with_the_outcome_and_has_the_routing_hint_at_the_top_level() -> None:
    envelope = reshape(ERROR, "envelope")
    assert list(envelope)[:4] == ["status", "ok", "error", "error_detail"]
    assert (envelope["status"], envelope["ok"], envelope["error"]) == ("error", False, "Unknown unit: 'kilgoram'")
    assert envelope["routing_hint"] == {"to": "units"}
    assert "routing_hint" not in envelope["error_detail"]


@pytest.mark.parametrize(("one", "other"), list(product(get_args(Shape), get_args(Shape))))
@pytest.mark.parametrize(
    "structured",
    [
        ERROR,
        {"error": {"code": "PatchFailed", "message": "m", "suggestions": {}}},
        {"error": {"code": "X", "message": "m", "suggestions": {}, "details": {"got": 1}}},
        {"note": "done", "corrections": []},
        {},
    ],
    ids=["whole", "mixed-case code", "small", "success", "nothing"],
)
def test_any_shape_converts_to_any_other_without_loss(structured: dict[str, Any], one: Shape, other: Shape) -> None:
    assert reshape(reshape(reshape(structured, one), other), "nested") == structured
