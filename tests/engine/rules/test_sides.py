"""Arguments that are one side of two."""

from __future__ import annotations

import pytest

from fingerpost.engine.rules.sides import find_sides, has_two_orders


@pytest.mark.parametrize(
    ("sent", "known"),
    [
        ("start end", "from_ts to_ts"),
        ("since until", "startDate endDate"),
        ("head base", "source_branch target_branch"),
        ("search replace", "oldText newText"),
        ("old_str new_str", "search replace"),
        ("sender recipient", "from_address to_address"),
        ("old_path new_path", "source destination"),
        ("lower upper", "min_price max_price"),
        ("from_bucket from_key to_bucket to_key", "source_bucket source_key destination_bucket destination_key"),
    ],
)
def test_two_sides_stand_for_the_parameters_that_differ_only_by_their_sides(sent: str, known: str) -> None:
    strays, names = sent.split(), known.split()
    assert find_sides(strays, ["id", *names], []) == dict(zip(strays, names, strict=True))


def test_one_side_is_read_beside_the_parameter_that_is_the_other() -> None:
    assert find_sides(["end"], ["from_ts", "to_ts"], ["from_ts"]) == {"end": "to_ts"}
    assert find_sides(["start"], ["from_ts", "to_ts"], ["to_ts"]) == {"start": "from_ts"}


@pytest.mark.parametrize(
    ("strays", "known", "given"),
    [
        ("end", "from_ts to_ts", ""),
        ("start end", "from_ts to_ts", "from_ts to_ts"),
        ("start_page end_page", "from_ts to_ts", ""),
        ("start_date end_date", "source destination", ""),
        ("from to", "start_date end_date origin destination", ""),
        ("from to", "base head", ""),
        ("start end", "from_ts to_date", ""),
        ("", "from_ts to_ts", ""),
    ],
)
def test_what_is_no_pair_or_leaves_two_readings_is_not_read(strays: str, known: str, given: str) -> None:
    assert find_sides(strays.split(), known.split(), given.split()) == {}


@pytest.mark.parametrize("stray", ["from", "to", "from_branch"])
def test_a_side_that_may_be_either_branch_is_neither(stray: str) -> None:
    assert has_two_orders(stray, ["title", "head", "base"])
    assert not has_two_orders(stray, ["title", "base", "amount"])
    assert not has_two_orders("source", ["head", "base"])


def test_into_is_where_something_goes_to() -> None:
    known = ["from_ticket_id", "into_ticket_id"]
    assert find_sides(["source_ticket", "target_ticket"], known, []) == {
        "source_ticket": "from_ticket_id",
        "target_ticket": "into_ticket_id",
    }
