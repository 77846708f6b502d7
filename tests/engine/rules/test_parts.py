"""An argument that names the whole of what several parameters are parts of."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
DATE: dict[str, Any] = {"type": "string", "format": "date"}


def judge(sent: dict[str, Any], declared: dict[str, Any], required: str = "", *, read_only: bool = True) -> Verdict:
    schema = {"type": "object", "properties": declared, "required": required.split(), "additionalProperties": False}
    tool = {"name": "find_things", "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}
    return admit(Call("find_things", sent), Catalog.listed([tool]))


def calls(verdict: Verdict) -> list[Any]:
    error = render(verdict.report).structured["error"]
    found = [error.get("corrected_call"), *error.get("possible_calls", [])]
    return [one["arguments"] for one in found if one]


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("sent", "value", "kind", "parts"),
    [
        ("year", 100, NUMBER, "year_min year_max"),
        ("votes", 10, NUMBER, "min_votes max_votes"),
        ("age", 10, NUMBER, "age_gte age_lte"),
        ("created", "2025-01-01", DATE, "created_after created_before"),
        ("date", "2025-01-01", DATE, "from_date to_date"),
        ("date", "2025-01-01", DATE, "after before"),
        ("when", "2025-01-01", DATE, "since until"),
        ("line", 5, NUMBER, "start_line end_line"),
        ("name", "Jo Li", TEXT, "first_name last_name"),
        ("address", "Elm 4", TEXT, "street house_number"),
        ("location", "Berlin, Germany", TEXT, "city country"),
    ],
)
def test_no_part_gets_the_value_of_the_whole(
    sent: str, value: Any, kind: dict[str, Any], parts: str, read_only: bool
) -> None:
    one, other = parts.split()
    verdict = judge({sent: value}, {one: kind, other: kind, "limit": NUMBER}, read_only=read_only)
    assert (verdict.action, calls(verdict)) == ("refuse", [])
    assert (
        render(verdict.report).text == f"Unknown param '{sent}'.\nInstead of '{sent}' there are '{one}' and '{other}'."
    )


@pytest.mark.parametrize(
    ("sent", "value", "parts"),
    [
        ("name", "Jo Li", "first_name last_name"),
        ("address", "Elm", "street house_number"),
        ("location", "here", "latitude longitude"),
    ],
)
def test_parts_that_are_required_are_left_to_the_caller(sent: str, value: str, parts: str) -> None:
    one, other = parts.split()
    verdict = judge({sent: value}, {one: TEXT, other: TEXT}, parts)
    assert calls(verdict) in ([], [{one: "<string>", other: "<string>"}])
    assert f"Required parameters '{one}' and '{other}' are missing." in render(verdict.report).text


@pytest.mark.parametrize("other", ["company_name", "full_name"])
def test_what_else_may_be_meant_is_named_too(other: str) -> None:
    verdict = judge({"name": "Jo Li"}, {"first_name": TEXT, "last_name": TEXT, other: TEXT})
    assert calls(verdict) == []
    assert f"there are 'first_name', 'last_name' and '{other}'." in render(verdict.report).text


@pytest.mark.parametrize("sides", ["source_path target_path", "from_path to_path", "old_path new_path"])
def test_either_of_two_roles_is_offered(sides: str) -> None:
    one, other = sides.split()
    assert len(calls(judge({"path": "a"}, {one: TEXT, other: TEXT}))) == 2


def test_parts_inside_an_object_are_named_by_their_place() -> None:
    member = {"type": "object", "properties": {"first_name": TEXT, "last_name": TEXT}, "required": ["first_name"]}
    verdict = judge({"name": "Jo Li"}, {"member": member}, "member")
    assert calls(verdict) == []
    assert "there are 'member.first_name' and 'member.last_name'." in render(verdict.report).text


@pytest.mark.parametrize(
    ("sent", "declared", "intended"),
    [
        ({"since": "2025-01-01"}, {"from_date": DATE, "to_date": DATE}, "from_date"),
        ({"until": "2025-01-01"}, {"start_date": DATE, "end_date": DATE}, "end_date"),
        ({"location": "Berlin"}, {"city": TEXT, "country": TEXT}, "city"),
    ],
)
def test_an_argument_that_says_which_part_is_offered_for_it(
    sent: dict[str, Any], declared: dict[str, Any], intended: str
) -> None:
    [value] = sent.values()
    assert calls(judge(sent, declared)) == [{intended: value}]


def test_the_only_part_that_is_missing_may_be_the_whole() -> None:
    declared = {"source_tank": NUMBER, "target_tank": NUMBER}
    verdict = judge({"tank": 3, "target_tank": 4}, declared, "source_tank target_tank")
    assert calls(verdict) == [{"source_tank": 3, "target_tank": 4}]
    assert calls(judge({"year": 3, "year_max": 4}, {"year_min": NUMBER, "year_max": NUMBER})) == []


def test_a_number_of_days_is_no_date() -> None:
    assert "Instead" not in render(judge({"days": 20}, {"start": DATE, "end": DATE}).report).text
    assert "Instead" not in render(judge({"day": 20}, {"start": DATE, "end": DATE}).report).text


def test_more_pairs_of_dates_than_one_are_not_named() -> None:
    dates = dict.fromkeys(["after", "before", "since", "until"], DATE)
    assert "Instead" not in render(judge({"date": "2025-01-01"}, dates).report).text


@pytest.mark.parametrize(
    ("sent", "whole"),
    [("service plan", "serviceAndPlan"), ("owner repo", "owner_and_repo"), ("red green blue", "red_green_and_blue")],
)
def test_parts_of_one_parameter_are_not_given_to_it_one_by_one(sent: str, whole: str) -> None:
    verdict = judge(dict.fromkeys(sent.split(), "x"), {whole: TEXT}, whole, read_only=False)
    assert verdict.action == "refuse"
    assert not any(call.get(whole) == "x" for call in calls(verdict))
    assert f"'{whole}' holds" in render(verdict.report).text


@pytest.mark.parametrize(
    ("sent", "known"), [("user id", "user_id"), ("service", "serviceAndPlan"), ("sort order", "sort_order")]
)
def test_a_label_or_one_part_alone_is_read_as_before(sent: str, known: str) -> None:
    verdict = judge(dict.fromkeys(sent.split(), "x"), {known: TEXT}, known, read_only=False)
    assert "holds" not in render(verdict.report).text


def test_arguments_with_a_parameter_of_their_own_are_no_parts() -> None:
    declared = {"account": TEXT, "amount": TEXT, "account_amount": TEXT}
    verdict = judge({"Account": "a", "Amount": "b"}, declared)
    assert verdict.call.arguments == {"account": "a", "amount": "b"}
