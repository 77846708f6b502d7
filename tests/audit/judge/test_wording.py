"""The words of strangers: corrections in every spelling that servers have been seen to use, and what only looks so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import KEY, Call
from fingerpost.audit.judge import wording
from fingerpost.audit.judge.follow_error import read_corrected_call
from fingerpost.audit.judge.inferred_fix import infer_fix
from fingerpost.audit.judge.reply import Reply

SENT = Call("search", {"patern": "x", "max": 5})
RIGHT = Call("search", {"pattern": "x", "max": 5})
WRITTEN = '{"pattern": "x", "max": 5}'


def error(text: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": text}]}


def read(text: str, sent: Call = SENT) -> Call | None:
    """What a text is followed to; `@` stands for the right arguments as JSON."""
    return infer_fix(Reply(error(text.replace("@", WRITTEN))), sent)


# calls


@pytest.mark.parametrize(
    "text",
    [
        'Send this instead: {"name": "search", "arguments": @}',
        '{"tool": "search", "params": @}',
        'Send {"method": "tools/call", "params": {"name": "search", "arguments": @}}',
        "No. Call search(pattern='x', max=5) instead.",
        'search(pattern="x", max=5)',
        "Try search(pattern: 'x', max: 5,).",
        "Send `search(pattern = 'x', max = 5)`, please",
        "Bitte stattdessen senden: search(@)",
        "正しい呼び出し: search(@ )",
        "Retry with arguments @.",
        "Use @",
        "Use {pattern: 'x', max: 5}",
        'Use {"arguments": @}',
        "search @",
        "```json\n@\n```\nUse the arguments above.",
        "Correct:\n```json\n@\n```",
        '```json\n{"name": "search", "arguments": @}\n```',
        "You sent search(patern='x', max=5). Send search(pattern='x', max=5).",
        'Got {"patern": "x", "max": 5}. Send @',
        "search(pattern='x', max=5), that is: search(@)",
        "search({…}) failed. Send search(max=5, pattern='x')",
    ],
)
def test_a_call_is_read_however_it_is_written(text: str) -> None:
    assert read(text) == RIGHT


@pytest.mark.parametrize(
    "value",
    ["it's", 'say "x"', "a\\b\n\tc", "é…é", "\x01", [True, None, -1.5e3], {"a": {"b": []}}, [], False, "<b>"],
)
def test_a_value_is_read_as_python_and_as_json_write_it(value: Any) -> None:
    sent = Call("search", {"q": value})
    assert read(f"Send search(p={value!r})", sent) == Call("search", {"p": value})
    assert read(f"Send search(p={json.dumps(value)})", sent) == Call("search", {"p": value})


@pytest.mark.parametrize(
    "text",
    [
        "search(patern='x', max=5) failed",  # what was sent
        'You sent {"name": "search", "arguments": {"patern": "x", "max": 5}}',
        "Usage: search(pattern: <string>, max: <integer>)",
        "Usage: search(pattern='abc', max=5)",
        "For example, call search(pattern='x', max=5)",
        "Send search(pattern='…')",
        "Send search(pattern=...)",
        "Send search(pattern='<pattern>', max=5)",
        "Send search(pattern: str, max: int = 5)",
        'Use {"pattern": "string", "max": 5}',
        'Use {"pattern": ["YOUR_PATTERN"]}',
        "Received @",
        "The schema is @.",
        "instead of @",
        "Send search(pattern='x', max=5) or search(pattern='x', max=6)",  # which?
        "Call list_patterns(kind='all') to see them",
        'Call {"name": "info", "arguments": {"tool": "search"}}',
        "search() got an unexpected keyword argument",
        "search('x', 5)",
        "Send search(pattern='x' max=5)",
        "Send search({'pattern': 'x'}, 5)",
        "Send search(pattern='x\\q')",
        "Send search(pattern=007)",
        "Send search(pattern={[" + "[" * 50,
        "Send search(pattern=" + "[" * 50 + "]" * 50 + ")",
        "Send search(pattern 'x')",
        "Send search(",
        "Send search(pattern='x', max",
        "{" * 2000,
    ],
)
def test_what_only_looks_like_a_correction_is_none(text: str) -> None:
    assert read(text) is None


def test_another_tool_is_taken_with_the_arguments_that_were_sent() -> None:
    sent = Call("Search", {"pattern": "x"})
    assert read("No tool Search. Send search(pattern='x')", sent) == Call("search", {"pattern": "x"})
    assert read("No tool Search. Send search(pattern='y')", sent) is None


def test_true_in_the_place_of_one_is_a_correction() -> None:
    found = read("Send search(deep=True)", Call("search", {"deep": 1}))
    assert found is not None
    assert found.arguments["deep"] is True


def test_arguments_may_be_called_name_and_input() -> None:
    sent = Call("save", {"nam": "a", "input": {}})
    assert read('Use {"name": "a", "input": {"b": 1}}', sent) == Call("save", {"name": "a", "input": {"b": 1}})


def test_a_call_without_arguments_is_taken_last() -> None:
    sent = Call("list", {"limit": None})
    assert read("Send list() instead.", sent) == Call("list", {})
    assert read("limit: did you mean 'max'? Send list().", Call("list", {"limit": 5})) == Call("list", {"max": 5})


def test_a_success_is_never_read_for_calls() -> None:
    reply = {"content": [{"type": "text", "text": "search(pattern='x', max=5)"}]}
    assert infer_fix(Reply(reply), SENT) is None


# names


@pytest.mark.parametrize(
    "text",
    [
        "Unknown parameter patern. Perhaps you meant pattern?",
        "Parameter patern isn't recognised \u2013 perhaps you wanted pattern?",
        "patern: maybe you meant the parameter 'pattern'",
        "patern? You probably meant \u201cpattern\u201d.",
        "'patern' is unknown, use 'pattern' instead.",
        "Use pattern instead of patern.",
        "Please rename 'patern' to 'pattern'.",
        "Replace patern with pattern",
        "patern was renamed to pattern",
        "expected 'pattern', got 'patern'",
        "patern -> pattern",
        "Unknown: patern. Nearest: 'pattern'",
        "'patern' is not a parameter; the nearest is 'pattern'.",
        "'patern' is unknown (similar: pattern)",
        "'patern' is unknown, the closest match is `pattern`",
        "unknown parameter 'patern' (known: pattern)",
        "unknown parameter 'patern', expected 'pattern'",
        "Unknown parameter patern of search with max. Did you mean to use pattern?",
        "max is fine, patern is not: did you mean one of: pattern?",
    ],
)
def test_the_one_name_that_is_offered_is_taken(text: str) -> None:
    assert read(text) == RIGHT


@pytest.mark.parametrize(
    "text",
    [
        "Unknown parameter patern. Did you mean one of: pattern, path?",
        "Unknown parameter patern. Did you mean pattern or path?",
        "unknown parameter 'patern' (known: max, path, pattern)",
        "Unknown parameter patern. Valid parameters are: pattern, max",
        "Did you mean pattern?",  # for what?
        "patern: expected string, received undefined",
        "patern: expected 'string'",
        "patern: did you mean something else?",
        "patern is a duplicate, did you mean max?",
        "'q' -> pattern",
        "search: not allowed: other",
        "patern: did you mean name or title?",
        "max should be '5'",
        "patern: expected 'pattern' | 'path'",
        "patern: use another instead",
    ],
)
def test_what_offers_no_one_name_is_not_followed(text: str) -> None:
    assert read(text) is None


def test_the_name_nearest_to_the_offer_is_the_one_that_is_wrong() -> None:
    sent = Call("f", {"max": 5, "order": "ascc"})
    assert read("max and order: 'ascc' is no order, did you mean 'asc'?", sent) == Call("f", {"max": 5, "order": "asc"})


def test_arguments_that_came_as_text_are_taken_for_what_they_spell() -> None:
    assert read("Arguments must be an object", Call("f", '{"a": 1}')) == Call("f", {"a": 1})
    assert read("Arguments must be an object", Call("f", "a")) is None
    assert read("Arguments must be an object", Call("f", "[" * 100_000)) is None


# anything


@pytest.mark.parametrize(
    "said",
    [
        {"name": "f", "arguments": {"a": 1}, "as_sent": {"b.c": "a"}},
        {"name": "f", "arguments": {"a": 1}, "as_sent": {"a": "zzz"}},
        {"name": "f", "arguments": {"a": 1}, "as_sent": {"": ""}},
        {"name": "f", "arguments": [], "as_sent": {"[7]": "a"}},
        {"name": "f", "arguments": 5, "as_sent": {"a": "a"}},
        {"name": "f", "arguments": {}, "as_sent": {f"[{'9' * 9999}]": "a"}},
    ],
)
def test_guidance_that_names_a_place_that_is_not_there_gives_no_call(said: dict[str, Any]) -> None:
    assert read_corrected_call({"_meta": {KEY: {"corrected_call": said}}}, Call("f", {"a": 1})) is None


def test_a_call_that_is_nested_without_end_is_no_call() -> None:
    text = f"Try: f(a: {'[' * 24_000})"
    assert infer_fix(Reply(error(text)), Call("f", {"a": 1})) is None


# what is said


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
def test_a_parameter_is_named_however_it_is_pointed_at(text: str) -> None:
    assert wording.mentions(text, "limit")


@pytest.mark.parametrize(
    "text", ["time-limit", "rate_limit", "rate.limit", "x/limit", "Limit", "unknown: Limit", "../limit", "limits", ""]
)
def test_a_part_of_another_name_names_nothing(text: str) -> None:
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
def test_a_tool_is_suggested_and_not_only_listed(text: str, is_there: bool) -> None:
    assert wording.suggests_tool(text, "search", ["count", "delete", "search"], "functions.search") is is_there


def test_the_part_of_a_wrong_name_is_no_mention() -> None:
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
def test_what_to_do_is_heard_in_other_words(text: str) -> None:
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
def test_noise_is_no_advice(text: str) -> None:
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
def test_a_form_tells_the_type_too(text: str, schema: dict[str, Any], is_there: bool) -> None:
    assert wording.says_type(text, {}, schema) is is_there


@pytest.mark.parametrize(("text", "is_there"), [("may not be empty", True), ('got ""', True), ("is wrong", False)])
def test_nothing_is_received_only_where_that_is_said(text: str, is_there: bool) -> None:
    assert wording.says_received(text, "") is is_there


def test_a_range_does_not_say_what_was_received() -> None:
    assert not wording.says_received("must be 1-100", 7)


# anything, quickly

HOSTILE = (
    "a", "a(", "{a:'", "{a:[", "did you mean a, ", "use a instead ", "rename a to ", "a -> ", "eyJ-", "eyJaaaaaaaaaaa.",
    "\n at ::::::", "\n at (a:1:", "\n", "\\", "Try: a(b: ", "known: a, ", " ", ". Use ", "- ", "data/", "\ud800",
)  # fmt: skip


def test_numbers_without_end_are_no_limits() -> None:
    for limit in (10**400, 10**5000, float("inf"), float("nan")):
        assert not wording.says_limit("at most 5", {"maximum": limit})
    assert wording.says_limit(f"at most {10**400}", {"maximum": 10**400})
    assert not wording.says_choices("at most 5", [10**5000])
    assert wording.says_received("a number", 10**5000)


def test_a_result_without_a_bottom_says_nothing_more() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert not wording.says_more({"content": deep})
    assert wording.says_more({"content": deep, "structuredContent": {"has_more": True}})


@pytest.mark.parametrize("part", HOSTILE)
def test_a_text_of_megabytes_is_read_at_both_ends(part: str) -> None:
    text = part * (3_000_000 // len(part))
    for said in (f"limit must be 77. {text}", f"{text}\nlimit must be 77"):
        assert wording.mentions(said, "limit")
        assert wording.says_limit(said, {"maximum": 77})
    wording.says_next(text)
    assert not wording.suggests_tool(text, "search", ["search", "count"], "serach")
    assert wording.find_leak(f"{text} hunter2-long {text}", {"password": "hunter2-long"})
    assert infer_fix(Reply(error(text)), SENT) is None
