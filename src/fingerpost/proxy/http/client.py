"""An HTTP/1.1 client for one URL. It streams responses, and never repeats a request."""

from __future__ import annotations

import asyncio
import ssl
import time
import zlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import cast
from urllib.parse import SplitResult, urljoin, urlsplit

from fingerpost.proxy.http.content_encoding import Decompressor, needs_decompressing, without_encoding
from fingerpost.proxy.http.http1 import (
    CHUNK,
    BodyTooLarge,
    Headers,
    InvalidHeader,
    UpstreamError,
    encode_headers,
    header_value,
    is_event_stream,
)
from fingerpost.proxy.http.receiver import Receiver
from fingerpost.proxy.http.response_parser import InvalidResponse, ResponseParser
from fingerpost.proxy.poll import IN, make_poll
from fingerpost.proxy.protocol import sse

_MAX_REDIRECTS = 3
_MAX_IDLE = 128


@dataclass(slots=True)
class Response:
    """A response whose head has arrived. Read its body to the end, or close it."""

    status: int
    _sent_headers: Headers
    _connection: Connection
    _upstream: Upstream
    _is_over: bool = False

    @property
    def headers(self) -> Headers:
        """The headers of the body as `chunks` yields it."""
        return without_encoding(self._sent_headers) if needs_decompressing(self._sent_headers) else self._sent_headers

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, decompressed."""
        decompressor = Decompressor(self._sent_headers) if needs_decompressing(self._sent_headers) else None
        try:
            while parts := await self._connection.read():
                for part in parts:
                    for piece in decompressor.push(part) if decompressor else (part,):
                        yield piece
            if decompressor:
                decompressor.finish()
        except zlib.error as error:
            self.close()
            raise UpstreamError("sent an answer that cannot be decompressed", was_sent=True, is_over=True) from error
        except (OSError, InvalidResponse, EOFError) as error:
            self.close()
            raise UpstreamError(f"broke off its answer ({_describe(error)})", was_sent=True, is_over=True) from error
        self._is_over = True
        self._upstream.release(self._connection)

    async def body(self, limit: int) -> bytes:
        """Read the whole body; `BodyTooLarge` if it exceeds `limit`."""
        parts, size = list[bytes](), 0
        async for chunk in self.chunks():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                self.close()
                raise BodyTooLarge
        return b"".join(parts)

    def close(self) -> None:
        """Close the connection, unless the body has been read to the end."""
        if not self._is_over:
            self._is_over = True
            self._connection.close()


class Connection(Receiver):
    """A connection to the upstream."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._parser = ResponseParser()
        self._news: asyncio.Future[None] | None = None
        """Set while somebody waits for more of a response."""
        self.on_news: Callable[[], None] | None = None

    # what the transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._poll = make_poll()
        self._poll.register(transport.get_extra_info("socket").fileno(), IN)

    def data_received(self, data: bytes) -> None:
        self._parser.feed(data)
        if self._parser.size > CHUNK:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._parser.end()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._parser.end(exc)
        self._wake()

    def _wake(self) -> None:
        if self.on_news is not None:
            self.on_news()
        elif self._news is not None and not self._news.done():
            self._news.set_result(None)

    # one request after the other

    def send(self, method: str, data: bytes, on_news: Callable[[], None] | None = None) -> None:
        """Send a request. `on_news` is called when more of the response has arrived, until somebody awaits it."""
        self._parser.begin(has_body=method != "HEAD")
        self.on_news = on_news
        self._transport.write(data)

    async def head(self) -> tuple[int, Headers]:
        """Return the head of the response."""
        self.on_news, parser = None, self._parser
        while not parser.has_head:
            await self._wait()
        return parser.status, parser.headers

    def may_become_small(self) -> bool:
        """Whether more must arrive to see whether `peek_small` returns a response."""
        parser = self._parser
        if parser.is_complete or parser.error is not None or parser.size > CHUNK:
            return False
        return not parser.has_head or not is_event_stream(parser.headers)

    def peek_small(self) -> tuple[int, Headers, bytes] | None:
        """Return a response that has arrived whole, is not compressed and not larger than `CHUNK`; none otherwise."""
        parser = self._parser
        if not parser.is_complete or parser.size > CHUNK or needs_decompressing(parser.headers):
            return None
        return parser.status, parser.headers, b"".join(parser.parts)

    async def read(self) -> list[bytes]:
        """Return what has arrived of the body, once there is something; nothing at the end."""
        parser = self._parser
        while not parser.parts and not parser.is_complete:
            await self._wait()
        if parser.size > CHUNK:
            self._transport.resume_reading()
        return parser.take()

    async def _wait(self) -> None:
        if self._parser.error is not None:
            raise self._parser.error
        self._news = self._loop.create_future()
        await self._news

    def is_reusable(self) -> bool:
        """Whether the server has sent nothing unexpected, not even an end of stream that asyncio has not seen yet."""
        return self.keeps_alive and not self._transport.is_closing() and not self._poll.poll(0)

    @property
    def keeps_alive(self) -> bool:
        return self._parser.is_complete and self._parser.keeps_alive

    def close(self) -> None:
        self._transport.close()


class Upstream:
    """The server at one URL, with a pool of idle connections."""

    _KEEP_ALIVE = 2.5
    """Seconds that an idle connection stays in the pool: many servers close theirs after five."""

    def __init__(self, url: str) -> None:
        self.url: SplitResult = urlsplit(url)
        self._host = self.url.hostname or ""
        self._port = self.url.port or (443 if self.url.scheme == "https" else 80)
        self._host_header = self.url.netloc.rpartition("@")[2].encode()
        self._ssl = ssl.create_default_context() if self.url.scheme == "https" else None
        self._idle: deque[tuple[float, Connection]] = deque()
        """Idle connections, each with the time when it expires."""

    def _target(self, client_query: str) -> bytes:
        query = self.url.query or client_query
        return ((self.url.path or "/") + (f"?{query}" if query else "")).encode()

    async def request(
        self,
        method: str,
        headers: Headers,
        body: bytes,
        *,
        client_query: str = "",
        seconds: float = 30.0,
        sent: Connection | None = None,
    ) -> Response:
        """Send a request and return once the head of the response is there; `seconds` limits connecting.

        The query of a client is sent if our URL has none. A client cannot change or extend the query of our URL, which
        may hold a key or choose what clients have access to.
        A redirect to another path on the same host is followed, now and for later requests. A server that redirects
        has not acted on the request yet. `sent` is the connection if `send_at_once` has sent the request already.
        """
        client_query = "" if self.url.query else client_query
        for _ in range(_MAX_REDIRECTS):
            connection = sent or await self._send(method, headers, body, client_query, seconds)
            response, sent = await self._receive(connection), None
            if not self._follow_redirect(response, client_query):
                return response
            response.close()
        return await self._receive(await self._send(method, headers, body, client_query, seconds))

    def send_at_once(self, headers: Headers, body: bytes, on_news: Callable[[], None]) -> Connection | None:
        """Send a POST on an idle connection; none if there is none."""
        data, connection = self._encode("POST", headers, body), self._take_idle()
        if connection is not None:
            connection.send("POST", data, on_news)
        return connection

    def _follow_redirect(self, response: Response, client_query: str) -> bool:
        location = header_value(response.headers, b"location") if response.status in (307, 308) else None
        if location is None:
            return False
        try:
            url = urlsplit(urljoin(self.url.geturl(), location.decode("latin-1")))
        except ValueError:
            return False
        if client_query:  # it must not go with the requests of others, nor what the server made of it
            if url.query not in ("", client_query):
                return False
            url = url._replace(query="")
        if (url.scheme, url.netloc) != (self.url.scheme, self.url.netloc) or url == self.url:
            return False
        self.url = url
        return True

    async def _send(self, method: str, headers: Headers, body: bytes, client_query: str, seconds: float) -> Connection:
        try:
            data = self._encode(method, headers, body, client_query)
        except InvalidHeader as error:
            raise UpstreamError("cannot be sent this request by HTTP", was_sent=False) from error
        connection = self._take_idle() or await self._connect(seconds)
        connection.send(method, data)
        return connection

    def _encode(self, method: str, headers: Headers, body: bytes, client_query: str = "") -> bytes:
        length = [(b"content-length", b"%d" % len(body))] if body or method == "POST" else []
        lines = encode_headers([(b"host", self._host_header), *headers, *length])
        return b"%b %b HTTP/1.1\r\n%b\r\n%b" % (method.encode(), self._target(client_query), lines, body)

    async def _receive(self, connection: Connection) -> Response:
        try:
            return Response(*await connection.head(), connection, self)
        except (OSError, InvalidResponse, EOFError) as error:
            connection.close()
            raise UpstreamError(f"closed the connection ({_describe(error)})", was_sent=True) from error
        except BaseException:
            connection.close()
            raise

    async def _connect(self, seconds: float) -> Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                _, connection = await loop.create_connection(
                    lambda: Connection(loop), self._host, self._port, ssl=self._ssl
                )
        except (OSError, TimeoutError) as error:
            raise UpstreamError(f"cannot be reached ({_describe(error)})", was_sent=False) from error
        return connection

    def _take_idle(self) -> Connection | None:
        """Take a reusable connection from the pool; close the others."""
        now = time.monotonic()
        while self._idle:
            expires_at, connection = self._idle.pop()
            if now < expires_at and connection.is_reusable():
                return connection
            connection.close()
        return None

    def release(self, connection: Connection) -> None:
        """Return a connection to the pool if both sides allow it."""
        connection.on_news = None
        if not connection.keeps_alive:
            connection.close()
            return
        self._idle.append((time.monotonic() + self._KEEP_ALIVE, connection))
        while len(self._idle) > _MAX_IDLE:
            self._idle.popleft()[1].close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()


def _describe(error: BaseException) -> str:
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason}"
    if isinstance(error, TimeoutError):
        return "no connection in time"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__


def is_stream(response: Response) -> bool:
    return is_event_stream(response.headers)


async def read_events(response: Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the events of a response, each in its original bytes."""
    events = sse.EventSplitter(limit)
    async for chunk in response.chunks():
        for event in events.push(chunk):
            yield event
    if rest := events.rest():
        yield rest
