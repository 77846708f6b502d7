"""Tips for a successful reply, derived from the reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import Call, Catalog
from fingerpost.engine.replies.paging_tips import NO_ADVICE, Advice, advise
from fingerpost.engine.replies.payload import payload_of

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def read_only_tool(name: str, properties: dict[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}


CATALOG = Catalog.listed(
    [
        read_only_tool("by_offset", {"q": STRING, "limit": {**INTEGER, "default": 2}, "offset": INTEGER}, "q"),
        read_only_tool("by_page", {"q": STRING, "page": INTEGER}, "q"),
        read_only_tool("by_cursor", {"q": STRING, "cursor": STRING}, "q"),
        read_only_tool("narrowed", {"q": STRING, "type": {"enum": ["a", "b"]}, "limit": INTEGER}, "q"),
        read_only_tool("bare", {"q": STRING, "max": {**INTEGER, "default": True}}, "q"),
        read_only_tool("get_one", {"id": STRING}, "id"),
    ]
)


def advise_on(tool: str, payload: Any, **arguments: Any) -> Advice:
    return advise(Call(tool, {"q": "x", **arguments}), payload, CATALOG)


@pytest.mark.parametrize(
    ("tool", "arguments", "payload", "more"),
    [
        ("by_offset", {}, {"results": [1, 2], "has_more": True}, 'by_offset(q: "x", offset: 2)'),
        ("by_offset", {"offset": 4}, {"items": [1, 2], "total": 9}, 'by_offset(q: "x", offset: 6)'),
        ("by_offset", {}, {"rows": [1, 2]}, 'by_offset(q: "x", offset: 2)'),
        ("by_page", {"page": 3}, {"data": [1], "truncated": True}, 'by_page(q: "x", page: 4)'),
        ("by_page", {}, {"data": [1], "hasMore": True}, 'by_page(q: "x", page: 2)'),
        ("by_cursor", {}, {"items": [1], "nextCursor": "abc"}, 'by_cursor(q: "x", cursor: "abc")'),
        (
            "by_cursor", {}, {"items": [1], "next_cursor": "eyJhbGciOiJIUzI1NiJ9"},
            'by_cursor(q: "x", cursor: <the cursor of this reply>)',
        ),
    ],
)  # fmt: skip
def test_the_next_page_is_the_callers_own_call_with_the_next_position(
    tool: str, arguments: dict[str, Any], payload: dict[str, Any], more: str
) -> None:
    found = advise_on(tool, payload, **arguments)
    assert found.next_steps["get_more"] == more
    assert found.lines == (f"More results: {more}",)


def test_many_results_get_a_narrower_call_and_a_full_page_is_reported() -> None:
    many = advise_on("narrowed", {"items": [1], "total": 30})
    assert many.tips["high_results"] == 'Narrow it: narrowed(q: "x", type: <"a" or "b">)'
    assert many.lines == ('There may be more; narrow it: narrowed(q: "x", type: <"a" or "b">)',)
    full = advise_on("bare", {"items": [1], "limit_reached": True})
    assert full.tips["limit_reached"] == {
        "at_limit": "Showing maximum 1 result",
        "recommendations": ["Ask for something more specific"],
    }
    assert full.lines == ()


@pytest.mark.parametrize(
    ("item", "step"),
    [
        ({"id": "r1"}, 'get_one(id: "r1")'),
        ({"id": "d41d8cd98f00b204e9800998ecf8427e"}, None),
        ({"key": "k"}, None),
        ({"name": "x"}, None),
        ("text", None),
    ],
)
def test_a_call_for_one_result_is_suggested_if_a_tool_takes_its_id(item: Any, step: str | None) -> None:
    assert advise_on("by_offset", {"results": [item], "has_more": True}).next_steps.get("get_details") == step


@pytest.mark.parametrize(
    "payload",
    [
        {"results": [1]},
        {"results": [1], "has_more": False},
        {"results": [1, 2], "total": 2},
        {"results": [1, 2], "total": 30, "page": 3, "total_pages": 3},
        {"results": [1, 2], "total": 7, "offset": 5},
        {"results": [1], "has_more": True, "next_steps": {"own": "word"}},
        {"a": [1, 2], "b": [3]},
        {"message": "Merged", "code": "OK"},
        {},
    ],
)
def test_a_complete_reply_or_one_with_its_own_advice_gets_no_tips(payload: dict[str, Any]) -> None:
    assert advise_on("by_offset", payload) is NO_ADVICE


def test_partial_results_get_tips_instead_of_an_error() -> None:
    found = advise_on("bare", {"results": [1], "partial": True, "failed": ["a", "b"]})
    assert found.tips == {"partial": "2 parts failed"}
    assert set(found.next_steps) == {"retry_failed", "check_permissions", "proceed_anyway"}
    assert advise_on("bare", {"is_partial": True}).lines == ("The result is partial: some parts failed.",)


def test_the_payload_is_the_structured_content_or_the_text_parsed_as_json() -> None:
    text = json.dumps({"has_more": True})
    assert payload_of({"content": [{"type": "text", "text": text}]}) == {"has_more": True}
    assert payload_of({"content": [{"type": "text", "text": text}, {"type": "text", "text": text}]}) == {}
    assert payload_of({"content": [{"type": "text", "text": "[1]"}]}) == {}
    assert payload_of({"content": [{"type": "text", "text": '{"a": "' + "x" * (1 << 19) + '"}'}]}) == {}
    assert advise(Call("nowhere", {}), {"has_more": True}, CATALOG) is NO_ADVICE
