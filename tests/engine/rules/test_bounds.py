"""Arguments that are a bound of a quantity."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.rules.bounds import read_bound

INTEGER = {"type": "integer"}
SEARCH: dict[str, Any] = {
    "name": "search_candidates",
    "inputSchema": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "min_votes": INTEGER, "max_votes": INTEGER},
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True},
}


@pytest.mark.parametrize(
    ("sent", "declared", "given"),
    [
        ("votes_gte", "max_votes", ""),
        ("votes_gte", "min_price max_price", ""),
        ("votes_gte", "min_votes votes_min", ""),
        ("votes_gte", "min_votes max_votes", "min_votes"),
        ("votes_eq", "min_votes max_votes", ""),
        ("votes", "min_votes max_votes", ""),
        ("more_votes", "min_votes max_votes", ""),
        ("not_more_than", "min_votes max_votes", ""),
        ("more_than", "min_votes max_votes min_age", ""),
        ("over", "min_votes max_votes", ""),
        ("most", "min_votes max_votes", ""),
        ("at_least", "limit", ""),
        ("timeout_gte", "min_timeout_ms", ""),
        ("min_max", "min_votes", ""),
    ],
)
def test_another_quantity_side_or_two_readings_are_no_bound(sent: str, declared: str, given: str) -> None:
    assert read_bound(sent, declared.split(), given.split()) is None


@pytest.mark.parametrize(
    ("sent", "declared", "name", "is_same"),
    [
        ("votes_gte", "min_votes max_votes", "min_votes", True),
        ("votes__lte", "min_votes max_votes", "max_votes", True),
        ("least_votes", "min_votes max_votes", "min_votes", True),
        ("at_most_votes", "minVotes maxVotes", "maxVotes", True),
        ("votes_greater_than_or_equal", "min_votes max_votes", "min_votes", True),
        ("maximum_price", "price_gte price_lte", "price_lte", True),
        ("votes__gt", "min_votes max_votes", "min_votes", False),
        ("at_least", "min_votes max_votes", "min_votes", True),
        ("fewer_than", "min_votes max_votes", "max_votes", False),
        ("price_above", "price_gt min_age", "price_gt", True),
    ],
)
def test_a_bound_keeps_its_side(sent: str, declared: str, name: str, is_same: bool) -> None:
    assert read_bound(sent, declared.split(), [sent]) == (name, is_same)


def test_a_bound_that_includes_its_value_is_offered() -> None:
    found = admit(Call("search_candidates", {"votes_gte": 10}), Catalog.listed([SEARCH]))
    assert found.action == "refuse"
    assert found.report.corrected
    assert found.report.corrected.arguments == {"min_votes": 10}


def test_a_bound_that_leaves_out_its_value_is_filled_in_by_the_caller() -> None:
    found = admit(Call("search_candidates", {"more_than": 10}), Catalog.listed([SEARCH]))
    assert "Fill in: search_candidates(min_votes: <integer>)" in render(found.report).text
    assert "only one of them includes the value itself" in render(found.report).text


def test_a_flag_is_no_bound() -> None:
    found = admit(Call("search_candidates", {"votes_gte": True}), Catalog.listed([SEARCH]))
    assert "did you mean" not in render(found.report).text
