"""The info tool: a short overview of all tools, and the details of one."""

from __future__ import annotations

from typing import Any

import pytest

from bench.corpus import many_tools
from fingerpost import Call, Catalog, Verdict
from fingerpost.audit.judge.tokens import estimate_tokens
from fingerpost.engine.info_tool import describe_info_tool
from fingerpost.sdk import Guidance


def catalog_of(*names: str) -> Catalog:
    tools = [
        {"name": name, "description": f"Does {name}.\nAnd more.", "inputSchema": {"type": "object"}} for name in names
    ]
    return Catalog.listed([*tools, describe_info_tool("info")])


def ask_info(catalog: Catalog, **arguments: Any) -> str:
    reply = Guidance().answer_info("me", Verdict("forward", Call("info", arguments)), catalog)
    return "\n".join(block["text"] for block in reply["content"])


def test_the_overview_lists_the_tools_by_category_with_counts() -> None:
    assert ask_info(catalog_of("get_user", "get_repo", "search", "list_files", "list_tags", "ping")) == (
        "6 tools:\nget (2): get_user, get_repo\nlist (2): list_files, list_tags\nsearch, ping\n"
        "More on one, or on a category: info(tool: <name>)."
    )


def test_the_overview_works_for_an_empty_list_and_unusual_names() -> None:
    assert ask_info(catalog_of()).startswith("0 tools:")
    assert "÷" in ask_info(catalog_of("÷"))


@pytest.mark.parametrize("count", [1, 50, 500, 5_000])
def test_the_overview_stays_under_400_tokens(count: int) -> None:
    text = ask_info(Catalog.listed(many_tools(count)))
    assert estimate_tokens(text) < 400
    assert text.startswith(f"{count:,} tool")


def test_the_overview_is_cut_short_if_every_tool_is_alone_in_its_category() -> None:
    text = ask_info(catalog_of(*(f"{'abcdefghijklmnopqrstuvwxyz'[n % 26] * (n // 26 + 2)}" for n in range(300))))
    assert "more" in text
    assert estimate_tokens(text) < 400


def test_a_category_lists_one_line_for_each_tool() -> None:
    catalog = catalog_of("get_user", "get_repo", "search")
    assert ask_info(catalog, tool="get") == "get_user() - Does get_user.\nget_repo() - Does get_repo."
    assert ask_info(catalog, tool="Get") == ask_info(catalog, tool="get")
    assert ask_info(catalog_of(*(f"get_{n}" for n in range(500))), tool="get").endswith("more.")


def test_each_level_of_detail_shows_more_of_a_tool() -> None:
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
    minimal, typed, full = (ask_info(catalog, tool="search", detail=level) for level in ("minimal", "typed", "full"))
    assert minimal == "search(pattern, max?, p0?, p1?, p2?, p3?, p4?, p5?, p6?, p7?, p8?, p9?, …)"
    assert typed.splitlines()[1:3] == ["pattern: required, string", "max: optional, integer, 1 to 1000, default 50"]
    assert '"description": "A regular expression"' in full
    assert ask_info(catalog, tool="two words", detail="minimal") == '"two words"()'


def test_an_unknown_tool_gets_the_most_similar_ones() -> None:
    catalog = catalog_of("get_user", "get_users", "search")
    assert ask_info(catalog, tool="serach").splitlines()[1] == 'Corrected call: info(tool: "search")'
    several = ask_info(catalog_of("get_user_by_id", "get_user_by_name"), tool="get_user").splitlines()
    assert several[1] == 'Either info(tool: "get_user_by_name") or info(tool: "get_user_by_id").'
    assert ask_info(catalog, tool="xyzzy") == "Tool 'xyzzy' was not found.\nUse info() to list all available tools."


def test_the_full_level_shows_the_fields_of_objects_and_lists() -> None:
    person = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name"],
    }
    schema = {"type": "object", "$defs": {"P": person}, "properties": {
        "one": {"$ref": "#/$defs/P"}, "many": {"type": "array", "items": {"$ref": "#/$defs/P"}},
        "maybe": {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]}, "tags": {"type": "array"}}}  # fmt: skip
    text = ask_info(Catalog.listed([{"name": "add", "inputSchema": schema}]), tool="add", detail="full")
    assert text.count('"name": {"required": true, "type": "string"}') == 3
    assert 'many: {"required": false, "type": "array", "items": {"type": "object", "properties": ' in text


def test_a_recursive_schema_is_shown_to_a_limited_depth() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}, "value": {"type": "integer"}}}
    schema = {"type": "object", "$defs": {"N": node}, "properties": {"head": {"$ref": "#/$defs/N"}}}
    text = ask_info(Catalog.listed([{"name": "add", "inputSchema": schema}]), tool="add", detail="full")
    assert 1 < text.count('"value"') < 6
