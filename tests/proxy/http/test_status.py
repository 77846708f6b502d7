"""What is said about an HTTP response that is no reply: what happened, whether the call may have run, what it says."""

from __future__ import annotations

import pytest

from fingerpost.engine.failure_kinds import FailureFacts, FailureKind
from fingerpost.engine.model import Diagnosis
from fingerpost.engine.tool import Tool
from fingerpost.proxy.http.excerpt import take_excerpt
from fingerpost.proxy.http.http1 import Headers
from fingerpost.proxy.http.status import describe_forgotten, describe_status, read_facts

WRITES = Tool("create", {"name": "create"})
READS = Tool("get", {"name": "get", "annotations": {"readOnlyHint": True}})
JSON: Headers = [(b"content-type", b"application/json; charset=utf-8")]


def diagnose(status: int, *headers: tuple[bytes, bytes], body: bytes = b"", tool: Tool = WRITES) -> Diagnosis:
    return describe_status(status, list(headers), body).diagnosis(tool)


@pytest.mark.parametrize(
    ("status", "clause"),
    [
        (400, "does not accept the request"), (409, "reports a conflict"), (410, "nothing at this address any more"),
        (422, "does not accept what was sent"), (425, "did not want to handle the request yet"),
        (500, "failed while it handled the request"), (502, "got no usable answer"), (503, "is not available"),
        (504, "got no answer in time"),
    ],
)  # fmt: skip
def test_a_status_is_put_into_words(status: int, clause: str) -> None:
    assert f"answered HTTP {status}: it " in diagnose(status).message
    assert clause in diagnose(status).message


@pytest.mark.parametrize("status", [400, 406, 409, 418, 422])
def test_nothing_is_claimed_about_the_next_call(status: int) -> None:
    assert diagnose(status).hint == "Tell the user"


def test_a_request_that_came_too_early_may_be_sent_again() -> None:
    early = diagnose(425)
    assert early.retryable and early.hint.startswith("Send the call again")
    assert "not carried out" in early.message


def test_a_request_that_was_given_up_may_have_been_carried_out() -> None:
    assert "may or may not have taken effect" in diagnose(499).message
    assert not diagnose(499).retryable


@pytest.mark.parametrize("status", [500, 503, 504])
def test_a_wait_after_an_unknown_outcome_does_not_hide_that_it_is_unknown(status: int) -> None:
    wait = (b"retry-after", b"11")
    writes, reads = diagnose(status, wait), diagnose(status, wait, tool=READS)
    assert writes.hint == "Wait 11 seconds. Look whether it has taken effect before you send it again"
    assert reads.hint == "Wait 11 seconds, then call again"
    assert (writes.retryable, reads.retryable) == (False, True)


def test_a_forgotten_session_is_told_as_what_it_is() -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'
    lost = describe_forgotten(JSON, body).diagnosis(WRITES)
    assert lost.message == (
        "The server answered HTTP 404: it does not know this session, or has nothing at this address; "
        'the call was not carried out. It says "Session not found"'
    )
    assert lost.retryable and "new session" in lost.hint


@pytest.mark.parametrize(
    ("headers", "body", "what"),
    [
        ([(b"content-type", b"text/html; charset=utf-8")], b"<html>login</html>", 'content of the type "text/html"'),
        ([(b"content-encoding", b"br")], b"\x0b\x02", 'in the encoding "br", which the proxy cannot read'),
        ([(b"content-encoding", b"gzip, gzip")], b"\x1f\x8b", 'in the encoding "gzip, gzip"'),
        ([(b"content-encoding", b"identity")], b" ", "without a reply"),
        (JSON, b"[]", "with something else than a reply to this request"),
        ([], b"{}", "with something else than a reply to this request"),
    ],
)
def test_a_success_without_a_reply_says_what_came_instead(headers: Headers, body: bytes, what: str) -> None:
    lost = describe_status(200, headers, body)
    assert what in lost.message()
    assert "may or may not have taken effect" in lost.diagnosis(WRITES).message


@pytest.mark.parametrize(
    ("headers", "body", "excerpt"),
    [
        ([], b"slow down", "slow down"),
        ([], b"  quota\r\n exceeded.\n", "quota exceeded"),
        (JSON, b'{"detail": "bad"}', "bad"),
        (JSON, b'{"detail": [{"loc": ["body", "a"], "msg": "field required"}]}', "field required"),
        (JSON, b'{"error": {"message": "no such model"}}', "no such model"),
        (JSON, b'{"error": "invalid_grant", "error_description": "expired"}', "invalid_grant"),
        (JSON, b'{"items": []}', ""),
        (JSON, b"[1]", ""),
        ([], b"<html><head><title>Sign in</title></head><body>secret</body></html>", "Sign in"),
        ([], b"<html>CSRF</html>", ""),
        ([], b"\xff\xfe\x00", ""),
        ([], b"Not Found", ""),
        ([], b"<title>502 Bad Gateway</title>", ""),
        ([], b"the key token=abcdef123456 is wrong", "the key token=<hidden> is wrong"),
        ([(b"www-authenticate", b'Bearer error="invalid_token", error_description="The token expired"')], b"no",
         "The token expired"),
        ([(b"www-authenticate", b'Bearer error="invalid_token"')], b"no", "invalid_token"),
        ([(b"www-authenticate", b'Bearer resource_metadata="https://x/.well-known"')], b"no", "no"),
    ],
)  # fmt: skip
def test_what_the_server_says_is_quoted_in_short(headers: Headers, body: bytes, excerpt: str) -> None:
    assert take_excerpt(headers, body) == excerpt


def test_an_excerpt_is_short_and_quoted() -> None:
    assert len(take_excerpt([], b"no " * 9_999)) == 200
    assert diagnose(422, *JSON, body=b'{"detail": "say \\"please\\""}').message.endswith('It says "say \\"please\\""')
    lost = describe_status(401, [], b"who are you")
    assert lost.message_with_hint().startswith(
        'The server answered HTTP 401: it wants credentials. It says "who are you". Tell the user'
    )


def test_only_some_statuses_tell_about_an_error_in_the_body() -> None:
    wait: Headers = [(b"retry-after", b"7")]
    assert read_facts(429, wait) == FailureFacts(FailureKind.RATE_LIMITED, 7)
    assert read_facts(503, []) == FailureFacts(FailureKind.INTERRUPTED)
    assert [read_facts(status, wait) for status in (200, 400, 404, 500)] == [None] * 4
