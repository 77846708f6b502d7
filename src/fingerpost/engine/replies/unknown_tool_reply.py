"""Tell whether a server says that it has no tool of the name that was called.

Only a whole reply counts. Words inside a sentence, or beside other text or data, may come from a tool that ran: "Item
added. Then: Unknown tool: search".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.replies.classify import LONGEST_READ, is_failure, is_protocol_error, sounds_like_failure
from fingerpost.engine.replies.payload import payload_of
from fingerpost.engine.replies.server_errors import failure_fields
from fingerpost.engine.replies.unexplained import FRAMEWORK_PREFIX
from fingerpost.engine.safety.json_input import as_list, as_object, parse_json

_QUOTES = str.maketrans("", "", "\"'`")
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
_UNKNOWN = (
    r"(?:there is )?(?:unknown|unrecogni[sz]ed|unsupported|invalid|no such|undefined) (?:tool|function|method|command)"
    r"(?: name| call)?"
)
_NOT_THERE = (
    r"(?:(?:was |is |does |has )?(?:not|isn't|doesn't|wasn't)(?: been)? (?:be )?"
    r"(?:found|exist|known|registered|available|recogni[sz]ed|defined)|doesn't exist|is unknown)(?: in \w{1,40})?"
)
_NAMES = r"\[?[\w.\-/:'\"`]{1,130}(?:(?:,| and|\n-?)\s{1,4}[\w.\-/:'\"`]{1,130}){0,500}\]?"
_LIST = rf"(?:[.;!]?\s+(?:available|known|valid|registered|supported) tools(?: are)?:?\s+{_NAMES})?"
"""A list of the tools that there are, which some servers add."""
_ADVICE = r"(?:\.?\s+please (?:check|verify)[\w ]{1,60})?"


def is_exactly_unknown_tool(reply: Any, name: str) -> bool:
    """Whether a reply is the answer of the protocol or of an SDK to a call of this name, and nothing else.

    Then nothing has happened, and another tool may be called instead.
    """
    fields = as_object(reply)
    plain = _strip_prefix(_only_text(fields))
    if is_protocol_error(fields) and plain in _REASON_IS_IN_DATA and isinstance(data := fields.get("data"), str):
        plain = _strip_prefix(data[:LONGEST_READ])
    bare, asked = plain.translate(_QUOTES), name.lower().translate(_QUOTES).strip()
    return any(bare == form.format(asked) for form in _SAY_UNKNOWN)


def is_unknown_without_name(reply: Any) -> bool:
    """Whether a reply is the protocol error for an unknown tool or method, without the name that was called."""
    fields = as_object(reply)
    return is_protocol_error(fields) and _strip_prefix(_only_text(fields)) in _SAY_UNKNOWN_WITHOUT_NAME


def is_unknown_tool(reply: Any, name: str) -> bool:
    """Whether a reply says that there is no tool of this name, in any words, and nothing else."""
    if is_exactly_unknown_tool(reply, name) or is_unknown_without_name(reply):
        return True
    text = _reported_message(as_object(reply)) or _only_text(as_object(reply))
    if name[:64] not in text or not (is_failure(reply) or sounds_like_failure(text)):
        return False
    asked = rf"(?<![\w.-]){re.escape(name[:64])}"
    tool = rf"(?:the )?tools?(?: named| called| with name)?\W{{1,4}}{asked}\W{{1,3}}{_NOT_THERE}"
    named = rf"(?:{_UNKNOWN}|tool {_NOT_THERE})\W{{1,4}}{asked}|{tool}"
    whole = rf"(?:\w{{1,40}}error: |error: )?(?:{named})\W{{0,2}}{_LIST}{_ADVICE}\W{{0,3}}"
    return re.fullmatch(whole, FRAMEWORK_PREFIX.sub("", _without_code(text)), re.IGNORECASE) is not None


def _strip_prefix(text: str) -> str:
    return _without_code(text).rstrip(".! ").lower()


def _without_code(text: str) -> str:
    return _ERROR_PREFIX.sub("", text.strip(), count=1)


def _only_text(reply: Mapping[str, Any]) -> str:
    """Return the message of a protocol error, or the text of a result that consists of one text; else nothing."""
    if "content" not in reply:
        return str(reply.get("message"))[:LONGEST_READ]
    text, structured = _only_block(reply), as_object(reply.get("structuredContent"))
    return text[:LONGEST_READ] if text and all(value == text for value in structured.values()) else ""


def _only_block(result: Mapping[str, Any]) -> str | None:
    """Return the text of a result's only block, nothing if there is no block, None if there is anything else."""
    content = result.get("content")
    blocks = [{"text": content}] if isinstance(content, str) else as_list(content)
    text = as_object(blocks[0]).get("text") if len(blocks) == 1 else None
    return "" if not blocks else text if isinstance(text, str) else None


def _reported_message(result: Mapping[str, Any]) -> str:
    """Return the message of a result that consists of an object which describes a failure and has nothing else."""
    text, payload = _only_block(result), payload_of(result)
    fields = failure_fields(payload, is_error=False)
    if fields is None or text is None:
        return ""
    message = str(fields["message"])
    is_all = text in ("", message) or as_object(parse_json(text)) == payload
    return message[:LONGEST_READ] if is_all else ""
