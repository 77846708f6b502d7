"""A word that a name may leave unsaid."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit
from fingerpost.engine.rules.unsaid_words import leaves_word_unsaid


@pytest.mark.parametrize(
    ("sent", "known", "value"),
    [
        ("decision", "decision_no", "granted"),
        ("decision", "decision_no", True),
        ("decision", "decision_no", "granted in 2024"),
        ("decision", "decision_id", "AB-1234"),
        ("pupil", "decision_no", "AB-1234"),
        ("page", "page_number", 5),
        ("nozzle_temp_f", "nozzle_c", 200),
        ("nozzle_temp_c", "bed_c", 200),
        ("nozzle_length_mm", "nozzle_mm", 2),
        ("nozzle_max_c", "nozzle_c", 200),
        ("temp_c", "nozzle_c", 200),
        ("nozzle_temp", "nozzle_c", 200),
    ],
)
def test_another_thing_or_a_word_that_says_something_is_not_left_out(sent: str, known: str, value: Any) -> None:
    assert not leaves_word_unsaid(sent, known, value)


@pytest.mark.parametrize(
    ("sent", "known", "value"),
    [
        ("decision", "decision_no", "AB-1234"),
        ("nozzle_temp_c", "nozzle_c", 200),
        ("parcel_weight_kg", "parcel_kg", 2),
    ],
)
def test_a_number_and_the_quantity_of_a_unit_go_without_saying(sent: str, known: str, value: Any) -> None:
    assert leaves_word_unsaid(sent, known, value)


def expel(**arguments: Any) -> dict[str, Any]:
    properties = {"pupil_id": {"type": "string"}, "decision_no": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}}
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    tool = {"name": "expel_pupil", "inputSchema": schema, "annotations": {"destructiveHint": True}}
    found = admit(Call("expel_pupil", {"pupil_id": "P1", **arguments}), Catalog.listed([tool]))
    assert found.action == "refuse"
    return found.report.corrected.arguments if found.report.corrected else {}


def test_the_number_is_offered_only_if_it_fits() -> None:
    assert expel(decision="AB-1234") == {"pupil_id": "P1", "decision_no": "AB-1234"}
    assert expel(decision="2024").get("decision_no") != "2024"
    assert expel(reason="AB-1234").get("decision_no") != "AB-1234"
