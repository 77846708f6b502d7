"""Connect a client on our standard streams to an HTTP server.

Each message of the client becomes a POST. Replies, whole or as events, go to the session as messages of the server.
This module also handles what HTTP adds: session ids, mirrored headers, and the server's own event stream in the 2025
revisions.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.proxy.http.client import Response, Upstream, is_stream, read_events
from fingerpost.proxy.http.http1 import BodyTooLarge, Headers, UpstreamError
from fingerpost.proxy.http.status import describe_forgotten, describe_status, read_facts
from fingerpost.proxy.http.upstream_session import UpstreamSession
from fingerpost.proxy.process.descriptor import CHUNK
from fingerpost.proxy.process.pipe import Pipe
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.frames import FrameSplitter
from fingerpost.proxy.protocol.lost_reply import LostReply
from fingerpost.proxy.protocol.message import Message, fields
from fingerpost.proxy.protocol.session import Session
from fingerpost.proxy.signals import STOP_SIGNALS, call_on_signals

_EOF_GRACE = 1.2
"""Seconds to answer requests in flight after the client closes its side."""
_DRAIN = 4.0
"""Seconds to answer requests in flight after a signal to stop."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
"""Seconds before an interrupted stream is resumed."""
_MAX_ATTEMPTS = 8
_NOTIFY_WAIT = 1.0
"""Seconds that later messages wait until the server has accepted a notification."""
_LEFT = "was left"


class StdioToHttp:
    """Runs until the client closes its side or a signal stops it; `run` returns the exit code."""

    def __init__(
        self,
        upstream: Upstream,
        session: Session,
        *,
        limit: int,
        headers: Headers,
        notice: Callable[[str], None],
        stdin: int = 0,
        stdout: int = 1,
    ) -> None:
        self._upstream, self._session, self._limit, self._notice = upstream, session, limit, notice
        self._http = UpstreamSession(headers)
        self._stdin, self._client, self._frames = stdin, Pipe(stdout), FrameSplitter(limit)
        self._outbox = asyncio.Queue[bytes]()
        self._over = asyncio.Event()
        self._stop_signal = 0
        self._posts: dict[Any, asyncio.Task[None]] = {}
        """The requests in flight by id."""
        self._notifying: set[asyncio.Task[None]] = set()
        """The notifications and replies being sent."""
        self._listener: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        with call_on_signals(loop, self._handle_signals):
            threading.Thread(target=self._read_client, args=(loop,), daemon=True).start()
            sender = loop.create_task(self._send_all())
            await self._over.wait()
            await self._drain(_DRAIN if self._stop_signal else _EOF_GRACE)
            sender.cancel()
            await self._close()
        return 128 + self._stop_signal if self._stop_signal == signal.SIGINT else 0

    def _read_client(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read standard input in a thread, because an event loop cannot wait for every kind of file."""
        with suppress(OSError):  # the terminal was closed
            while chunk := _read_blocking(self._stdin):
                loop.call_soon_threadsafe(self._from_client, chunk)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._from_client, b"")

    def _from_client(self, chunk: bytes) -> None:
        for frame in self._frames.push(chunk):
            self._session.from_client(frame)
        if not chunk:
            if (rest := self._frames.take_rest()) is not None:
                self._session.from_client(rest)
            self._over.set()
        self._write_pending()

    def _from_server(self, message: bytes, facts: FailureFacts | None = None) -> None:
        self._session.from_server(messages.as_line(message), facts)
        self._write_pending()

    def _handle_signals(self, numbers: bytes) -> None:
        for number in STOP_SIGNALS.intersection(numbers):
            self._stop_signal = number
            self._over.set()

    def _write_pending(self) -> None:
        """Pass on the session's frames to both sides and schedule its next deadline."""
        session = self._session
        for frame in session.to_server:
            self._outbox.put_nowait(frame)
        session.to_server.clear()
        if session.to_client:
            self._client.write(session.to_client)
            session.to_client.clear()
        loop = asyncio.get_running_loop()
        if self._client.size:
            loop.add_writer(self._client.fd, self._flush)
        deadline = session.deadline()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if deadline is None else loop.call_at(deadline, self._tick)

    def _flush(self) -> None:
        self._client.flush()
        if not self._client.size:
            asyncio.get_running_loop().remove_writer(self._client.fd)

    def _tick(self) -> None:
        self._session.tick()
        self._write_pending()

    # sending

    async def _send_all(self) -> None:
        """Send messages in order. The server must have answered `initialize` before anything else is sent."""
        while True:
            frame = await self._outbox.get()
            message = cast("Message", messages.read_reply(frame))  # lenient: the server judges a client's replies
            if not message.is_request:
                notifying = asyncio.ensure_future(self._notify(frame, message))
                self._notifying.add(notifying)
                notifying.add_done_callback(self._notifying.discard)
                await asyncio.wait((notifying,), timeout=_NOTIFY_WAIT)
                continue
            post = asyncio.ensure_future(self._post(frame, message))
            self._posts[message.id] = post
            if message.method == "initialize":
                await asyncio.wait((post,))

    async def _notify(self, frame: bytes, message: Message) -> None:
        """Send a notification or a reply. A 2026-07-28 request is cancelled by closing its connection."""
        if message.method == "notifications/cancelled" and self._http.is_stateless:
            id = fields(message.params).get("requestId")
            if messages.is_id(id) and (post := self._posts.get(id)) is not None:
                post.cancel()
            return
        try:
            response = await self._upstream.request("POST", self._http.headers_for(message), frame)
            await self._read_body(response)
        except (UpstreamError, BodyTooLarge) as error:
            self._notice(f"the server {error}")
        if message.method == "notifications/initialized" and self._listener is None:
            self._listener = asyncio.ensure_future(self._listen())

    async def _read_body(self, response: Response) -> bytes:
        try:
            return await response.body(self._limit)
        finally:
            response.close()

    async def _post(self, frame: bytes, message: Message) -> None:
        """Send a request and handle the response."""
        try:
            response = await self._upstream.request("POST", self._http.headers_for(message), frame)
            await self._handle_response(response, message)
        except UpstreamError as error:
            self._lose(message, error.as_lost())
        except (BodyTooLarge, sse.EventTooLong):
            self._lose(message, LostReply("sent a reply that is too long", is_over=True))
        except Exception as error:  # a bug of ours: the client still gets a reply
            why = f"sent a reply that the proxy failed on ({type(error).__name__})"
            self._lose(message, LostReply(why, is_over=True))
        finally:
            self._posts.pop(message.id, None)

    def _lose(self, message: Message, lost: LostReply) -> None:
        """Tell the session that a request will get no reply."""
        self._session.unanswered(message.id, lost)
        self._write_pending()

    # responses

    async def _handle_response(self, response: Response, message: Message) -> None:
        if message.method == "initialize" and response.status < 300:
            self._http.open(response.headers)
        if is_stream(response):
            await self._handle_events(response, message)
            return
        body = await self._read_body(response)
        reply = messages.read_reply(body)
        if response.status == 404 and self._http.id is not None and message.method != "initialize":
            self._restart_session(message, describe_forgotten(response.headers, body))
        elif reply is not None and messages.is_answer(reply, message.id):
            self._http.learn(message, reply)
            self._from_server(body, read_facts(response.status, response.headers))
        elif reply is not None and reply.error:  # some servers leave out the id
            whole = messages.replace_members(body, id=messages.encode(message.id))
            self._from_server(whole, read_facts(response.status, response.headers))
        else:
            self._lose(message, describe_status(response.status, response.headers, body))

    def _restart_session(self, message: Message, lost: LostReply) -> None:
        """Begin a new session after the server has forgotten this one."""
        self._http.forget()
        if self._listener is not None:
            self._listener.cancel()
            self._listener = None
        self._session.unanswered(message.id, lost)
        self._session.server_gone("forgot the session")
        self._session.server_started()
        self._write_pending()

    async def _handle_events(self, response: Response, message: Message) -> None:
        """Handle the events of a response. An interrupted stream is resumed if its events have ids."""
        last_id: bytes | None = None
        pause, attempts = _FIRST_PAUSE, 0
        while True:
            try:
                async for event in read_events(response, self._limit):
                    if (id := sse.field_of(event, b"id") or last_id) != last_id:
                        last_id, attempts = id, 0  # the server makes progress
                    pause = _retry_pause(event, pause)
                    if (data := sse.data_of(event)) and self._handle_event(data, message):
                        return
            except UpstreamError:
                if last_id is None:
                    raise
            finally:
                response.close()
            attempts += 1
            if last_id is None or attempts == _MAX_ATTEMPTS:
                break
            await asyncio.sleep(pause)
            response = await self._open_stream(last_id)
        self._lose(message, LostReply("ended its answer early", is_over=True))

    def _handle_event(self, data: bytes, message: Message) -> bool:
        """Pass on a message from the stream of a request; whether it is the reply."""
        reply = messages.read_reply(data)
        is_answer = reply is not None and messages.is_answer(reply, message.id)
        if reply is not None and is_answer:
            self._http.learn(message, reply)
        self._from_server(data)
        return is_answer

    # the server's own stream

    async def _listen(self) -> None:
        """Read the stream on which a server of the 2025 revisions sends messages outside of requests."""
        last_id: bytes | None = None
        pause = _FIRST_PAUSE
        while True:
            try:
                response = await self._open_stream(last_id)
                if response.status != 200:
                    await self._read_body(response)
                    return
                try:
                    async for event in read_events(response, self._limit):
                        last_id = sse.field_of(event, b"id") or last_id
                        pause = _retry_pause(event, _FIRST_PAUSE)
                        if data := sse.data_of(event):
                            self._from_server(data)
                finally:
                    response.close()
            except (UpstreamError, BodyTooLarge, sse.EventTooLong):
                pause = min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    async def _open_stream(self, last_event_id: bytes | None) -> Response:
        return await self._upstream.request("GET", self._http.stream_headers(last_event_id), b"")

    # ending

    async def _drain(self, seconds: float) -> None:
        """Wait up to `seconds` for requests in flight, then answer the rest as lost."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self._session.in_flight and loop.time() < deadline:
            await asyncio.sleep(0.01)
        while (self._notifying or not self._outbox.empty()) and loop.time() < deadline:
            await asyncio.sleep(0.01)
        self._session.server_gone(_LEFT)
        self._session.server_refused(_LEFT)
        self._write_pending()

    async def _close(self) -> None:
        for task in (*self._posts.values(), *self._notifying, self._listener):
            if task is not None:
                task.cancel()
        if self._http.id:
            with suppress(UpstreamError, TimeoutError, BodyTooLarge):
                async with asyncio.timeout(0.5):
                    response = await self._upstream.request("DELETE", self._http.delete_headers(), b"")
                    await self._read_body(response)
        self._upstream.close()
        await asyncio.to_thread(self._client.finish)


def _read_blocking(fd: int) -> bytes:
    """Read the next chunk. Another process may have made the descriptor non-blocking."""
    while True:
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            select.select([fd], [], [])


def _retry_pause(event: bytes, default: float) -> float:
    """The pause in seconds that an event asks for before its stream is resumed."""
    value = sse.field_of(event, b"retry")
    return min(int(value) / 1000, _LONGEST_PAUSE) if value is not None and value.isdigit() else default
