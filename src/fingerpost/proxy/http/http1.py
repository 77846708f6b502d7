"""What both ends of HTTP/1.1 have in common: headers, and how a request fails. What is HTTP, `h11` says."""

from __future__ import annotations

from typing import TypeAlias

Headers: TypeAlias = "list[tuple[bytes, bytes]]"

CHUNK = 64 * 1024
MOST_HEAD = 64 * 1024
"""Bytes of the longest request line and headers."""

_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
})  # fmt: skip
"""Headers that speak of one connection and go no further."""


class TooLarge(Exception):
    """A body that is longer than is let through."""


class Unreachable(Exception):
    """A request that has no answer. `was_sent` tells whether the server may have seen it."""

    def __init__(self, why: str, *, was_sent: bool) -> None:
        super().__init__(why)
        self.was_sent = was_sent


def end_to_end(headers: Headers) -> Headers:
    """Headers that are passed on: those of this connection, and those that it names, are not."""
    named = {name.strip().lower() for key, value in headers if key == b"connection" for name in value.split(b",")}
    return [(key, value) for key, value in headers if key not in _HOP and key not in named]


def is_event_stream(headers: Headers) -> bool:
    return (value_of(headers, b"content-type") or b"").lower().startswith(b"text/event-stream")


def value_of(headers: Headers, name: bytes) -> bytes | None:
    return next((value for key, value in headers if key == name), None)
