"""The words of strangers: corrections in every spelling that servers have been seen to use, and what only looks so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import KEY, Call
from fingerpost.audit.benefit import followed
from fingerpost.audit.reader import corrected

SENT = Call("search", {"patern": "x", "max": 5})
RIGHT = Call("search", {"pattern": "x", "max": 5})
WRITTEN = '{"pattern": "x", "max": 5}'


def error(text: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": text}]}


def read(text: str, sent: Call = SENT) -> Call | None:
    """What a text is followed to; `@` stands for the right arguments as JSON."""
    return followed(error(text.replace("@", WRITTEN)), sent)


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
    assert followed(reply, SENT) is None


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
        "patern should be 'pattern'",
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
    assert corrected({"_meta": {KEY: {"corrected_call": said}}}, Call("f", {"a": 1})) is None


def test_a_call_that_is_nested_without_end_is_no_call() -> None:
    text = f"Try: f(a: {'[' * 24_000})"
    assert followed(error(text), Call("f", {"a": 1})) is None
