"""The HTTP front of the proxy: check who may connect, route requests, start and stop.

Web pages in a browser can send requests to a local port. So the proxy checks the `Host` and the `Origin` of each
request against what it expects, and takes bodies only as JSON, which a page cannot send without permission.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable
from typing import Protocol

from fingerpost.proxy.http.http1 import header_value
from fingerpost.proxy.http.responder import Exchange, Request
from fingerpost.proxy.http.senders import AllowedSenders
from fingerpost.proxy.http.server import Limits, Server
from fingerpost.proxy.http.web_pages import is_json, preflight_headers
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import INVALID_REQUEST
from fingerpost.proxy.signals import STOP_SIGNALS, call_on_signals

PATH = "/mcp"
JSON = (b"content-type", b"application/json")
_DRAIN = 4.0
"""Seconds to answer requests in flight after a signal to stop."""


class App(Protocol):
    """Handles the requests to `/mcp`."""

    async def handle(self, request: Request) -> None: ...
    def shortcut(self, request: Request, exchange: Exchange) -> Callable[[], None] | None: ...
    async def stop(self) -> None: ...
    def on_child_exit(self) -> None: ...


class Router:
    """Passes expected requests to the app and answers all others."""

    def __init__(self, app: App, names: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._app = app
        senders = AllowedSenders(names, origins)
        self._pages, self.find_problem = senders.pages, senders.find_problem

    async def handle(self, request: Request) -> None:
        if (problem := self.find_problem(request.path, request.headers)) is not None:
            await refuse(request, 403, problem)
            return
        request.responder.own_headers = self._pages.response_headers(request.headers)
        path = _normalize_path(request.path)
        if path == "/healthz":
            await request.responder.send_whole(200, [JSON], b'{"status":"ok"}')
        elif path != PATH:
            await refuse(request, 404, f"There is nothing here; the server is at {PATH}")
        elif request.method == "OPTIONS":
            await request.responder.send_whole(204, preflight_headers(request.headers))
        elif request.method == "POST" and not is_json(request.headers):
            await refuse(request, 415, "Send the message with the header Content-Type: application/json")
        else:
            await self._app.handle(request)

    def shortcut(self, request: Request, exchange: Exchange) -> Callable[[], None] | None:
        """Let the app answer a request outside of a task, if there is nothing else to do about it."""
        is_plain = request.path == PATH and request.method == "POST" and is_json(request.headers)
        if (
            not is_plain
            or header_value(request.headers, b"origin") is not None
            or self.find_problem(PATH, request.headers)
        ):
            return None
        return self._app.shortcut(request, exchange)


def _normalize_path(target: str) -> str:
    """The path of a request target without its query. The target may be an absolute URL."""
    path = target if target.startswith("/") else f"/{target.partition('://')[2].partition('/')[2]}"
    return path.partition("?")[0].rstrip("/") or "/"


async def refuse(request: Request, status: int, why: str, id: bytes = b"null", code: int = INVALID_REQUEST) -> None:
    """Answer a request with a JSON-RPC error."""
    await request.responder.send_whole(status, [JSON], messages.error(id, code, why))


async def serve(
    app: App,
    host: str,
    port: int,
    *,
    names: Iterable[str],
    origins: Iterable[str],
    limits: Limits,
    ready: Callable[[str], None],
) -> int:
    """Serve until a signal to stop; return the exit code. A second signal cuts the draining short."""
    router = Router(app, [host, *names], origins)
    server = Server(router.handle, limits, router.shortcut, router.find_problem)
    listener = await server.listen(host, port)
    bound = listener.sockets[0].getsockname()
    ready(f"http://{f'[{host}]' if ':' in host else host}:{bound[1]}{PATH}")
    stops = asyncio.Queue[int]()

    def handle_signals(numbers: bytes) -> None:
        app.on_child_exit()
        for number in STOP_SIGNALS.intersection(numbers):
            stops.put_nowait(number)

    with call_on_signals(asyncio.get_running_loop(), handle_signals):
        number = await stops.get()
        listener.close()
        second_signal = asyncio.ensure_future(stops.get())
        draining = asyncio.ensure_future(server.drain(_DRAIN))
        await asyncio.wait((draining, second_signal), return_when=asyncio.FIRST_COMPLETED)
        await app.stop()
        await server.close()
    return 128 + number if number == signal.SIGINT else 0
