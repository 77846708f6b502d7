"""HTTP in front of HTTP: each request goes on with its headers, each answer comes back as it is streamed.

Only what guidance has to do with is read at all. Lists and failures are kept under whoever sent the request, by
every header that could tell two callers apart, and credentials go to the one upstream and nowhere else.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.proxy.http.client import Response, Upstream, events_in, is_stream
from fingerpost.proxy.http.headers import METHOD, STATUS, callers, for_call, for_question
from fingerpost.proxy.http.http1 import Headers, TooLarge, Unreachable, end_to_end, value_of
from fingerpost.proxy.http.listener import JSON, refuse
from fingerpost.proxy.http.server import Request
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.broken_frame import readable_id
from fingerpost.proxy.protocol.lost_reply import Loss, late
from fingerpost.proxy.protocol.message import INTERNAL_ERROR, Malformed, Message
from fingerpost.proxy.protocol.pending import LIST_TIMEOUT
from fingerpost.proxy.protocol.relay import GUIDED_METHODS, Relay
from fingerpost.proxy.protocol.request import ClientRequest, Reply

_NOT_PASSED = frozenset({b"host", b"content-length", b"accept-encoding", b"expect"})
_CHANGED = b"notifications/tools/list_changed"
_STOPPED = Loss("was not waited for any longer, because the proxy was told to end")


class Reverse:
    """The app behind the front: one upstream, guided."""

    def __init__(
        self, upstream: Upstream, relay: Relay | None, *, limit: int, timeout: float, headers: Headers
    ) -> None:
        self.upstream, self.relay, self.limit, self.timeout = upstream, relay, limit, timeout
        self._own = headers
        self._is_stopping = False
        self._space, self._count = f"fingerpost-{secrets.token_hex(6)}", 0

    async def stop(self) -> None:
        """Whoever is cut off from now on is told so."""
        self._is_stopping = True
        self.upstream.close()

    def children_ended(self) -> None:
        """There are none."""

    async def handle(self, request: Request) -> None:
        headers = [one for one in end_to_end(request.headers) if one[0] not in _NOT_PASSED]
        headers.append((b"accept-encoding", b"identity"))  # what is compressed cannot be guided
        headers += [one for one in self._own if value_of(headers, one[0]) is None]
        if self.relay is None or request.method != "POST":
            await self._streamed(request, headers, self._seconds(request))
            return
        try:
            message = messages.read(request.body)
            if not message.is_request or message.method not in GUIDED_METHODS:
                await self._streamed(request, headers, self._seconds(request))
            else:
                await self._guided(request, headers, message, self.relay)
        except Malformed as bad:
            await refuse(request, 400, str(bad), bad.id, bad.code)

    def _seconds(self, request: Request) -> float:
        """How long a server may be silent on a request."""
        return self.timeout if self.timeout and _is_request(request) else 0.0

    async def _streamed(self, request: Request, headers: Headers, seconds: float) -> None:
        """Pass a request on and its answer back, as they are; a server that is silent for too long is given up."""
        response: Response | None = None
        try:
            async with _deadline(seconds) as due:
                response = await self.upstream.request(request.method, headers, request.body)
                await request.respond.begin(response.status, end_to_end(response.headers))
                async for chunk in self._watched(response):
                    await request.respond.send(chunk)
                    due.reschedule(asyncio.get_running_loop().time() + seconds if seconds else None)
            await request.respond.end()
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            await self._given_up(request, 503, _STOPPED)
        except Unreachable as error:
            await self._given_up(request, 502, Loss(str(error), was_sent=error.was_sent))
        except TimeoutError:
            await self._given_up(request, 504, late(seconds))
        finally:
            if response is not None:
                response.close()

    async def _given_up(self, request: Request, status: int, loss: Loss) -> None:
        """Tell a client that there will be no answer, or no more of it."""
        id = readable_id(request.body)
        if not request.respond.has_begun:
            await refuse(request, status, loss.message(), id, INTERNAL_ERROR)
        elif request.respond.is_stream:
            told = sse.event(messages.error(id, INTERNAL_ERROR, loss.message()))
            await request.respond.send(sse.cut_off(request.respond.tail) + told)
            await request.respond.end()

    async def _watched(self, response: Response) -> AsyncIterator[bytes]:
        """The body as it comes; on the way it may say that the list of tools has changed."""
        relay, seam = self.relay if is_stream(response) else None, b""
        async for chunk in response.chunks():
            if relay is not None:
                if _CHANGED in seam + chunk:
                    relay.expire_lists()
                seam = chunk[-len(_CHANGED) :]
            yield chunk

    async def _guided(self, request: Request, headers: Headers, message: Message, relay: Relay) -> None:
        wire = HttpRequest(self, relay, request, headers, message)
        try:
            call = relay.valid_call(wire) if message.method == "tools/call" else None
            if call is None:
                frame = await relay.answer(wire)
            else:
                reply = await wire.forward(wire.frame, call)
                is_fine = relay.leaves_reply_alone(wire.speaker, call, reply.message)
                frame = reply.frame if is_fine else await relay.answer_call(wire, reply)
        except NoReply as other:
            frame = other.body
        except Later:
            await request.respond.end()
            return
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            frame = self._lost(wire, relay, _STOPPED)
        except Unreachable as error:
            frame = self._lost(wire, relay, Loss(str(error), was_sent=error.was_sent))
        except TimeoutError:
            await wire.cancel()
            frame = self._lost(wire, relay, late(self.timeout))
        except (TooLarge, sse.TooLong):
            frame = messages.error(wire.encoded_id, INTERNAL_ERROR, "The server's reply is too long")
        try:
            await wire.answer(frame)
        finally:
            wire.close()

    def _lost(self, wire: HttpRequest, relay: Relay, loss: Loss) -> bytes:
        return relay.answer_lost(wire, loss) or messages.error(wire.encoded_id, INTERNAL_ERROR, loss.message())

    def own_id(self) -> str:
        self._count += 1
        return f"{self._space}-{self._count}"


class HttpRequest(ClientRequest):
    """A request that came by HTTP, and its answer: in one piece, or as the last event of a stream."""

    def __init__(self, reverse: Reverse, relay: Relay, request: Request, headers: Headers, message: Message) -> None:
        self.frame, self.id, self.method = request.body, message.id, message.method
        self.params = messages.decode_params(message) if message.method == "tools/call" else None
        self.caller, self.speaker = callers(headers, request.peer)
        self._reverse, self._relay, self._request, self._headers = reverse, relay, request, headers
        self._status, self._head = 200, list[tuple[bytes, bytes]]([JSON])
        self._reply = b""
        """The server's own answer, by which the head was meant."""
        self._event = b""
        """The event that the server answered by."""
        self._events: AsyncIterator[bytes] | None = None
        self._response: Response | None = None

    def close(self) -> None:
        """Have no more of the server's answer."""
        if self._response is not None:
            self._response.close()

    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        headers = self._headers
        if frame is not self.frame and call is not None:
            headers = for_call(headers, call, self._relay.schema(self.caller, call.tool))
        self.close()
        async with _deadline(self._reverse.timeout) as due:
            self._response = await self._reverse.upstream.request("POST", headers, frame)
            if is_stream(self._response):
                return await self._streamed(self._response, due)
            return await self._whole(self._response)

    async def _whole(self, response: Response) -> Reply:
        body = await response.body(self._reverse.limit)
        message = messages.read_reply(body)
        self._status, self._head, self._reply = response.status, end_to_end(response.headers), body
        if message is None or message.is_request or message.is_notification:
            raise NoReply(body)
        return Reply(body, message)

    async def _streamed(self, response: Response, due: asyncio.Timeout) -> Reply:
        """Pass on the events that come before the answer."""
        if not self._request.respond.has_begun:
            passed = [one for one in end_to_end(response.headers) if one[0] != b"content-length"]  # it may get longer
            await self._request.respond.begin(response.status, passed)
        self._events, is_resumable = events_in(response, self._reverse.limit), False
        async for event in self._events:
            is_resumable = is_resumable or sse.field_of(event, b"id") is not None
            message = messages.read_reply(data) if (data := sse.data_of(event)) else None
            if message is not None and not message.is_request and not message.is_notification:
                self._event, self._reply = event, data
                return Reply(data, message)
            if message is None and not sse.is_ended(event):
                break  # it breaks off in the middle of an event
            await self._request.respond.send(event)
            self._noticed(message)
            if self._reverse.timeout:
                due.reschedule(asyncio.get_running_loop().time() + self._reverse.timeout)
        if is_resumable:
            raise Later
        raise Unreachable("ended its answer early", was_sent=True)

    def _noticed(self, message: Message | None) -> None:
        if message is not None and message.method == _CHANGED.decode():
            self._relay.expire_lists()

    async def ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        own = self._reverse.own_id()
        try:
            async with asyncio.timeout(min(LIST_TIMEOUT, self._reverse.timeout or LIST_TIMEOUT)):
                body, headers = messages.request(own, method, params), for_question(self._headers, method)
                response = await self._reverse.upstream.request("POST", headers, body)
                try:
                    return await _reply_in(response, own, self._reverse.limit)
                finally:
                    response.close()
        except (Unreachable, TimeoutError, TooLarge, sse.TooLong):
            return None

    async def cancel(self) -> None:
        """Tell a server of the older revisions that nobody waits any more; to others the closed connection tells it."""
        if any(key == METHOD for key, _ in self._headers):
            return
        told = messages.notification("notifications/cancelled", {"requestId": self.id})
        with suppress(Unreachable, TimeoutError):
            async with asyncio.timeout(1.0):
                response = await self._reverse.upstream.request("POST", self._headers, told)
                response.close()

    async def answer(self, frame: bytes) -> None:
        """Send the answer, in the server's own bytes where it is the server's own."""
        respond = self._request.respond
        if respond.has_begun:
            whole = self._event if frame == self._reply else sse.with_data(self._event, frame)
            await respond.send(whole)
            with suppress(Unreachable, sse.TooLong):
                async for event in cast("AsyncIterator[bytes]", self._events):  # what comes after it is theirs too
                    await respond.send(event)
            await respond.end()
            return
        status, head = self._status, [one for one in self._head if one[0] != b"content-length"]
        if frame != self._reply:
            message = messages.read_reply(frame)
            is_error = message is not None and bool(message.error)
            status = self._status_of(frame) if is_error else 200
        await respond.whole(status, head or [JSON], frame)

    def _status_of(self, frame: bytes) -> int:
        """The status of an error: the server's own where it sent one, else what its code stands for in this era."""
        if self._status != 200 or not self.is_modern:
            return self._status
        message = messages.read_reply(frame)
        return STATUS.get(messages.fields(message.error).get("code", 0), 200) if message is not None else 200


class Later(Exception):
    """The server has ended its stream, and will go on in one that the client asks for by the id of the last event."""


class NoReply(Exception):
    """The server has answered by something that is no reply; it is passed on as it is."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body


def _is_request(request: Request) -> bool:
    """Whether an answer is due that has an end."""
    try:
        message = messages.read(request.body)
    except Malformed:
        return request.method == "POST"
    return message.is_request and message.method != "subscriptions/listen"


async def _reply_in(response: Response, id: str, limit: int) -> Reply | None:
    """The answer to a question of ours, in one piece or in a stream."""
    if not is_stream(response):
        body = await response.body(limit)
        message = messages.read_reply(body)
        return Reply(body, message) if message is not None and message.id == id else None
    async for event in events_in(response, limit):
        message = messages.read_reply(data := sse.data_of(event))
        if message is not None and message.id == id:
            return Reply(data, message)
    return None


def _deadline(seconds: float) -> asyncio.Timeout:
    return asyncio.timeout(seconds or None)
