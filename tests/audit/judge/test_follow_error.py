"""Reading the corrected call that a reply gives."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, admit, render
from fingerpost.audit.judge.follow_error import read_corrected_call

TOOLS: list[dict[str, Any]] = [
    {
        "name": "find_users",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "max_results": {"type": "integer", "minimum": 1, "maximum": 100},
                "order": {"type": "string", "enum": ["ascending", "descending"]},
                "fields": {"type": "array", "items": {"type": "string"}},
                "where": {"type": "object"},
                "deep": {"type": "boolean"},
                "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                "note": {"type": ["string", "null"]},
                "tag": {"type": "string"},
                "code": {"type": "string", "minLength": 3, "maxLength": 8},
                "since": {"type": "string", "format": "date"},
            },
            "required": ["pattern", "order"],
        },
    },
    {"name": "ping", "inputSchema": {"type": "object", "properties": {"input": {}}}},
]


CATALOG = Catalog.listed(TOOLS)


def reply_to(call: Call) -> dict[str, Any]:
    envelope = render(admit(call, CATALOG).report)
    return {"content": [{"type": "text", "text": envelope.text}], "_meta": {KEY: envelope.structured}}


def test_the_corrected_call_of_a_reply_is_read() -> None:
    right = Call("find_users", {"pattern": "Ada", "order": "ascending"})
    wrong = Call("find_user", {"pattern": "Ada", "order": "ascending"})
    assert read_corrected_call(reply_to(wrong), wrong) == right
    assert read_corrected_call({"content": reply_to(wrong)["content"]}, wrong) == right


def test_values_that_a_reply_leaves_out_are_taken_from_the_sent_call() -> None:
    secret = "x" * 3_000
    wrong = Call("find_user", {"pattern": secret, "order": "ascending", "where": {"list": [{"of": "y" * 3_000}]}})
    read = read_corrected_call(reply_to(wrong), wrong)
    assert read == Call("find_users", wrong.arguments)


def test_a_call_with_placeholders_is_no_corrected_call() -> None:
    wrong = Call("find_users", {"order": "ascending"})
    assert read_corrected_call(reply_to(wrong), wrong) is None
    for text in ("Unknown tool", "Try: f(a: <string>)", "Try: f(a)"):
        assert read_corrected_call({"content": [{"type": "text", "text": text}]}, wrong) is None
    assert read_corrected_call({}, wrong) is None


def test_a_call_in_the_text_is_read_with_any_json_value() -> None:
    text = 'No.\nCorrected call: a.b(x: [1, {"y": null}], "odd name": "a, b", z: -1.5)\nMore.'
    read = read_corrected_call({"content": [{"type": "text", "text": text}]}, Call("x"))
    assert read == Call("a.b", {"x": [1, {"y": None}], "odd name": "a, b", "z": -1.5})


@pytest.mark.parametrize(
    "corrected_call",
    [
        {"name": "f", "arguments": {"a": 1}, "as_sent": {"b.c": "a"}},
        {"name": "f", "arguments": {"a": 1}, "as_sent": {"a": "zzz"}},
        {"name": "f", "arguments": {"a": 1}, "as_sent": {"": ""}},
        {"name": "f", "arguments": [], "as_sent": {"[7]": "a"}},
        {"name": "f", "arguments": 5, "as_sent": {"a": "a"}},
        {"name": "f", "arguments": {}, "as_sent": {f"[{'9' * 9999}]": "a"}},
    ],
)
def test_guidance_with_an_invalid_path_gives_no_call(corrected_call: dict[str, Any]) -> None:
    assert read_corrected_call({"_meta": {KEY: {"corrected_call": corrected_call}}}, Call("f", {"a": 1})) is None
