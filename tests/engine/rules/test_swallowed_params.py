"""Later parameters in the text of an earlier one: as JSON, and as `owner/repo` under a name for both."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render

TEXT = {"type": "string"}
CLAIM = {
    "policy_number": TEXT,
    "incident": {"type": "object", "properties": {"on": TEXT}},
    "amount": {"type": "number"},
    "note": TEXT,
}
REPOSITORY = {"owner": TEXT, "repo": TEXT, "ref": TEXT}


def judge(properties: dict[str, Any], sent: dict[str, Any], *required: str) -> Verdict:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return admit(Call("t", sent), Catalog.listed([{"name": "t", "inputSchema": schema}]))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('PN-1, "incident": {"on": "today"}', {"incident": {"on": "today"}}),
        ('PN-1", "incident": {"on": "today"}', {"incident": {"on": "today"}}),
        ('PN-1", "incident": {"on": "today"}}', {"incident": {"on": "today"}}),
        ("PN-1, 'incident': {'on': 'today'}", {"incident": {"on": "today"}}),
        ('PN-1, "amount": 5, "incident": {}}', {"amount": 5, "incident": {}}),
        ('PN-1, "incident": {}, "note": "x', {"incident": {}, "note": "x"}),
    ],
)
def test_a_text_that_goes_on_with_the_next_name_is_offered_apart(text: str, right: dict[str, Any]) -> None:
    verdict = judge(CLAIM, {"policy_number": text}, "policy_number", "incident")
    assert verdict.action == "refuse"
    assert verdict.report.corrected == Call("t", {"policy_number": "PN-1", **right})
    assert "'policy_number' contains" in render(verdict.report).text


@pytest.mark.parametrize(
    "text",
    [
        'PN-1, "other": 5', 'see {"a": 1, "incident": 5}', 'PN-1, "incident": {"on"', "PN-1, incident: 5",
        'PN-1, "incident": {}, "other": 5', 'say "hi", then, "x", "incident": 5, 6',
    ],
)  # fmt: skip
def test_a_text_that_holds_no_parameter_stays_whole(text: str) -> None:
    report = judge(CLAIM, {"policy_number": text}, "policy_number", "incident").report
    assert not any("contains" in one.message for one in report.diagnoses)


def test_json_in_a_text_of_a_right_call_is_left_alone() -> None:
    assert judge(CLAIM, {"policy_number": 'PN-1, "amount": 5'}, "policy_number").action == "forward"
    assert judge(
        {"content": TEXT, "note": TEXT, "id": TEXT}, {"content": 'a, "note": "b"'}, "id"
    ).report.corrected != Call("t", {"content": "a", "note": "b"})


@pytest.mark.parametrize("name", ["repository", "repo_name", "full_name", "fullName", "project", "slug"])
@pytest.mark.parametrize("text", ["acme/billing", "https://git.example.com/acme/billing.git"])
def test_a_repository_with_its_owner_is_split_whatever_it_is_called(name: str, text: str) -> None:
    verdict = judge(REPOSITORY, {name: text, "ref": "main"}, "owner", "repo")
    assert verdict.action == "refuse"
    assert verdict.report.corrected == Call("t", {"ref": "main", "owner": "acme", "repo": "billing"})


@pytest.mark.parametrize(
    "sent",
    [
        {"repository": "billing"}, {"repository": "a/b/c"}, {"path": "acme/billing"}, {"repository": 7},
        {"repository": "acme/billing", "owner": "acme"}, {"repository": "x" * 400},
    ],
)  # fmt: skip
def test_another_text_is_not_split(sent: dict[str, Any]) -> None:
    report = judge(REPOSITORY, sent, "owner", "repo").report
    assert not any("contains" in one.message for one in report.diagnoses)
