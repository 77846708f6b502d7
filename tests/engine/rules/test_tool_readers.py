"""Which tool comes first if a name does not say whether something is to be written."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render

SQL = {"sql": "SELECT 1"}


def tool(name: str, *params: str, reads: bool = False, **annotations: bool) -> dict[str, Any]:
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in params}, "required": [*params]}
    hints = {"readOnlyHint": True} if reads else annotations
    return {"name": name, "inputSchema": schema, **({"annotations": hints} if hints else {})}


def answer(name: str, arguments: dict[str, Any], *tools: dict[str, Any]) -> tuple[list[str], str]:
    """Return the tools of the calls that are offered, and the text."""
    rendered = render(admit(Call(name, arguments), Catalog.listed(tools)).report)
    error = rendered.structured["error"]
    calls = [error.get("corrected_call"), *error.get("possible_calls", [])]
    return [call["name"] for call in calls if call], rendered.text


@pytest.mark.parametrize("asked", ["run_query", "execute_query", "run_sql"])
def test_a_tool_that_only_reads_is_offered_before_one_that_writes(asked: str) -> None:
    calls, text = answer(asked, SQL, tool("execute_statement", "sql"), tool("run_select", "sql", reads=True))
    assert calls == ["run_select"]
    assert "'execute_statement'" in text


def test_several_tools_that_only_read_are_listed_first() -> None:
    readers = [tool("run_select", "sql", reads=True), tool("run_explain", "sql", reads=True)]
    calls, text = answer("execute_query", SQL, tool("execute_statement", "sql"), *readers)
    assert calls == []
    assert text.index("run_select") < text.index("execute_statement")


def test_a_reader_with_another_verb_is_only_listed() -> None:
    calls, text = answer("run_sql", SQL, tool("execute_statement", "sql"), tool("search_rows", "sql", reads=True))
    assert calls == []
    assert "search_rows" in text


def test_a_misspelled_name_is_no_other_tool() -> None:
    tools = tool("execute_statement", "sql"), tool("run_select", "sql", reads=True)
    assert answer("execute_statment", SQL, *tools)[0] == ["execute_statement"]


def test_what_is_looked_up_by_its_id_is_not_run() -> None:
    tools = tool("execute_job", "job_id"), tool("get_job", "job_id", reads=True)
    assert answer("run_job", {"job_id": "j1"}, *tools)[0] == ["execute_job"]


def test_a_list_of_things_is_not_what_runs_them() -> None:
    tools = tool("trigger_pipeline", "project", "ref"), tool("list_pipelines", "project", "ref", reads=True)
    assert answer("run_pipeline", {"project": "p", "ref": "main"}, *tools)[0] == ["trigger_pipeline"]


def test_what_is_found_by_its_id_is_not_run() -> None:
    tools = tool("execute_job", "job_id"), tool("find_job", "job_id", reads=True)
    assert answer("run_job", {"job_id": "j1"}, *tools)[0] == ["execute_job"]


def test_a_verb_that_writes_is_not_for_a_reader() -> None:
    tools = tool("add_note", "text"), tool("search_notes", "text", reads=True)
    assert answer("create_note", {"text": "x"}, *tools)[0] == ["add_note"]


ID = {"instance_id": "i-1"}


@pytest.mark.parametrize("annotations", [{}, {"destructiveHint": True}])
@pytest.mark.parametrize("asked", ["shutdown_instance", "shut_down_instance", "stop_instances", "end_instance"])
def test_a_destructive_tool_is_no_choice_beside_another(asked: str, annotations: dict[str, bool]) -> None:
    tools = tool("stop_instance", "instance_id"), tool("terminate_instance", "instance_id", **annotations)
    assert "terminate_instance" not in answer(asked, ID, *tools)[0]


def test_to_shut_down_is_not_to_terminate() -> None:
    assert answer("shutdown_instance", ID, tool("terminate_instance", "instance_id"))[0] == []


def test_of_two_destructive_tools_none_is_offered() -> None:
    tools = tool("delete_user", "user_id"), tool("erase_user", "user_id")
    assert answer("remove_user", {"user_id": "u1"}, *tools)[0] == []


@pytest.mark.parametrize("asked", ["export_data", "download_results", "delete_data"])
def test_nouns_that_say_nothing_are_not_the_same(asked: str) -> None:
    tools = tool("get_info", "id", reads=True), tool("remove_item", "id")
    assert answer(asked, {"id": "x"}, *tools)[0] == []


def test_what_is_looked_up_may_have_another_noun_that_says_nothing() -> None:
    assert answer("fetch_details", {"id": "x"}, tool("get_info", "id", reads=True))[0] == ["get_info"]
