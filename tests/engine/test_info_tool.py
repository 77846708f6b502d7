"""The tool that explains tools: short for many, whole for one."""

from __future__ import annotations

from typing import Any

import pytest

from bench.corpus import many_tools
from fingerpost import Call, Catalog, Verdict
from fingerpost.audit.judge.tokens import estimate_tokens
from fingerpost.engine.info_tool import describe_info_tool
from fingerpost.sdk import Guidance


def listed(*names: str) -> Catalog:
    tools = [
        {"name": name, "description": f"Does {name}.\nAnd more.", "inputSchema": {"type": "object"}} for name in names
    ]
    return Catalog.listed([*tools, describe_info_tool("info")])


def said(catalog: Catalog, **arguments: Any) -> str:
    reply = Guidance().answer_info("me", Verdict("forward", Call("info", arguments)), catalog)
    return "\n".join(block["text"] for block in reply["content"])


def test_an_overview_counts_the_categories_and_names_their_tools() -> None:
    assert said(listed("get_user", "get_repo", "search", "list_files", "list_tags", "ping")) == (
        "6 tools:\nget (2): get_user, get_repo\nlist (2): list_files, list_tags\nsearch, ping\n"
        "More on one, or on a category: info(tool: <name>)."
    )


def test_an_empty_list_and_odd_names_are_told_as_they_are() -> None:
    assert said(listed()).startswith("0 tools:")
    assert "÷" in said(listed("÷"))


@pytest.mark.parametrize("count", [1, 50, 500, 5_000])
def test_an_overview_stays_under_four_hundred_tokens(count: int) -> None:
    text = said(Catalog.listed(many_tools(count)))
    assert estimate_tokens(text) < 400
    assert text.startswith(f"{count:,} tool")


def test_an_overview_of_tools_that_are_all_alone_is_cut_short() -> None:
    text = said(listed(*(f"{'abcdefghijklmnopqrstuvwxyz'[n % 26] * (n // 26 + 2)}" for n in range(300))))
    assert "more" in text
    assert estimate_tokens(text) < 400


def test_a_category_lists_its_tools_with_a_line_for_each() -> None:
    catalog = listed("get_user", "get_repo", "search")
    assert said(catalog, tool="get") == "get_user() - Does get_user.\nget_repo() - Does get_repo."
    assert said(catalog, tool="Get") == said(catalog, tool="get")
    assert said(listed(*(f"get_{n}" for n in range(500))), tool="get").endswith("more.")


def test_each_level_shows_more_of_one_tool() -> None:
    schema = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "A regular expression"},
            "max": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
            **{f"p{n}": {} for n in range(20)},
        },
        "required": ["pattern"],
    }
    tools: list[Any] = [{"name": "search", "inputSchema": schema}, {"name": "two words", "inputSchema": {}}]
    catalog = Catalog.listed(tools)
    minimal, typed, full = (said(catalog, tool="search", detail=level) for level in ("minimal", "typed", "full"))
    assert minimal == "search(pattern, max?, p0?, p1?, p2?, p3?, p4?, p5?, p6?, p7?, p8?, p9?, …)"
    assert typed.splitlines()[1:3] == ["pattern: required, string", "max: optional, integer, 1 to 1000, default 50"]
    assert '"description": "A regular expression"' in full
    assert said(catalog, tool="two words", detail="minimal") == '"two words"()'


def test_a_tool_that_is_not_there_is_answered_with_what_is() -> None:
    catalog = listed("get_user", "get_users", "search")
    assert said(catalog, tool="serach").splitlines()[1] == 'Corrected call: info(tool: "search")'
    assert "Nearest to 'get_user'" in said(listed("get_user_by_id", "get_user_by_name"), tool="get_user")
    assert said(catalog, tool="xyzzy") == "Tool 'xyzzy' was not found.\nUse info() to list all available tools."


def test_the_full_level_says_what_objects_and_lists_consist_of() -> None:
    person = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name"],
    }
    schema = {"type": "object", "$defs": {"P": person}, "properties": {
        "one": {"$ref": "#/$defs/P"}, "many": {"type": "array", "items": {"$ref": "#/$defs/P"}},
        "maybe": {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]}, "tags": {"type": "array"}}}  # fmt: skip
    text = said(Catalog.listed([{"name": "add", "inputSchema": schema}]), tool="add", detail="full")
    assert text.count('"name": {"required": true, "type": "string"}') == 3
    assert 'many: {"required": false, "type": "array", "items": {"type": "object", "properties": ' in text


def test_a_schema_that_holds_itself_is_shown_so_far() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}, "value": {"type": "integer"}}}
    schema = {"type": "object", "$defs": {"N": node}, "properties": {"head": {"$ref": "#/$defs/N"}}}
    text = said(Catalog.listed([{"name": "add", "inputSchema": schema}]), tool="add", detail="full")
    assert 1 < text.count('"value"') < 6
