"""A short excerpt of what a server says in an HTTP response that is no reply, cleaned and without secrets."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from fingerpost.engine.replies.server_errors import failure_fields
from fingerpost.engine.safety.json_input import as_list, as_object, parse_json
from fingerpost.engine.safety.redact import scrub
from fingerpost.proxy.http.http1 import Headers, header_value

_LONGEST = 200
_LONGEST_READ = 16 * 1024
_CHALLENGE = re.compile(r'\b(error_description|error)="([^"]{1,400})"')
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,400})</title>", re.IGNORECASE)
_PHRASES = {status.phrase.lower() for status in HTTPStatus}


def take_excerpt(headers: Headers, body: bytes) -> str:
    """Return what the server says about the failure; empty if it says nothing that people can read."""
    text = _read_challenge(headers) or _read_body(body)
    plain = scrub(text, _LONGEST).rstrip(".")
    says_more = plain.lower().lstrip("0123456789 -:") not in _PHRASES  # than the status itself
    return plain if says_more else ""


def _read_challenge(headers: Headers) -> str:
    """Return the error that a `WWW-Authenticate` header names."""
    challenge = (header_value(headers, b"www-authenticate") or b"").decode("latin-1")
    found = dict(_CHALLENGE.findall(challenge))
    return found.get("error_description") or found.get("error", "")


def _read_body(body: bytes) -> str:
    """Return the message of a JSON object, the title of a page, or a plain text."""
    try:
        text = body[:_LONGEST_READ].decode().strip()
    except UnicodeDecodeError:  # binary, compressed, or cut in the middle of a character
        return ""
    if text.startswith("<"):
        title = _TITLE.search(text)
        return title[1] if title else ""
    payload = parse_json(text)
    return text if isinstance(payload, str) else _read_object(as_object(payload))


def _read_object(payload: dict[str, Any]) -> str:
    detail = as_object(next(iter(as_list(payload.get("detail"))), None))
    message = detail.get("msg") or (failure_fields(payload, is_error=True) or {}).get("message")
    return message if isinstance(message, str) else ""
