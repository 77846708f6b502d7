"""The HTTP side that clients see: who may speak to us at all, and how we begin and end.

A page in a browser can make requests to a local port. So the name that a request was sent to, and the page that it
comes from, have to be ones that are expected here.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable
from typing import Protocol
from urllib.parse import urlsplit

from fingerpost.proxy.http.http1 import value_of
from fingerpost.proxy.http.server import Limits, Request, Server
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import INVALID_REQUEST

PATH = "/mcp"
JSON = (b"content-type", b"application/json")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_DRAIN = 4.0
"""Seconds in which requests under way are answered once we are told to end."""


class App(Protocol):
    """What stands behind the front."""

    async def handle(self, request: Request) -> None: ...
    async def stop(self) -> None: ...
    def children_ended(self) -> None: ...


class Front:
    """Lets expected requests through to the app, and answers the others."""

    def __init__(self, app: App, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = _LOOPBACK | {name.lower().strip("[]") for name in names}

    async def handle(self, request: Request) -> None:
        path = _path(request.path)
        if (trouble := self._trouble(request)) is not None:
            await refuse(request, 403, trouble)
        elif path == "/healthz":
            await request.respond.whole(200, [JSON], b'{"status":"ok"}')
        elif path != PATH:
            await refuse(request, 404, f"There is nothing here; the server is at {PATH}")
        else:
            await self._app.handle(request)

    def _trouble(self, request: Request) -> str | None:
        host = (value_of(request.headers, b"host") or b"").decode("latin-1")
        if _name(f"//{host}") not in self._names:
            return "This name is not expected here; see --allow-host"
        origin = value_of(request.headers, b"origin")
        if origin is not None and _name(origin.decode("latin-1")) not in self._names:
            return "This origin is not expected here; see --allow-host"
        return None


def _path(target: str) -> str:
    """The path of a target, which may be a whole address, without what follows it."""
    path = target if target.startswith("/") else f"/{target.partition('://')[2].partition('/')[2]}"
    return path.partition("?")[0].rstrip("/") or "/"


def _name(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


async def refuse(request: Request, status: int, why: str, id: bytes = b"null", code: int = INVALID_REQUEST) -> None:
    """Answer a request that is not let through."""
    await request.respond.whole(status, [JSON], messages.error(id, code, why))


async def serve(
    app: App, host: str, port: int, *, names: Iterable[str], limits: Limits, ready: Callable[[str], None]
) -> int:
    """Serve until told to end; the exit code."""
    server = Server(Front(app, [host, *names]).handle, limits)
    listener = await server.listen(host, port)
    bound = listener.sockets[0].getsockname()
    ready(f"http://{f'[{host}]' if ':' in host else host}:{bound[1]}{PATH}")
    told = asyncio.Queue[int]()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, told.put_nowait, number)
    loop.add_signal_handler(signal.SIGCHLD, app.children_ended)
    number = await told.get()
    listener.close()
    again = asyncio.ensure_future(told.get())
    draining = asyncio.ensure_future(server.drained(_DRAIN))
    await asyncio.wait((draining, again), return_when=asyncio.FIRST_COMPLETED)
    await app.stop()
    await server.cut()
    return 128 + number if number == signal.SIGINT else 0
