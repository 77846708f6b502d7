"""What the HTTP/1.1 server and client share: headers, limits and failures. `httptools` parses what comes in."""

from __future__ import annotations

import re
from typing import TypeAlias

from fingerpost.proxy.protocol.lost_reply import LostReply

Headers: TypeAlias = "list[tuple[bytes, bytes]]"

CHUNK = 64 * 1024
MAX_HEAD = 64 * 1024
"""Bytes of the longest request line with headers."""

_HOP_BY_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
})  # fmt: skip

_HEADER_LINES = re.compile(rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t\x20-\x7e\x80-\xff]*\r\n)*")


class BodyTooLarge(Exception):
    """A body exceeds the size limit."""


class InvalidHeader(ValueError):
    """A header cannot be sent."""


class UpstreamError(Exception):
    """A request got no reply. `was_sent` says whether the server may have seen it, `is_over` that it has answered."""

    def __init__(self, why: str, *, was_sent: bool, is_over: bool = False) -> None:
        super().__init__(why)
        self.was_sent, self.is_over = was_sent, is_over

    def as_lost(self) -> LostReply:
        return LostReply(str(self), was_sent=self.was_sent, is_over=self.is_over)


def encode_headers(headers: Headers) -> bytes:
    """Write header lines; `InvalidHeader` if one has characters that would end it early or that HTTP forbids."""
    lines = b"".join([b"%b: %b\r\n" % header for header in headers])
    if lines.count(b"\n") != len(headers) or _HEADER_LINES.fullmatch(lines) is None:
        raise InvalidHeader
    return lines


def forwardable_headers(headers: Headers) -> Headers:
    """The end-to-end headers: all except hop-by-hop headers and those that `Connection` names."""
    named = {name.strip().lower() for key, value in headers if key == b"connection" for name in value.split(b",")}
    return [one for one in headers if one[0] not in _HOP_BY_HOP and one[0] not in named]


def is_event_stream(headers: Headers) -> bool:
    return (header_value(headers, b"content-type") or b"").lower().startswith(b"text/event-stream")


def header_value(headers: Headers, name: bytes) -> bytes | None:
    for key, value in headers:
        if key == name:
            return value
    return None
