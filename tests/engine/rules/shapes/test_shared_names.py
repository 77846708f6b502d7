"""Fields at the top level whose name several objects have, or that may be a required parameter instead."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render

TEXT = {"type": "string"}


def fields(*names: str, required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": list(required)}


ITEM = {"label": TEXT, "login": fields("username", "password"), "identity": fields("username", "title", "email")}


def judge(
    properties: dict[str, Any], sent: dict[str, Any], *required: str, tool: str = "create_item", read_only: bool = False
) -> Verdict:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    listed: dict[str, Any] = {"name": tool, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}
    return admit(Call(tool, sent), Catalog.listed([listed]))


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("sent", "right"),
    [
        ({"username": "me", "password": "pw"}, {"login": {"password": "pw", "username": "me"}}),
        ({"Username": "me", "title": "Dr"}, {"identity": {"title": "Dr", "username": "me"}}),
        ({"username": "me", "login": {"password": "pw"}}, {"login": {"password": "pw", "username": "me"}}),
    ],
)
def test_the_object_of_the_other_fields_is_offered(sent: dict[str, Any], right: Any, read_only: bool) -> None:
    verdict = judge(ITEM, sent, read_only=read_only)
    assert verdict.action == "refuse"
    assert verdict.report.corrected == Call("create_item", right)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    "sent",
    [
        {"username": "me"},
        {"username": "me", "login": {"username": "you"}},
        {"username": "me", "password": "pw", "email": "a@example.com"},
    ],
)
def test_a_field_of_several_objects_is_read_as_no_other_field(sent: dict[str, Any], read_only: bool) -> None:
    verdict = judge(ITEM, sent, read_only=read_only)
    assert verdict.action == "refuse"
    assert verdict.report.corrected is None
    assert not verdict.report.readings
    assert "'username' is not a parameter; it is a field of 'login' and 'identity'" in render(verdict.report).text


def test_a_field_that_is_given_already_is_read_as_no_other_field() -> None:
    declared = {"login": fields("username", "nickname", "alias")}
    corrected = judge(declared, {"username": "me", "login": {"username": "you"}}).report.corrected
    assert corrected is None or "me" not in corrected.arguments.get("login", {}).values()


def test_a_name_that_several_objects_have_may_still_be_a_parameter() -> None:
    declared = {"workflow_id": TEXT, "user": fields("id"), "team": fields("id")}
    corrected = judge(declared, {"id": "W1"}, "workflow_id", tool="start_workflow").report.corrected
    assert corrected == Call("start_workflow", {"workflow_id": "W1"})


def test_a_field_is_not_moved_into_an_object_if_a_required_parameter_may_be_meant() -> None:
    declared = {"workflow_id": TEXT, "request": fields("id", "note")}
    sent = {"id": "W1", "request": {"note": "x"}}
    assert judge(declared, sent, "workflow_id", "request", tool="start_workflow").report.corrected == Call(
        "start_workflow", {"workflow_id": "W1", "request": {"note": "x"}}
    )
    given = {**sent, "workflow_id": "W2"}
    assert judge(declared, given, "workflow_id", "request").call.arguments["request"] == {"note": "x", "id": "W1"}


@pytest.mark.parametrize("kind", ["integer", "number", "string"])
def test_a_required_parameter_of_another_type_cannot_be_meant(kind: str) -> None:
    declared = {"workflow_id": {"type": kind}, "request": {"type": "object", "properties": {"id": {"type": "integer"}}}}
    corrected = judge(declared, {"id": 7, "request": {}}, "workflow_id", "request").report.corrected
    assert corrected is not None
    assert (corrected.arguments["request"] == {"id": 7}) is (kind == "string")


def test_a_field_stays_in_its_object_if_a_required_one_is_missing_there() -> None:
    service = fields("id", "summary", required=("id",))
    incident = {**fields("title", required=("title", "service"))}
    incident["properties"] = {**incident["properties"], "service": service}
    sent = {"summary": "DB down", "service": {"id": "S"}}
    text = render(judge({"incident": incident}, {"incident": sent}, "incident").report).text
    assert "belongs inside" not in text
    assert "'incident.title' is missing" in text
    whole = {**sent, "title": "x"}
    assert "belongs inside 'incident.service'" in render(judge({"incident": incident}, {"incident": whole}).report).text


def test_the_object_that_a_field_belongs_to_is_not_what_is_meant() -> None:
    event = {"type": "object", "properties": {"incident": fields("id")}, "required": ["incident"]}
    request = {"type": "object", "properties": {"incident_event": event}, "required": ["incident_event"]}
    sent = {"request": {"incident": {"id": "Q"}}}
    assert judge({"request": request}, sent, "request").report.corrected == Call(
        "create_item", {"request": {"incident_event": {"incident": {"id": "Q"}}}}
    )


def test_another_spelling_of_a_parameter_is_no_field() -> None:
    properties = {"username": TEXT, **ITEM}
    verdict = judge(properties, {"UserName": "me", "login": {"password": "pw"}}, read_only=True)
    assert verdict.call.arguments == {"username": "me", "login": {"password": "pw"}}
