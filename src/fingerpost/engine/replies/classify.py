"""Tell what a server's reply is: a success or a failure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.replies.payload import PARTIAL, may_be_empty, payload_of
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

LONGEST_READ = 16 * 1024
"""How many characters of a reply's text are read."""

_LONGEST_FAILURE = 1_000

_FAILURE_FIELDS = frozenset({"ok", "success", "status", "error", "error_detail", "errorDetail", *PARTIAL})
"""Fields by which the payload of a successful reply may report a failure after all, whole or in part."""

_FAILURE = lazy_pattern(
    r"\W*(?:error|unknown|invalid|fail(?:ed|ure)|exception|no such|cannot|could not|missing)\b", re.I
)


def is_protocol_error(reply: Mapping[str, Any]) -> bool:
    """Whether a reply is a JSON-RPC error rather than a tool result."""
    return isinstance(reply.get("code"), int) and "content" not in reply


def is_failure(reply: Any) -> bool:
    """Whether a reply is an error, of the tool or of the protocol."""
    fields = as_object(reply)
    return fields.get("isError") is True or is_protocol_error(fields)


def is_plain_success(reply: Any) -> bool:
    """Whether a reply is a success that never gets guidance: it holds no list and no sign of a failure."""
    fields: dict[str, Any] = reply
    if type(reply) is not dict or fields.get("isError") is True:
        return False
    payload: dict[str, Any] | None = fields.get("structuredContent")
    if may_be_empty(fields):
        return False
    if type(payload) is not dict:
        return not payload_of(fields)
    if len(payload) == 1 and "result" in payload:
        payload = payload_of(fields)
    return _FAILURE_FIELDS.isdisjoint(payload) and list not in map(type, payload.values())


_REPORTED_FAILURE = re.compile(
    rb"\"error(?:_detail|Detail)?\\*\"\s*:|\"(?:ok|success)\\*\"\s*:\s*false"
    rb"|\"status\\*\"\s*:\s*\\*\"(?:error|fail|failed|failure)\\*\"",
    re.IGNORECASE,
)


def may_report_failure(result: bytes) -> bool:
    """Whether an encoded result may describe a failure although it is a success: a check without decoding it."""
    return len(result) <= LONGEST_READ and _REPORTED_FAILURE.search(result) is not None


def sounds_like_failure(text: str) -> bool:
    """Whether a text begins like an error message: some servers return one as if it were a result."""
    return len(text) < _LONGEST_FAILURE and _FAILURE.match(text) is not None


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text of a tool result, as far as it is read."""
    content = result.get("content")
    if isinstance(content, str):
        return content[:LONGEST_READ]
    blocks = as_list(content)[:20]
    return "\n".join(as_strings([as_object(block).get("text") for block in blocks]))[:LONGEST_READ]
