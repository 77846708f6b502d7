"""Dates and times in another notation."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.schema.formats import LENIENT_FORMATS
from tests.engine.values.readings import judge_value, likely, lossless, offered, readings, text

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


@pytest.mark.parametrize(
    ("sent", "moment"),
    [
        ("2026-01-02 10:00:00Z", "2026-01-02T10:00:00Z"), ("2026-02-03T10:00:00+0200", "2026-02-03T10:00:00+02:00"),
        ("2026-02-03T10:00:00-05", "2026-02-03T10:00:00-05:00"), ("20260203T101112Z", "2026-02-03T10:11:12Z"),
        ("2026-02-03T10:00:00,25Z", "2026-02-03T10:00:00.25Z"), ("2026-02-03 10:00 UTC", "2026-02-03T10:00:00Z"),
        ("2026-02-03T9:00:00Z", "2026-02-03T09:00:00Z"), ("2026-02-03T10:00:00 +01:00", "2026-02-03T10:00:00+01:00"),
    ],
)  # fmt: skip
def test_a_moment_in_almost_the_right_notation_is_converted_on_read_only_tools(sent: str, moment: str) -> None:
    assert readings(sent, MOMENT) == likely(moment)
    assert judge_value(sent, MOMENT, read_only=True).call.arguments == {"p": moment}
    assert judge_value(sent, MOMENT).action == "refuse"


@pytest.mark.parametrize(
    ("sent", "day"),
    [
        ("20260105", "2026-01-05"), ("2026-05-01T00:00:00Z", "2026-05-01"), ("2024-02-29 00:00", "2024-02-29"),
        ("2026-05-01T00:00:00.000+00:00", "2026-05-01"), ("20240229T000000Z", "2024-02-29"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("schema", [DATE, {"anyOf": [{"type": "null"}, DATE]}])
def test_a_date_in_almost_the_right_notation_is_converted_on_read_only_tools(
    sent: str, day: str, schema: dict[str, Any]
) -> None:
    assert readings(sent, schema) == likely(day)
    assert judge_value(sent, schema, read_only=True).call.arguments == {"p": day}
    assert readings([sent], {"type": "array", "items": schema}) == likely(day)


@pytest.mark.parametrize("sent", ["2026-05-01T10:00:00Z", "2026-05-01T00:00:00+02:00", "5/6/2024 00:00"])
def test_a_time_that_means_something_is_not_left_out_of_a_date(sent: str) -> None:
    assert readings(sent, DATE) == []
    assert "p takes a date without a time." in text(sent, DATE)


@pytest.mark.parametrize("sent", ["2024-02-30", "2023-02-29", "1900-02-29", "2026-04-31T10:00:00Z", "2024-13-05"])
def test_a_date_that_is_not_in_the_calendar_is_explained(sent: str) -> None:
    assert readings(sent, MOMENT) == []
    assert f"{sent[:10]} is not in the calendar." in text(sent, MOMENT)
    assert judge_value(sent, MOMENT, read_only=True).call.arguments == {"p": sent}


@pytest.mark.parametrize("sent", ["2026-01-01T25:00:00Z", "2026-01-01T10:61:00Z", "2026-01-01T10:00:00+99:00"])
def test_an_impossible_time_is_no_moment(sent: str) -> None:
    assert readings(sent, MOMENT) == []
    assert "must be a date-time" in text(sent, MOMENT)


@pytest.mark.parametrize(
    "sent",
    [
        "2026-01-02T10:00:00Z", "2026-01-02t10:00:00z", "2026-01-02T10:00:00.123456+05:30", "2024-02-29T23:59:60Z",
        "2026-01-02", "2026-01-02T10:00:00", "2026-01-02 10:00", "2026-01-02T10:00Z", "1767225600", "2000-02-29",
    ],
)  # fmt: skip
@pytest.mark.parametrize("read_only", [True, False])
def test_a_moment_that_servers_accept_is_left_alone(sent: str, read_only: bool) -> None:
    verdict = judge_value(sent, MOMENT, read_only=read_only)
    assert (verdict.action, verdict.call.arguments, verdict.report.diagnoses) == ("forward", {"p": sent}, ())


def test_every_day_of_the_calendar_is_a_date() -> None:
    days = [date(2023, 1, 1) + timedelta(days=offset) for offset in range(3 * 366)]
    assert all(LENIENT_FORMATS["date"](day.isoformat()) for day in days)
    written = {f"2023-{month:02}-{day:02}" for month in range(14) for day in range(33)}
    assert sum(map(LENIENT_FORMATS["date"], written)) == 365


def test_a_date_that_only_the_description_asks_for_is_left_alone() -> None:
    assert judge_value("20260105", {"type": "string", "description": "ISO date"}).report.diagnoses == ()


def test_a_time_is_kept_where_a_date_or_a_moment_is_allowed() -> None:
    either = {"anyOf": [DATE, MOMENT, {"type": "null"}]}
    assert readings("2026-01-02 10:00:00Z", either) == likely("2026-01-02T10:00:00Z")
    assert readings("5 Jan 2024", either) == lossless("2024-01-05")


TRIP = {"name": "plan_trip", "inputSchema": {"type": "object", "properties": {
    **dict.fromkeys(["start", "middle", "end"], DATE), "seats": {"type": "integer"}, "note": {"type": "string"},
    "stops": {"type": "array", "items": DATE}, "gate": MOMENT}}}  # fmt: skip


def plan(**sent: Any) -> list[Any]:
    """Return the arguments of each call that is offered or sent."""
    verdict = admit(Call("plan_trip", sent), Catalog.listed([TRIP]))
    error = render(verdict.report).structured["error"]
    calls = [error["corrected_call"]] if "corrected_call" in error else error.get("possible_calls", [])
    assert verdict.action == "refuse"
    return [call["arguments"] for call in calls]


def test_all_dates_of_a_call_are_read_in_one_order() -> None:
    assert plan(start="03/04/2025", end="05/04/2025") == [
        {"start": "2025-04-03", "end": "2025-04-05"},
        {"start": "2025-03-04", "end": "2025-05-04"},
    ]
    assert plan(stops=["03/04/2025", "05.06.2025"], gate="07/08/2025 10:00") == [
        {"stops": ["2025-04-03", "2025-06-05"], "gate": "2025-08-07T10:00:00"},
        {"stops": ["2025-03-04", "2025-05-06"], "gate": "2025-07-08T10:00:00"},
    ]


@pytest.mark.parametrize("clear", ["13/04/2025", "13.04.2025", "Mon 07/04/2025"])
def test_a_date_with_one_order_settles_the_others(clear: str) -> None:
    [call] = plan(start="03/04/2025", middle=clear, end="05/04/2025", seats="some")
    assert (call["start"], call["end"]) == ("2025-04-03", "2025-04-05")
    [call] = plan(start="03/04/2025", note=clear)
    assert call["start"] == "2025-04-03"


@pytest.mark.parametrize("note", ["04/04/2025", "2025-04-13", "on 13/04/2025", "13 Apr 2025", "x" * 99])
def test_a_text_that_shows_no_order_settles_nothing(note: str) -> None:
    assert [call["start"] for call in plan(start="03/04/2025", note=note)] == ["2025-04-03", "2025-03-04"]


def test_dates_of_two_orders_settle_nothing() -> None:
    calls = plan(start="03/04/2025", middle="13/04/2025", end="04/14/2025")
    assert [call["start"] for call in calls] == ["2025-04-03", "2025-03-04"]


def test_midnight_is_left_out_only_of_a_date_that_is_clear_by_itself() -> None:
    [call] = plan(start="03/04/2025 00:00", middle="13/04/2025")
    assert call["start"] == "<date>"


def test_a_day_that_is_not_certain_is_no_answer_where_a_time_is_wanted_too() -> None:
    assert readings("06/07/2025", MOMENT) == []
    shown = text("06/07/2025", MOMENT)
    assert "Fill in: t(p: <date-time>)" in shown
    assert "06/07/2025 is 2025-07-06 or 2025-06-07: write the day and the time that are meant." in shown
    assert readings("06/07/2025", {"anyOf": [MOMENT, DATE]}) == offered("2025-07-06", "2025-06-07")
    assert readings("06/07/2025 10:00Z", MOMENT) == offered("2025-07-06T10:00:00Z", "2025-06-07T10:00:00Z")
