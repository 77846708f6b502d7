"""A guided request from HTTP to HTTP: on the shortcut for clearly valid calls, or in a task."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.engine.replies.classify import may_report_failure
from fingerpost.proxy.http.client import Connection, Response, Upstream, is_stream, read_events
from fingerpost.proxy.http.headers import HTTP_STATUS, METHOD, caller_keys, headers_for_call, headers_for_own_request
from fingerpost.proxy.http.http1 import BodyTooLarge, Headers, UpstreamError, forwardable_headers, header_value
from fingerpost.proxy.http.listener import JSON
from fingerpost.proxy.http.responder import Exchange, Request
from fingerpost.proxy.http.status import read_facts
from fingerpost.proxy.protocol import fast_path, sse
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import Message
from fingerpost.proxy.protocol.pending import LIST_TIMEOUT
from fingerpost.proxy.protocol.relay import Relay
from fingerpost.proxy.protocol.request import ClientRequest, Reply

LIST_CHANGED = b"notifications/tools/list_changed"


class Target:
    """The server, and what applies to every request to it: the longest reply and the longest wait (0 for any)."""

    def __init__(self, upstream: Upstream, *, limit: int, timeout: float) -> None:
        self.upstream, self.limit, self.timeout = upstream, limit, timeout
        self._id_prefix, self._id_count = f"fingerpost-{os.urandom(6).hex()}", 0

    def make_id(self) -> str:
        """A new id for a request of our own."""
        self._id_count += 1
        return f"{self._id_prefix}-{self._id_count}"


class HttpRequest(ClientRequest):
    """A guided request over HTTP. Its reply is sent whole, or as the last event of a stream."""

    def __init__(
        self,
        target: Target,
        relay: Relay,
        request: Request,
        headers: Headers,
        id: Any,
        method: str,
        params: dict[str, Any] | None,
    ) -> None:
        self.frame, self.id, self.method, self.params = request.body, id, method, params
        self.caller, self.speaker = caller_keys(headers, request.peer, request.query)
        self._target, self._relay, self._request, self._headers = target, relay, request, headers
        self._status, self._response_headers = 200, list[tuple[bytes, bytes]]([JSON])
        self._reply = b""
        """The server's own reply."""
        self._event = b""
        """The event that contains it, if it came in a stream."""
        self._events: AsyncIterator[bytes] | None = None
        self._response: Response | None = None
        self._sent: Connection | None = None
        """The connection on which `forward_at_once` has sent the request."""

    # the shortcut

    def forward_at_once(self, exchange: Exchange) -> Callable[[], None] | None:
        """Forward a clearly valid call on an idle connection. Returns how to cancel it; none if it was not sent."""
        call = self._relay.valid_call(self) if self._relay.leaves_successes_alone else None
        if call is None:
            return None
        on_news = partial(self._answer_at_once, exchange, call)
        self._sent = self._target.upstream.send_at_once(self._headers, self.frame, on_news)
        if self._sent is None:
            return None
        self._request.begun = self
        return self._sent.close

    def _answer_at_once(self, exchange: Exchange, call: Call) -> None:
        """Send a plain success to the client once it is there. With anything else, the handler goes on."""
        connection = cast("Connection", self._sent)
        if not exchange.is_short or connection.may_become_small():
            return
        status, headers, body = connection.peek_small() or (0, [], b"")
        is_plain = status == 200 and fast_path.read_plain_success(body) is not None and not may_report_failure(body)
        if not is_plain or len(body) > self._target.limit:
            exchange.hand_over()
            return
        kept = [one for one in forwardable_headers(headers) if one[0] != b"content-length"]
        self._request.responder.write_whole(status, kept, body)
        self._target.upstream.release(connection)
        if self.speaker in self._relay.repeated.callers:
            self._relay.repeated.forget(self.speaker, call)
        exchange.finish()

    # in a task

    async def end_response(self) -> None:
        await self._request.responder.end()

    def close(self) -> None:
        """Close the server's response."""
        if self._response is not None:
            self._response.close()

    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        headers = self._headers
        if frame is not self.frame and call is not None:
            headers = headers_for_call(headers, call, self._relay.schema(self.caller, call.tool))
        self.close()
        async with deadline_after(self._target.timeout) as deadline:
            sent, self._sent = self._sent, None
            self._response = await self._post(headers, frame, sent)
            if is_stream(self._response):
                return await self._read_stream(self._response, deadline)
            return await self._read_whole(self._response)

    async def _post(self, headers: Headers, body: bytes, sent: Connection | None = None) -> Response:
        query = self._request.query
        return await self._target.upstream.request("POST", headers, body, client_query=query, sent=sent)

    async def _read_whole(self, response: Response) -> Reply:
        body = await response.body(self._target.limit)
        message = messages.read_reply(body)
        self._status, self._reply = response.status, body
        self._response_headers = forwardable_headers(response.headers)
        if message is None or message.is_request or message.is_notification:
            raise NotAReply(body)
        return Reply(body, _check_reply(message), facts=read_facts(response.status, response.headers))

    async def _read_stream(self, response: Response, deadline: asyncio.Timeout) -> Reply:
        """Pass on events until the reply, and return that."""
        responder = self._request.responder
        if not responder.has_begun:  # without a length, because guidance may make the stream longer
            headers = [one for one in forwardable_headers(response.headers) if one[0] != b"content-length"]
            await responder.begin(response.status, headers)
        self._events, is_resumable, has_worked = read_events(response, self._target.limit), False, False
        async for event in self._events:
            is_resumable = is_resumable or sse.field_of(event, b"id") is not None
            message = messages.read_reply(data) if (data := sse.data_of(event)) else None
            if message is not None and not message.is_request and not message.is_notification:
                self._event, self._reply = event, data
                return Reply(data, _check_reply(message), has_worked=has_worked)
            has_worked |= message is not None
            if message is None and not sse.is_complete(event):
                break  # the stream ended in the middle of an event
            await responder.send(event)
            if message is not None and message.method == LIST_CHANGED.decode():
                self._relay.expire_lists()
            if self._target.timeout:
                deadline.reschedule(asyncio.get_running_loop().time() + self._target.timeout)
        if is_resumable:
            raise ResumableStreamEnded
        raise UpstreamError("ended its answer early", was_sent=True, is_over=True)

    async def ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        id = self._target.make_id()
        try:
            async with asyncio.timeout(min(LIST_TIMEOUT, self._target.timeout or LIST_TIMEOUT)):
                body, headers = messages.request(id, method, params), headers_for_own_request(self._headers, method)
                response = await self._post(headers, body)
                try:
                    return await _find_reply(response, id, self._target.limit)
                finally:
                    response.close()
        except (UpstreamError, TimeoutError, BodyTooLarge, sse.EventTooLong):
            return None

    async def cancel(self) -> None:
        """Cancel the request at a server of the 2025 revisions. A 2026-07-28 server sees the closed connection."""
        if any(key == METHOD for key, _ in self._headers):
            return
        cancelled = messages.notification("notifications/cancelled", {"requestId": self.id})
        with suppress(UpstreamError, TimeoutError):
            async with asyncio.timeout(1.0):
                response = await self._post(self._headers, cancelled)
                response.close()

    async def send_reply(self, frame: bytes) -> None:
        """Send a reply to the client, in the server's own bytes if it is the server's own."""
        if self._request.responder.has_begun:
            await self._send_in_stream(frame)
            return
        headers = [one for one in self._response_headers if one[0] != b"content-length"]
        status = self._status
        if frame != self._reply:
            status = self._status_of(frame)
            headers += [] if header_value(headers, b"content-type") else [JSON]
        await self._request.responder.send_whole(status, headers, frame)

    async def _send_in_stream(self, frame: bytes) -> None:
        responder = self._request.responder
        await responder.send(self._event if frame == self._reply else sse.with_data(self._event, frame))
        with suppress(UpstreamError, sse.EventTooLong):
            async for event in cast("AsyncIterator[bytes]", self._events):  # pass on what follows the reply
                await responder.send(event)
        await responder.end()

    def _status_of(self, frame: bytes) -> int:
        """The status of a reply of ours: for an error the server's own status, or the one of its code."""
        message = messages.read_reply(frame)
        if message is None or not message.error:
            return 200
        if self._status != 200 or not self.is_modern:
            return self._status
        return HTTP_STATUS.get(messages.fields(message.error).get("code", 0), 200)


def _check_reply(message: Message) -> Message:
    if message.is_contradictory:
        raise UpstreamError(f"sent a reply that {messages.CONTRADICTORY}", was_sent=True, is_over=True)
    return message


class ResumableStreamEnded(Exception):
    """The server ended its stream before the reply; the client can resume it by the id of the last event."""


class NotAReply(Exception):
    """The server's response is not a reply; it is passed on unchanged."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body


async def _find_reply(response: Response, id: str, limit: int) -> Reply | None:
    """Find the reply to a request of our own, in a whole body or in a stream."""
    if not is_stream(response):
        body = await response.body(limit)
        message = messages.read_reply(body)
        return Reply(body, message) if message is not None and message.id == id else None
    async for event in read_events(response, limit):
        message = messages.read_reply(data := sse.data_of(event))
        if message is not None and message.id == id:
            return Reply(data, message)
    return None


def deadline_after(seconds: float) -> asyncio.Timeout:
    """A timeout of some seconds; none of 0."""
    return asyncio.timeout(seconds or None)
