"""Corrections in every notation that servers have been seen to use, and texts that only look like one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import KEY, Call
from fingerpost.audit.judge.inferred_fix import infer_fix
from fingerpost.audit.judge.reply import Reply
from tests.support.audit_replies import error, result

SENT = Call("search", {"patern": "x", "max": 5})


RIGHT = Call("search", {"pattern": "x", "max": 5})


WRITTEN = '{"pattern": "x", "max": 5}'


def read(text: str, sent: Call = SENT) -> Call | None:
    """The fix inferred from a text; `@` stands for the right arguments as JSON."""
    return infer_fix(Reply(error(text.replace("@", WRITTEN))), sent)


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
def test_a_call_is_read_in_every_notation(text: str) -> None:
    assert read(text) == RIGHT


@pytest.mark.parametrize(
    "value",
    ["it's", 'say "x"', "a\\b\n\tc", "é…é", "\x01", [True, None, -1.5e3], {"a": {"b": []}}, [], False, "<b>"],
)
def test_a_value_is_read_in_python_and_json_notation(value: Any) -> None:
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
def test_what_only_looks_like_a_correction_is_ignored(text: str) -> None:
    assert read(text) is None


def test_another_tool_is_accepted_only_with_the_sent_arguments() -> None:
    sent = Call("Search", {"pattern": "x"})
    assert read("No tool Search. Send search(pattern='x')", sent) == Call("search", {"pattern": "x"})
    assert read("No tool Search. Send search(pattern='y')", sent) is None


def test_true_in_place_of_one_is_a_correction() -> None:
    found = read("Send search(deep=True)", Call("search", {"deep": 1}))
    assert found is not None
    assert found.arguments["deep"] is True


def test_parameters_may_be_called_name_and_input() -> None:
    sent = Call("save", {"nam": "a", "input": {}})
    assert read('Use {"name": "a", "input": {"b": 1}}', sent) == Call("save", {"name": "a", "input": {"b": 1}})


def test_a_call_without_arguments_is_the_last_resort() -> None:
    sent = Call("list", {"limit": None})
    assert read("Send list() instead.", sent) == Call("list", {})
    assert read("limit: did you mean 'max'? Send list().", Call("list", {"limit": 5})) == Call("list", {"max": 5})


def test_the_text_of_a_success_is_not_searched_for_calls() -> None:
    reply = {"content": [{"type": "text", "text": "search(pattern='x', max=5)"}]}
    assert infer_fix(Reply(reply), SENT) is None


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
def test_a_single_suggested_name_is_applied(text: str) -> None:
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
def test_an_ambiguous_suggestion_is_not_applied(text: str) -> None:
    assert read(text) is None


def test_the_sent_name_most_like_the_suggestion_is_replaced() -> None:
    sent = Call("f", {"max": 5, "order": "ascc"})
    assert read("max and order: 'ascc' is no order, did you mean 'asc'?", sent) == Call("f", {"max": 5, "order": "asc"})


def test_arguments_sent_as_text_are_parsed() -> None:
    assert read("Arguments must be an object", Call("f", '{"a": 1}')) == Call("f", {"a": 1})
    assert read("Arguments must be an object", Call("f", "a")) is None
    assert read("Arguments must be an object", Call("f", "[" * 100_000)) is None


def test_a_deeply_nested_call_is_no_call() -> None:
    text = f"Try: f(a: {'[' * 24_000})"
    assert infer_fix(Reply(error(text)), Call("f", {"a": 1})) is None


ZOD = "MCP error -32602: Input validation error: Invalid arguments for tool f: "


@pytest.mark.parametrize(
    ("sent", "text", "intended_call"),
    [
        (
            Call("f", {"patern": "x"}),
            "Unknown parameter 'patern'. Did you mean 'pattern'?",
            Call("f", {"pattern": "x"}),
        ),
        (Call("f", {"o": "ascc"}), "ascc is no order, did you mean asc?", Call("f", {"o": "asc"})),
        (Call("serach", {"a": 1}), "Unknown tool serach. Do you mean the tool `search`?", Call("search", {"a": 1})),
        (Call("f", {"a": "1"}), "Unknown tool g. Did you mean h?", None),
        (
            Call("f", {"n": "1"}),
            ZOD + "Invalid input: expected number, received string at n",
            Call("f", {"n": 1}),
        ),
        (Call("f", {"n": None}), ZOD + "Invalid input: expected number, received null at n", Call("f", {})),
        (Call("f", {"n": "x"}), ZOD + "Invalid input: expected number, received string at n", None),
        (Call("f", {"p": ["a"]}), ZOD + "Invalid input: expected string, received array at p", Call("f", {"p": "a"})),
        (Call("f", {"p": "a"}), ZOD + "Invalid input: expected array, received string at p", Call("f", {"p": ["a"]})),
        (
            Call("f", {"p": '["a"]'}),
            ZOD + "Invalid input: expected array, received string at p",
            Call("f", {"p": ["a"]}),
        ),
        (Call("f", {"s": "ASC"}), ZOD + 'Invalid option: expected one of "asc"|"desc" at s', Call("f", {"s": "asc"})),
        (Call("f", {"s": "up"}), ZOD + 'Invalid option: expected one of "asc"|"desc" at s', None),
        (Call("f", '{"a": 1}'), "Invalid request parameters", None),
        (Call("f", {"x": 1}), ZOD + "Invalid input: expected string, received undefined at path", None),
        (Call("f", {"path": 1}), "Tool f not found", None),
    ],
)
def test_a_fix_that_an_error_names_is_applied(sent: Call, text: str, intended_call: Call | None) -> None:
    assert infer_fix(Reply(error(text)), sent) == intended_call


def test_rejected_parameters_are_left_out() -> None:
    text = "Additional properties are not allowed ('x' was unexpected)"
    assert infer_fix(Reply(error(text)), Call("f", {"a": 1, "x": 2})) == Call("f", {"a": 1})


def test_a_success_leads_to_a_call_only_if_it_gives_one() -> None:
    sent = Call("f", {"patern": "x"})
    assert infer_fix(Reply(result("Did you mean 'pattern'? for 'patern'")), sent) is None
    given = {"corrected_call": {"name": "f", "arguments": {"pattern": "x"}}}
    assert infer_fix(Reply({**result("ok"), "_meta": {KEY: given}}), sent) == Call("f", {"pattern": "x"})
