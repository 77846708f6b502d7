"""A small HTTP/1.1 server on `h11`. It reads each request whole, within limits, and answers at once or as a stream.

It closes connections of slow clients, and cancels the handler of a client that disconnects. A client that has only
closed its sending half still gets its response.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeAlias, cast

import h11

from fingerpost.proxy.http.http1 import CHUNK, MAX_HEAD, BodyTooLarge, Headers, is_event_stream
from fingerpost.proxy.protocol.sse import is_complete

_LINGER = 2.0
"""Seconds to keep reading from a client whose request was refused."""
_LARGE_BODY = 1_000_000
"""Bytes after which a body may take longer, as long as it makes progress."""
_PROBE_AFTER = 0.5
"""Seconds after a client has closed its half of a connection until it is probed, and then probed again."""
_LONGEST_PROBE = 15.0


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

    @property
    def query(self) -> str:
        """What follows the question mark in the path. It may hold a token, so it is never logged."""
        return self.path.partition("?")[2]


class Responder:
    """Sends the response to one request: whole, or a head followed by chunks of the body."""

    def __init__(self, connection: h11.Connection, writer: asyncio.StreamWriter, *, has_body: bool = True) -> None:
        self._h11, self._writer, self._has_body = connection, writer, has_body
        self.own_headers: Headers = []
        """Headers of every response, in place of others of the same names. `Vary` is added to another one."""
        self.has_begun = False
        self.is_stream = False
        """Whether the response is an event stream."""
        self.tail = b""
        """The last bytes sent."""

    async def begin(self, status: int, headers: Headers) -> None:
        self.has_begun = True
        self.is_stream = is_event_stream(headers)
        self._write(h11.Response(status_code=status, headers=self._add_own(headers)))

    async def send(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-4:]
        self._write(h11.Data(data=data if self._has_body else b""))
        await self._writer.drain()

    def probe(self) -> None:
        """Send something that has no meaning. If the client is gone, that breaks the connection."""
        if not self.has_begun and self._h11.their_http_version != b"1.0":
            self._write(h11.InformationalResponse(status_code=100, headers=[]))
        elif self.is_stream and self._has_body and is_complete(self.tail):
            self._write(h11.Data(data=b": ping\n\n"))

    async def end(self) -> None:
        self.is_stream = False
        self._write(h11.EndOfMessage())
        await self._writer.drain()

    async def send_whole(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """Send the whole response in one write."""
        self.has_begun = True
        length: Headers = [] if status == 204 else [(b"content-length", b"%d" % len(body))]
        head = self._h11.send(h11.Response(status_code=status, headers=[*self._add_own(headers), *length]))
        data = self._h11.send(h11.Data(data=body)) if body and self._has_body else b""
        end = self._h11.send(h11.EndOfMessage())
        self._writer.write(b"".join([head or b"", data or b"", end or b""]))
        await self._writer.drain()

    def _add_own(self, headers: Headers) -> Headers:
        names = {key for key, _ in self.own_headers} - {b"vary"}
        return [*(one for one in headers if one[0] not in names), *self.own_headers]

    def _write(self, event: h11.Event) -> None:
        if data := self._h11.send(event):
            self._writer.write(data)


Handler: TypeAlias = "Callable[[Request], Awaitable[None]]"


@dataclass(slots=True)
class Limits:
    """Limits of size and time before the server closes a connection."""

    body: int = 64 * 1024 * 1024
    receive: float = 10.0
    """Seconds for a request to arrive, from its first byte, or from the start of the connection."""
    idle: float = 75.0
    """Seconds that a connection may stay open between two requests."""


class Server:
    """Accepts connections and passes each request to a handler."""

    def __init__(self, handler: Handler, limits: Limits) -> None:
        self._handler, self._limits = handler, limits
        self._busy: set[asyncio.Task[None]] = set()
        self._open: set[asyncio.StreamWriter] = set()
        self.is_draining = False

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Begin to accept connections."""
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: _Protocol(self._serve, loop), host, port, backlog=2_048)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side closes it."""
        self._open.add(writer)
        connection = _Connection(reader, writer)
        try:
            wait = self._limits.receive
            while not self.is_draining and await self._serve_request(connection, wait):
                wait = self._limits.idle
        except (ConnectionError, TimeoutError, h11.LocalProtocolError, asyncio.CancelledError):
            pass  # the client is gone or too slow, or the server stops; nobody is left to answer
        finally:
            self._open.discard(writer)
            writer.close()

    async def _serve_request(self, connection: _Connection, wait: float) -> bool:
        """Read and answer one request; whether the connection can take another."""
        try:
            request = await connection.read_request(self._limits, wait)
        except h11.RemoteProtocolError as error:
            await connection.refuse(error.error_status_hint, str(error))
            return False
        except BodyTooLarge:
            await connection.refuse(413, "The body is too large")
            return False
        if request is None:
            return False
        await self._run_handler(request, connection)
        return connection.start_next_cycle()

    async def _run_handler(self, request: Request, connection: _Connection) -> None:
        """Run the handler; cancel it if the client disconnects."""
        work = asyncio.ensure_future(self._handler(request))
        self._busy.add(work)
        try:
            with connection.watch(request.responder, work.cancel), suppress(asyncio.CancelledError):
                await work
        except (ConnectionError, h11.LocalProtocolError):
            raise
        except Exception as error:  # a bug of ours must not affect other requests
            if not request.responder.has_begun:
                await request.responder.send_whole(500, [], f"The proxy failed ({type(error).__name__})".encode())
        finally:
            self._busy.discard(work)

    async def drain(self, seconds: float) -> None:
        """Take no more requests and wait for those in flight."""
        self.is_draining = True
        if self._busy:
            await asyncio.wait(self._busy, timeout=seconds)

    async def close(self) -> None:
        """Cancel all handlers, let them send a last message, and close all connections."""
        for work in self._busy:
            work.cancel()
        if self._busy:
            await asyncio.wait(self._busy, timeout=0.5)
        for writer in list(self._open):
            writer.close()


class _Protocol(asyncio.StreamReaderProtocol):
    """A stream protocol that reports a disconnect even if nobody is reading."""

    def __init__(self, connected: Callable[..., Awaitable[None]], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(asyncio.StreamReader(limit=CHUNK, loop=loop), connected, loop=loop)
        self._callback: Callable[[], object] | None = None
        self._responder: Responder | None = None
        self._is_half_closed = False
        """Whether the client sends no more. It may have closed the connection, or only its half of it."""
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def watch(self, responder: Responder, callback: Callable[[], object]) -> Generator[None]:
        """Call `callback` if the client disconnects before the block, which makes the response, ends."""
        self._responder, self._callback = responder, callback
        if self._is_half_closed:
            self._probe_after(_PROBE_AFTER)
        try:
            yield
        finally:
            self._responder = self._callback = None
            if self._timer is not None:
                self._timer.cancel()

    def eof_received(self) -> bool | None:
        self._is_half_closed = True
        if self._responder is not None:
            self._probe_after(_PROBE_AFTER)
        return super().eof_received()

    def _probe_after(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._probe, seconds)

    def _probe(self, seconds: float) -> None:
        """Send something, because only a write that fails shows that the client is gone."""
        cast("Responder", self._responder).probe()
        self._probe_after(min(1.5 * seconds, _LONGEST_PROBE))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._callback is not None:
            self._callback()
        super().connection_lost(exc)


_numbers = itertools.count(1)


class _Connection:
    """One client connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self.watch = cast("_Protocol", writer.transport.get_protocol()).watch
        self._number = next(_numbers)

    async def read_request(self, limits: Limits, wait: float) -> Request | None:
        """Read the next request; none if the client has closed the connection."""
        head = await self._read_head(limits, wait)
        if head is None:
            return None
        if _expects_continue(head):
            self._writer.write(self._h11.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        body = await self._read_body(limits)
        target = head.target.decode("ascii", "replace")
        headers = [(key, value) for key, value in head.headers]
        responder = Responder(self._h11, self._writer, has_body=head.method != b"HEAD")
        return Request(head.method.decode(), target, headers, body, responder, self._number)

    async def _read_head(self, limits: Limits, wait: float) -> h11.Request | None:
        """Wait for the head of a request. Once it has begun, it must arrive within `limits.receive`."""
        deadline = time.monotonic() + wait
        while True:
            event = self._h11.next_event()
            if event is h11.NEED_DATA:
                data = await self._read_data(deadline - time.monotonic())
                if data and not self._h11.trailing_data[0] and wait > limits.receive:
                    deadline, wait = time.monotonic() + limits.receive, limits.receive
                self._h11.receive_data(data)
                continue
            return event if isinstance(event, h11.Request) else None

    async def _read_body(self, limits: Limits) -> bytes:
        deadline = time.monotonic() + limits.receive
        parts, size = list[bytes](), 0
        while not isinstance(event := await self._next_event(deadline - time.monotonic()), h11.EndOfMessage):
            data = event.data if isinstance(event, h11.Data) else b""
            size += len(data)
            if size > limits.body:
                raise BodyTooLarge
            parts.append(bytes(data))
            deadline = max(deadline, time.monotonic() + limits.receive) if size > _LARGE_BODY else deadline
        return b"".join(parts)

    async def _next_event(self, seconds: float) -> h11.Event:
        while True:
            event = self._h11.next_event()
            if event is not h11.NEED_DATA:
                return event  # pyright: ignore[reportReturnType]
            self._h11.receive_data(await self._read_data(seconds))

    async def _read_data(self, seconds: float) -> bytes:
        async with asyncio.timeout(max(0.0, seconds)):
            return await self._reader.read(CHUNK)

    def start_next_cycle(self) -> bool:
        if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE:
            return False
        self._h11.start_next_cycle()
        return True

    async def refuse(self, status: int, why: str) -> None:
        """Refuse a request, then read on for a moment: closing at once would discard the response."""
        with suppress(h11.LocalProtocolError, OSError):
            headers: Headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await Responder(self._h11, self._writer).send_whole(status, headers, why.encode())
            self._writer.write_eof()
            async with asyncio.timeout(_LINGER):
                while await self._reader.read(CHUNK):
                    pass


def _expects_continue(head: h11.Request) -> bool:
    return any(key == b"expect" and value.lower() == b"100-continue" for key, value in head.headers)
