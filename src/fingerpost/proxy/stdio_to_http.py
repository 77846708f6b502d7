"""A client on our standard streams in front of a server that speaks HTTP.

Each message of the client's is a POST, and what comes back is what the session hears from the server, in one piece
or as events. What HTTP asks for beyond the messages (session ids, mirrored headers, the stream that a server of the
older revisions speaks on by itself) is seen to here.
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

from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import clean
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.http.client import Response, Upstream, events_in, is_stream
from fingerpost.proxy.http.headers import METHOD, NAME, NAMED, SESSION, VERSION, encoded, mirrored
from fingerpost.proxy.http.http1 import Headers, TooLarge, Unreachable, value_of
from fingerpost.proxy.process.supervisor import CHUNK, Pipe
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.frames import Frames
from fingerpost.proxy.protocol.lost_reply import Loss
from fingerpost.proxy.protocol.message import Message, fields
from fingerpost.proxy.protocol.session import Session

_EOF_GRACE = 1.2
_DRAIN = 4.0
_ACCEPT: Headers = [(b"content-type", b"application/json"), (b"accept", b"application/json, text/event-stream")]
_LONGEST_PAUSE = 30.0
_MOST_ATTEMPTS = 8
_TELLING = 1.0
"""Seconds for which what follows waits until a server has taken in what no answer is due to."""


class Outbound:
    """Runs until the client closes its side, or until it is told to end; `run` gives the exit code."""

    def __init__(
        self,
        upstream: Upstream,
        session: Session,
        *,
        limit: int,
        headers: Headers,
        say: Callable[[str], None],
        stdin: int = 0,
        stdout: int = 1,
    ) -> None:
        self._upstream, self._session, self._limit, self._own, self._say = upstream, session, limit, headers, say
        self._stdin, self._client, self._frames = stdin, Pipe(stdout), Frames(limit)
        self._outbox = asyncio.Queue[bytes]()
        self._over = asyncio.Event()
        self._told = 0
        self._posts: dict[Any, asyncio.Task[None]] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._session_id: bytes | None = None
        self._version: bytes | None = None
        self._schemas: dict[str, Any] = {}
        """The schemas of tools that the server has listed, for what of their arguments headers mirror."""

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal, number)
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        sender = loop.create_task(self._sent())
        await self._over.wait()
        await self._drained(_DRAIN if self._told else _EOF_GRACE)
        sender.cancel()
        await self._closed()
        return 128 + self._told if self._told == signal.SIGINT else 0

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read the client in a thread: what standard input is, and whether it can be waited for, is not ours to say."""
        with suppress(OSError):  # a terminal that is gone
            while chunk := _waited_for(self._stdin):
                loop.call_soon_threadsafe(self._from_client, chunk)
        with suppress(RuntimeError):  # all is over
            loop.call_soon_threadsafe(self._from_client, b"")

    def _from_client(self, chunk: bytes) -> None:
        for frame in self._frames.completed_by(chunk):
            self._session.from_client(frame)
        if not chunk:
            if (rest := self._frames.rest()) is not None:
                self._session.from_client(rest)
            self._over.set()
        self._pass_on()

    def _from_server(self, message: bytes) -> None:
        self._session.from_server(messages.as_line(message))
        self._pass_on()

    def _on_signal(self, number: int) -> None:
        self._told = number
        self._over.set()

    def _pass_on(self) -> None:
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
        self._pass_on()

    # sending

    async def _sent(self) -> None:
        """Send what is to be sent, in its order. A server has to know the client before anything else is sent."""
        while True:
            frame = await self._outbox.get()
            message = cast("Message", messages.read_reply(frame))  # a client's answer is for the server to judge
            if not message.is_request:
                told = asyncio.ensure_future(self._tell(frame, message))
                self._telling.add(told)
                told.add_done_callback(self._telling.discard)
                await asyncio.wait((told,), timeout=_TELLING)
                continue
            post = asyncio.ensure_future(self._post(frame, message))
            self._posts[message.id] = post
            if message.method == "initialize":
                await asyncio.wait((post,))

    async def _tell(self, frame: bytes, message: Message) -> None:
        """Send what no answer is due to. To end a request of the newer revisions is to close its connection."""
        params = fields(message.params)
        if message.method == "notifications/cancelled" and self._session_id is None and self._version is None:
            id = params.get("requestId")
            if messages.is_id(id) and (post := self._posts.get(id)) is not None:
                post.cancel()
            return
        try:
            response = await self._upstream.request("POST", self._headers(message, params), frame)
            await self._swallowed(response)
        except (Unreachable, TooLarge) as error:
            self._say(f"the server {error}")
        if message.method == "notifications/initialized" and self._listener is None:
            self._listener = asyncio.ensure_future(self._listen())

    async def _swallowed(self, response: Response) -> bytes:
        try:
            return await response.body(self._limit)
        finally:
            response.close()

    def _headers(self, message: Message, params: dict[str, Any]) -> Headers:
        meta = as_object(params.get("_meta"))
        headers = [*self._own, *_ACCEPT, (b"accept-encoding", b"identity")]
        if isinstance(version := meta.get(PROTOCOL_VERSION_KEY), str):
            headers += [(VERSION, encoded(version)), (METHOD, encoded(str(message.method)))]
            if isinstance(name := params.get(NAMED.get(str(message.method), "")), str):
                headers.append((NAME, encoded(name)))
                if message.method == "tools/call" and name in self._schemas:
                    headers += mirrored(self._schemas[name], params.get("arguments"))
            return headers
        headers += [(SESSION, self._session_id)] if self._session_id and message.method != "initialize" else []
        return [*headers, (VERSION, self._version)] if self._version and message.method != "initialize" else headers

    async def _post(self, frame: bytes, message: Message) -> None:
        """Send a request, and hear what is answered."""
        try:
            params = fields(message.params)
            response = await self._upstream.request("POST", self._headers(message, params), frame)
            await self._heard(response, message)
        except Unreachable as error:
            self._unanswered(message, str(error), was_sent=error.was_sent)
        except (TooLarge, sse.TooLong):
            self._unanswered(message, "sent a reply that is too long", is_over=True)
        except Exception as error:  # of ours: whoever waits is told
            self._unanswered(message, f"sent a reply that the proxy failed on ({type(error).__name__})", is_over=True)
        finally:
            self._posts.pop(message.id, None)

    def _unanswered(self, message: Message, why: str, *, was_sent: bool = True, is_over: bool = False) -> None:
        self._session.unanswered(message.id, Loss(why, was_sent=was_sent, is_over=is_over))
        self._pass_on()

    async def _heard(self, response: Response, message: Message) -> None:
        if message.method == "initialize" and response.status < 300:
            self._session_id = value_of(response.headers, SESSION)
        if is_stream(response):
            await self._heard_events(response, message)
            return
        body = await self._swallowed(response)
        reply = messages.read_reply(body)
        if response.status == 404 and self._session_id is not None and message.method != "initialize":
            self._forgotten(message)
        elif reply is not None and messages.is_answer(reply, message.id):
            self._learn(message, reply)
            self._from_server(body)
        elif reply is not None and reply.error:  # some do not say whose it is
            self._from_server(messages.replace_members(body, id=messages.encode(message.id)))
        else:
            self._refused(response, message)

    def _refused(self, response: Response, message: Message) -> None:
        """An answer that is no message is told by its status."""
        status, hint = response.status, ""
        if status in (401, 403):
            hint = "; set FINGERPOST_HEADERS to send credentials"
        elif (where := value_of(response.headers, b"location")) is not None:
            hint = f" and is at {clean(where.decode('latin-1'), 200)}"
        loss = Loss(f"answered HTTP {status}{hint}", is_over=True, is_refused=300 <= status < 500)
        self._session.unanswered(message.id, loss)
        self._pass_on()

    def _forgotten(self, message: Message) -> None:
        """The server no longer knows the session: it is begun anew for whatever comes next."""
        self._session_id = None
        if self._listener is not None:
            self._listener.cancel()
            self._listener = None
        self._session.unanswered(message.id, Loss("no longer knows the session", was_sent=False))
        self._session.server_gone("no longer knows the session")
        self._session.server_started()
        self._pass_on()

    async def _heard_events(self, response: Response, message: Message) -> None:
        """Hear the events of a request. A stream that breaks off is taken up again where the server allows it."""
        last: bytes | None = None
        pause = 1.0
        attempts = 0
        while True:
            try:
                async for event in events_in(response, self._limit):
                    if (id := sse.field_of(event, b"id") or last) != last:
                        last, attempts = id, 0  # a server that says something new is at work
                    pause = _pause(event, pause)
                    if (data := sse.data_of(event)) and self._takes(data, message):
                        return
            except Unreachable:
                if last is None:
                    raise
            finally:
                response.close()
            attempts += 1
            if last is None or attempts == _MOST_ATTEMPTS:
                break
            await asyncio.sleep(pause)
            response = await self._resumed(last)
        self._unanswered(message, "ended its answer early")

    def _takes(self, data: bytes, message: Message) -> bool:
        """Hand a message on; whether it is the answer to this request."""
        reply = messages.read_reply(data)
        is_answer = reply is not None and messages.is_answer(reply, message.id)
        if reply is not None and is_answer:
            self._learn(message, reply)
        self._from_server(data)
        return is_answer

    def _learn(self, message: Message, reply: Message) -> None:
        if message.method == "initialize":
            version = fields(reply.result).get("protocolVersion")
            self._version = encoded(version) if isinstance(version, str) else None
        elif message.method == "tools/list" and b"x-mcp-header" in bytes(reply.result):
            tools = map(as_object, as_list(fields(reply.result).get("tools")))
            self._schemas |= {str(tool.get("name")): tool.get("inputSchema") for tool in tools}

    # what a server says by itself

    async def _listen(self) -> None:
        """Hear what a server of the older revisions says without being asked, for as long as it has a stream for it."""
        last: bytes | None = None
        pause = 1.0
        while True:
            try:
                response = await self._resumed(last)
                if response.status != 200:
                    await self._swallowed(response)
                    return
                try:
                    async for event in events_in(response, self._limit):
                        last = sse.field_of(event, b"id") or last
                        pause = _pause(event, 1.0)
                        if data := sse.data_of(event):
                            self._from_server(data)
                finally:
                    response.close()
            except (Unreachable, TooLarge, sse.TooLong):
                pause = min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    async def _resumed(self, last: bytes | None) -> Response:
        headers = [*self._own, (b"accept", b"text/event-stream"), (b"accept-encoding", b"identity")]
        headers += [(SESSION, self._session_id)] if self._session_id else []
        headers += [(VERSION, self._version)] if self._version else []
        headers += [(b"last-event-id", last)] if last else []
        return await self._upstream.request("GET", headers, b"")

    # ending

    async def _drained(self, seconds: float) -> None:
        """Wait for what is still owed, but not for long; what is left then is answered as lost."""
        until = asyncio.get_running_loop().time() + seconds
        while self._session.in_flight and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.01)
        while (self._telling or not self._outbox.empty()) and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.01)
        self._session.server_gone("was left")
        self._session.server_refused("was left")
        self._pass_on()

    async def _closed(self) -> None:
        for task in (*self._posts.values(), *self._telling, self._listener):
            if task is not None:
                task.cancel()
        if self._session_id:
            with suppress(Unreachable, TimeoutError, TooLarge):
                async with asyncio.timeout(0.5):
                    headers = [*self._own, (SESSION, self._session_id)]
                    headers += [(VERSION, self._version)] if self._version else []
                    await self._swallowed(await self._upstream.request("DELETE", headers, b""))
        self._upstream.close()
        await asyncio.to_thread(self._client.finish)


def _waited_for(fd: int) -> bytes:
    """What is read next; others may have made it a descriptor that does not wait."""
    while True:
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            select.select([fd], [], [])


def _pause(event: bytes, before: float) -> float:
    """How long a server asks to be left alone before its stream is taken up again."""
    said = sse.field_of(event, b"retry")
    return min(int(said) / 1000, _LONGEST_PAUSE) if said is not None and said.isdigit() else before
