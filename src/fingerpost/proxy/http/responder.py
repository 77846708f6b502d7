"""A request as handlers see it, and the response that they send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fingerpost.proxy.http.http1 import Headers, encode_headers, header_value, is_event_stream
from fingerpost.proxy.protocol.sse import is_complete

CONTINUE = b"HTTP/1.1 100 \r\n\r\n"
_CLOSE = (b"connection", b"close")


class Output(Protocol):
    """Where a response goes."""

    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...


@dataclass(slots=True)
class Request:
    """A request that has been read whole."""

    method: str
    path: str
    headers: Headers
    body: bytes
    responder: Responder
    peer: object = None
    """Identifies the connection."""
    begun: object = None
    """What a shortcut has begun, for the handler that goes on."""

    @property
    def query(self) -> str:
        """What follows the question mark in the path. It may hold a token, so it is never logged."""
        return self.path.partition("?")[2]


class Exchange(Protocol):
    """A request that a shortcut answers outside of a task."""

    @property
    def is_short(self) -> bool:
        """Whether the request is still the shortcut's."""
        ...

    def finish(self) -> None:
        """The response has been sent."""
        ...

    def hand_over(self) -> None:
        """The handler goes on with it, in a task."""
        ...


class Responder:
    """Sends the response to one request: whole, or a head followed by chunks of the body."""

    def __init__(
        self, output: Output, *, has_body: bool = True, is_http_1_0: bool = False, keeps_alive: bool = False
    ) -> None:
        self._output, self._has_body, self._is_http_1_0 = output, has_body, is_http_1_0
        self.keeps_alive = keeps_alive
        """Whether the connection can take another request after this response."""
        self.own_headers: Headers = []
        """Headers of every response, in place of others of the same names. `Vary` is added to another one."""
        self.has_begun = False
        self.is_over = False
        self.is_stream = False
        """Whether the response is an event stream."""
        self.tail = b""
        """The last bytes sent."""
        self._is_chunked = False
        self._missing = 0
        """Bytes of the body that the head has promised and that are not sent yet."""

    async def begin(self, status: int, headers: Headers) -> None:
        length = header_value(headers, b"content-length")
        self._is_chunked = length is None and self._has_body and status not in (204, 304) and not self._is_http_1_0
        self._missing = int(length) if length is not None and self._has_body and status != 304 else 0
        if self._is_chunked:
            headers = [*headers, (b"transfer-encoding", b"chunked")]
        elif length is None and self._has_body:
            self.keeps_alive = self.keeps_alive and status in (204, 304)  # else the body ends with the connection
        self._output.write(self._encode_head(status, headers))
        self.is_stream = is_event_stream(headers)

    async def send(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-4:]
        self._write_body(data)
        await self._output.drain()

    def probe(self) -> None:
        """Send something that has no meaning. If the client is gone, that breaks the connection."""
        if not self.has_begun and not self._is_http_1_0:
            self._output.write(CONTINUE)
        elif self.is_stream and is_complete(self.tail):
            self._write_body(b": ping\n\n")

    def _write_body(self, data: bytes) -> None:
        if data and self._has_body:
            self._missing -= len(data)
            self._output.write(b"%x\r\n%b\r\n" % (len(data), data) if self._is_chunked else data)

    async def end(self) -> None:
        self.is_stream = False
        self.is_over = self._is_chunked or self._missing <= 0
        if self._is_chunked:
            self._output.write(b"0\r\n\r\n")
        await self._output.drain()

    async def send_whole(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """Send the whole response in one write."""
        self.write_whole(status, headers, body)
        await self._output.drain()

    def write_whole(self, status: int, headers: Headers, body: bytes = b"") -> None:
        length: Headers = [] if status == 204 else [(b"content-length", b"%d" % len(body))]
        head = self._encode_head(status, [*headers, *length])
        self._output.write(head + body if self._has_body else head)
        self.is_over = True

    def _encode_head(self, status: int, headers: Headers) -> bytes:
        if self.own_headers:
            names = {key for key, _ in self.own_headers} - {b"vary"}
            headers = [*(one for one in headers if one[0] not in names), *self.own_headers]
        if not self.keeps_alive and _CLOSE not in headers:
            headers = [*headers, _CLOSE]
        head = b"HTTP/1.1 %d \r\n%b\r\n" % (status, encode_headers(headers))
        self.has_begun = True
        return head
