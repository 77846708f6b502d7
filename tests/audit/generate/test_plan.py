"""Which wrong calls a plan has for which tool."""

from __future__ import annotations

from typing import Any, cast

from fingerpost.audit.generate.mutations import is_nearest
from fingerpost.audit.generate.plan import Plan
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.tool import Tool
from tests.support.audited_servers import FAR, NEAR
from tests.support.misbehaving import TOOLS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string"},
        "max": {"type": "integer", "minimum": 1, "maximum": 1000},
        "order": {"type": "string", "enum": ["asc", "desc"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "day": {"type": "string", "format": "date"},
        "any": {},
    },
    "required": ["pattern"],
}


CATALOG = Catalog.listed(
    [
        {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": name != "delete"}}
        for name in ("search", "delete", "search_code", "search_files")
    ]
)


def test_a_tool_that_may_write_gets_only_calls_that_must_fail() -> None:
    plan = Plan(CATALOG, 1, examples={"delete": [{"pattern": "precious"}]})
    tool = CATALOG.get("delete")
    assert tool
    made = plan.calls(tool)
    assert {one.kind for one in made} == {"tool.misspelt", "tool.invented", "required.missing"}
    assert all("pattern" not in one.call.arguments for one in made)
    assert "precious" not in repr(made)
    skipped = list(plan.skip_events())
    assert [one.tool for one in skipped] == ["delete"]
    assert skipped[0].why.startswith("it does not declare readOnlyHint: true")
    assert {one.kind for one in Plan(CATALOG, 1, allow_writes=True).calls(tool)} > {"type.wrong", "choice.restyled"}


def test_a_misspelling_that_may_name_a_writing_tool_is_not_sent() -> None:
    tools = [
        {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": name == "peek"}}
        for name in ("peek", "peck")
    ]
    catalog = Catalog.listed(tools)
    tool = catalog.get("peek")
    assert tool
    plans = [Plan(catalog, seed, allow_writes=allow_writes) for allow_writes in (False, True) for seed in range(40)]
    safe, all_of_them = (
        {one.call.tool for plan in some for one in plan.calls(tool) if one.kind == "tool.misspelt"}
        for some in (plans[:40], plans[40:])
    )
    assert "pek" in all_of_them
    assert safe == {name for name in all_of_them if is_nearest("peek", name, ["peek", "peck"])} != all_of_them


def test_a_writing_tool_without_required_parameters_gets_no_call() -> None:
    catalog = Catalog.listed([{"name": "reset_all", "inputSchema": {"type": "object", "additionalProperties": False}}])
    plan = Plan(catalog, 1)
    assert [one for tool in plan.tools for one in plan.calls(tool)] == []
    assert [one.what for one in plan.skip_events()] == ["every mistake"]


def test_a_tool_without_a_right_call_gets_only_wrong_names() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"id": {"type": "string", "pattern": "^[0-9]{4}$"}},
        "required": ["id"],
    }
    tool: dict[str, Any] = {"name": "by_id", "inputSchema": schema, "annotations": {"readOnlyHint": True}}
    plan = Plan(Catalog.listed([tool]), 1)
    made = [one for tool in plan.tools for one in plan.calls(tool)]
    assert {one.kind.partition(".")[0] for one in made} == {"tool"}
    assert [one.what for one in plan.skip_events()] == ["mistakes in its values"]
    given = Plan(Catalog.listed([tool]), 1, examples={"by_id": [{"id": "1234"}]})
    assert "type.wrong" in {one.kind for tool in given.tools for one in given.calls(tool)}


def test_a_limit_is_probed_at_its_minimum_if_that_is_valid() -> None:
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "limit": {"type": "integer", "minimum": 20}}}
    catalog = Catalog.listed([{"name": "find", "inputSchema": schema, "annotations": {"readOnlyHint": True}}])
    cut = [one for tool in Plan(catalog, 1).tools for one in Plan(catalog, 1).calls(tool) if one.kind == "result.cut"]
    assert [(one.culprit, one.call.arguments["max"], one.right.arguments["max"]) for one in cut] == [("max", 1, 10)]


def test_only_and_without_select_the_tools() -> None:
    only = Plan(CATALOG, 1, only=frozenset({"search"}))
    assert [tool.name for tool in only.tools] == ["search"]
    assert {one.tool for one in only.skip_events()} == {"delete", "search_code", "search_files"}
    without = Plan(CATALOG, 1, without=frozenset({"search", "delete"}))
    assert [tool.name for tool in without.tools] == ["search_code", "search_files"]
    assert {one.why for one in without.skip_events()} == {"--without names it"}


def test_a_limit_on_calls_keeps_every_kind_of_mistake() -> None:
    tool = CATALOG.get("search")
    assert tool
    every, few = Plan(CATALOG, 1, most=500).calls(tool), Plan(CATALOG, 1, most=30).calls(tool)
    assert len(every) > len(few) == 30
    assert len({one.kind for one in few}) == min(30, len({one.kind for one in every}))
    assert [one for one in every if one in few] == few


def test_another_tool_changes_no_call() -> None:
    tool = CATALOG.get("search")
    assert tool
    more = Catalog.listed([{"name": "zebra", "inputSchema": SCHEMA}, {"name": "search", "inputSchema": SCHEMA}])
    alone = Catalog.listed([{"name": "search", "inputSchema": SCHEMA}])
    assert Plan(more, 7).calls(tool) == Plan(alone, 7).calls(tool)


def test_the_wrong_calls_of_a_tool_do_not_depend_on_other_tools() -> None:
    few, many = Catalog.listed([NEAR, FAR]), Catalog.listed([TOOLS[0], NEAR, *TOOLS[1:], FAR])
    for name in ("look_up", "see_beyond"):
        made = [Plan(catalog, seed=3).calls(cast("Tool", catalog.get(name))) for catalog in (few, many)]
        assert [one.call for one in made[0]] == [one.call for one in made[1]]
