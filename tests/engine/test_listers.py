"""A missing id is answered with the tool that lists such ids."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.listers import find_lister
from fingerpost.engine.model import Path
from fingerpost.engine.tool import Tool

TEXT = {"type": "string"}


def tool(name: str, *required: str, read_only: bool = True) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(required, TEXT), "required": list(required)}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}


@pytest.mark.parametrize(
    ("parameter", "names", "lister"),
    [
        ("project_id", ["list_projects"], "list_projects"),
        ("projectId", ["listProjects"], "listProjects"),
        ("project_ids", ["projects_list"], "projects_list"),
        ("project_uuid", ["find_projects", "list_all_projects"], "list_all_projects"),
        ("project_id", ["search_projects", "list_team_projects"], "search_projects"),
        ("project_id", ["linear_list_projects"], "linear_list_projects"),
        ("project_id", ["list_projects_by_team"], "list_projects_by_team"),
        ("id", ["list_tasks", "list_projects"], "list_tasks"),
        ("task_list_id", ["list_task_lists"], None),
        ("company_id", ["list_companies"], "list_companies"),
    ],
)
def test_a_lister_is_named_after_listing_and_after_the_same_thing(
    parameter: str, names: list[str], lister: str | None
) -> None:
    catalog = Catalog.listed([tool("update_task", parameter, read_only=False), *map(tool, names)])
    found = find_lister(catalog, (parameter,), catalog.get("update_task") or Tool("x"))
    assert (found.name if found else None) == lister


@pytest.mark.parametrize(
    ("parameter", "other"),
    [
        ("project_id", tool("list_tasks")),
        ("project_id", tool("list_project_tasks")),
        ("project_id", tool("list_projects", read_only=False)),
        ("project_id", tool("delete_projects")),
        ("project_id", tool("get_project")),
        ("project_id", tool("list_projects", "project_id")),
        ("id", tool("find_task", "id")),
        ("project", tool("list_projects")),
        ("title", tool("list_titles")),
        ("api_key", tool("list_apis")),
        ("", tool("list_projects")),
    ],
)
def test_another_thing_a_tool_that_may_write_or_one_that_needs_the_id_is_not_named(
    parameter: str, other: dict[str, Any]
) -> None:
    catalog = Catalog.listed([tool("update_task", parameter), other])
    assert find_lister(catalog, (parameter,), catalog.get("update_task") or Tool("x")) is None


@pytest.mark.parametrize(
    ("name", "at", "lister"),
    [
        ("share_task", ("user", "id"), "list_users"),
        ("share_task", ("users", 0, "id"), "list_users"),
        ("share_task", ("owner", "id"), None),
        ("share_task", ("id",), "list_tasks"),
        ("create_task", ("id",), None),
        ("create_task", ("task_key",), None),
        ("create_task", ("user_id",), "list_users"),
    ],
)
def test_an_id_without_a_noun_is_that_of_its_object_and_nothing_lists_what_is_only_created(
    name: str, at: Path, lister: str | None
) -> None:
    catalog = Catalog.listed([tool(name, read_only=False), tool("list_tasks"), tool("list_users")])
    found = find_lister(catalog, at, catalog.get(name) or Tool("x"))
    assert (found.name if found else None) == lister


def test_the_lister_is_in_the_text_and_in_the_next_steps() -> None:
    catalog = Catalog.listed([tool("add_task", "project_id", "user_id", "team_id"), tool("list_projects"),
                              tool("search_users", "query"), tool("list_teams")])  # fmt: skip
    envelope = render(admit(Call("add_task", {}), catalog).report)
    assert envelope.text.splitlines()[2:] == ["For project_id, see list_projects().", "For user_id, see search_users."]
    assert envelope.structured["error"]["next_steps"]["list"] == "list_projects()"
