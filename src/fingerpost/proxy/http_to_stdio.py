"""Clients that speak HTTP in front of a server in a process of ours.

A handshake of the older revisions gets a process of its own, for as long as its session lasts. Requests of the newer
ones, which say all that is needed by themselves, share one process; there each travels under an id of ours, so that
equal ids of different clients do not meet.
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
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.http.headers import (
    METHOD,
    NAME,
    NAMED,
    SESSION,
    STATUS,
    VERSION,
    caller_of,
    callers,
    contradiction,
    decoded,
)
from fingerpost.proxy.http.http1 import Headers, value_of
from fingerpost.proxy.http.listener import JSON, refuse
from fingerpost.proxy.http.server import Request
from fingerpost.proxy.process.child import end_all
from fingerpost.proxy.process.session_host import SUBSCRIPTION, Host, Mailbox
from fingerpost.proxy.process.supervisor import Supervised
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.message import INTERNAL_ERROR, Malformed, Message, fields, replace_members, splice
from fingerpost.proxy.protocol.session import Session

STREAM: Headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_MOST_SESSIONS = 64
_IDLE = 1_800.0
"""Seconds after which a session that nobody uses is ended."""

_PING = 15.0
_HEADER_MISMATCH, _INVALID_PARAMS, _NO_METHOD = -32020, -32602, -32601
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_WITH_HANDSHAKE = (b"2024-11-05", b"2025-03-26", b"2025-06-18", b"2025-11-25")


class Hosted:
    """The app behind the front: sessions, each with its process, and one process for requests without a session."""

    def __init__(self, make: Callable[[], tuple[Supervised, Session]]) -> None:
        self._make = make
        self._sessions: OrderedDict[bytes, Host] = OrderedDict()
        self._shared: Host | None = None
        self._ids = itertools.count(1)

    @property
    def _hosts(self) -> list[Host]:
        return [*self._sessions.values(), *([self._shared] if self._shared else [])]

    def children_ended(self) -> None:
        for host in self._hosts:
            host.exited()

    async def stop(self) -> None:
        await _ended(self._hosts)

    async def handle(self, request: Request) -> None:
        match request.method:
            case "POST":
                try:
                    await self._posted(request, messages.read(request.body))
                except Malformed as bad:
                    await refuse(request, 400, str(bad), bad.id, bad.code)
            case "GET":
                await self._listened(request)
            case "DELETE":
                await self._deleted(request)
            case _:
                await request.respond.whole(405, [(b"allow", b"GET, POST, DELETE"), JSON])

    # requests

    async def _posted(self, request: Request, message: Message) -> None:
        id = messages.encode(message.id) if message.is_request else b"null"
        if _is_modern(request, message):
            await self._stateless(request, message, id)
        elif message.is_request and message.method == "initialize":
            await self._initialized(request, message, id)
        elif value_of(request.headers, SESSION) is None:
            await refuse(request, 400, "Say initialize first, then send Mcp-Session-Id with each request", id)
        elif (host := self._session(request)) is None:
            await refuse(request, 404, "There is no such session", id)
        else:
            await self._asked(request, message, host, request.body, message.id)

    async def _initialized(self, request: Request, message: Message, id: bytes) -> None:
        await self._bound()
        if len(self._sessions) >= _MOST_SESSIONS:
            await refuse(request, 503, "All sessions there can be are busy; try again later", id, INTERNAL_ERROR)
            return
        host, name = await self._host(request, id, caller_of(_identity(request))), secrets.token_hex(16).encode()
        if host is None:
            return
        self._sessions[name] = host
        await self._asked(request, message, host, request.body, message.id, [(SESSION, name)])

    async def _host(self, request: Request, id: bytes, caller: bytes | None) -> Host | None:
        """A process for a session, or for all who have none; where it cannot be started, the request is told so."""
        server, session = self._make()
        host = Host(server, session, caller)
        try:
            host.start()
        except OSError as error:
            await refuse(request, 502, f"The server could not be started ({error.strerror})", id, INTERNAL_ERROR)
            return None
        return host

    def _session(self, request: Request) -> Host | None:
        """The session of a request; one that was begun with other credentials is not theirs."""
        name = value_of(request.headers, SESSION) or b""
        host = self._sessions.get(name)
        if host is None or host.caller != caller_of(_identity(request)):
            return None
        self._sessions.move_to_end(name)
        return host

    async def _bound(self) -> None:
        """End the sessions that have not been used for long; where one more would be too many, the oldest too."""
        now = time.monotonic()
        for name, host in list(self._sessions.items()):
            is_idle = not host.waiting and host.stream is None and now - host.used > _IDLE
            if is_idle or (len(self._sessions) >= _MOST_SESSIONS and not host.waiting):
                del self._sessions[name]
                await _ended([host])

    async def _stateless(self, request: Request, message: Message, id: bytes) -> None:
        """A request of the newer revisions, if its headers and its body agree on what it is."""
        if not message.is_request:
            await request.respond.whole(202, [])  # these have no notifications to a server by HTTP
            return
        if self._shared is None:
            self._shared = await self._host(request, id, None)
        if self._shared is None:
            return
        trouble = _mismatch(request, message) or await self._contradiction(request, message, self._shared)
        if trouble is not None:
            code, why = trouble
            await refuse(request, STATUS[code], why, id, code)
            return
        own = f"{next(self._ids)}-{secrets.token_hex(4)}"
        frame, params = replace_members(request.body, id=messages.encode(own)), fields(message.params)
        meta = as_object(params.get("_meta"))
        if (token := meta.get("progressToken")) is not None:
            changed = {**params, "_meta": {**meta, "progressToken": own}}
            frame = replace_members(frame, params=splice(message.params, params, changed))
            self._shared.tokens[own] = own
        try:
            await self._asked(request, message, self._shared, frame, own, token=token)
        finally:
            self._shared.tokens.pop(own, None)

    async def _contradiction(self, request: Request, message: Message, host: Host) -> tuple[int, str] | None:
        params = fields(message.params)
        name, arguments = params.get("name"), params.get("arguments")
        if message.method != "tools/call" or not isinstance(name, str):
            return None
        schema = await host.schema(name, as_object(params.get("_meta")))
        trouble = contradiction(request.headers, schema, arguments) if schema is not None else None
        return None if trouble is None else (_HEADER_MISMATCH, trouble)

    async def _asked(
        self,
        request: Request,
        message: Message,
        host: Host,
        frame: bytes,
        key: Any,
        headers: Headers | None = None,
        token: Any = None,
    ) -> None:
        _, speaker = callers(request.headers, request.peer)
        if not message.is_request:
            host.from_client(frame, speaker)
            await request.respond.whole(202, [])
            return
        if key in host.waiting:
            await refuse(request, 400, "The id is that of a request under way", messages.encode(message.id))
            return
        box = host.waiting[key] = Mailbox(host)
        own = as_object(fields(message.params).get("_meta")).get("progressToken") if host.caller is not None else None
        if messages.is_id(own):
            host.tokens[own] = key
        try:
            host.from_client(frame, speaker)
            await _Answer(request, message, key, box, headers or [], token).sent()
        except asyncio.CancelledError:
            if host.caller is None:  # the newer revisions cancel by closing the connection
                told = messages.notification("notifications/cancelled", {"requestId": key})
                host.from_client(told, speaker)
            raise
        finally:
            host.leave(key)
            host.tokens.pop(own, None)

    # streams and the end of sessions

    async def _listened(self, request: Request) -> None:
        host = self._session(request)
        if host is None:
            await refuse(request, 404 if value_of(request.headers, SESSION) else 405, "There is no such session")
            return
        if host.stream is not None:
            await refuse(request, 409, "The stream of this session is open already")
            return
        box = host.open_stream()
        try:
            await request.respond.begin(200, STREAM)
            await request.respond.send(b": open\n\n")
            while True:
                await request.respond.send(await _event_from(box))
        finally:
            host.leave(None)

    async def _deleted(self, request: Request) -> None:
        host = self._session(request)
        if host is None:
            await refuse(request, 404, "There is no such session")
            return
        del self._sessions[value_of(request.headers, SESSION) or b""]
        await _ended([host])
        await request.respond.whole(200, [])


async def _ended(hosts: list[Host]) -> None:
    """End processes without holding up anybody else."""
    children = [child for host in hosts if (child := host.let_go()) is not None]
    await asyncio.to_thread(end_all, children)


class _Answer:
    """The answer to a request: in one piece where nothing comes before it, else as a stream of events."""

    def __init__(
        self, request: Request, message: Message, key: Any, box: Mailbox, headers: Headers, token: Any
    ) -> None:
        self._request, self._message, self._key = request, message, key
        self._box, self._headers, self._token = box, headers, token

    async def sent(self) -> None:
        respond, is_over = self._request.respond, False
        while not is_over:
            frame, is_over = await self._next(respond.has_begun)
            if is_over and not respond.has_begun:
                await respond.whole(self._status(frame), [JSON, *self._headers], frame)
                return
            if not respond.has_begun:
                await respond.begin(200, [*STREAM, *self._headers])
            await respond.send(sse.event(frame) if frame else b": ping\n\n")
        await respond.end()

    async def _next(self, is_stream: bool) -> tuple[bytes, bool]:
        """The next message for the client, and whether it is the answer; after a while without any, an empty one."""
        try:
            async with asyncio.timeout(_PING):
                frame = await self._box.get()
        except TimeoutError:
            return b"", False
        message = messages.read_reply(frame)
        if message is None or message.is_request or message.is_notification:
            return self._restored(frame, message), False
        is_renamed = message.id != self._message.id
        return replace_members(frame, id=messages.encode(self._message.id)) if is_renamed else frame, True

    def _restored(self, frame: bytes, message: Message | None) -> bytes:
        """A notification about this request, by the names that the client gave it."""
        if message is None or self._key == self._message.id:
            return frame
        params = fields(message.params)
        changed = params
        if params.get("progressToken") == self._key:
            changed = {**changed, "progressToken": self._token}
        meta = as_object(params.get("_meta"))
        if meta.get(SUBSCRIPTION) == self._key:
            changed = {**changed, "_meta": {**meta, SUBSCRIPTION: self._message.id}}
        return frame if changed is params else replace_members(frame, params=splice(message.params, params, changed))

    def _status(self, frame: bytes) -> int:
        if self._key == self._message.id:
            return 200
        message = messages.read_reply(frame)
        code = fields(message.error).get("code") if message is not None and message.error else None
        return STATUS.get(code, 200) if isinstance(code, int) else 200


async def _event_from(box: Mailbox) -> bytes:
    try:
        async with asyncio.timeout(_PING):
            return sse.event(await box.get())
    except TimeoutError:
        return b": ping\n\n"


def _identity(request: Request) -> Headers:
    """The headers that say who is calling, whatever session it is in."""
    return [one for one in request.headers if one[0] in (b"authorization", b"cookie", b"x-api-key")]


def _is_modern(request: Request, message: Message) -> bool:
    """Whether a request says that it needs no session."""
    version = value_of(request.headers, VERSION)
    return (version is not None and version not in _WITH_HANDSHAKE) or PROTOCOL_VERSION_KEY in _meta_of(message)


def _meta_of(message: Message) -> dict[str, Any]:
    return as_object(fields(message.params).get("_meta"))


def _mismatch(request: Request, message: Message) -> tuple[int, str] | None:
    """What keeps a request of the newer revisions from being one, by its code and in words."""
    if message.method == "initialize":
        return _NO_METHOD, "This revision has no initialize; send requests as they are"
    params, meta = fields(message.params), _meta_of(message)
    if missing := [key for key in (PROTOCOL_VERSION_KEY, _CAPABILITIES) if key not in meta]:
        return _INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}"
    wanted = [(VERSION, meta[PROTOCOL_VERSION_KEY]), (METHOD, message.method)]
    if (field := NAMED.get(str(message.method))) and isinstance(name := params.get(field), str):
        wanted.append((NAME, name))
    for header, value in wanted:
        given = [one for key, one in request.headers if key == header]
        if len(given) != 1 or decoded(given[0]) != str(value):
            return _HEADER_MISMATCH, f"The header {header.decode()} does not say what the body says"
    return None
