"""After a failure that leaves open whether the call took effect, no retry is advised on tools that may write."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, enrich
from fingerpost.engine.failure_kinds import FailureFacts, FailureKind
from fingerpost.engine.replies.exceptions import facts_of

SCHEMA = {"type": "object", "properties": {"sku": {"type": "string"}}}
CATALOG = Catalog.listed([
    {"name": "create_order", "inputSchema": SCHEMA},
    {"name": "get_order", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
    {"name": "put_order", "inputSchema": SCHEMA, "annotations": {"idempotentHint": True}},
])  # fmt: skip
UNSURE = "It may or may not have taken effect"


def error_of(text: str, name: str) -> dict[str, Any]:
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    return enrich(Call(name, {"sku": "s1"}), reply, CATALOG)["_meta"][KEY]["error"]


LOST = [
    "ECONNRESET", "connection reset by peer", "502 Bad Gateway", "503 Service Unavailable", "socket hang up",
    "upstream connect error or disconnect/reset before headers", "ETIMEDOUT", "Connection closed",
    "Max retries exceeded with url: /orders", '{"error": {"code": "unavailable", "message": "no"}}',
]  # fmt: skip
NOT_SENT = [
    "connect ECONNREFUSED 10.0.0.1:80", "dial tcp: lookup shop.internal: no such host", "getaddrinfo EAI_AGAIN shop",
    "Max retries exceeded with url: /orders (Failed to establish a new connection: Connection refused)",
    '{"error": {"code": "CONNECTION_REFUSED", "message": "no"}}',
]  # fmt: skip


@pytest.mark.parametrize("text", LOST)
def test_a_write_whose_outcome_is_unknown_is_not_to_be_repeated_unseen(text: str) -> None:
    error = error_of(text, "create_order")
    assert error["hint"].startswith(UNSURE)
    assert error["retryable"] is False


@pytest.mark.parametrize("name", ["get_order", "put_order"])
@pytest.mark.parametrize("text", LOST)
def test_a_call_that_does_nothing_twice_may_be_repeated(text: str, name: str) -> None:
    error = error_of(text, name)
    assert UNSURE not in error["hint"]
    assert error["retryable"] is True


@pytest.mark.parametrize("text", NOT_SENT)
def test_a_write_that_reached_nothing_may_be_repeated(text: str) -> None:
    error = error_of(text, "create_order")
    assert error["hint"].startswith("Nothing is wrong with the call")
    assert error["retryable"] is True


@pytest.mark.parametrize(
    ("exception", "kind"),
    [
        (ConnectionRefusedError(), FailureKind.UNREACHABLE),
        (ConnectionResetError(), FailureKind.INTERRUPTED),
        (BrokenPipeError(), FailureKind.INTERRUPTED),
        (ConnectionError(), FailureKind.INTERRUPTED),
    ],
)
def test_exceptions_tell_a_refused_connection_from_a_broken_one(exception: Exception, kind: FailureKind) -> None:
    assert facts_of(exception, Call("create_order", {})) == FailureFacts(kind)


def test_the_servers_own_next_step_stands_alone() -> None:
    error = error_of("502 Bad Gateway. Check the order status first.", "create_order")
    assert "hint" not in error
    assert error["retryable"] is False
