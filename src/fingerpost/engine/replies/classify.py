"""Tell what a server's reply is: a success, a failure, an unknown tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.replies.payload import PARTIAL, may_be_empty, payload_of
from fingerpost.engine.replies.unexplained import FRAMEWORK_PREFIX
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

LONGEST_READ = 16 * 1024
"""How many characters of a reply's text are read."""

_LONGEST_FAILURE = 1_000

_FAILURE_FIELDS = frozenset({"ok", "success", "status", "error", "error_detail", "errorDetail", *PARTIAL})
"""Fields by which the payload of a successful reply may report a failure after all, whole or in part."""

_QUOTES = "\"'`"
_ERROR_PREFIX = lazy_pattern(r"(?:mcp error -?\d{1,6}: |error: |\u274c ?)*", re.IGNORECASE)
_SAY_UNKNOWN = (
    "unknown tool: {}", "unknown tool {}", "no such tool: {}", "no such tool {}", "invalid tool name: {}",
    "tool {} not found", "tool: {} not found", "tool {} is not found", "tool {} was not found", "tool not found: {}",
    "tool {} does not exist", "tool {} is unknown", "tool {} is not registered", "tool {} not registered",
    "tool {} not found: tool not found", "could not find tool: {}", "could not find tool {}", "method {} not found",
    "unknown tool name: {}", "unknown tool call: {}", "tool not found for call: {}",
    "no tool registered with the name {}", "method not found: tool {} not found", "method not found: unknown tool: {}",
)  # fmt: skip
"""What the protocol and its SDKs answer to the call of a tool that does not exist, in lower case and without quotes.

tests/data/unknown_tool_replies.txt says which SDK says what."""
_SAY_UNKNOWN_WITHOUT_NAME = frozenset({"unknown tool", "tool not found", "method not found"})
_REASON_IS_IN_DATA = frozenset({"invalid params", "unknown tool: invalid_tool_name"})
"""Messages of SDKs that put the name into the data of the error."""
_UNKNOWN = r"(?:unknown|unrecogni[sz]ed|invalid|no such|undefined) (?:tool|function|method|command)(?: name| call)?"
_NOT_THERE = (
    r"(?:(?:was |is |does |has )?(?:not|isn't|doesn't|wasn't)(?: been)? (?:be )?"
    r"(?:found|exist|known|registered|available|recogni[sz]ed|defined)|doesn't exist|is unknown)"
)
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


def is_exactly_unknown_tool(reply: Any, name: str) -> bool:
    """Whether a reply is the answer of the protocol or of an SDK to a tool that does not exist, and nothing else.

    Then nothing has happened, and another tool may be called instead. Words inside a sentence do not count.
    """
    fields = as_object(reply)
    is_result, text = _read_text(fields)
    plain = _strip_prefix(text)
    if not is_result and plain in _REASON_IS_IN_DATA and isinstance(data := fields.get("data"), str):
        return _says_exactly(_strip_prefix(data[:LONGEST_READ]), name)
    return (not is_result and plain in _SAY_UNKNOWN_WITHOUT_NAME) or _says_exactly(plain, name)


def _strip_prefix(text: str) -> str:
    return _ERROR_PREFIX.sub("", text.strip(), count=1).rstrip(".! ").lower()


def _says_exactly(plain: str, name: str) -> bool:
    bare = plain.translate(str.maketrans("", "", _QUOTES))
    asked = name.lower().translate(str.maketrans("", "", _QUOTES))
    return any(bare == form.format(asked) for form in _SAY_UNKNOWN)


def is_unknown_tool(reply: Any, name: str) -> bool:
    """Whether a reply says that there is no tool of this name, in any words."""
    if is_exactly_unknown_tool(reply, name):
        return True
    fields = as_object(reply)
    _, text = _read_text(fields)
    if name[:64] not in text or not (is_failure(fields) or sounds_like_failure(text)):
        return False
    asked = rf"(?<![\w.-]){re.escape(name[:64])}"
    about = rf"\b{_UNKNOWN}\W{{1,4}}{asked}|\btools?(?: named| called)?\W{{1,4}}{asked}\W{{1,3}}{_NOT_THERE}"
    return re.search(about, FRAMEWORK_PREFIX.sub("", text), re.IGNORECASE) is not None


def _read_text(reply: Mapping[str, Any]) -> tuple[bool, str]:
    """Return whether a reply is a tool result, and its text or the message of the protocol error."""
    is_result = "content" in reply
    return is_result, (text_of(reply) if is_result else str(reply.get("message")))[:LONGEST_READ]


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
