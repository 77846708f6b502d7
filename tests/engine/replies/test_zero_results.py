"""A search that finds nothing gets advice; any other empty answer is the plain truth."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Policy, enrich
from fingerpost.engine.replies.classify import is_plain_success
from fingerpost.engine.replies.paging_tips import advise

STRING = {"type": "string"}


def tool(name: str, *required: str, read_only: bool = True, **optional: Any) -> dict[str, Any]:
    properties = {**dict.fromkeys(required, STRING), **optional}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}


PAGING: dict[str, Any] = {
    "offset": {"type": "integer"},
    "page": {"type": "integer"},
    "cursor": STRING,
    "limit": {"type": "integer"},
}
CATALOG = Catalog.listed(
    [
        tool("search", "query", filter=STRING, **PAGING),
        tool("code_search", "query"),
        tool("list_files", glob=STRING, parent_id=STRING),
        tool("get_comments", "issue_id", filter=STRING),
        tool("find_and_replace", "query", read_only=False),
        tool("read_parts", include_errors={"type": "boolean"}, paths={"type": "array"}),
    ]
)
EMPTY: list[dict[str, Any]] = [
    {"content": [], "structuredContent": {"results": [], "total": 0}},
    {"content": [], "structuredContent": {"result": []}},
    {"content": [{"type": "text", "text": json.dumps({"deals": [], "query": "x"})}]},
    {"content": [{"type": "text", "text": "[]"}], "structuredContent": {"result": "[]"}},
    {"content": [{"type": "text", "text": "[]"}]},
    {"content": [{"type": "text", "text": json.dumps({"items": [], "totalCount": 0})}]},
    {"content": [], "structuredContent": {"total": 0, "took_ms": 3}},
    {"content": [{"type": "text", "text": "No results found"}]},
    {"content": [{"type": "text", "text": "No matches found for 'x'."}]},
    {"content": [{"type": "text", "text": "Found 0 matching files"}]},
    {"content": [{"type": "text", "text": "Nothing found."}]},
    {"content": [{"type": "text", "text": "x"}], "structuredContent": {"result": "No matching documents"}},
    {"content": [], "structuredContent": {"data": {"items": [], "total": 0}}},
    {"content": [], "structuredContent": {"hits": {"hits": [], "total": {"value": 0}}}},
    {"content": [], "structuredContent": {"items": None, "count": 0}},
    *({"content": [{"type": "text", "text": text}]} for text in (
        "Found 0 files", "matched no files", "No data.", "Empty result set", "Total: 0", "Results: (none)", "No items",
        "Your search did not match any documents", "I couldn't find anything like that",
    )),
]  # fmt: skip


def steps(name: str, reply: dict[str, Any], **arguments: Any) -> dict[str, Any]:
    guided = enrich(Call(name, arguments), reply, CATALOG)
    return guided.get("_meta", {}).get(KEY, {}).get("next_steps", {})


@pytest.mark.parametrize("reply", EMPTY, ids=str)
def test_an_empty_search_gets_advice(reply: dict[str, Any]) -> None:
    assert {"broaden_search", "check_scope"} <= steps("search", reply, query="x").keys()
    assert {"broaden_search", "check_scope"} <= steps("list_files", reply, glob="*.zzz").keys()
    assert not is_plain_success(reply)
    assert enrich(Call("search", {"query": "x"}), reply, CATALOG)["content"][len(reply["content"]) :], "visible too"
    assert enrich(Call("search", {"query": "x"}), reply, CATALOG, policy=Policy(tips=False)) is reply


def test_the_broader_call_leaves_out_optional_filters_only() -> None:
    found = steps("search", EMPTY[0], query="x", filter="*.py", limit=5)
    assert found["broaden_search"] == 'search(query: "x", limit: 5)'
    assert steps("search", EMPTY[0], query="x")["broaden_search"] == "Try a simpler pattern or remove filters"
    assert found["alternatives"] == ["list_files()"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_comments", {"issue_id": "7"}),
        ("get_comments", {"issue_id": "7", "filter": "open"}),
        ("list_files", {}),
        ("list_files", {"parent_id": "7"}),
        ("find_and_replace", {"query": "x"}),
        ("search", {"query": "x", "offset": 50}),
        ("search", {"query": "x", "page": 3}),
        ("search", {"query": "x", "cursor": "abc"}),
        ("elsewhere", {"query": "x"}),
    ],
)
def test_an_empty_answer_that_is_the_plain_truth_gets_none(name: str, arguments: dict[str, Any]) -> None:
    for reply in EMPTY:
        assert enrich(Call(name, arguments), reply, CATALOG, policy=Policy(unknown_params="warn")) is reply


@pytest.mark.parametrize(
    "reply",
    [
        {"content": [], "structuredContent": {"results": [1], "total": 1}},
        {"content": [], "structuredContent": {"results": [], "total": 40}},
        {"content": [], "structuredContent": {"results": [], "hint": "Use another word"}},
        {"content": [], "structuredContent": {"results": [], "other": [1]}},
        {"content": [], "structuredContent": {"results": [], "next_cursor": "abc"}},
        {"content": [{"type": "text", "text": '{"results":[],"next_cursor":"abc"}'}]},
        {"content": [{"type": "text", "text": "No results found in cache; fetched 5 items: a b c d e"}]},
        {"content": [], "structuredContent": {"name": "x"}},
        {"content": [], "structuredContent": {"id": 7, "tags": []}},
        {"content": [{"type": "text", "text": "No parking on Mondays"}]},
        {"content": [{"type": "text", "text": "No results found " + "x" * 500}]},
        {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "No results found"}]},
        {"content": [{"type": "text", "text": 5}]},
        {"content": []},
    ],
    ids=str,
)
def test_a_reply_that_is_not_empty_gets_none(reply: dict[str, Any]) -> None:
    assert "broaden_search" not in steps("search", reply, query="x")


def test_a_retry_of_what_failed_differs_from_the_call_that_was_sent() -> None:
    def retry(payload: dict[str, Any], **arguments: Any) -> Any:
        return advise(Call("read_parts", arguments), {"partial": True, **payload}, CATALOG).next_steps["retry_failed"]

    assert retry({}, paths=["a", "b"]) == 'read_parts(paths: ["a", "b"], include_errors: true)'
    again = {"include_errors": True, "paths": ["a", "b"]}
    assert retry({"failed": ["b"]}, **again) == 'read_parts(include_errors: true, paths: ["b"])'
    assert retry({"errors": [{"path": "a"}]}, **again) == 'read_parts(include_errors: true, paths: ["a"])'
    assert retry({"failed": ["a", "b"]}, **again) == "Call again for the parts that failed only"


def test_a_search_without_filters_on_a_server_without_listers_gets_plain_advice() -> None:
    reply = enrich(Call("search", {"query": "x"}), EMPTY[0], Catalog.listed([tool("search", "query")]))
    assert reply["content"][-1]["text"] == "Nothing was found: try a simpler search, or another place."
