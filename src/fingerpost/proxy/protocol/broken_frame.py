"""Recover what is readable from a frame that is not a valid message: its id, and whether it was meant as a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.safety.json_input import as_list, as_object

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TRAILING_ID = re.compile(
    rb'"id"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|[-+.\deE]{1,1000})\s*(?:,\s*"\w+"\s*:\s*"[^"]{0,100}"\s*)*\}\s*\Z'
)
MAX_DIGITS = 4_000
_MAX_HEAD = 64 * 1024
_MAX_TAIL = 2_048
_MAX_LINES = 16
"""Over how many lines the beginning of a message is looked for."""


def find_id(head: bytes, tail: bytes = b"") -> bytes:
    """Find the id of a request in a frame that is not valid JSON; `null` if there is none.

    Only a string or a number under a top-level `id` counts. Some clients write the id first and some last, so both
    ends of a long frame are searched.
    """
    for key, token in _read_members(head):
        if _is_id_key(key) and _is_scalar(token):
            return token
    last = _TRAILING_ID.search((tail or head)[-_MAX_TAIL:])
    return last[1] if last and _is_scalar(last[1]) else b"null"


def _read_members(head: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each top-level key of an object, as it is written, and the first token of its value."""
    depth, previous, key = 0, b"", b""
    for token in _TOKEN.findall(head[:_MAX_HEAD]):
        if depth == 1 and previous == b":":
            yield key, token
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif token == b":":
            key = previous
        previous = token


def _is_id_key(token: bytes) -> bool:
    try:
        return token == b'"id"' or (b"\\" in token and json.loads(token) == "id")
    except ValueError:
        return False


def _is_scalar(token: bytes) -> bool:
    try:
        if token[:1] == b'"':
            return isinstance(json.loads(token), str)
        return len(token) <= MAX_DIGITS and _NUMBER.fullmatch(token) is not None
    except ValueError:
        return False


def looks_like_client_reply(frame: bytes) -> bool:
    """Whether a client probably meant a frame as a reply."""
    return b'"method"' not in frame and (b'"result"' in frame or b'"error"' in frame)


class BrokenReplies:
    """Finds out which requests a server tried to answer with lines that are no messages.

    Servers print log lines too, which may quote replies. A reply may be split over a few lines; then its beginning is
    kept until it shows what it is.
    """

    def __init__(self) -> None:
        self._beginning, self._lines = b"", 0

    def push(self, line: bytes) -> list[bytes]:
        """Return the ids of the requests that a line was meant to answer, as JSON, or the message that it continues."""
        text = line.strip().removeprefix(b"\xef\xbb\xbf")
        payload: Any = _parse(text)
        if isinstance(payload, list | dict):
            self.clear()
            entries = map(as_object, as_list(payload) if isinstance(payload, list) else [payload])
            return [json.dumps(one["id"]).encode() for one in entries if _is_reply(one)]
        if text[:1] == b"{":
            self._beginning, self._lines = text[:_MAX_HEAD], 1
        elif self._beginning and self._lines < _MAX_LINES:
            self._beginning, self._lines = (self._beginning + b"\n" + text)[:_MAX_HEAD], self._lines + 1
        else:
            self.clear()
        return self._find_answered(text)

    def _find_answered(self, last_line: bytes) -> list[bytes]:
        """Return the id of the reply that the lines so far are the beginning of, once it can be read."""
        text = self._beginning
        if b'"jsonrpc"' not in text or not (b'"result"' in text or b'"error"' in text):
            return []
        id = find_id(text, last_line)
        is_request = any(key == b'"method"' and value != b"null" for key, value in _read_members(text))
        if id == b"null" and not is_request:
            return []
        self.clear()
        return [] if is_request else [id]

    def clear(self) -> None:
        """Forget the beginning of a message: it is over, or the server is."""
        self._beginning, self._lines = b"", 0


def _parse(text: bytes) -> Any:
    """Read JSON with less care than usual; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_reply(entry: dict[str, Any]) -> bool:
    """Whether an object is meant as a reply; one without a version has nothing in it but a reply."""
    if entry.get("method") is not None or type(entry.get("id")) not in (int, str):
        return False
    return "jsonrpc" in entry or (len(entry) > 1 and entry.keys() <= {"id", "result", "error"})
