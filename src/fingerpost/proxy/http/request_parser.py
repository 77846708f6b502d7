"""Read HTTP requests from the bytes of a connection, without I/O. `httptools` (llhttp, the parser of Node.js) parses.

llhttp rejects what servers disagree on: bare line feeds, two lengths, a length beside chunks, spaces before a colon.
This module adds what it leaves to its callers: sizes, versions, the `Host` header and other transfer encodings.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from fingerpost.proxy.http.http1 import MAX_HEAD, Headers, encode_headers, header_value


@dataclass(slots=True)
class ParsedRequest:
    """A request that has arrived whole."""

    method: str
    target: str
    headers: Headers
    body: bytes
    is_http_1_0: bool
    keeps_alive: bool
    """Whether the client may send another request on the connection."""


class Refusal(NamedTuple):
    """Why the connection cannot go on."""

    status: int
    why: str


_LONG_HEAD = Refusal(431, "The headers are too long")


class RequestParser:
    """Collects the requests of one connection, and the refusal that ends it."""

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self.requests: deque[ParsedRequest] = deque()
        self.refusal: Refusal | None = None
        self.is_within = False
        """Whether a request has begun to arrive."""
        self.has_head = False
        """Whether its head has arrived."""
        self.size = 0
        """Bytes of its body so far."""
        self.awaits_continue = False
        """Whether the client waits for `100 Continue` before it sends the body."""
        self.headers: Headers = []
        """The headers of the request that arrives."""
        self._target, self._parts = b"", list[bytes]()
        self._unused = 0
        """Bytes since the last part of a body: heads, chunk extensions and trailers are limited."""
        self._parser = HttpRequestParser(self)

    @property
    def target(self) -> str:
        """The target of the request that arrives."""
        return self._target.decode("ascii")

    def feed(self, data: bytes) -> None:
        self._unused += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            self._parse_without_upgrade(data[upgrade.args[0] :])
        except HttpParserError as error:
            self._refuse(400, str(error))
        if self._unused > MAX_HEAD:
            self._refuse(*_LONG_HEAD)

    def _parse_without_upgrade(self, rest: bytes) -> None:
        """Parse a request again without its offer of another protocol: llhttp would take its body for that protocol."""
        method, headers = self._parser.get_method(), [one for one in self.headers if one[0] != b"upgrade"]
        if method == b"CONNECT":
            self._refuse(405, "This is no forward proxy")
            return
        self._parser = HttpRequestParser(self)
        self.feed(b"%b %b HTTP/1.1\r\n%b\r\n" % (method, self._target, encode_headers(headers)) + rest)

    def _refuse(self, status: int, why: str) -> None:
        """End the connection after the requests that came before. The first reason counts."""
        if self.refusal is None:
            self.refusal = Refusal(status, why)

    # what httptools calls

    def on_message_begin(self) -> None:
        self.is_within, self.has_head, self.size = True, False, 0
        self._target, self.headers, self._parts = b"", [], []

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.has_head:  # trailers are dropped: they must not pass for headers
            self.headers.append((name.lower(), value.rstrip()))

    def on_headers_complete(self) -> None:
        self.has_head = True
        version = self._parser.get_http_version()
        if (refusal := self._check_head(version)) is not None:
            self._refuse(*refusal)
        expected = header_value(self.headers, b"expect")
        self.awaits_continue = expected is not None and expected.lower() == b"100-continue" and version == "1.1"

    def _check_head(self, version: str) -> Refusal | None:
        names = [name for name, _ in self.headers]
        hosts, codings = names.count(b"host"), names.count(b"transfer-encoding")
        if self._unused > MAX_HEAD and sum(map(len, names)) + sum(len(value) for _, value in self.headers) > MAX_HEAD:
            return _LONG_HEAD
        if version not in ("1.0", "1.1"):
            return Refusal(505, "This server speaks HTTP/1.1")
        if hosts > 1 or (hosts == 0 and version == "1.1"):
            return Refusal(400, "There must be one Host header")
        if codings and (codings > 1 or version == "1.0" or not _is_chunked(self.headers)):
            return Refusal(501, "The only transfer encoding here is chunked, in HTTP/1.1")
        return None

    def on_body(self, body: bytes) -> None:
        self._unused = 0
        self.size += len(body)
        if self.size > self._max_body:
            self._refuse(413, "The body is too large")
        if self.refusal is None:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        if self._parser.should_upgrade():
            return
        self.is_within, self._unused = False, 0
        if self.refusal is None:
            request = ParsedRequest(
                self._parser.get_method().decode(),
                self.target,
                self.headers,
                b"".join(self._parts),
                self._parser.get_http_version() == "1.0",
                self._parser.should_keep_alive(),
            )
            self.requests.append(request)
        self.awaits_continue = False


def _is_chunked(headers: Headers) -> bool:
    return (header_value(headers, b"transfer-encoding") or b"").lower() == b"chunked"
