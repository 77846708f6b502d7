"""The wording of a failure may rule out the usual advice."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, enrich
from fingerpost.engine.replies.wording import invites_repeating, is_in_progress, is_report

TEXT = {"type": "string"}


def tool(name: str, *parameters: str, reads: bool = False) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(parameters, TEXT)}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}


CATALOG = Catalog.listed([
    tool("deploy", "service", "token"), tool("connect", "dsn"), tool("apply", "manifest"), tool("click", "selector"),
    tool("write_file", "path", "content"), tool("read_file", "path", reads=True), tool("create_order", "sku"),
    tool("list_orders", "page_token", reads=True), tool("get_order", "order_id", reads=True), tool("run_tests", "path"),
])  # fmt: skip


def error_of(text: str, name: str, **arguments: Any) -> dict[str, Any]:
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    return enrich(Call(name, arguments), reply, CATALOG)["_meta"][KEY]["error"]


@pytest.mark.parametrize(
    ("text", "name", "arguments", "code"),
    [
        ("Invalid API key provided in parameter token", "deploy", {"token": "abc"}, "AUTH_REQUIRED"),
        ("401 Unauthorized", "deploy", {"service": "web"}, "AUTH_REQUIRED"),
        ("password authentication failed for user bob", "connect", {"dsn": "postgres://bob:s3cretpw@db/x"},
         "AUTH_REQUIRED"),
        ("invalid token in line 3 of manifest", "apply", {"manifest": "a"}, "INTERNAL_ERROR"),
        ("Invalid token '}' near the end", "apply", {"manifest": "a"}, "INTERNAL_ERROR"),
        ("tests failed: AssertionError: expected 401 Unauthorized, got 200", "run_tests", {"path": "a"},
         "INTERNAL_ERROR"),
        ("3 failed: test_limit (429 Too Many Requests)", "run_tests", {"path": "a"}, "INTERNAL_ERROR"),
        ("Element #login not found on the page; take a new snapshot", "click", {"selector": "#login"}, "NOT_FOUND"),
        ("Parent directory does not exist: /x", "write_file", {"path": "/x/a"}, "NOT_FOUND"),
        ("Timeout waiting for confirmation; order was submitted", "create_order", {"sku": "s1"}, "TIMEOUT"),
        ("Gateway timeout, the order was not created", "create_order", {"sku": "s1"}, "TIMEOUT"),
        ("502 Bad Gateway: no changes were made", "create_order", {"sku": "s1"}, "UPSTREAM_ERROR"),
        ("Order 17 not found: it is still being created", "get_order", {"order_id": "17"}, "NOT_FOUND"),
    ],
)  # fmt: skip
def test_advice_that_the_text_contradicts_is_not_given(
    text: str, name: str, arguments: dict[str, Any], code: str
) -> None:
    error = error_of(text, name, **arguments)
    assert (error["code"], error.get("hint"), error["next_steps"]) == (code, None, {})


@pytest.mark.parametrize(
    ("text", "name", "arguments", "hint"),
    [
        ("401 Unauthorized", "list_orders", {"page_token": "2"}, "Credentials are set where"),
        ("Invalid token", "apply", {"manifest": "a"}, "Credentials are set where"),
        ("password authentication failed for user bob", "connect", {"dsn": "main"}, "Credentials are set where"),
        ("Parent directory does not exist: /x", "read_file", {"path": "/x/a"}, "Check the name or id"),
        ("Rate limit exceeded, 3 requests pending", "create_order", {"sku": "s1"}, "Wait before calling"),
        ("Timeout waiting for confirmation", "create_order", {"sku": "s1"}, "It may or may not have taken effect"),
    ],
)
def test_advice_that_fits_is_given(text: str, name: str, arguments: dict[str, Any], hint: str) -> None:
    assert error_of(text, name, **arguments)["hint"].startswith(hint)


@pytest.mark.parametrize(
    "text",
    [
        "Order 17 is still being processed", "Job is running, not ready yet", "Deployment in progress",
        "Export pending", "The index is being rebuilt", "Results are not available yet", "Build 7 is already running",
    ],
)  # fmt: skip
def test_a_text_about_unfinished_work_is_recognized(text: str) -> None:
    assert is_in_progress(text)
    assert invites_repeating(text)


@pytest.mark.parametrize("text", ["Order 17 not found", "Is the server running?", "Tests failed: 3 of 10"])
def test_other_failures_are_not_taken_for_unfinished_work(text: str) -> None:
    assert not is_in_progress(text)
    assert not invites_repeating(text)


def test_a_step_to_take_first_makes_the_same_call_right_afterwards() -> None:
    assert invites_repeating("net::ERR_CONNECTION_REFUSED. Start the dev server, then navigate again.")


def test_a_validators_message_is_no_report_of_a_test() -> None:
    assert not is_report("Request failed with status code 401")
    assert error_of("MCP error -32602: expected a name, got nothing", "apply")["code"] == "INVALID_INPUT"
