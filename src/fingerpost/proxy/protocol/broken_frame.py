"""What can be made out of a frame that is no message: whose it was meant to be, and what."""

from __future__ import annotations

import json
import re
from typing import Any, cast

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LAST = re.compile(
    rb'"id"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|[-+.\deE]{1,1000})\s*(?:,\s*"\w+"\s*:\s*"[^"]{0,100}"\s*)*\}\s*\Z'
)
MOST_DIGITS = 4_000
_READ = 64 * 1024
_TAIL = 2_048


def readable_id(head: bytes, tail: bytes = b"") -> bytes:
    """The id of a request in a frame that is no JSON, as far as one can be made out; else `null`.

    Only a string or a number under `id` on the first level counts. Some clients write it first and some last, so
    of a long frame both ends are looked at.
    """
    depth, before, key = 0, b"", b""
    for token in _TOKEN.findall(head[:_READ]):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif token == b":":
            key = before
        elif depth == 1 and before == b":" and _is_id_key(key) and _is_scalar(token):
            return token
        before = token
    last = _LAST.search((tail or head)[-_TAIL:])
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
        return len(token) <= MOST_DIGITS and _NUMBER.fullmatch(token) is not None
    except ValueError:
        return False


def is_like_a_reply(frame: bytes) -> bool:
    """Whether what a client has sent was meant as an answer, as far as that can be made out."""
    return b'"method"' not in frame and (b'"result"' in frame or b'"error"' in frame)


def is_like_our_reply(frame: bytes) -> bool:
    """Whether what a server has written was meant as an answer. Logs stand there too, and they quote answers."""
    if frame.lstrip()[:1] != b"{" or not (b'"result"' in frame or b'"error"' in frame):
        return False
    names = _names(frame)
    return b'"jsonrpc"' in frame or (bool(names) and names <= {"id", "result", "error"})


def _names(frame: bytes) -> set[str]:
    """The names in an object; none where it is no JSON."""
    try:
        said: Any = json.loads(frame)
    except (ValueError, RecursionError):
        return set()
    return set(cast("dict[str, Any]", said))
