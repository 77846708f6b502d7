"""Both ends of HTTP by hand, in one loop: an upstream that answers as it is told, and a client that sees every byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from fingerpost.engine.policy import Policy
from fingerpost.proxy.http.listener import App, Router
from fingerpost.proxy.http.responder import Request
from fingerpost.proxy.http.server import Limits, Server
from fingerpost.proxy.protocol.relay import Relay
from tests.support.waiting import PATIENCE

Answer: TypeAlias = "Callable[[Request], Awaitable[None]]"
JSON = [(b"content-type", b"application/json")]
EVENTS = [(b"content-type", b"text/event-stream")]


class Log:
    """A log that tests can inspect."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str]] = []

    def record_call(self, action: str, tool: str, code: str) -> None:
        self.lines.append((action, tool, code))

    def note(self, text: str) -> None:
        self.lines.append(("note", text, ""))

    def notice_once(self, text: str) -> None:
        self.lines.append(("notice", text, ""))


def guidance(**policy: Any) -> Relay:
    defaults: dict[str, Any] = {"tips": False, "info_tool": None}
    return Relay(Policy(**{**defaults, **policy}), Log())


@asynccontextmanager
async def serving(answer: Answer, limits: Limits | None = None, router: Router | None = None) -> AsyncGenerator[int]:
    """A server on a free port; the port."""
    server = Server(answer, limits or Limits())
    if router is not None:
        server = Server(answer, limits or Limits(), router.shortcut, router.find_problem)
    listener = await server.listen("127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        await server.drain(0.1)
        await server.close()


@asynccontextmanager
async def fronting(
    app: App, limits: Limits | None = None, names: tuple[str, ...] = (), origins: tuple[str, ...] = ()
) -> AsyncGenerator[Http]:
    """An app behind the front; a client of it."""
    router = Router(app, names, origins)
    async with serving(router.handle, limits, router) as port:
        yield Http(port)
    await app.stop()


def hanging(begun: asyncio.Event, ended: asyncio.Event) -> Answer:
    """To answer nothing, and to tell when a request has come and when nobody waits for an answer any more."""

    async def hang(request: Request) -> None:
        begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    return hang


class Reply:
    """What came back, as it came."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        lines = [line for line in self.body.splitlines() if line.startswith(b"data:")]
        return [json.loads(line[5:]) for line in lines if line[5:].strip()]


class Http:
    """A client that opens a connection for each request, and knows nothing that it is not told."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def raw(self, data: bytes, *, until: bytes = b"", seconds: float = PATIENCE) -> bytes:
        """What a connection says to these bytes, until it closes or says `until`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        got = b""
        try:
            async with asyncio.timeout(seconds):
                while chunk := await reader.read(65_536):
                    got += chunk
                    if until and until in got:
                        break
        finally:
            writer.close()
        return got

    async def ask(self, method: str, body: bytes = b"", path: str = "/mcp", **headers: str) -> Reply:
        named = {"host": f"127.0.0.1:{self.port}", "connection": "close"}
        if body:
            named |= {"content-length": str(len(body)), "content-type": "application/json"}
        named |= _dashed(headers)
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return _parsed(await self.raw(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body))

    async def post(self, message: Any, **headers: str) -> Reply:
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        return await self.ask("POST", body, accept="application/json, text/event-stream", **headers)

    async def call(self, name: str, arguments: Any, id: Any = 1, **headers: str) -> Reply:
        params = {"name": name, "arguments": arguments}
        return await self.post({"id": id, "method": "tools/call", "params": params}, **headers)


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def _parsed(data: bytes) -> Reply:
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = _dechunked(body)
    return Reply(int(first.split()[1]), headers, body)


def _dechunked(body: bytes) -> bytes:
    parts, at = list[bytes](), 0
    while at < len(body):
        end = body.index(b"\r\n", at)
        size = int(body[at:end], 16)
        if not size:
            break
        parts.append(body[end + 2 : end + 2 + size])
        at = end + size + 4
    return b"".join(parts)
