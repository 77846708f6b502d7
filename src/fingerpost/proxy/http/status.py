"""What an HTTP response without a reply means for a call: what happened, and whether it may have been carried out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from fingerpost.engine.failure_kinds import STATUS_KINDS, FailureFacts
from fingerpost.engine.safety.redact import clean
from fingerpost.proxy.http.excerpt import take_excerpt
from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.protocol.lost_reply import LostReply

_LONGEST_WAIT = 86_400
_CLIENT_LEFT = 499
"""What some gateways answer if a request takes too long: the server behind them may have carried it out."""
_TELLING = frozenset({401, 429, 502, 503, 504})
"""The statuses that tell about the failure beside a JSON-RPC error. Servers send others for any error."""


class _Meaning(NamedTuple):
    clause: str
    code: str = "UPSTREAM_ERROR"
    category: str = "upstream"
    hint: str = ""
    is_transient: bool = False


_SET_HEADERS = "Tell the user; FINGERPOST_HEADERS sets the headers that the proxy sends"
_CHECK_ADDRESS = "Tell the user to check the address of the server"
_MEANINGS = {
    400: _Meaning("does not accept the request"),
    401: _Meaning("wants credentials", "AUTH_REQUIRED", "auth", _SET_HEADERS),
    403: _Meaning("does not allow this", "PERMISSION_DENIED", "permission", _SET_HEADERS),
    404: _Meaning("has nothing at this address", hint=_CHECK_ADDRESS),
    405: _Meaning("takes no POST at this address", hint=_CHECK_ADDRESS),
    408: _Meaning("did not get the whole request in time", "TIMEOUT", "timeout", "Send the call again", True),
    409: _Meaning("reports a conflict", "CONFLICT", "conflict"),
    410: _Meaning("has nothing at this address any more", hint=_CHECK_ADDRESS),
    413: _Meaning("accepts no request of this size", hint="Send less at once"),
    422: _Meaning("does not accept what was sent"),
    425: _Meaning("did not want to handle the request yet", is_transient=True),
    429: _Meaning("got too many requests", "RATE_LIMITED", "rate_limited", "Wait before you call again", True),
    500: _Meaning("failed while it handled the request"),
    501: _Meaning("does not support this"),
    502: _Meaning("got no usable answer from the server behind it"),
    503: _Meaning("is not available at the moment"),
    504: _Meaning("got no answer in time from the server behind it", "TIMEOUT", "timeout"),
}

_FORGOTTEN = LostReply(
    "answered HTTP 404: it does not know this session, or has nothing at this address",
    is_over=True,
    is_refused=True,
    is_transient=True,
    hint="A new session is begun: send the call again; if that fails too, tell the user to check the address",
)


def describe_status(status: int, headers: Headers, body: bytes) -> LostReply:
    """Describe the loss of a reply for which the server sent only a status, or something that is no reply."""
    if status < 300:
        return LostReply(f"answered HTTP {status} {_describe_other(headers, body)}", is_over=True)
    meaning = _MEANINGS.get(status, _Meaning(""))
    clause = f": it {meaning.clause}" if meaning.clause else _describe_place(headers)
    return LostReply(
        f"answered HTTP {status}{clause}",
        is_over=True,
        is_refused=status < 500 and status != _CLIENT_LEFT,
        code=meaning.code,
        category=meaning.category,
        hint=meaning.hint,
        is_transient=meaning.is_transient,
        wait=_read_wait(headers) if meaning.is_transient or status >= 500 else 0,
        excerpt=take_excerpt(headers, body),
    )


def describe_forgotten(headers: Headers, body: bytes) -> LostReply:
    """Describe the loss of a reply to a request of a session, for which the server sent a 404."""
    return _FORGOTTEN._replace(excerpt=take_excerpt(headers, body))


def _describe_other(headers: Headers, body: bytes) -> str:
    """Say what came instead of a reply."""
    encoding, media_type = _read_name(headers, b"content-encoding"), _read_name(headers, b"content-type")
    if encoding not in ("", "identity"):
        return f'in the encoding "{encoding}", which the proxy cannot read'
    if not body.strip():
        return "without a reply"
    if media_type not in ("", "application/json"):
        return f'with content of the type "{media_type}" instead of a reply'
    return "with something else than a reply to this request"


def _read_name(headers: Headers, name: bytes) -> str:
    """Return a header without its parameters, fit to be quoted."""
    value = (header_value(headers, name) or b"").decode("latin-1").partition(";")[0]
    return clean(value.replace('"', "")).lower()


def _describe_place(headers: Headers) -> str:
    location = clean((header_value(headers, b"location") or b"").decode("latin-1"), 200)
    return f" and is at {location}" if location else ""


def read_facts(status: int, headers: Headers) -> FailureFacts | None:
    """Return what the status and `Retry-After` tell about a failure whose JSON-RPC error came with them."""
    return FailureFacts(STATUS_KINDS[status], _read_wait(headers) or None) if status in _TELLING else None


def _read_wait(headers: Headers) -> int:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; none if it is neither."""
    text = (header_value(headers, b"retry-after") or b"").decode("latin-1").strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        seconds = int(text)
    else:
        from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

        try:
            seconds = round((parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):  # not a date, or one without a zone
            return 0
    return seconds if 0 < seconds <= _LONGEST_WAIT else 0
