"""What the audit recognizes in a text; recorded from real servers where that matters."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call
from fingerpost.audit.judge import wording
from fingerpost.audit.judge.inferred_fix import infer_fix
from fingerpost.audit.judge.reply import Reply
from tests.support.audit_replies import error, result

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


@pytest.mark.parametrize(
    "text",
    [
        "Did you mean 'pattern'?",
        "Use a number: max: 50",
        "Please provide a path",
        "please check the path",
        "No. Send: search(a: 1)",
        "Call info() to list all tools",
        "Corrected call: f()",
        "Unknown tool. Available tools: a, b",
        "Not found.\nCheck the path, or list the folder.",
        "It is gone; you can make it anew",
        "Help: info(tool: 'x')",
        "Bad value, use 5 instead",
    ],
)
def test_advice_is_recognized(text: str) -> None:
    assert wording.says_next(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unknown tool: search",
        "Name is required",
        "search: Field required",
        "Call failed",
        "failed to read file",
        "Read error, write failed",
        "MCP error -32602: Tool read_ile not found",
        "Invalid input: expected string, received undefined at path",
        "1 validation error for get_current_timeArguments\ntimezone\n  Field required [type=missing, input_value={}, "
        "input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing",
        "'fifty' is not of type 'integer'",
    ],
)
def test_a_fact_is_no_advice(text: str) -> None:
    assert not wording.says_next(text)


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("Unknown tool: functions.search", "search", False),
        ("Did you mean: search.", "search", True),
        ("'search'", "search", True),
        ("research", "search", False),
        ("search_code", "search", False),
        ("search-code", "search", False),
        ("path/search", "search", False),
        ("", "search", False),
    ],
)
def test_a_name_inside_another_name_is_no_mention(text: str, name: str, is_there: bool) -> None:
    assert wording.mentions(text, name) is is_there


def test_a_list_of_all_tools_is_no_suggestion() -> None:
    known = [f"tool_{number}" for number in range(9)]
    assert wording.suggests_tool("Did you mean tool_3?", "tool_3", known)
    assert not wording.suggests_tool(f"There are {', '.join(known)}", "tool_8", known)
    assert not wording.suggests_tool("No.", "tool_3", known)


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("max must be integer", "max", True),
        ("max is wrong", "max", False),
        ("expected number, received string", "max", True),
        ("'asc' or 'desc'", "order", True),
        ("order is wrong", "order", False),
        ("format date", "day", True),
        ("anything", "any", True),
    ],
)
def test_the_expected_type_is_recognized(text: str, name: str, is_there: bool) -> None:
    assert wording.says_type(text, SCHEMA, SCHEMA["properties"][name]) is is_there


@pytest.mark.parametrize(
    ("text", "value", "is_there"),
    [
        ("got string", "x", True),
        ("input_value='fifty'", "fifty", True),
        ("received array", ["x"], True),
        ("got object", {"a": 1}, True),
        ("got a boolean", True, True),
        ("got 5000", 5000, True),
        ("input_type=NoneType", None, True),
        ("must be integer", {"a": 1}, False),
        ("must be integer", None, False),
    ],
)
def test_the_received_value_is_recognized(text: str, value: Any, is_there: bool) -> None:
    assert wording.says_received(text, value) is is_there


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("exceeds maximum 1000", True),
        ("at most 1,000", True),
        ("at most 10000", False),
        ("1 to 10", True),
        ("no", False),
    ],
)
def test_a_limit_is_recognized(text: str, is_there: bool) -> None:
    assert wording.says_limit(text, SCHEMA["properties"]["max"]) is is_there


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('Oh\nTraceback (most recent call last):\n  File "x.py"', "contains a traceback"),
        ("TypeError: x\n    at Server.run (/srv/index.js:10:5)", "contains a traceback"),
        ("goroutine 1 [running]:", "contains a traceback"),
        ("thread 'main' panicked at src/main.rs", "contains a traceback"),
        ("\tat com.example.Main.run(Main.java:7)", "contains a traceback"),
        ("the key is sk-abcdefghijklmnopqrstuvwx", "contains what looks like an API key"),
        ("AKIAABCDEFGHIJKLMNOP", "contains what looks like an API key"),
        ("wrong: hunter2-long", "repeats the value of the secret parameter password"),
        ("See line 3 of the file, at 10:5", ""),
        ("meet me at noon (room 4)", ""),
    ],
)
def test_tracebacks_and_secrets_are_found(text: str, what: str) -> None:
    assert wording.find_leak(text, {"password": "hunter2-long", "name": "noon"}) == what


@pytest.mark.parametrize(
    ("reply", "is_there"),
    [
        (result("a", "Showing the first 10."), True),
        (result("1-10 of 300"), True),
        ({**result("a"), "structuredContent": {"has_more": True}}, True),
        ({**result("a"), "structuredContent": {"nextCursor": "x"}}, True),
        (result("a line"), False),
    ],
)
def test_a_hint_at_more_results_is_recognized(reply: dict[str, Any], is_there: bool) -> None:
    assert wording.says_more(reply) is is_there


SENT = Call("search", {"patern": "x", "max": 5})


@pytest.mark.parametrize(
    "text",
    [
        "data/limit must be integer",
        "/limit must be integer",
        "#/limit: wrong",
        "#/properties/limit is wrong",
        "$.limit is wrong",
        "params.limit: wrong",
        "arguments.limit",
        "error: invalid value for '--limit'",
        "Limit must be positive",
        "Bad call. Limit is required",
        "Error: Limit must be positive",
        "limit",
    ],
)
def test_a_parameter_is_recognized_in_every_notation(text: str) -> None:
    assert wording.mentions(text, "limit")


@pytest.mark.parametrize(
    "text", ["time-limit", "rate_limit", "rate.limit", "x/limit", "Limit", "unknown: Limit", "../limit", "limits", ""]
)
def test_a_part_of_another_name_is_no_mention(text: str) -> None:
    assert not wording.mentions(text, "limit")
    assert not wording.mentions(text, "")


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("Unknown tool functions.search", False),
        ("Unknown tool 'functions.search'. Use search", True),
        ("There are: count, delete, search", False),
        ("There are: search, count, delete", True),
        ("There are: count, delete, search. The nearest is search.", True),
        ("There are: count, delete, search. Did you mean delete?", False),
        ("There are: count, delete, search. You meant what?", False),
        ("There is: count, search", True),
        ("There is: count", False),
    ],
)
def test_a_suggested_tool_is_told_apart_from_a_list(text: str, is_there: bool) -> None:
    assert wording.suggests_tool(text, "search", ["count", "delete", "search"], "functions.search") is is_there


def test_a_part_of_the_wrong_name_is_no_mention() -> None:
    assert not wording.suggests_tool("No tool 'search tool'", "search", ["search", "count"], "search tool")
    assert wording.suggests_tool("No tool 'sear'. Use search", "search", ["search", "count"], "sear")


@pytest.mark.parametrize(
    "text",
    [
        "You could use one of: search, count",
        "Valid values: a, b",
        "Allowed parameters are a, b",
        "You must pass pattern",
        "Set max to 100",
        "Reduce max to 100",
        "Wrong name:\n- use pattern",
        "Unknown name (Use pattern)",
        "Unknown name (use pattern)",
        "Unknown name; use pattern",
        "Tip: use x",
        "Check that the path exists",
        "Run list_files to see",
        "Perhaps you wanted pattern?",
        "See the list of tools",
        "Bitte stattdessen senden: f()",
    ],
)
def test_advice_in_other_words_is_recognized(text: str) -> None:
    assert wording.says_next(text)


@pytest.mark.parametrize(
    "text",
    [
        "Error: Use of undeclared variable",
        "Error: Add operation failed",
        "Internal error: Pass 3 failed",
        "Bad input. See log.",
        "Bad input. See the server logs.",
        "Error: Retry limit exceeded",
        "Error: Set failed",
        "No valid values found",
        "not used; user unknown",
    ],
)
def test_a_verb_used_as_a_noun_is_no_advice(text: str) -> None:
    assert not wording.says_next(text)


@pytest.mark.parametrize(
    ("text", "schema", "is_there"),
    [
        ("use YYYY-MM-DD", {"type": "string", "format": "date"}, True),
        ("no date", {"type": "string", "format": "uri"}, False),
        ("invalid url", {"type": "string", "format": "uri"}, True),
        ("an odd-form value", {"type": "string", "format": "odd-form"}, True),
        ("true|false", {"type": "boolean"}, True),
        ("'true' or 'false'", {"type": "boolean"}, True),
        ("it is true", {"type": "boolean"}, False),
        ("must be 1-100", {"type": "integer"}, True),
        ("must be 1-100", {"type": "boolean"}, False),
        ("Error 1234", {"type": "integer", "enum": [1, 2, 3]}, False),
        ("1, 2 or 3", {"type": "integer", "enum": [1, 2, 3]}, True),
        ("a, b", {"type": "string", "enum": ["", "a", "b"]}, True),
        ("null, true", {"type": "boolean", "enum": [None, True]}, True),
    ],
)
def test_a_format_or_a_range_also_states_the_type(text: str, schema: dict[str, Any], is_there: bool) -> None:
    assert wording.says_type(text, {}, schema) is is_there


@pytest.mark.parametrize(("text", "is_there"), [("may not be empty", True), ('got ""', True), ("is wrong", False)])
def test_an_empty_value_is_recognized_only_if_the_text_says_so(text: str, is_there: bool) -> None:
    assert wording.says_received(text, "") is is_there


def test_a_range_does_not_say_what_was_received() -> None:
    assert not wording.says_received("must be 1-100", 7)


HOSTILE = (
    "a", "a(", "{a:'", "{a:[", "did you mean a, ", "use a instead ", "rename a to ", "a -> ", "eyJ-", "eyJaaaaaaaaaaa.",
    "\n at ::::::", "\n at (a:1:", "\n", "\\", "Try: a(b: ", "known: a, ", " ", ". Use ", "- ", "data/", "\ud800",
)  # fmt: skip


def test_huge_and_non_finite_limits_are_handled() -> None:
    for limit in (10**400, 10**5000, float("inf"), float("nan")):
        assert not wording.says_limit("at most 5", {"maximum": limit})
    assert wording.says_limit(f"at most {10**400}", {"maximum": 10**400})
    assert not wording.says_choices("at most 5", [10**5000])
    assert wording.says_received("a number", 10**5000)


def test_a_deeply_nested_result_is_handled() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert not wording.says_more({"content": deep})
    assert wording.says_more({"content": deep, "structuredContent": {"has_more": True}})


@pytest.mark.parametrize("part", HOSTILE)
def test_a_huge_text_is_read_quickly_at_both_ends(part: str) -> None:
    text = part * (3_000_000 // len(part))
    for padded in (f"limit must be 77. {text}", f"{text}\nlimit must be 77"):
        assert wording.mentions(padded, "limit")
        assert wording.says_limit(padded, {"maximum": 77})
    wording.says_next(text)
    assert not wording.suggests_tool(text, "search", ["search", "count"], "serach")
    assert wording.find_leak(f"{text} hunter2-long {text}", {"password": "hunter2-long"})
    assert infer_fix(Reply(error(text)), SENT) is None
