"""Serve HTTP clients with a stdio server.

In the 2025 revisions, each session has its own process until it ends. Requests of 2026-07-28 need no session and share
one process. There the proxy replaces each request id, so that equal ids of different clients do not collide.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from fingerpost.engine.safety.json_input import as_object
from fingerpost.proxy.http.headers import HTTP_STATUS, SESSION, VERSION, caller_keys, credentials_key
from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.http.listener import JSON, refuse
from fingerpost.proxy.http.responder import Exchange, Request
from fingerpost.proxy.http.web_pages import METHODS
from fingerpost.proxy.http_to_stdio.history import read_id
from fingerpost.proxy.http_to_stdio.hosted_server import HostedServer
from fingerpost.proxy.http_to_stdio.message_queue import MessageQueue, Stream
from fingerpost.proxy.http_to_stdio.response import Forwarded, StreamedResponse
from fingerpost.proxy.http_to_stdio.stateless import find_argument_problem, find_problem, is_stateless
from fingerpost.proxy.process.child import stop_all
from fingerpost.proxy.process.supervisor import Supervisor, describe_start_failure
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import INTERNAL_ERROR, MalformedMessage, Message, fields, replace_members, splice
from fingerpost.proxy.protocol.session import Session

_MAX_SESSIONS = 64
_MAX_IDLE = 1_800.0
"""Seconds after which an unused session is ended."""
_NO_SESSION = "There is no such session"
_POLLING_SINCE = b"2025-11-25"
"""The first revision whose clients know empty events, and come back for the rest of a stream."""


class HttpToStdio:
    """The app behind the router: sessions with a process each, and one process for requests without a session."""

    def __init__(self, make: Callable[[], tuple[Supervisor, Session]], max_stream: float = 0.0) -> None:
        self._make, self._max_stream = make, max_stream
        self._sessions: OrderedDict[bytes, HostedServer] = OrderedDict()
        self._shared: HostedServer | None = None
        self._ids = itertools.count(1)

    @property
    def _hosts(self) -> list[HostedServer]:
        return [*self._sessions.values(), *([self._shared] if self._shared else [])]

    def on_child_exit(self) -> None:
        for host in self._hosts:
            host.on_child_exit()

    async def stop(self) -> None:
        await _stop(self._hosts)

    def shortcut(self, request: Request, exchange: Exchange) -> None:
        """None: a process answers in its own time."""

    async def handle(self, request: Request) -> None:
        match request.method:
            case "POST":
                try:
                    await self._post(request, messages.read(request.body))
                except MalformedMessage as bad:
                    await request.responder.send_whole(400, [JSON], bad.as_reply())
            case "GET":
                await self._open_stream(request)
            case "DELETE":
                await self._delete(request)
            case _:
                await request.responder.send_whole(405, [(b"allow", METHODS)])

    # requests

    async def _post(self, request: Request, message: Message) -> None:
        id = messages.encode(message.id) if message.is_request else b"null"
        if is_stateless(request.headers, message):
            await self._handle_stateless(request, message, id)
        elif message.is_request and message.method == "initialize":
            await self._initialize(request, message, id)
        elif header_value(request.headers, SESSION) is None:
            await refuse(request, 400, "Say initialize first, then send Mcp-Session-Id with each request", id)
        elif (host := self._session_of(request)) is None:
            await refuse(request, 404, _NO_SESSION, id)
        else:
            await self._forward(request, message, host, _keep_names(request, message))

    async def _initialize(self, request: Request, message: Message, id: bytes) -> None:
        await self._end_old_sessions()
        if len(self._sessions) >= _MAX_SESSIONS:
            await refuse(request, 503, "All sessions there can be are busy; try again later", id, INTERNAL_ERROR)
            return
        host, name = await self._start(request, id, credentials_key(request.headers)), secrets.token_hex(16).encode()
        if host is None:
            return
        self._sessions[name] = host
        await self._forward(request, message, host, _keep_names(request, message), [(SESSION, name)])

    async def _start(self, request: Request, id: bytes, caller: bytes | None) -> HostedServer | None:
        """Start a process for a caller, or a shared one; if that fails, refuse the request and return none."""
        host = HostedServer(*self._make(), caller)
        try:
            host.start()
        except OSError as error:
            await refuse(request, 502, f"The server {describe_start_failure(error)}", id, INTERNAL_ERROR)
            return None
        return host

    def _session_of(self, request: Request) -> HostedServer | None:
        """Find the session of a request; none if it was begun with other credentials."""
        name = header_value(request.headers, SESSION) or b""
        host = self._sessions.get(name)
        if host is None or host.caller != credentials_key(request.headers):
            return None
        self._sessions.move_to_end(name)
        return host

    async def _end_old_sessions(self) -> None:
        """End unused sessions, and make room for one more if all that can be are open."""
        now = time.monotonic()
        for name, host in list(self._sessions.items()):
            is_unused = not host.is_busy and not host.has_stream and now - host.used_at > _MAX_IDLE
            if is_unused or (len(self._sessions) >= _MAX_SESSIONS and not host.is_busy):
                del self._sessions[name]
                await _stop([host])

    async def _handle_stateless(self, request: Request, message: Message, id: bytes) -> None:
        """Forward a 2026-07-28 request to the shared process if its headers match its body."""
        if not message.is_request:
            await request.responder.send_whole(202, [])  # this revision has no notifications to a server over HTTP
            return
        if self._shared is None:
            self._shared = await self._start(request, id, None)
        if (host := self._shared) is None:
            return
        problem = find_problem(request.headers, message)
        problem = problem or await find_argument_problem(request.headers, message, host.schema)
        if problem is not None:
            await refuse(request, HTTP_STATUS[problem.code], problem.text, id, problem.code)
            return
        own_id = f"{next(self._ids)}-{secrets.token_hex(4)}"
        await self._forward(request, message, host, _rename(request.body, message, own_id))

    async def _forward(
        self,
        request: Request,
        message: Message,
        host: HostedServer,
        forwarded: Forwarded,
        headers: Headers | None = None,
    ) -> None:
        """Forward a message to a process and send what comes back."""
        _, speaker = caller_keys(request.headers, request.peer)
        if not message.is_request:
            host.from_client(forwarded.frame, speaker)
            await request.responder.send_whole(202, [])
            return
        if host.is_waiting_for(forwarded.id):
            await refuse(request, 400, "The id is that of a request under way", messages.encode(message.id))
            return
        with host.reply_stream(forwarded.id, forwarded.token) as (stream, queue):
            try:
                host.from_client(forwarded.frame, speaker)
                response = self._response(request, stream, queue, has_ids=host.caller is not None)
                await response.send_reply(message, forwarded, headers or [])
            except asyncio.CancelledError:
                if host.caller is None:  # a 2026-07-28 client cancels by closing the connection
                    cancelled = messages.notification("notifications/cancelled", {"requestId": forwarded.id})
                    host.from_client(cancelled, speaker)
                raise

    # streams and the end of sessions

    async def _open_stream(self, request: Request) -> None:
        host = self._session_of(request)
        if host is None:
            await refuse(request, 404 if header_value(request.headers, SESSION) else 405, _NO_SESSION)
            return
        if (last := header_value(request.headers, b"last-event-id")) is not None:
            await self._resume(request, host, read_id(last))
        elif host.has_stream:
            await refuse(request, 409, "The stream of this session is open already")
        else:
            await self._send_outside(request, host)

    async def _resume(self, request: Request, host: HostedServer, place: tuple[int, int] | None) -> None:
        """Send what follows an event of a stream."""
        if place is not None and place[0] == 0:
            await self._send_outside(request, host, place[1])
        elif place is None or (stream := host.find_stream(place[0])) is None:
            await refuse(request, 400, "The events after this one are not kept any more")
        else:
            with host.resume(stream, place[1]) as queue:
                response = self._response(request, stream, queue, has_ids=True)
                await response.begin([], primes=False)
                await response.send_rest()

    async def _send_outside(self, request: Request, host: HostedServer, number: int | None = None) -> None:
        """Send the messages outside of requests, first those after an event."""
        with host.outside_stream(number) as (stream, queue):
            response = self._response(request, stream, queue, has_ids=True)
            await response.begin([], primes=number is None)
            await request.responder.send(b": open\n\n")
            await response.send_rest()

    def _response(self, request: Request, stream: Stream, queue: MessageQueue, *, has_ids: bool) -> StreamedResponse:
        version = header_value(request.headers, VERSION) or b""
        polls = has_ids and version >= _POLLING_SINCE
        return StreamedResponse(
            request.responder, stream, queue, has_ids=has_ids, polls=polls, seconds=self._max_stream
        )

    async def _delete(self, request: Request) -> None:
        host = self._session_of(request)
        if host is None:
            await refuse(request, 404, _NO_SESSION)
            return
        del self._sessions[header_value(request.headers, SESSION) or b""]
        await _stop([host])
        await request.responder.send_whole(200, [])


async def _stop(hosts: list[HostedServer]) -> None:
    """Stop processes in a thread, so that other requests go on."""
    children = [child for host in hosts if (child := host.release()) is not None]
    await asyncio.to_thread(stop_all, children)


def _keep_names(request: Request, message: Message) -> Forwarded:
    token = as_object(fields(message.params).get("_meta")).get("progressToken")
    return Forwarded(request.body, message.id, token if messages.is_id(token) else None)


def _rename(body: bytes, message: Message, own_id: str) -> Forwarded:
    """Replace the id and the progress token of a request with an id of our own."""
    frame, params = replace_members(body, id=messages.encode(own_id)), fields(message.params)
    meta: dict[str, Any] = as_object(params.get("_meta"))
    if (token := meta.get("progressToken")) is None:
        return Forwarded(frame, own_id)
    changed = {**params, "_meta": {**meta, "progressToken": own_id}}
    frame = replace_members(frame, params=splice(message.params, params, changed))
    return Forwarded(frame, own_id, own_id, client_token=token)
