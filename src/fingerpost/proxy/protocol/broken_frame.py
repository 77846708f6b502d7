"""Recover what is readable from a frame that is not a valid message: its id, and whether it was meant as a reply."""

from __future__ import annotations

import json
import re
from typing import Any, cast

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TRAILING_ID = re.compile(
    rb'"id"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|[-+.\deE]{1,1000})\s*(?:,\s*"\w+"\s*:\s*"[^"]{0,100}"\s*)*\}\s*\Z'
)
MAX_DIGITS = 4_000
_MAX_HEAD = 64 * 1024
_MAX_TAIL = 2_048


def find_id(head: bytes, tail: bytes = b"") -> bytes:
    """Find the id of a request in a frame that is not valid JSON; `null` if there is none.

    Only a string or a number under a top-level `id` counts. Some clients write the id first and some last, so both
    ends of a long frame are searched.
    """
    depth, previous, key = 0, b"", b""
    for token in _TOKEN.findall(head[:_MAX_HEAD]):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif token == b":":
            key = previous
        elif depth == 1 and previous == b":" and _is_id_key(key) and _is_scalar(token):
            return token
        previous = token
    last = _TRAILING_ID.search((tail or head)[-_MAX_TAIL:])
    return last[1] if last and _is_scalar(last[1]) else b"null"


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


def looks_like_server_reply(frame: bytes) -> bool:
    """Whether a server probably meant a line as a reply. Servers also print log lines that quote replies."""
    if frame.lstrip()[:1] != b"{" or not (b'"result"' in frame or b'"error"' in frame):
        return False
    keys = _top_level_keys(frame)
    return b'"jsonrpc"' in frame or (bool(keys) and keys <= {"id", "result", "error"})


def _top_level_keys(frame: bytes) -> set[str]:
    """The keys of a JSON object; none if the frame is not JSON."""
    try:
        payload: Any = json.loads(frame)
    except (ValueError, RecursionError):
        return set()
    return set(cast("dict[str, Any]", payload))
