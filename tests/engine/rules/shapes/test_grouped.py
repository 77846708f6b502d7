"""Parameters in an object with a word for all of them."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit

TEXT, NUMBER, DATE = {"type": "string"}, {"type": "number"}, {"type": "string", "format": "date"}
SPAN = {"from": "2025-05-01", "to": "2025-05-04"}


def correct(properties: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that are offered to a tool that may write, whose parameters are all required."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    found = admit(Call("act", arguments), Catalog.listed([{"name": "act", "inputSchema": schema}]))
    assert found.action == "refuse"
    return found.report.corrected.arguments if found.report.corrected else None


@pytest.mark.parametrize(
    ("properties", "sent"),
    [
        ({"name": TEXT, "email": TEXT}, {"owner": {"nam": "Ann", "e_mail": "a@example.com"}}),
        ({"latitude": NUMBER, "longitude": NUMBER}, {"position": {"lat": 1, "lon": 2, "label": "home"}}),
        ({"latitude": NUMBER, "longitude": NUMBER}, {"position": {"x": 1, "y": 2}}),
        ({"latitude": NUMBER, "longitude": NUMBER}, {"position": {"lat": [1], "lon": [2]}}),
        ({"latitude": NUMBER, "longitude": NUMBER}, {"home_position": {"lat": 1, "lon": 2}}),
        ({"latitude": NUMBER, "latitude_b": NUMBER}, {"position": {"lat": 1, "latitude": 2}}),
        ({"price_from": TEXT, "price_to": TEXT}, {"period": SPAN}),
        ({"from_station": TEXT, "to_station": TEXT}, {"period": SPAN}),
        ({"page_from": TEXT, "page_to": TEXT}, {"range": SPAN}),
        ({"date_from": DATE, "date_to": DATE}, {"range": SPAN}),
        ({"date_from": DATE, "date_to": DATE, "due_from": DATE, "due_to": DATE}, {"period": SPAN}),
        ({"date_from": DATE, "date_to": DATE}, {"period": {"from": "2025-05-01"}}),
        ({"shipping_street": TEXT, "billing_street": TEXT}, {"address": {"street": "Elm", "city": "Bonn"}}),
    ],
)
def test_an_object_is_left_alone_if_a_field_has_no_place_or_the_word_is_for_something_else(
    properties: dict[str, Any], sent: dict[str, Any]
) -> None:
    offered = correct(properties, sent) or {}
    values = [value for one in sent.values() for value in one.values()]
    assert not any(value in values for value in offered.values())


@pytest.mark.parametrize(
    ("properties", "sent", "corrected"),
    [
        (
            {"latitude": NUMBER, "longitude": NUMBER},
            {"position": {"lat": 1, "lng": 2}},
            {"latitude": 1, "longitude": 2},
        ),
        (
            {"date_from": DATE, "date_to": DATE},
            {"period": SPAN},
            {"date_from": "2025-05-01", "date_to": "2025-05-04"},
        ),
        (
            {"start_date": DATE, "end_date": DATE},
            {"date_range": SPAN},
            {"start_date": "2025-05-01", "end_date": "2025-05-04"},
        ),
        (
            {"street": TEXT, "house_number": TEXT, "line1": TEXT},
            {"address": {"street": "Elm", "house_number": 4, "line1": "a"}},
            {"street": "Elm", "house_number": "4", "line1": "a"},
        ),
    ],
)
def test_each_field_of_a_group_becomes_the_parameter_that_it_names(
    properties: dict[str, Any], sent: dict[str, Any], corrected: dict[str, Any]
) -> None:
    assert correct(properties, sent) == corrected
