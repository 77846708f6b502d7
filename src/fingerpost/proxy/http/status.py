"""What an HTTP status without a reply means for a call: what happened, and whether it may have been carried out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from fingerpost.engine.failure_kinds import STATUS_KINDS, FailureFacts
from fingerpost.engine.phrases import count_noun
from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.protocol.lost_reply import LostReply

_LONGEST_WAIT = 86_400


class _Meaning(NamedTuple):
    clause: str
    code: str
    category: str
    hint: str
    is_transient: bool = False


_MEANINGS = {
    401: _Meaning(
        "wants credentials",
        "AUTH_REQUIRED",
        "auth",
        "Tell the user; FINGERPOST_HEADERS sets the headers that the proxy sends",
    ),
    403: _Meaning(
        "does not allow this",
        "PERMISSION_DENIED",
        "permission",
        "Tell the user; FINGERPOST_HEADERS sets the headers that the proxy sends",
    ),
    404: _Meaning(
        "has nothing at this address", "UPSTREAM_ERROR", "upstream", "Tell the user to check the address of the server"
    ),
    408: _Meaning("did not get the whole request in time", "TIMEOUT", "timeout", "Send the call again", True),
    413: _Meaning("accepts no request of this size", "UPSTREAM_ERROR", "upstream", "Send less at once"),
    429: _Meaning("got too many requests", "RATE_LIMITED", "rate_limited", "Wait before you call again", True),
}


def describe_status(status: int, *, retry_after: bytes | None = None, location: str = "") -> LostReply:
    """Describe the loss of a reply for which the server sent only a status."""
    is_refused = 300 <= status < 500
    meaning = _MEANINGS.get(status)
    if meaning is None:
        place = f" and is at {location}" if location else ""
        return LostReply(f"answered HTTP {status}{place}", is_over=True, is_refused=is_refused)
    wait = _read_wait(retry_after) if meaning.is_transient else 0
    return LostReply(
        f"answered HTTP {status}: it {meaning.clause}",
        is_over=True,
        is_refused=is_refused,
        code=meaning.code,
        category=meaning.category,
        hint=f"Wait {count_noun(wait, 'second')}, then call again" if wait else meaning.hint,
        is_transient=meaning.is_transient,
    )


_TELLING = frozenset({401, 429, 502, 503, 504})
"""The statuses that tell about the failure beside a JSON-RPC error. Servers send others for any error."""


def read_facts(status: int, headers: Headers) -> FailureFacts | None:
    """Return what the status and `Retry-After` tell about a failure whose JSON-RPC error came with them."""
    if status not in _TELLING:
        return None
    return FailureFacts(STATUS_KINDS[status], _read_wait(header_value(headers, b"retry-after")) or None)


def _read_wait(header: bytes | None) -> int:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; none if it is neither."""
    text = (header or b"").decode("latin-1").strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        seconds = int(text)
    else:
        from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

        try:
            seconds = round((parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):  # not a date, or one without a zone
            return 0
    return seconds if 0 < seconds <= _LONGEST_WAIT else 0
