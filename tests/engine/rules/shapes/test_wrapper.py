"""Objects around the arguments: the thing that a tool is about, a neutral word, or one of the parameters."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit

TEXT, FLAG = {"type": "string"}, {"type": "boolean"}
POD = {"name": TEXT, "namespace": TEXT}
QUEUE = {"queue": TEXT, "kind": {"enum": ["classic", "quorum"]}, "durable": FLAG, "arguments": {"type": "object"}}
JOBS: dict[str, Any] = {"queue": "jobs", "kind": "classic", "durable": True, "arguments": {}}


def judge(tool: str, properties: dict[str, Any], sent: dict[str, Any], required: tuple[str, ...]) -> Verdict:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return admit(Call(tool, sent), Catalog.listed([{"name": tool, "inputSchema": schema}]))


@pytest.mark.parametrize(
    ("tool", "wrapper"),
    [
        ("pods_run", "pod"), ("pods_run", "Pods"), ("pods_list_in_namespace", "pod"), ("team_pods_update", "team_pod"),
        ("team_pods_update", "pod"), ("run_pod", "pod"),
    ],
)  # fmt: skip
def test_the_thing_that_a_tool_is_about_is_a_wrapper_on_either_side_of_the_verb(tool: str, wrapper: str) -> None:
    verdict = judge(tool, POD, {wrapper: {"name": "a"}}, ("name",))
    assert (verdict.action, verdict.call.arguments) == ("repair", {"name": "a"})


@pytest.mark.parametrize(
    ("tool", "wrapper"),
    [("delete_user_post", "user"), ("user_post_delete", "user"), ("user_email_send", "user"), ("_", "user")],
)
def test_another_thing_in_the_name_of_a_tool_is_no_wrapper(tool: str, wrapper: str) -> None:
    report = judge(tool, POD, {wrapper: {"name": "a"}}, ("name",)).report
    assert report.corrected is None or report.corrected.arguments.get("name") != "a"


@pytest.mark.parametrize("wrapper", ["query", "filters", "spec"])
def test_a_neutral_word_around_two_parameters_is_offered_without(wrapper: str) -> None:
    sent = {"table": "t", "where": "id = 7"}
    verdict = judge("delete_rows", dict.fromkeys(sent, TEXT), {wrapper: sent}, ("table",))
    assert verdict.action == "refuse"
    assert verdict.report.corrected == Call("delete_rows", sent)


@pytest.mark.parametrize("inside", [{"table": "t"}, {"where": "id = 7", "limit": "5"}, {"id": "1", "name": "x"}])
def test_a_neutral_word_around_less_is_no_wrapper(inside: dict[str, Any]) -> None:
    declared: dict[str, Any] = dict.fromkeys(("table", "where", "limit", "id", "name"), TEXT)
    required = ("id",) if "id" in inside else ("table",)
    corrected = judge("delete_rows", declared, {"query": inside}, required).report.corrected
    assert corrected is None or not corrected.arguments.items() >= inside.items()


@pytest.mark.parametrize(
    ("sent", "right"),
    [
        ({"queue": JOBS}, JOBS),
        ({"queue": {"queue": "jobs", "durable": True}, "kind": "quorum"}, {**JOBS, "kind": "quorum"}),
    ],
)
def test_arguments_in_one_of_the_parameters_are_taken_out(sent: dict[str, Any], right: dict[str, Any]) -> None:
    verdict = judge("create_queue", QUEUE, sent, ("queue",))
    assert verdict.action == "repair"
    assert verdict.call.arguments.items() <= right.items()
    assert {"queue", "kind", "durable"} <= verdict.call.arguments.keys()


def test_arguments_in_a_parameter_that_stays_without_value_are_kept() -> None:
    corrected = judge(
        "create_queue", QUEUE, {"queue": {"kind": "classic", "durable": True}}, ("queue",)
    ).report.corrected
    assert corrected is not None
    assert corrected.arguments == {"kind": "classic", "durable": True, "queue": "<string>"}


@pytest.mark.parametrize(
    "sent",
    [
        {"queue": {"queue": "jobs", "durable": True}, "durable": False},
        {"queue": {"queue": "jobs", "durable": True, "colour": "red"}},
        {"queue": {"durable": True}},
        {"arguments": {"queue": "jobs", "durable": True}, "kind": 5, "queue": "x"},
    ],
)
def test_an_object_that_contradicts_or_says_something_else_stays(sent: dict[str, Any]) -> None:
    report = judge("create_queue", QUEUE, sent, ("queue",)).report
    assert not any("wrapped in" in one.message for one in report.diagnoses)
