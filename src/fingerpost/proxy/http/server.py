"""Requests that come in by HTTP: each is read whole, within bounds, and answered in one piece or as it goes.

A client that is too slow is given up, and one that goes away takes its request along.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, cast

import h11

from fingerpost.proxy.http.http1 import CHUNK, MOST_HEAD, Headers, TooLarge, is_event_stream


@dataclass(slots=True)
class Request:
    """A request that came in; its body is read whole, within bounds."""

    method: str
    path: str
    headers: Headers
    body: bytes
    respond: Responder
    peer: object = None
    """The connection that it came by."""


class Responder:
    """The answer to a request: a head, then as much of a body as there is."""

    def __init__(self, connection: h11.Connection, writer: asyncio.StreamWriter, *, has_body: bool = True) -> None:
        self._h11, self._writer, self._has_body = connection, writer, has_body
        self.has_begun = False
        self.is_stream = False
        """Whether what has begun is a stream of events."""
        self.tail = b""
        """The last bytes of what was sent."""

    async def begin(self, status: int, headers: Headers) -> None:
        self.has_begun = True
        self.is_stream = is_event_stream(headers)
        self._write(h11.Response(status_code=status, headers=headers))

    async def send(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-4:]
        self._write(h11.Data(data=data if self._has_body else b""))
        await self._writer.drain()

    async def end(self) -> None:
        self._write(h11.EndOfMessage())
        await self._writer.drain()

    async def whole(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """An answer all at once."""
        self.has_begun = True
        head = self._h11.send(
            h11.Response(status_code=status, headers=[*headers, (b"content-length", b"%d" % len(body))])
        )
        data = self._h11.send(h11.Data(data=body)) if body and self._has_body else b""
        end = self._h11.send(h11.EndOfMessage())
        self._writer.write(b"".join([head or b"", data or b"", end or b""]))
        await self._writer.drain()

    def _write(self, event: h11.Event) -> None:
        if data := self._h11.send(event):
            self._writer.write(data)


_LINGER = 2.0

Handler: TypeAlias = "Callable[[Request], Awaitable[None]]"


@dataclass(slots=True)
class Limits:
    """How long and how large things may be before a connection is given up."""

    body: int = 64 * 1024 * 1024
    first: float = 10.0
    """Seconds in which a request has to have come, from its first byte on, or from when the connection was made."""
    idle: float = 75.0
    """Seconds that a connection may stay open between two requests."""


class Server:
    """Accepts connections and hands each request to a handler."""

    def __init__(self, handler: Handler, limits: Limits) -> None:
        self._handler, self._limits = handler, limits
        self._busy: set[asyncio.Task[None]] = set()
        self._open: set[asyncio.StreamWriter] = set()
        self.is_draining = False

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Begin to accept connections there."""
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: _Protocol(self._connected, loop), host, port, backlog=2_048)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side has had enough."""
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
        self._open.add(writer)
        incoming = _Incoming(reader, writer, connection, cast("_Protocol", writer.transport.get_protocol()))
        try:
            wait = self._limits.first
            while not self.is_draining and await self._one(incoming, wait):
                wait = self._limits.idle
        except (ConnectionError, TimeoutError, h11.LocalProtocolError, asyncio.CancelledError):
            pass  # the client has gone, was too slow, or all is over; there is nobody to tell
        finally:
            self._open.discard(writer)
            writer.close()

    async def _one(self, incoming: _Incoming, wait: float) -> bool:
        """Read one request and have it answered; whether the connection can take another."""
        try:
            request = await incoming.request(self._limits, wait)
        except h11.RemoteProtocolError as error:
            await incoming.refuse(error.error_status_hint, str(error))
            return False
        except TooLarge:
            await incoming.refuse(413, "The body is too large")
            return False
        if request is None:
            return False
        await self._answered(request, incoming)
        return incoming.next_cycle()

    async def _answered(self, request: Request, incoming: _Incoming) -> None:
        """Run the handler; if the client goes away meanwhile, so does the handler."""
        work = asyncio.ensure_future(self._handler(request))
        self._busy.add(work)
        incoming.protocol.on_gone = work.cancel
        try:
            with suppress(asyncio.CancelledError):
                await work
        except (ConnectionError, h11.LocalProtocolError):
            raise
        except Exception as error:  # of ours: one request is lost by it, and no other
            if not request.respond.has_begun:
                await request.respond.whole(500, [], f"The proxy failed ({type(error).__name__})".encode())
        finally:
            incoming.protocol.on_gone = None
            self._busy.discard(work)

    async def drained(self, seconds: float) -> None:
        """Take no more requests, and wait for those under way."""
        self.is_draining = True
        if self._busy:
            await asyncio.wait(self._busy, timeout=seconds)

    async def cut(self) -> None:
        """Have no more of anybody; those who are still being answered may say one last word."""
        for work in self._busy:
            work.cancel()
        if self._busy:
            await asyncio.wait(self._busy, timeout=0.5)
        for writer in list(self._open):
            writer.close()


class _Protocol(asyncio.StreamReaderProtocol):
    """Streams that tell at once when the other side has closed them, also while nobody reads."""

    def __init__(self, connected: Callable[..., Awaitable[None]], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(asyncio.StreamReader(limit=CHUNK, loop=loop), connected, loop=loop)
        self.on_gone: Callable[[], object] | None = None

    def eof_received(self) -> bool | None:
        self._tell()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._tell()
        super().connection_lost(exc)

    def _tell(self) -> None:
        if self.on_gone is not None:
            self.on_gone()


_numbers = itertools.count(1)


class _Incoming:
    """One connection that requests come in by."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        connection: h11.Connection,
        protocol: _Protocol,
    ) -> None:
        self._reader, self._writer, self._h11, self.protocol = reader, writer, connection, protocol
        self._number = next(_numbers)

    async def request(self, limits: Limits, wait: float) -> Request | None:
        """The next request; none where the client has closed the connection."""
        head = await self._head(limits, wait)
        if head is None:
            return None
        until = time.monotonic() + limits.first
        parts, size = list[bytes](), 0
        if _needs_continue(head):
            self._writer.write(self._h11.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        while not isinstance(event := await self._event(until - time.monotonic()), h11.EndOfMessage):
            data = event.data if isinstance(event, h11.Data) else b""
            size += len(data)
            if size > limits.body:
                raise TooLarge
            parts.append(bytes(data))
            until = max(until, time.monotonic() + limits.first) if size > 1_000_000 else until
        target = head.target.decode("ascii", "replace")
        headers = [(key, value) for key, value in head.headers]
        respond = Responder(self._h11, self._writer, has_body=head.method != b"HEAD")
        return Request(head.method.decode(), target, headers, b"".join(parts), respond, self._number)

    async def _head(self, limits: Limits, wait: float) -> h11.Request | None:
        """The head of a request: it may be waited for, but once begun it has to come soon."""
        until = time.monotonic() + wait
        while True:
            event = self._h11.next_event()
            if event is h11.NEED_DATA:
                data = await self._data(until - time.monotonic())
                if data and not self._h11.trailing_data[0] and wait > limits.first:
                    until, wait = time.monotonic() + limits.first, limits.first
                self._h11.receive_data(data)
                continue
            return event if isinstance(event, h11.Request) else None

    async def _event(self, seconds: float) -> h11.Event:
        while True:
            event = self._h11.next_event()
            if event is not h11.NEED_DATA:
                return event  # pyright: ignore[reportReturnType]
            self._h11.receive_data(await self._data(seconds))

    async def _data(self, seconds: float) -> bytes:
        async with asyncio.timeout(max(0.0, seconds)):
            return await self._reader.read(CHUNK)

    def next_cycle(self) -> bool:
        if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE:
            return False
        self._h11.start_next_cycle()
        return True

    async def refuse(self, status: int, why: str) -> None:
        """Tell a client why its request is not taken. It may still be sending: closing at once would take that away."""
        with suppress(h11.LocalProtocolError, OSError):
            headers: Headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await Responder(self._h11, self._writer).whole(status, headers, why.encode())
            self._writer.write_eof()
            async with asyncio.timeout(_LINGER):
                while await self._reader.read(CHUNK):
                    pass


def _needs_continue(head: h11.Request) -> bool:
    return any(key == b"expect" and value.lower() == b"100-continue" for key, value in head.headers)
