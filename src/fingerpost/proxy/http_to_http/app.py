"""Reverse proxy from HTTP to HTTP: requests go on with their headers, responses are streamed back.

Only messages that guidance handles are read. Tool lists and failures are kept per caller, identified by every header
that could tell two callers apart. Credentials go to the upstream and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from fingerpost.proxy.http.client import Response, Upstream, is_stream
from fingerpost.proxy.http.http1 import BodyTooLarge, Headers, UpstreamError, forwardable_headers, header_value
from fingerpost.proxy.http.listener import JSON, refuse
from fingerpost.proxy.http.responder import Exchange, Request
from fingerpost.proxy.http_to_http.guided_request import (
    LIST_CHANGED,
    HttpRequest,
    NotAReply,
    ResumableStreamEnded,
    Target,
    deadline_after,
)
from fingerpost.proxy.protocol import fast_path, sse
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.broken_frame import find_id
from fingerpost.proxy.protocol.lost_reply import LostReply, no_reply_within
from fingerpost.proxy.protocol.message import INTERNAL_ERROR, MalformedMessage
from fingerpost.proxy.protocol.passing_reply import PassingReply
from fingerpost.proxy.protocol.relay import GUIDED_METHODS, NAMING_METHODS, Relay

_NOT_FORWARDED = frozenset({b"host", b"content-length", b"accept-encoding", b"expect"})
_STOPPED = LostReply("was not waited for any longer, because the proxy was told to end")


class HttpToHttp:
    """The app behind the router: forwards to one upstream, with guidance if there is a relay."""

    def __init__(
        self, upstream: Upstream, relay: Relay | None, *, limit: int, timeout: float, headers: Headers
    ) -> None:
        self._target, self._relay, self._own_headers = Target(upstream, limit=limit, timeout=timeout), relay, headers
        self._is_stopping = False

    async def stop(self) -> None:
        """Stop; requests cancelled from now on are answered with the reason."""
        self._is_stopping = True
        self._target.upstream.close()

    def on_child_exit(self) -> None:
        """Do nothing: there are no child processes."""

    async def handle(self, request: Request) -> None:
        if self._relay is not None and isinstance(request.begun, HttpRequest):
            await self._guide(request.begun, self._relay)
            return
        headers = self._headers_to_send(request)
        if self._relay is None or request.method != "POST":
            await self._pass_through(request, headers)
            return
        try:
            message = messages.read(request.body)
            if not message.is_request or message.method not in GUIDED_METHODS:
                await self._pass_through(request, headers, message.method)
            else:
                params = messages.decode_params(message) if message.method == "tools/call" else None
                client_request = HttpRequest(
                    self._target, self._relay, request, headers, message.id, message.method, params
                )
                await self._guide(client_request, self._relay)
        except MalformedMessage as bad:
            await request.responder.send_whole(400, [JSON], bad.as_reply())

    def shortcut(self, request: Request, exchange: Exchange) -> Callable[[], None] | None:
        """Forward a call that is clearly valid without a task, which would take a third of the time."""
        if self._relay is None or self._target.timeout or (plain := fast_path.read_plain_call(request.body)) is None:
            return None
        id, params = plain
        client_request = HttpRequest(
            self._target, self._relay, request, self._headers_to_send(request), id, "tools/call", params
        )
        return client_request.forward_at_once(exchange)

    def _headers_to_send(self, request: Request) -> Headers:
        headers = [one for one in forwardable_headers(request.headers) if one[0] not in _NOT_FORWARDED]
        headers.append((b"accept-encoding", b"identity"))  # guidance cannot read compressed replies
        headers += [one for one in self._own_headers if header_value(headers, one[0]) is None]
        return headers

    # without guidance

    async def _pass_through(self, request: Request, headers: Headers, method: str = "") -> None:
        """Forward a request and stream the response back; give up if the server is silent for too long."""
        seconds = self._target.timeout if self._target.timeout and _expects_reply(request) else 0.0
        response: Response | None = None
        try:
            async with deadline_after(seconds) as deadline:
                response = await self._target.upstream.request(
                    request.method, headers, request.body, client_query=request.query
                )
                await request.responder.begin(response.status, forwardable_headers(response.headers))
                async for chunk in self._watch(response, method):
                    await request.responder.send(chunk)
                    deadline.reschedule(asyncio.get_running_loop().time() + seconds if seconds else None)
            await request.responder.end()
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            await self._give_up(request, 503, _STOPPED)
        except UpstreamError as error:
            await self._give_up(request, 502, error.as_lost())
        except TimeoutError:
            await self._give_up(request, 504, no_reply_within(seconds))
        finally:
            if response is not None:
                response.close()

    async def _give_up(self, request: Request, status: int, lost: LostReply) -> None:
        """Tell the client that there will be no response, or no more of it."""
        id = find_id(request.body)
        if not request.responder.has_begun:
            await refuse(request, status, lost.message(), id, INTERNAL_ERROR)
        elif request.responder.is_stream:
            event = sse.encode_message(messages.error(id, INTERNAL_ERROR, lost.message()))
            await request.responder.send(sse.end_partial_event(request.responder.tail) + event)
            await request.responder.end()

    async def _watch(self, response: Response, method: str) -> AsyncIterator[bytes]:
        """Yield the body as it arrives; outdate the tool lists if an event announces a change, and learn names."""
        relay, seam = self._relay if is_stream(response) else None, b""
        naming = None
        if self._relay is not None and method in NAMING_METHODS:
            naming = PassingReply(self._relay.read_server_name, is_stream=is_stream(response))
        async for chunk in response.chunks():
            if naming is not None:
                naming.push(chunk)
            if relay is not None:
                if LIST_CHANGED in seam + chunk:
                    relay.expire_lists()
                seam = chunk[-len(LIST_CHANGED) :]
            yield chunk

    # with guidance

    async def _guide(self, client_request: HttpRequest, relay: Relay) -> None:
        try:
            frame = await self._make_reply(client_request, relay)
        except NotAReply as other:
            frame = other.body
        except ResumableStreamEnded:
            await client_request.end_response()
            return
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            frame = self._lose(client_request, relay, _STOPPED)
        except UpstreamError as error:
            frame = self._lose(client_request, relay, error.as_lost())
        except TimeoutError:
            await client_request.cancel()
            frame = self._lose(client_request, relay, no_reply_within(self._target.timeout))
        except (BodyTooLarge, sse.EventTooLong):
            frame = messages.error(client_request.encoded_id, INTERNAL_ERROR, "The server's reply is too long")
        try:
            await client_request.send_reply(frame)
        finally:
            client_request.close()

    async def _make_reply(self, client_request: HttpRequest, relay: Relay) -> bytes:
        call = relay.valid_call(client_request) if client_request.method == "tools/call" else None
        if call is None:
            return await relay.answer(client_request)
        reply = await client_request.forward(client_request.frame, call)
        is_fine = relay.leaves_reply_alone(client_request.speaker, call, reply.message)
        return reply.frame if is_fine else await relay.answer_call(client_request, reply)

    def _lose(self, client_request: HttpRequest, relay: Relay, lost: LostReply) -> bytes:
        return relay.answer_lost(client_request, lost) or messages.error(
            client_request.encoded_id, INTERNAL_ERROR, lost.message()
        )


def _expects_reply(request: Request) -> bool:
    """Whether the response has an end: false for notifications and subscriptions."""
    try:
        message = messages.read(request.body)
    except MalformedMessage:
        return request.method == "POST"
    return message.is_request and message.method != "subscriptions/listen"
