"""Dates and times in another notation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import lossless, offered, readings, text

DATE, MOMENT = {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}
TIME = {"type": "string", "format": "time"}


@pytest.mark.parametrize(
    "sent",
    [
        "2024-1-5", "2024/01/05", "2024.1.5", "5 Jan 2024", "05-Jan-2024", "January 5, 2024", "Jan. 5th 2024",
        "5th of January 2024", "Fri, 5 Jan 2024", "friday 5 january, 2024", "2024 Jan 5", " 5 Jan 2024 ", "5. Jan 2024",
    ],
)  # fmt: skip
@pytest.mark.parametrize("schema", [DATE, MOMENT, {"anyOf": [DATE, {"type": "null"}]}])
def test_a_date_with_one_reading_is_converted(sent: str, schema: dict[str, Any]) -> None:
    assert readings(sent, schema) == lossless("2024-01-05")


@pytest.mark.parametrize(
    ("sent", "day"), [("13/06/2024", "2024-06-13"), ("6/6/2024", "2024-06-06"), ("06-13-2024", "2024-06-13")]
)
def test_day_and_month_that_cannot_be_swapped_have_one_reading(sent: str, day: str) -> None:
    assert readings(sent, DATE) == lossless(day)


@pytest.mark.parametrize("sent", ["05/06/2024", "5.6.2024", "5-6-2024"])
def test_day_and_month_that_may_be_swapped_give_both_readings(sent: str) -> None:
    assert readings(sent, DATE) == offered("2024-06-05", "2024-05-06")
    assert 'Either t(p: "2024-06-05") or t(p: "2024-05-06").' in text(sent, DATE)


@pytest.mark.parametrize(
    "sent",
    [
        "31 Feb 2024", "2024-13-05", "05/06/24", "tomorrow", "Mon, 5 Jan 2024", "5 Ju 2024", "5 Foo 2024", "2024-1/5",
        "5 Jan 2024 25:00", "5 Jan 2024 13:00 PM", "5 Jan 2024 x", "5 Jan 2024 10", "0000-1-1", "x" * 100,
        "5 Jan 2024 10:75", "5 Jan 2024 10:00 EST", "\u0665/6/2024",
    ],
)  # fmt: skip
def test_a_text_that_is_no_clear_date_is_left_alone(sent: str) -> None:
    assert readings(sent, MOMENT) == []


def test_a_time_is_kept_and_its_zone_never_invented() -> None:
    assert readings("5 Jan 2024 3:30 PM", MOMENT) == offered("2024-01-05T15:30:00")
    assert "Add the time zone" in text("5 Jan 2024 3:30 PM", MOMENT)
    assert readings("05/06/2024 10:00", MOMENT) == offered("2024-06-05T10:00:00", "2024-05-06T10:00:00")
    assert readings("5 Jan 2024 10:00", DATE) == []


@pytest.mark.parametrize(
    ("sent", "moment"),
    [
        ("Fri, 05 Jan 2024 10:00:00 GMT", "2024-01-05T10:00:00Z"),
        ("2024-1-5T10:00:00.5+0200", "2024-01-05T10:00:00.5+02:00"),
        ("2024/01/05 12 am UTC", "2024-01-05T00:00:00Z"), ("5 Jan 2024 at 10:00-05:00", "2024-01-05T10:00:00-05:00"),
    ],
)  # fmt: skip
def test_a_moment_with_a_zone_is_converted(sent: str, moment: str) -> None:
    assert readings(sent, MOMENT) == lossless(moment)


def test_a_number_of_seconds_is_offered_as_a_moment() -> None:
    assert readings(1704412800, MOMENT) == offered("2024-01-05T00:00:00Z")
    assert readings(1704412800000, MOMENT) == offered("2024-01-05T00:00:00Z")
    assert readings(5, MOMENT) == offered("5")
    assert readings(1704412800, {"type": "string"}) == offered("1704412800")
    assert readings("x", {"type": "integer", "format": "date-time"}) == []
    assert readings([1704412800], {"type": "array", "items": MOMENT}) == offered("2024-01-05T00:00:00Z")
    assert readings(1704412800, {"type": "boolean", "format": "date-time"}) == []


def test_a_time_of_day_is_offered() -> None:
    assert readings("3:30 PM", TIME) == offered("15:30:00")
    assert readings("3 pm UTC", TIME) == offered("15:00:00Z")
    assert readings("noon", TIME) == []
    assert readings(" ", TIME, required=True) == []


def test_a_date_that_only_a_pattern_asks_for_is_offered() -> None:
    assert readings("5 Jan 2024", {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}) == offered("2024-01-05")
    assert readings("5 Jan 2024", {"type": "string", "format": "email"}) == []
