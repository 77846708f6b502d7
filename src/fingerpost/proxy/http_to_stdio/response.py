"""Send the messages about one request as an HTTP response: a single reply as JSON, several as an event stream."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from fingerpost.engine.safety.json_input import as_object
from fingerpost.proxy.http.headers import HTTP_STATUS
from fingerpost.proxy.http.http1 import Headers
from fingerpost.proxy.http.listener import JSON
from fingerpost.proxy.http.server import Responder
from fingerpost.proxy.http_to_stdio.message_queue import SUBSCRIPTION, MessageQueue
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol import sse
from fingerpost.proxy.protocol.message import Message, fields, replace_members, splice

STREAM: Headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_PING = b": ping\n\n"
_PING_AFTER = 15.0
"""Seconds of silence after which a ping shows that the stream is alive."""


class Forwarded(NamedTuple):
    """A request as the process sees it."""

    frame: bytes
    id: Any
    token: Any = None
    """Its progress token, if any."""
    client_token: Any = None
    """The progress token that the client sent, if `token` is our own."""


async def send_response(
    responder: Responder, message: Message, forwarded: Forwarded, queue: MessageQueue, headers: Headers
) -> None:
    """Send what the server says about a request until its reply has been sent."""
    is_over = False
    while not is_over:
        frame, is_over = await _next_frame(message, forwarded, queue)
        if is_over and not responder.has_begun:
            await responder.send_whole(_status(frame, message, forwarded), [JSON, *headers], frame)
            return
        if not responder.has_begun:
            await responder.begin(200, [*STREAM, *headers])
        await responder.send(sse.encode_message(frame) if frame else _PING)
    await responder.end()


async def event_or_ping(queue: MessageQueue) -> bytes:
    """The next message as an event, or a ping after a while without messages."""
    try:
        async with asyncio.timeout(_PING_AFTER):
            return sse.encode_message(await queue.get())
    except TimeoutError:
        return _PING


async def _next_frame(message: Message, forwarded: Forwarded, queue: MessageQueue) -> tuple[bytes, bool]:
    """The next frame for the client, empty after a while without any, and whether it is the reply."""
    try:
        async with asyncio.timeout(_PING_AFTER):
            frame = await queue.get()
    except TimeoutError:
        return b"", False
    received = messages.read_reply(frame)
    if received is None or received.is_request or received.is_notification:
        return _restore_names(frame, received, message, forwarded), False
    is_renamed = received.id != message.id
    return replace_members(frame, id=messages.encode(message.id)) if is_renamed else frame, True


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
