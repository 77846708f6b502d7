"""The two ends of a stay or a journey."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit
from fingerpost.engine.rules.journeys import find_journey_ends

DATE, TEXT = {"type": "string", "format": "date"}, {"type": "string"}
EARLY, LATE = "2025-05-01", "2025-05-04"


def dates(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, DATE)


def texts(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, TEXT)


@pytest.mark.parametrize(
    ("sent", "declared", "found"),
    [
        ({"from": "Ulm", "to": "Bern"}, dates("arrival", "departure"), {}),
        ({"from": EARLY, "to": LATE}, texts("arrival", "departure"), {}),
        ({"from": LATE, "to": EARLY}, dates("arrival", "departure"), {}),
        ({"from": EARLY}, dates("arrival", "departure"), {}),
        ({"from": EARLY, "to": LATE}, dates("arrival"), {}),
        ({"from": EARLY, "to": LATE}, dates("check_in", "check_out", "arrival", "departure"), {}),
        ({"arrival": EARLY, "departure": EARLY}, dates("from_date", "to_date"), {}),
        ({"arrival": EARLY, "departure": LATE + "T10:00:00Z"}, dates("from_date", "to_date"), {}),
        ({"arrival": EARLY, "departure": LATE}, texts("from", "to"), {}),
        ({"arrival": EARLY, "departure": LATE}, texts("from_station", "to_station"), {}),
        ({"departure": "5 May", "arrival": "9 May"}, texts("from", "to"), {}),
        ({"departure": "Monday", "arrival": "tomorrow"}, texts("from", "to"), {}),
        ({"departure": "next week", "arrival": "May"}, texts("from", "to"), {}),
        ({"departure": 3, "arrival": 4}, texts("from", "to"), {}),
        ({"departure": "Ulm", "arrival": "Bern"}, texts("from_email", "to_email"), {}),
        ({"departure": "Ulm", "arrival": "Bern"}, dates("from", "to"), {}),
        ({"from": "Ulm", "to": "Bern"}, texts("departure", "arrival"), {}),
        ({"departure_gate": "A", "arrival_gate": "B"}, texts("from_station", "to_station"), {}),
        ({"start_price": EARLY, "end_price": LATE}, dates("check_in", "check_out"), {}),
    ],
)
def test_nothing_is_read_if_an_end_is_missing_or_times_and_places_could_be_mixed_up(
    sent: dict[str, Any], declared: dict[str, Any], found: dict[str, str]
) -> None:
    assert find_journey_ends(sent, declared, {}) == found


@pytest.mark.parametrize(
    ("sent", "declared", "found"),
    [
        ({"to": LATE, "from": EARLY}, dates("arrival", "departure"), {"from": "arrival", "to": "departure"}),
        ({"from": EARLY, "to": LATE}, dates("departure", "arrival"), {"from": "departure", "to": "arrival"}),
        ({"start": EARLY, "end": LATE}, texts("check_in", "checkOut"), {"start": "check_in", "end": "checkOut"}),
        ({"checkin": EARLY, "checkout": LATE}, dates("from", "to"), {"checkin": "from", "checkout": "to"}),
        (
            {"arrival": EARLY, "departure": LATE},
            texts("start_date", "end_date"),
            {"arrival": "start_date", "departure": "end_date"},
        ),
        (
            {"arrival": LATE, "departure": EARLY},
            texts("start_date", "end_date"),
            {"arrival": "end_date", "departure": "start_date"},
        ),
        (
            {"arrival_date": EARLY, "departure_date": LATE},
            dates("check_in", "check_out"),
            {"arrival_date": "check_in", "departure_date": "check_out"},
        ),
        (
            {"departure": "Ulm", "arrival": "Bern"},
            texts("to_station", "from_station"),
            {"departure": "from_station", "arrival": "to_station"},
        ),
        (
            {"departure_airport": "JFK", "arrival_airport": "LHR"},
            texts("origin", "destination"),
            {"departure_airport": "origin", "arrival_airport": "destination"},
        ),
        (
            {"origin": "Ulm", "destination": "Bern"},
            texts("departure_city", "arrival_city"),
            {"origin": "departure_city", "destination": "arrival_city"},
        ),
        (
            {"arrival": EARLY, "departure": LATE},
            {"from": {"type": "string", "description": "First day"}, "to": {"type": "string", "description": "A date"}},
            {"arrival": "from", "departure": "to"},
        ),
    ],
)
def test_the_first_end_is_given_by_the_order_of_times_or_parameters(
    sent: dict[str, Any], declared: dict[str, Any], found: dict[str, str]
) -> None:
    assert find_journey_ends(sent, declared, {}) == found


def test_a_given_end_is_not_overwritten() -> None:
    assert find_journey_ends({"from": EARLY, "to": LATE}, dates("arrival", "departure"), {"arrival": EARLY}) == {}


@pytest.mark.parametrize(
    ("sent", "declared", "given", "found"),
    [
        ({"to": LATE}, dates("arrival", "departure"), {"arrival": EARLY}, {"to": "departure"}),
        ({"start": EARLY}, dates("check_in", "check_out"), {"check_out": LATE}, {"start": "check_in"}),
        ({"departure": LATE}, dates("start", "end"), {"start": EARLY}, {"departure": "end"}),
        ({"departure": EARLY}, dates("start", "end"), {"start": LATE}, {}),
        ({"departure": EARLY}, dates("start", "end"), {"start": "soon"}, {}),
        ({"arrival": "Bern"}, texts("from_station", "to_station"), {"from_station": "Ulm"}, {"arrival": "to_station"}),
        ({"departure": "Bern"}, texts("from_station", "to_station"), {"from_station": "Ulm"}, {}),
        ({"to": LATE}, dates("arrival", "departure"), {"arrival": EARLY, "departure": LATE}, {}),
    ],
)
def test_one_end_is_read_beside_the_parameter_that_is_the_other(
    sent: dict[str, Any], declared: dict[str, Any], given: dict[str, Any], found: dict[str, str]
) -> None:
    assert find_journey_ends(sent, declared, {**given, **sent}) == found


def test_the_ends_are_offered_even_if_the_tool_only_reads() -> None:
    schema = {"type": "object", "properties": dates("arrival", "departure"), "required": ["arrival", "departure"]}
    tool = {"name": "find_berths", "inputSchema": schema, "annotations": {"readOnlyHint": True}}
    found = admit(Call("find_berths", {"from": EARLY, "to": LATE}), Catalog.listed([tool]))
    assert found.action == "refuse"
    assert found.report.corrected
    assert found.report.corrected.arguments == {"arrival": EARLY, "departure": LATE}
