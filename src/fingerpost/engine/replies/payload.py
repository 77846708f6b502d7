"""Read what a result contains: the object in it, its own count of results, and whether it says that there are none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.json_input import as_list, as_object, parse_json

OWN_ADVICE = frozenset({"tips", "next_steps", "nextSteps", "guidance", "hint", "hints"})
"""Fields in which a server gives advice itself."""
PARTIAL = frozenset({"partial", "partial_results", "partialResults", "is_partial"})
_LARGEST_READ = 256 * 1024
_MOST_WRAPPERS = 3
CURSORS = ("nextCursor", "next_cursor", "next_page_token", "nextPageToken", "next_token", "nextToken", "cursor")
_TOTAL = ("total", "total_count", "totalCount", "total_results", "totalResults", "count_total")
_LONGEST_TEXT = 400
_NOTHING = lazy_pattern(
    r"\W{0,3}(?:sorry,? (?:but )?)?"
    r"(?:(?:there (?:are|is|were|was) |i |we )?(?:found )?(?:no|0|zero)\b(?: [\w\-]+){0,4}? "
    r"(?:found|match(?:es|ed|ing)?|results?|hits|records?|documents?|available)\b"
    r"|nothing (?:was )?(?:found|matched|matches)\b|(?:i |we )?(?:did not|didn't|could not|couldn't) find any"
    r"|(?:found|matched|returned) (?:no|0|zero)\b|(?:your |the |this )?(?:search|query) (?:did not|didn't|does not) "
    r"(?:match|return|find) any|(?:total|results?|matches|hits): ?\W?(?:0|none)\b(?![.,]\d)"
    r"|(?:no (?:data|items?|entries|entry|rows?|files?)|empty (?:results?|set|list|result set))\W{0,3}$)"
    r"|\s*\[\s*\]\s*$",
    re.IGNORECASE,
)
_SOMETHING = lazy_pattern(
    r"\b(?:fetched|returned|found|showing|loaded|retrieved|using|here (?:are|is))\b:? (?:the )?[1-9]\d{0,8}\b",
    re.IGNORECASE,
)
"""What goes on to say that something was found after all."""
_ABOUT_SEARCH = lazy_pattern(
    r"total|count|page|limit|offset|size|took|time|duration|elapsed|query|search|filter|pattern|status|message|cursor"
    r"|next|prev|more|meta|request|version|kind|object|jsonrpc|scanned|url",
    re.IGNORECASE,
)
"""Fields that describe a search rather than what it found."""


def payload_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object in a result: its structured content, or its text parsed as JSON."""
    if structured := as_object(result.get("structuredContent")):
        return unwrap(structured)
    text = _only_text(result)
    return as_object(parse_json(text)) if len(text) <= _LARGEST_READ else {}


def unwrap(structured: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return the object in `{"result": …}`, which SDKs put around what is not declared as an object, also as JSON."""
    if len(structured) != 1 or "result" not in structured or depth > _MOST_WRAPPERS:
        return structured
    inner = structured["result"]
    if isinstance(inner, str) and len(inner) <= _LARGEST_READ:
        inner = parse_json(inner)
    if isinstance(inner, list):
        return {"result": inner}
    return unwrap(as_object(inner), depth + 1) or structured


def _only_text(result: Mapping[str, Any]) -> str:
    texts = [as_object(block).get("text") for block in as_list(result.get("content"))]
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else ""


def count_total(payload: Mapping[str, Any]) -> int | None:
    """Return how many results there are by the reply's own count."""
    return next((payload[word] for word in _TOTAL if isinstance(payload.get(word), int)), None)


def next_cursor(payload: Mapping[str, Any]) -> str | None:
    """Return the cursor of the next page, if there is one."""
    return next((value for word in CURSORS if isinstance(value := payload.get(word), str) and value), None)


def may_be_empty(reply: Mapping[str, Any]) -> bool:
    """Whether a reply may say that nothing was found; a cheap check for the short cut."""
    payload = as_object(reply.get("structuredContent"))
    if not payload:
        return _says_nothing(_first_text(reply))
    only = next(iter(payload.values())) if len(payload) == 1 else None
    if isinstance(only, str):
        return "result" in payload and _says_nothing(only)
    return isinstance(only, dict) or 0 in (count_total(payload), payload.get("count"))


def _says_nothing(text: str) -> bool:
    """Whether a text says that nothing was found."""
    return 0 < len(text) <= _LONGEST_TEXT and _NOTHING.match(text) is not None and not _SOMETHING.search(text)


def _first_text(reply: Mapping[str, Any]) -> str:
    """Return the text of a reply that consists of one block."""
    blocks = as_list(reply.get("content"))
    text = as_object(blocks[0]).get("text") if len(blocks) == 1 else ""
    return text if isinstance(text, str) else ""


def is_empty(reply: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    """Whether a reply says that nothing was found, and nothing else. `payload` is the object in it."""
    if not payload:
        return _says_nothing(_first_text(reply))
    payload = _only_object(payload)
    if not OWN_ADVICE.isdisjoint(payload):
        return False
    if len(payload) == 1 and isinstance(only := payload.get("result"), str):
        return _says_nothing(only)
    lists = [cast("list[Any]", value) for value in payload.values() if isinstance(value, list)]
    if payload.get("count") == 0 and None in payload.values():  # null in the place of an empty list
        lists.append([])
    if any(lists) or any(_is_data(name, value) for name, value in payload.items()):
        return False
    total = count_total(payload)
    return not total and (bool(lists) or total == 0) and not next_cursor(payload)


def _only_object(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the only object inside a payload that has nothing else: `{"data": {"items": []}}`."""
    only = as_object(next(iter(payload.values()))) if len(payload) == 1 else {}
    return only or payload


def _is_data(name: str, value: Any) -> bool:
    """Whether a field tells something besides the list: not a number, a flag, or what was asked for."""
    if isinstance(value, list | bool | float | None) or not value:
        return False
    return _ABOUT_SEARCH.search(name) is None
