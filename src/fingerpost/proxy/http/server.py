"""A small HTTP/1.1 server. It reads each request whole, within limits, and answers at once or as a stream.

It closes connections of slow clients, and cancels the handler of a client that disconnects. A client that has only
closed its sending half still gets its response.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

from fingerpost.proxy.http.http1 import CHUNK, Headers
from fingerpost.proxy.http.receiver import Receiver
from fingerpost.proxy.http.request_parser import ParsedRequest, Refusal, RequestParser
from fingerpost.proxy.http.responder import CONTINUE, Exchange, Request, Responder

_LINGER = 2.0
"""Seconds to keep reading from a client whose request was refused."""
_LARGE_BODY = 1_000_000
"""Bytes after which a body may take longer, as long as it makes progress."""
_PROBE_AFTER = 0.5
"""Seconds after a client has closed its half of a connection until it is probed, and then probed again."""
_LONGEST_PROBE = 15.0

Handler: TypeAlias = "Callable[[Request], Awaitable[None]]"
Shortcut: TypeAlias = "Callable[[Request, Exchange], Callable[[], None] | None]"
"""Answers a simple request outside of a task. Returns how to cancel it; none, without effect, if it is not simple."""
CheckHead: TypeAlias = "Callable[[str, Headers], str | None]"
"""Says why a request is refused whatever its body is, by its target and headers; none if it is not."""


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

    def __init__(
        self,
        handler: Handler,
        limits: Limits,
        shortcut: Shortcut | None = None,
        check_head: CheckHead = lambda target, headers: None,
    ) -> None:
        self.handler, self.limits, self.shortcut, self.check_head = handler, limits, shortcut, check_head
        self.busy: set[asyncio.Task[None]] = set()
        self.open: set[_Connection] = set()
        self.is_draining = False

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Begin to accept connections."""
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: _Connection(self, loop), host, port, backlog=2_048)

    async def drain(self, seconds: float) -> None:
        """Take no more requests and wait for those in flight."""
        self.is_draining = True
        for connection in self.open:
            connection.hand_over()
        if self.busy:
            await asyncio.wait(self.busy, timeout=seconds)

    async def close(self) -> None:
        """Cancel all handlers, let them send a last message, and close all connections."""
        for work in self.busy:
            work.cancel()
        if self.busy:
            await asyncio.wait(self.busy, timeout=0.5)
        for connection in list(self.open):
            connection.close()


_numbers = itertools.count(1)


class _Connection(Receiver):
    """One client connection. Requests are answered one after the other."""

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop) -> None:
        self._server, self._loop = server, loop
        self._parser = RequestParser(server.limits.body)
        self._number = next(_numbers)
        self._request: Request | None = None
        """The current request."""
        self._work: asyncio.Task[None] | None = None
        """Its handler; none if a shortcut answers it."""
        self._cancel: Callable[[], None] | None = None
        """Cancels the shortcut."""
        self._ahead = b""
        """What has arrived during the current request."""
        self._is_half_closed = False
        """Whether the client sends no more. It may have closed the connection, or only its half of it."""
        self._is_refused = False
        self._is_full, self._room = False, loop.create_future()
        """Whether the client reads more slowly than we write, and who waits until it does not."""
        self._ends_at = loop.time() + server.limits.receive
        """When the connection is closed unless a request has arrived."""
        self._waits_for_body = False
        self._timer: asyncio.TimerHandle | None = None
        self._probe_timer: asyncio.TimerHandle | None = None

    # what the transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.open.add(self)
        self._limit_wait()

    def data_received(self, data: bytes) -> None:
        if self._request is not None:
            self._ahead += data
            if len(self._ahead) > CHUNK:
                self._transport.pause_reading()
        elif not self._is_refused:
            self._parser.feed(data)
            self._go_on()

    def eof_received(self) -> bool:
        self._is_half_closed = True
        if self._work is not None:
            self._probe_after(_PROBE_AFTER)
        self.hand_over()
        return self._request is not None

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.open.discard(self)
        for timer in (self._timer, self._probe_timer):
            if timer is not None:
                timer.cancel()
        if self._work is not None:
            self._work.add_done_callback(self._server.busy.discard)  # for one that has not begun
            self._work.cancel()
        elif self._cancel is not None:
            cancel, self._cancel = self._cancel, None
            cancel()

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        if not self._room.done():
            self._room.set_result(None)

    # requests

    def _go_on(self) -> None:
        """Answer the next request that has arrived, or wait for it."""
        if self._ahead and not self._parser.requests:
            data, self._ahead = self._ahead, b""
            self._transport.resume_reading()
            self._parser.feed(data)
        if self._parser.requests:
            self._waits_for_body = False
            self._begin(self._parser.requests.popleft())
        elif self._parser.refusal is not None:
            self._refuse(self._parser.refusal)
        elif self._is_half_closed:
            self._transport.close()
        elif self._parser.awaits_continue:
            self._answer_expectation()
        else:
            self._limit_wait()

    def _answer_expectation(self) -> None:
        """Let a client send the body that it holds back, unless its request will be refused anyway."""
        self._parser.awaits_continue = False
        problem = self._server.check_head(self._parser.target, self._parser.headers)
        if problem is None:
            self._transport.write(CONTINUE)
            self._limit_wait()
        else:
            self._refuse(Refusal(403, problem))

    def _begin(self, parsed: ParsedRequest) -> None:
        responder = Responder(
            self, has_body=parsed.method != "HEAD", is_http_1_0=parsed.is_http_1_0, keeps_alive=parsed.keeps_alive
        )
        self._request = request = Request(
            parsed.method, parsed.target, parsed.headers, parsed.body, responder, self._number
        )
        is_quiet = not (self._is_half_closed or self._is_full or self._server.is_draining)
        if is_quiet and self._server.shortcut is not None:
            self._cancel = self._server.shortcut(request, self)
        if self._cancel is None:
            self.hand_over()

    @property
    def is_short(self) -> bool:
        return self._cancel is not None

    def hand_over(self) -> None:
        """Start the handler of the current request, unless it runs already."""
        if self._request is not None and self._work is None:
            self._cancel = None
            self._work = self._loop.create_task(self._answer(self._request))
            self._server.busy.add(self._work)
            if self._is_half_closed:
                self._probe_after(_PROBE_AFTER)

    async def _answer(self, request: Request) -> None:
        """Run the handler. It is cancelled if the client disconnects, or if the server stops."""
        try:
            await self._server.handler(request)
        except (asyncio.CancelledError, ConnectionError):
            pass  # the client is gone, or the server stops; nobody is left to answer
        except Exception as error:  # a bug of ours must not affect other requests
            if not request.responder.has_begun:
                await request.responder.send_whole(500, [], f"The proxy failed ({type(error).__name__})".encode())
        finally:
            self._server.busy.discard(cast("asyncio.Task[None]", self._work))
            if self._probe_timer is not None:
                self._probe_timer.cancel()
            self.finish()

    def finish(self) -> None:
        responder = cast("Request", self._request).responder
        self._request = self._work = self._cancel = None
        if responder.is_over and responder.keeps_alive and not self._server.is_draining:
            self._ends_at = self._loop.time() + self._server.limits.idle
            self._go_on()
        else:
            self._transport.close()

    def _refuse(self, refusal: Refusal) -> None:
        """Refuse a request, then read on for a moment: closing at once would discard the response."""
        headers: Headers = [(b"content-type", b"text/plain; charset=utf-8")]
        Responder(self).write_whole(refusal.status, headers, refusal.why.encode())
        self._is_refused = True
        if self._is_half_closed:
            self._transport.close()
        else:
            self._transport.write_eof()
            self._ends_at = self._loop.time() + _LINGER
            self._set_timer()

    # time

    def _limit_wait(self) -> None:
        """Set the time by which the rest of a request, or the next one, must have arrived."""
        parser, until = self._parser, self._loop.time() + self._server.limits.receive
        waits_for_body = parser.is_within and parser.has_head
        if waits_for_body and (not self._waits_for_body or parser.size > _LARGE_BODY):
            self._ends_at = until
        elif parser.is_within and not parser.has_head:
            self._ends_at = min(self._ends_at, until)
        self._waits_for_body = waits_for_body
        self._set_timer()

    def _set_timer(self) -> None:
        """Check the time at `_ends_at`. A timer that is set for an earlier time does that too."""
        if self._timer is None or self._timer.when() > self._ends_at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(self._ends_at, self._check_time)

    def _check_time(self) -> None:
        self._timer = None
        if self._request is None and self._loop.time() >= self._ends_at:
            self._transport.close()
        elif self._request is None:
            self._set_timer()

    def _probe_after(self, seconds: float) -> None:
        self._probe_timer = self._loop.call_later(seconds, self._probe, seconds)

    def _probe(self, seconds: float) -> None:
        """Send something, because only a write that fails shows that the client is gone."""
        cast("Request", self._request).responder.probe()
        self._probe_after(min(1.5 * seconds, _LONGEST_PROBE))

    # writing

    def close(self) -> None:
        self._transport.close()

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    async def drain(self) -> None:
        """Wait while the client reads more slowly than we write."""
        if self._is_full:
            self._room = self._loop.create_future()
            await self._room
