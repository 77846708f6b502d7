"""Check who sends a request before a reference server sees it: the host name, the web page, the token."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.http.senders import AllowedSenders
from fingerpost.proxy.http.web_pages import JSON_TYPE, is_json, preflight_headers
from fingerpost.proxy.protocol.message import INVALID_REQUEST, error

Event: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[Event]]"
Send: TypeAlias = "Callable[[Event], Awaitable[None]]"
App: TypeAlias = "Callable[[Event, Receive, Send], Awaitable[None]]"


class Gate:
    """An ASGI app in front of another one. Without a token, none is asked for."""

    def __init__(self, app: App, senders: AllowedSenders, token: str = "") -> None:
        self._app, self._senders, self._token = app, senders, token.encode()

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: Headers = list(scope["headers"])
        if (problem := self._senders.find_problem(scope["path"], headers)) is not None:
            await _refuse(send, 403, problem)
            return
        send = _with_headers(send, self._senders.pages.response_headers(headers))
        if scope["method"] == "OPTIONS":  # before the token, which browsers do not send when they ask for permission
            await _respond(send, 204, preflight_headers(headers))
        elif self._token and not self._has_token(headers):
            challenge = (b"www-authenticate", b'Bearer realm="fingerpost"')
            await _refuse(send, 401, "Send the header Authorization: Bearer with the server's token", challenge)
        elif scope["method"] == "POST" and not is_json(headers):
            await _refuse(send, 415, "Send the message with the header Content-Type: application/json")
        else:
            await self._app(scope, receive, send)

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, token = (header_value(headers, b"authorization") or b"").partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


def _with_headers(send: Send, more: Headers) -> Send:
    async def send_with_more(event: Event) -> None:
        if event["type"] == "http.response.start":
            event = {**event, "headers": [*event.get("headers", ()), *more]}
        await send(event)

    return send_with_more if more else send


async def _refuse(send: Send, status: int, why: str, *more: tuple[bytes, bytes]) -> None:
    await _respond(send, status, [(b"content-type", JSON_TYPE), *more], error(b"null", INVALID_REQUEST, why))


async def _respond(send: Send, status: int, headers: Headers, body: bytes = b"") -> None:
    length = [(b"content-length", str(len(body)).encode())] if body else []  # 204 has none
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": body})
