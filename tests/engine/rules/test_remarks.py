"""Arguments that look like an agent's remark, but that the tool has a parameter for."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render

TEXT: dict[str, Any] = {"type": "string"}


def judge(sent: dict[str, Any], declared: dict[str, Any]) -> Verdict:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}, **declared}, "required": ["id"]}
    tool = {"name": "close_account", "inputSchema": schema, "annotations": {"destructiveHint": True}}
    return admit(Call("close_account", {"id": 1, **sent}), Catalog.listed([tool]))


@pytest.mark.parametrize(
    ("sent", "value", "name", "schema"),
    [
        ("reason", "price", "why", {**TEXT, "description": "Reason for the loss"}),
        ("explanation", "spam", "cause", {**TEXT, "description": "For the log"}),
        ("rationale", "typo", "edit_note", {**TEXT, "description": "Why it was edited"}),
        ("strategy", "squash", "method", {"enum": ["merge", "squash"]}),
    ],
)
def test_a_remark_that_has_a_parameter_is_offered_for_it(
    sent: str, value: str, name: str, schema: dict[str, Any]
) -> None:
    verdict = judge({sent: value}, {name: schema})
    assert verdict.action == "refuse"
    assert verdict.report.corrected == Call("close_account", {"id": 1, name: value})


def test_a_remark_for_two_parameters_is_for_neither_and_not_left_out() -> None:
    about = {**TEXT, "description": "The reason"}
    verdict = judge({"reason": "price"}, {"why": about, "cause": about})
    assert (verdict.action, verdict.report.corrected) == ("refuse", None)
    assert "why, cause" in render(verdict.report).text


@pytest.mark.parametrize(
    ("sent", "declared"),
    [
        ({"reason": "price"}, {"title": TEXT}),
        ({"reason": ""}, {"why": TEXT}),
        ({"reason": "price"}, {"why": {**TEXT, "format": "date"}}),
        ({"reason": "price"}, {"why": {"type": "integer"}}),
        ({"strategy": "quick"}, {"method": {"enum": ["merge", "squash"]}}),
    ],
)
def test_any_other_remark_is_left_out(sent: dict[str, Any], declared: dict[str, Any]) -> None:
    verdict = judge(sent, declared)
    assert verdict.report.corrected in (Call("close_account", {"id": 1}), None)
    assert verdict.action == "refuse"
