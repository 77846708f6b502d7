"""Requests that go out by HTTP, to one address. Answers are streamed; nothing is decoded or sent twice."""

from __future__ import annotations

import asyncio
import select
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

import h11

from fingerpost.proxy.http.http1 import CHUNK, MOST_HEAD, Headers, TooLarge, Unreachable, is_event_stream, value_of
from fingerpost.proxy.protocol import sse

_MOST_MOVES = 3


@dataclass(slots=True)
class Response:
    """An answer that is coming in. Its body is to be read to the end, or closed."""

    status: int
    headers: Headers
    _link: _Link
    _upstream: Upstream
    _is_over: bool = False

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes."""
        try:
            while isinstance(event := await self._link.event(), h11.Data):
                yield bytes(event.data)
        except (OSError, h11.RemoteProtocolError, EOFError) as error:
            self.close()
            raise Unreachable(f"broke off its answer ({_kind(error)})", was_sent=True) from error
        self._is_over = True
        self._upstream.give_back(self._link)

    async def body(self, limit: int) -> bytes:
        """The whole body."""
        parts, size = list[bytes](), 0
        async for chunk in self.chunks():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                self.close()
                raise TooLarge
        return b"".join(parts)

    def close(self) -> None:
        """Have no more of it."""
        if not self._is_over:
            self._is_over = True
            self._link.close()


@dataclass(slots=True)
class _Link:
    """A connection to the upstream."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    connection: h11.Connection
    good_until: float = field(default=0.0)

    async def event(self) -> Any:
        while (event := self.connection.next_event()) is h11.NEED_DATA:
            self.connection.receive_data(await self.reader.read(CHUNK))
        return event

    def is_quiet(self) -> bool:
        """Whether nothing has come that was not asked for. The end may be there already, and only not yet heard of."""
        return not self.reader.at_eof() and not self.writer.is_closing() and not self._has_news()

    def _has_news(self) -> bool:
        waiting = select.poll()
        waiting.register(self.writer.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(waiting.poll(0))

    def close(self) -> None:
        self.writer.close()


class Upstream:
    """Where requests go: one address, with connections that are kept for a moment."""

    _KEPT = 2.5
    """Seconds that an idle connection is trusted: many servers close theirs after five."""

    def __init__(self, url: str) -> None:
        self.url: SplitResult = urlsplit(url)
        self._host = self.url.hostname or ""
        self._port = self.url.port or (443 if self.url.scheme == "https" else 80)
        self._ssl = ssl.create_default_context() if self.url.scheme == "https" else None
        self._idle: deque[_Link] = deque()

    @property
    def target(self) -> bytes:
        return ((self.url.path or "/") + (f"?{self.url.query}" if self.url.query else "")).encode()

    async def request(self, method: str, headers: Headers, body: bytes, *, seconds: float = 30.0) -> Response:
        """Send a request; the answer is there when its head is. `seconds` bounds how long connecting may take.

        A server that says it is elsewhere on the same host is believed from then on: it has done nothing yet.
        """
        for _ in range(_MOST_MOVES):
            response = await self._sent(method, headers, body, seconds)
            if not self._has_moved(response):
                return response
            response.close()
        return await self._sent(method, headers, body, seconds)

    def _has_moved(self, response: Response) -> bool:
        where = value_of(response.headers, b"location") if response.status in (307, 308) else None
        if where is None:
            return False
        try:
            moved = urlsplit(urljoin(self.url.geturl(), where.decode("latin-1")))
        except ValueError:
            return False
        if (moved.scheme, moved.netloc) != (self.url.scheme, self.url.netloc) or moved == self.url:
            return False
        self.url = moved
        return True

    async def _sent(self, method: str, headers: Headers, body: bytes, seconds: float) -> Response:
        link = self._taken() or await self._connected(seconds)
        head: Headers = [
            (b"host", self.url.netloc.rpartition("@")[2].encode()),
            *headers,
            *([(b"content-length", b"%d" % len(body))] if body or method == "POST" else []),
        ]
        try:
            return await self._asked(link, h11.Request(method=method, target=self.target, headers=head), body)
        except (OSError, h11.RemoteProtocolError, EOFError) as error:
            link.close()
            raise Unreachable(f"closed the connection ({_kind(error)})", was_sent=True) from error
        except h11.LocalProtocolError as error:
            link.close()
            raise Unreachable("cannot be sent this request by HTTP", was_sent=False) from error
        except BaseException:
            link.close()
            raise

    async def _asked(self, link: _Link, request: h11.Request, body: bytes) -> Response:
        parts = [link.connection.send(request), link.connection.send(h11.Data(data=body)) if body else b""]
        link.writer.write(b"".join([*(part or b"" for part in parts), link.connection.send(h11.EndOfMessage()) or b""]))
        await link.writer.drain()
        while isinstance(event := await link.event(), h11.InformationalResponse):
            pass
        return Response(event.status_code, [(key, value) for key, value in event.headers], link, self)

    async def _connected(self, seconds: float) -> _Link:
        try:
            async with asyncio.timeout(seconds):
                reader, writer = await asyncio.open_connection(self._host, self._port, ssl=self._ssl, limit=CHUNK)
        except (OSError, TimeoutError) as error:
            raise Unreachable(f"cannot be reached ({_kind(error)})", was_sent=False) from error
        return _Link(reader, writer, h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_HEAD))

    def _taken(self) -> _Link | None:
        """An idle connection that is still good."""
        now = time.monotonic()
        while self._idle:
            link = self._idle.pop()
            if now < link.good_until and link.is_quiet():
                return link
            link.close()
        return None

    def give_back(self, link: _Link) -> None:
        """Keep a connection for the next request, where both sides allow it."""
        if link.connection.our_state is not h11.DONE or link.connection.their_state is not h11.DONE:
            link.close()
            return
        link.connection.start_next_cycle()
        link.good_until = time.monotonic() + self._KEPT
        self._idle.append(link)
        while len(self._idle) > 128:
            self._idle.popleft().close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _kind(error: BaseException) -> str:
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason}"
    if isinstance(error, TimeoutError):
        return "no connection in time"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__


def is_stream(response: Response) -> bool:
    return is_event_stream(response.headers)


async def events_in(response: Response, limit: int) -> AsyncIterator[bytes]:
    """The events of an answer, each in the bytes it came in."""
    events = sse.Events(limit)
    async for chunk in response.chunks():
        for event in events.completed_by(chunk):
            yield event
    if rest := events.rest():
        yield rest
