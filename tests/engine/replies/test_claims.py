"""What may be claimed about a failure from the server's words, and when the server says itself what to do next."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, enrich
from fingerpost.engine.replies.claims import gives_next_step

TEXT = {"type": "string"}


def tool(name: str, *parameters: str, reads: bool = True) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(parameters, TEXT)}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}


CATALOG = Catalog.listed([
    tool("get_issue", "issue_id", "project"), tool("list_issues"), tool("list_projects"), tool("read_file", "path"),
    tool("fetch", "url"), tool("query", "sql", reads=False), tool("get_session", "session_id"),
    tool("save", "document", reads=False), tool("search_notes", "q"), tool("run", "command", reads=False),
])  # fmt: skip


def error_of(text: str, name: str, **arguments: Any) -> dict[str, Any]:
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    return enrich(Call(name, arguments), reply, CATALOG)["_meta"][KEY]["error"]


@pytest.mark.parametrize(
    "text",
    [
        'Chrome is not found. Run "npx playwright install chrome"', "Not found. Use list_issues first",
        "Not found; use list_issues first", "Not found. Did you mean 7?", "Not found, see https://example.com/docs",
        "Invalid: must be one of a, b", "No such branch. Available branches: main", "Missing\n    npx playwright test",
        "Token expired. Please sign in", "Forbidden: Check permissions.", "1) Start the server, or 2) use another one",
        "The user can ask an administrator", "Failed. Try again later", "Nothing matches. The closest match was a",
    ],
)  # fmt: skip
def test_a_text_that_says_what_to_do_is_recognized(text: str) -> None:
    assert gives_next_step(text)


@pytest.mark.parametrize(
    "text",
    [
        "Aborted by user: run canceled", "Port 80 is already in use", "GET https://example.com/issues/7: 404 Not Found",
        "Retry-After: Wed, 21 Oct", "path outside allowed directories: /etc not in /srv", "Error: set is empty", "Run",
    ],
)  # fmt: skip
def test_a_text_that_only_tells_what_happened_is_not_mistaken_for_advice(text: str) -> None:
    assert not gives_next_step(text)


def test_advice_is_not_put_beside_the_servers_own() -> None:
    error = error_of("Issue 99 not found. Use list_issues to see all", "get_issue", issue_id="99")
    assert (error["code"], error.get("hint"), error["next_steps"]) == ("NOT_FOUND", None, {})


def test_a_waiting_time_that_the_server_names_is_repeated() -> None:
    assert error_of("Rate limit hit. Please wait 30 seconds", "get_issue")["hint"].startswith("Wait 30 seconds")


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("Issue not found", "get_issue", {"issue_id": "99"}),
        ("Nothing: 'I-99' does not exist", "get_issue", {"issue_id": "I-99"}),
        ("no such table: users", "query", {"sql": "SELECT * FROM users"}),
        ("Table 'shop.users' doesn't exist", "query", {"sql": "SELECT * FROM users"}),
        ("Session s-1 not found", "get_session", {"session_id": "s-1"}),
        ("Request failed with status code 404 for https://example.com/a", "fetch", {"url": "https://example.com/a"}),
        ("Failed to get issue: Not Found", "get_issue", {"issue_id": "x"}),
        ("ENOENT: no such file or directory, open '/srv/a.txt'", "read_file", {"path": "a.txt"}),
        ("File not found", "read_file", {"path": "a.txt"}),
        ("No such file or directory: B-7", "query", {"sql": "B-7"}),
    ],
)  # fmt: skip
def test_what_the_call_names_may_be_called_missing(text: str, name: str, arguments: dict[str, Any]) -> None:
    error = error_of(text, name, **arguments)
    assert error["code"] == "NOT_FOUND" and error["hint"]


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("Session not found", "get_issue", {"issue_id": "99"}),
        ("Session s-1 not found", "get_session", {"session_id": "other"}),
        ("Chromium distribution 'chrome' is not found at /opt", "fetch", {"url": "https://example.com"}),
        ("bash: docker: command not found", "run", {"command": "ls"}),
        ("organization not found in token", "get_issue", {"issue_id": "99"}),
        ("Issue 'I-7' does not exist", "get_issue", {"issue_id": "I-99"}),
        ("text not found in I-99", "get_issue", {"issue_id": "I-99"}),
        ("spawn git ENOENT", "read_file", {"path": "a.txt"}),
        ("ENOENT: no such file or directory, open '/var/lib/state.json'", "read_file", {"path": "a.txt"}),
        ("No such file or directory", "query", {"sql": "x"}),
        ("connect ECONNREFUSED 10.0.0.1:443", "fetch", {"url": "https://example.com"}),
        ('Unexpected token "<" is not valid JSON', "query", {"sql": "SELECT 1"}),
        ("Internal error: disk 3 is full", "query", {"sql": "SELECT 1"}),
        ("Document already exists", "query", {"sql": "x"}),
        ("not found: x", "get_issue", {"issue_id": "99"}),
    ],
)  # fmt: skip
def test_what_the_call_does_not_name_is_left_to_the_server(text: str, name: str, arguments: dict[str, Any]) -> None:
    error = error_of(text, name, **arguments)
    assert (error["code"], error.get("hint")) == ("INTERNAL_ERROR", None)


def test_a_status_without_a_subject_is_named_but_not_explained() -> None:
    error = error_of("Request failed with status code 404", "get_issue", issue_id="x")
    assert (error["code"], error.get("hint")) == ("NOT_FOUND", None)
    assert error["message"] == "Request failed with status code 404"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("EACCES: permission denied, open '/var/lib/state.json'", "PERMISSION_DENIED"),
        ("Timeout 5000ms exceeded waiting for selector #a", "TIMEOUT"),
    ],
)
def test_a_kind_that_no_other_call_helps_against_gets_no_advice(text: str, code: str) -> None:
    error = error_of(text, "read_file", path="a.txt")
    assert (error["code"], error.get("hint")) == (code, None)


def test_the_tool_that_lists_what_is_missing_is_named_and_no_other() -> None:
    assert error_of("Issue '99' not found", "get_issue", issue_id="99")["hint"] == "See what there is: list_issues()"
    assert "list_" not in str(error_of("Project 'shop' not found", "get_issue", project="shop")["hint"])


@pytest.mark.parametrize(
    ("text", "name", "arguments", "code"),
    [
        ("duplicate key value", "query", {"sql": "INSERT"}, "CONFLICT"),
        ("duplicate key value", "get_issue", {"issue_id": "1"}, "INTERNAL_ERROR"),
        ("Document already exists", "save", {"document": "a"}, "CONFLICT"),
        ("Unexpected end of JSON input", "query", {"sql": '{"a": '}, "INVALID_INPUT"),
        ("connect ECONNREFUSED 10.0.0.1:443", "query", {"sql": "x"}, "UPSTREAM_ERROR"),
        ("Internal server error", "query", {"sql": "x"}, "INTERNAL_ERROR"),
    ],
)  # fmt: skip
def test_a_claim_about_the_call_needs_what_it_is_about(text: str, name: str, arguments: Any, code: str) -> None:
    assert error_of(text, name, **arguments)["code"] == code


def test_a_search_without_results_is_not_led_to_a_name() -> None:
    assert error_of("No results for x", "search_notes", q="x")["hint"] == "Try something simpler, or remove filters"


def test_an_author_who_says_what_to_do_gets_no_default_hint() -> None:
    reply = {
        "isError": True,
        "content": [{"type": "text", "text": '{"error": "Gone. Use v2", "category": "upstream"}'}],
    }
    assert "hint" not in enrich(Call("get_issue", {}), reply, CATALOG)["_meta"][KEY]["error"]
