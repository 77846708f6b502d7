"""Numbers outside the allowed range: where the nearest allowed number is offered, and where it would be invented."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Applicability, Call
from tests.engine.values.readings import judge_value

LIMITED = {"type": "integer", "minimum": 1, "maximum": 10}


@pytest.mark.parametrize("name", ["port", "replicas", "amount_cents", "credit_limit", "retry_count", "max_price"])
@pytest.mark.parametrize("sent", [-1, 99])
def test_no_number_is_invented_for_a_tool_that_may_write(name: str, sent: int) -> None:
    report = judge_value(sent, LIMITED, name=name).report
    assert report.applicability is Applicability.HAS_PLACEHOLDERS
    assert report.corrected == Call("t", {name: "<integer 1 to 10>"})


COUNTS = ["limit", "max", "pageSize", "per_page", "count", "top", "first", "max_results", "num_results"]
OTHERS = [
    "lat",
    "week",
    "page",
    "page_number",
    "offset",
    "start_index",
    "port",
    "amount",
    "max_price",
    "year",
    "radius",
]


@pytest.mark.parametrize("name", COUNTS)
def test_the_nearest_number_of_results_is_offered_for_a_read_only_tool(name: str) -> None:
    assert judge_value(99, LIMITED, name=name, read_only=True).report.corrected == Call("t", {name: 10})
    assert judge_value(99, LIMITED, name=name).report.corrected == Call("t", {name: "<integer 1 to 10>"})


@pytest.mark.parametrize("name", OTHERS)
def test_a_position_a_date_or_an_amount_has_no_nearest_number(name: str) -> None:
    report = judge_value(99, LIMITED, name=name, read_only=True).report
    assert report.corrected == Call("t", {name: "<integer 1 to 10>"})


@pytest.mark.parametrize(("sent", "corrected"), [(10**15, 10), (10**16, "<integer 1 to 10>")])
def test_a_number_that_is_too_large_to_compute_with_gets_a_placeholder(sent: int, corrected: Any) -> None:
    assert judge_value(sent, LIMITED, name="limit", read_only=True).report.corrected == Call("t", {"limit": corrected})
