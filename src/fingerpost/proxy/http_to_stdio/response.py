"""Send the messages about one request as an HTTP response: a single reply as JSON, several as an event stream."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from typing import Any, NamedTuple

from fingerpost.engine.safety.json_input import as_object
from fingerpost.proxy.http.headers import HTTP_STATUS
from fingerpost.proxy.http.http1 import Headers
from fingerpost.proxy.http.listener import JSON
from fingerpost.proxy.http.responder import Responder
from fingerpost.proxy.http_to_stdio.history import Event
from fingerpost.proxy.http_to_stdio.message_queue import SUBSCRIPTION, MessageQueue, Stream, StreamEnded
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.message import Message, fields, replace_members, splice

STREAM: Headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_PING = b": ping\n\n"
_PING_AFTER = 15.0
"""Seconds of silence after which a ping shows that the stream is alive."""
_STREAM_AFTER = 0.1
"""Seconds to wait for a reply before a response becomes a stream that the client can resume."""
_RETRY = 500
"""Milliseconds after which a client reconnects to a stream that has ended before the reply."""


class Forwarded(NamedTuple):
    """A request as the process sees it."""

    frame: bytes
    id: Any
    token: Any = None
    """Its progress token, if any."""
    client_token: Any = None
    """The progress token that the client sent, if `token` is our own."""


class StreamedResponse:
    """Sends the messages of a stream with one HTTP response.

    Events have ids if `has_ids`. If the client `polls`, it knows empty events and comes back for the rest of a stream
    that has ended. So it learns the id of the start early, and the response may end after `seconds`.
    """

    def __init__(
        self, responder: Responder, stream: Stream, queue: MessageQueue, *, has_ids: bool, polls: bool, seconds: float
    ) -> None:
        self._responder, self._stream, self._queue = responder, stream, queue
        self._has_ids, self._polls, self._seconds = has_ids, polls, seconds
        self._ends_at = math.inf

    async def begin(self, headers: Headers, *, primes: bool = True) -> None:
        """Begin an event stream."""
        await self._responder.begin(200, [*STREAM, *headers])
        if self._polls and self._seconds:
            self._ends_at = time.monotonic() + self._seconds
        if self._polls and primes:
            await self._responder.send(sse.encode_empty(self._stream.prime(), _RETRY))

    async def next(self) -> Event | None:
        """The next message, or none after a while without any; `StreamEnded` if another response is to go on."""
        wait = _STREAM_AFTER if self._polls and not self._responder.has_begun else _PING_AFTER
        try:
            async with asyncio.timeout(min(wait, max(0.0, self._ends_at - time.monotonic()))):
                return await self._queue.get()
        except TimeoutError:
            if time.monotonic() >= self._ends_at:
                raise StreamEnded from None
            return None

    async def send(self, event: Event | None) -> None:
        """Send a message as an event, or a ping."""
        if event is None:
            await self._responder.send(_PING)
        else:
            id = self._stream.keep(event) if self._has_ids else b""
            await self._responder.send(sse.encode_message(event.frame, id))

    async def send_rest(self) -> None:
        """Send all messages up to the reply, as events."""
        with suppress(StreamEnded):
            while not (self._stream.is_over and self._queue.is_empty):
                await self.send(await self.next())
        await self._responder.end()

    async def send_reply(self, message: Message, forwarded: Forwarded, headers: Headers) -> None:
        """Send what the server says about a request until its reply has been sent, or the stream is to be resumed."""
        if self._polls and self._seconds:  # connections do not last here, so every reply must be resumable
            await self.begin(headers)
        is_over = False
        with suppress(StreamEnded):
            while not is_over:
                event = await self.next()
                event, is_over = _for_client(event, message, forwarded) if event else (None, False)
                if is_over and event and not self._responder.has_begun:
                    status = _status(event.frame, message, forwarded)
                    await self._responder.send_whole(status, [JSON, *headers], event.frame)
                    return
                if not self._responder.has_begun:
                    await self.begin(headers)
                await self.send(event)
        await self._responder.end()


def _for_client(event: Event, message: Message, forwarded: Forwarded) -> tuple[Event, bool]:
    """A message about a request as its client is to see it, and whether it is the reply."""
    received = messages.read_reply(event.frame)
    if received is None or received.is_request or received.is_notification:
        return Event(_restore_names(event.frame, received, message, forwarded)), False
    is_renamed = received.id != message.id
    return Event(replace_members(event.frame, id=messages.encode(message.id)) if is_renamed else event.frame), True


def _restore_names(frame: bytes, received: Message | None, message: Message, forwarded: Forwarded) -> bytes:
    """A notification about this request with the client's own id and progress token."""
    if received is None or forwarded.id == message.id:
        return frame
    params = changed = fields(received.params)
    if params.get("progressToken") == forwarded.id:
        changed = {**changed, "progressToken": forwarded.client_token}
    meta = as_object(params.get("_meta"))
    if meta.get(SUBSCRIPTION) == forwarded.id:
        changed = {**changed, "_meta": {**meta, SUBSCRIPTION: message.id}}
    return frame if changed is params else replace_members(frame, params=splice(received.params, params, changed))


def _status(frame: bytes, message: Message, forwarded: Forwarded) -> int:
    if forwarded.id == message.id:
        return 200
    reply = messages.read_reply(frame)
    code = fields(reply.error).get("code") if reply is not None and reply.error else None
    return HTTP_STATUS.get(code, 200) if isinstance(code, int) else 200
