"""Every failure gets an envelope, in the server's own words if nothing else is known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Policy, enrich
from fingerpost.engine.replies.server_errors import error_payload
from fingerpost.engine.replies.unexplained import TOOL_FAILED, first_sentence

TOOL = {"name": "act", "inputSchema": {"type": "object", "properties": {"paths": {"type": "array"}}}}
INFO = {"name": "info", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
CATALOG = Catalog.listed([TOOL, INFO])
CANARY = "hunter2"


def failed(text: str, **more: Any) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": text}], **more}


def error_of(reply: Any, catalog: Catalog = CATALOG, **policy: Any) -> dict[str, Any]:
    return enrich(Call("act", {}), reply, catalog, policy=Policy(**policy))["_meta"][KEY]["error"]


@pytest.mark.parametrize("catalog", [CATALOG, Catalog(is_complete=False)], ids=["listed", "unknown list"])
@pytest.mark.parametrize("text", ["The moon is full", "", "<html>Oops</html>", '{"a": 1}', "[1]", "----", "7"])
def test_every_failed_result_has_the_four_fields(text: str, catalog: Catalog) -> None:
    reply = failed(text)
    guided = enrich(Call("act", {}), reply, catalog)
    error = guided["_meta"][KEY]["error"]
    assert guided["content"] == reply["content"], "the visible text grows only if there is something to say"
    assert (error["code"], error["origin"], error["suggestions"]) == ("INTERNAL_ERROR", "server", {})
    assert error["message"] == (text if text.startswith("The") else TOOL_FAILED)
    assert error["next_steps"] == ({"help": 'info(tool: "act")'} if catalog is CATALOG else {})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("It broke. Then it burnt.", "It broke"),
        ("It broke\nat line 3", "It broke"),
        ("Error executing tool act: It broke.", "It broke"),
        ("Version 1. 2 is missing", "Version 1. 2 is missing"),
        ('Traceback (most recent call last):\n  File "a.py", line 1', ""),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: "x"\n', 'KeyError: "x"'),
        (f"Login with token={CANARY} failed", "Login with token=<hidden> failed"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_the_message_is_the_servers_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


@pytest.mark.parametrize(
    ("payload", "message", "code"),
    [
        ({"Error": "Disk full"}, "Disk full", "INTERNAL_ERROR"),
        ({"err": "connect ECONNREFUSED"}, "connect ECONNREFUSED", "UPSTREAM_ERROR"),
        ({"fault": {"faultstring": "Invalid ApiKey"}}, "Invalid ApiKey", "AUTH_REQUIRED"),
        ({"exception": {"msg": "Too many requests"}}, "Too many requests", "RATE_LIMITED"),
        ({"status": "error", "detail": "Not authenticated"}, "Not authenticated", "AUTH_REQUIRED"),
    ],
)
def test_the_failure_is_named_wherever_the_server_puts_it(payload: Any, message: str, code: str) -> None:
    error = error_of(failed(json.dumps(payload)))
    assert (error["message"], error["code"]) == (message, code)


def test_undeclared_arguments_are_no_missing_permission() -> None:
    assert error_of(failed("Extra inputs are not permitted"))["code"] != "PERMISSION_DENIED"


@pytest.mark.parametrize(
    ("code", "expected"), [(-32602, "INVALID_INPUT"), (-32603, "INTERNAL_ERROR"), (0, "INTERNAL_ERROR"), (-32042, None)]
)
def test_a_protocol_error_about_the_call_gets_an_envelope(code: int, expected: str | None) -> None:
    reply = {"code": code, "message": "Not like this"}
    guided = enrich(Call("act", {}), reply, CATALOG)
    found = guided.get("data", {}).get(KEY, {})
    assert found.get("error", {}).get("code") == expected
    assert found.get("text", "") == ""


@pytest.mark.parametrize(
    "reply",
    [
        failed(json.dumps({"error": "No disk", "hint": "Buy one"})),
        failed("x", structuredContent={"result": json.dumps({"error": "No disk", "hint": "Buy one"})}),
        failed("x", structuredContent={"result": {"error": "No disk", "hint": "Buy one"}}),
        failed(json.dumps({"error": "No disk", "hint": "Buy one"}), structuredContent={"result": "x"}),
        failed("Error executing tool act: " + json.dumps({"error": "No disk", "hint": "Buy one"})),
        {"isError": True, "content": [{"text": "x"}, {"text": json.dumps({"message": "No disk", "hint": "Buy one"})}]},
    ],
)
def test_an_envelope_of_the_server_is_read_wherever_it_is(reply: dict[str, Any]) -> None:
    error = error_of(reply)
    assert (error["message"], error["hint"]) == ("No disk", "Buy one")


def test_the_fields_of_a_servers_envelope_are_kept_without_secrets() -> None:
    envelope = {
        "ok": False,
        "error_detail": {
            "message": "No disk",
            "trace": {"request": "r-7", "token": CANARY},
            "debug": f"DB_PASS={CANARY}",
            "documentationUrl": "https://example.com/disks",
        },
        "warnings": [f"slow, password={CANARY}", 5],
    }
    guided = enrich(Call("act", {}), failed(json.dumps(envelope)), CATALOG)
    found = guided["_meta"][KEY]
    error = found["error"]
    assert error["trace"] == {"request": "r-7", "token": "a string of 7 characters"}
    assert error["debug"] == "DB_PASS=<hidden>"
    assert found["warnings"] == ["slow, password=<hidden>"]
    assert error["documentation_url"] == error["next_steps"]["docs"] == "https://example.com/disks"
    assert CANARY not in json.dumps(guided)
    own = enrich(Call("act", {}), failed(json.dumps(envelope)), CATALOG, policy=Policy(redact="own"))
    assert CANARY not in json.dumps(own["_meta"])
    assert own["content"][0]["text"] == json.dumps(envelope)


def test_a_sentence_about_a_secret_in_the_details_of_a_server_is_kept() -> None:
    details = {"password": "must be at least 8 characters", "token": CANARY}
    error = error_of(failed(json.dumps({"error": "No", "hint": "Choose another", "details": details})))
    assert error["details"] == {"password": "must be at least 8 characters", "token": "a string of 7 characters"}


def test_a_failure_in_a_success_of_an_unlisted_tool_is_not_explained() -> None:
    reply: dict[str, Any] = {"content": [], "structuredContent": {"ok": False, "error": "No disk", "hint": "Buy one"}}
    assert error_of(reply)["hint"] == "Buy one"
    assert enrich(Call("act", {}), reply, Catalog(is_complete=False)) is reply


def test_a_large_envelope_of_a_server_is_cut_to_the_limit() -> None:
    big = {f"key{n}": "word " * 60 for n in range(30)}
    envelope = {
        "error": "No",
        "trace": big,
        "debug": big,
        "routing_hint": big,
        "next_steps": big,
        "warnings": ["w " * 99] * 9,
    }
    guided = enrich(Call("act", {}), failed(json.dumps(envelope)), CATALOG)
    error = guided["_meta"][KEY]["error"]
    assert len(json.dumps(guided["_meta"][KEY])) < 2_048
    assert {"code", "message", "suggestions", "next_steps"} <= error.keys()


def test_a_link_that_is_no_web_address_is_left_out() -> None:
    for url in ("javascript:alert(1)", "https://x y", "ftp://x", "https://" + "x" * 300, 5):
        assert "documentation_url" not in error_of(failed(json.dumps({"error": "No", "documentation_url": url})))


def test_a_payload_without_a_failure_is_the_fallback() -> None:
    assert error_payload({"structuredContent": {"rows": 3}, "content": [{"text": "x"}]}) == {"rows": 3}


@pytest.mark.parametrize(
    "response",
    [
        {"jsonrpc": "2.0", "id": 1, "": {}},
        {"jsonrpc": "2.0", "id": 1, "": {"isError": True, "content": []}},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": 5},
        {"jsonrpc": "2.0", "id": 1, "result": [failed("timeout")]},
        {"jsonrpc": "2.0", "id": 1, "error": "timeout"},
        {"jsonrpc": "2.0", "id": 1, "error": {"message": "timeout"}},
        {"jsonrpc": "2.0", "id": 1, "result": {"code": 1, "message": "timeout"}},
        {"jsonrpc": "2.0", "id": 1, "result": failed("timeout"), "error": {"code": -32603, "message": "timeout"}},
    ],
    ids=str,
)
def test_a_malformed_response_is_returned_as_it_is(response: dict[str, Any]) -> None:
    assert enrich(Call("act", {}), response, CATALOG) is response


def test_a_null_member_counts_as_absent() -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": failed("timeout"), "error": None}
    assert enrich(Call("act", {}), response, CATALOG)["result"]["_meta"][KEY]["error"]["code"] == "TIMEOUT"


def test_images_in_an_error_are_left_alone() -> None:
    image = {"type": "image", "data": "AAAA/eyJhbGciOiJI", "mimeType": "image/png"}
    reply = {"isError": True, "content": [image, {"type": "text", "text": f"token={CANARY}"}]}
    content = enrich(Call("act", {}), reply, CATALOG)["content"]
    assert (content[0], content[1]["text"]) == (image, "token=<hidden>")


def test_every_string_of_a_failed_result_is_cleaned() -> None:
    resource = {"type": "resource", "resource": {"uri": "file:///x", "text": f"DB_PASS={CANARY}", "blob": "dG9rZW49"}}
    meta = {"x": {"y": [f"token={CANARY}"]}, "progressToken": 7}
    reply = {"isError": True, "content": [resource], "_meta": meta, "other": f"pwd={CANARY}"}
    guided = enrich(Call("act", {}), reply, CATALOG)
    assert CANARY not in json.dumps(guided)
    assert guided["_meta"]["progressToken"] == 7
    assert guided["content"][0]["resource"]["blob"] == "dG9rZW49"
    assert CANARY in json.dumps(enrich(Call("act", {}), reply, CATALOG, policy=Policy(redact="own")))


@pytest.mark.parametrize("content", ["boom", 5, {"type": "text", "text": "boom"}])
def test_content_that_is_no_list_stays_and_meta_has_the_envelope(content: Any) -> None:
    guided = enrich(Call("act", {}), {"isError": True, "content": content}, CATALOG)
    assert guided["content"] == content
    assert guided["_meta"][KEY]["error"]["message"] == ("boom" if content == "boom" else TOOL_FAILED)


@pytest.mark.parametrize(
    ("payload", "code", "message"),
    [
        (
            {"error": {"type": "rate_limit_error", "message": "Slow down"}, "retry_after": 12},
            "RATE_LIMITED",
            "Slow down",
        ),
        ({"errors": [{"message": "No x", "extensions": {"code": "BAD_USER_INPUT"}}]}, "INVALID_INPUT", "No x"),
        ({"title": "Oops", "status": 404, "detail": "No ticket 12"}, "NOT_FOUND", "No ticket 12"),
        ({"message": "Validation Failed", "errors": [{"code": "missing_field"}]}, "INVALID_INPUT", "Validation Failed"),
        ({"error_code": "E12", "error_message": "no such table"}, "INTERNAL_ERROR", "no such table"),
        ({"error_code": "E12", "error_message": "Too many requests"}, "RATE_LIMITED", "Too many requests"),
        ({"Error": {"Code": "AccessDenied", "Message": "Not you"}}, "PERMISSION_DENIED", "Not you"),
        ({"errorType": "ThrottlingException", "errorMessage": "Rate exceeded"}, "RATE_LIMITED", "Rate exceeded"),
        ({"statusCode": "409", "message": "Twice"}, "CONFLICT", "Twice"),
        ({"error": "already_exists", "message": "Twice"}, "CONFLICT", "already_exists"),
    ],
)
def test_the_errors_of_other_systems_keep_their_message_and_get_a_kind(
    payload: dict[str, Any], code: str, message: str
) -> None:
    error = error_of(failed(json.dumps(payload)))
    assert (error["code"], error["message"]) == (code, message)
    assert "retry_after" not in payload or error["hint"] == "Wait 12 seconds, then call again"


@pytest.mark.parametrize("text", ["MCP error -32602: Invalid params", "duplicate key value violates unique constraint"])
def test_common_words_of_servers_reveal_the_kind(text: str) -> None:
    assert error_of(failed(text))["code"] == ("INVALID_INPUT" if "-32602" in text else "CONFLICT")


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("retry after 2 hours", "7,200 seconds"),
        ("Retry-After: 1h", "3,600 seconds"),
        ("retry after 1.5 seconds", "2 seconds"),
        ("retry in 2 minutes", "120 seconds"),
        ("try again in 2m 30s", "150 seconds"),
        ("try again in 1 hour 5 minutes", "3,900 seconds"),
        ("wait 1 day", "86,400 seconds"),
        ("Please wait at least 5 s", "5 seconds"),
        ("retry after 500ms", "500 ms"),
        ("retry after 1", "1 second"),
    ],
)
def test_a_waiting_time_is_given_in_seconds(text: str, wait: str) -> None:
    assert error_of(failed(f"Rate limit exceeded, {text}"))["hint"] == f"Wait {wait}, then call again"


@pytest.mark.parametrize(
    "text",
    [
        "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", "429 retry after 2026-01-01", "Retry-After: 0",
        "retry after 0 ms",
        "retry after 12:30", "wait until 5 pm", "retry after 3 attempts", "Retry-After: -1", "retry after 3 days",
        "retry after 1/2/2026", "retry after Oct 21", "retry after 999999999 ms", "retry after 1700000000",
    ],
)  # fmt: skip
def test_what_is_no_waiting_time_gives_no_number(text: str) -> None:
    hint = error_of(failed(f"Rate limit exceeded, {text}"))["hint"]
    assert hint == "Wait before calling again, and call less often"


def test_a_fraction_of_a_second_in_a_field_is_rounded_up() -> None:
    payload = {"error": {"type": "rate_limit_error", "message": "Slow down"}, "retry_after": 0.5}
    assert error_of(failed(json.dumps(payload)))["hint"] == "Wait 1 second, then call again"


@pytest.mark.parametrize(
    "text", ["kind must be one of: timeout, rate_limited, not_found", "No such playbook: rate limit playbook"]
)
def test_a_kind_that_is_only_listed_or_named_is_not_the_kind_of_the_failure(text: str) -> None:
    assert error_of(failed(text))["code"] not in ("RATE_LIMITED", "TIMEOUT")
    assert error_of(failed("One of the requests exceeded the rate limit"))["code"] == "RATE_LIMITED"


@pytest.mark.parametrize("levels", [1, 2])
def test_an_error_that_a_framework_wrapped_as_a_result_is_read_from_a_text_too(levels: int) -> None:
    text = json.dumps({"error": "boom", "hint": "do y"})
    for _ in range(levels):
        text = json.dumps({"result": text})
    for reply in (failed(text), {**failed("x"), "structuredContent": json.loads(text)}):
        error = error_of(reply)
        assert (error["message"], error["hint"]) == ("boom", "do y")
    both = {"content": [*failed("x")["content"], *failed(text)["content"]], "isError": True}
    assert error_of(both)["hint"] == "do y"


def test_a_timeout_of_a_tool_that_may_act_twice_is_not_retryable() -> None:
    def is_retryable(**annotations: bool) -> bool:
        return error_of(failed("Timed out"), Catalog.listed([{**TOOL, "annotations": annotations}]))["retryable"]

    assert not is_retryable()
    assert is_retryable(idempotentHint=True)
    assert is_retryable(readOnlyHint=True)


def test_a_tool_that_may_write_is_not_led_to_another_target() -> None:
    assert "hint" not in error_of(failed("EISDIR: is a directory"))
    reader = Catalog.listed([{**TOOL, "annotations": {"readOnlyHint": True}}])
    assert "inside the directory" in error_of(failed("EISDIR: is a directory"), reader)["hint"]
