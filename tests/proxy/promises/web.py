"""A client that speaks HTTP to the proxy: thousands of connections in one loop, and every byte under control."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.waiting import PATIENCE

from .stand import MODERN_META, Json

ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass
class Answer:
    """A whole response."""

    status: int
    headers: dict[str, str]
    body: bytes

    def messages(self) -> list[Json]:
        """The messages in it, in one piece or as events."""
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            return [json.loads(self.body)] if self.body else []
        return [json.loads(data) for data in data_in(self.body)]

    def reply(self) -> Json:
        return self.messages()[-1]


def data_in(body: bytes) -> Iterator[bytes]:
    for event in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n"):
        data = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
        if any(data):  # an empty event only tells from where to resume
            yield b"\n".join(data)


class Connection:
    """One connection, with one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, body: bytes, headers: dict[str, str] | None = None, method: str = "POST") -> Answer:
        """Send a request and read the whole response; `TimeoutError` where there is none for long."""
        async with asyncio.timeout(PATIENCE):
            await self.send(body, headers, method)
            status, head = await self.head()
            parts = [part async for part in self.parts(head)]
        return Answer(status, head, b"".join(parts))

    async def send(self, body: bytes, headers: dict[str, str] | None = None, method: str = "POST") -> None:
        head = {"host": "127.0.0.1", **ACCEPT, "content-length": str(len(body)), **(headers or {})}
        path = head.pop(":path", "/mcp")
        lines = [f"{method} {path} HTTP/1.1", *(f"{key}: {value}" for key, value in head.items()), "", ""]
        self.writer.write("\r\n".join(lines).encode("latin-1") + body)
        await self.writer.drain()

    async def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the response that comes next."""
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        pairs = (line.partition(":") for line in lines)
        return int(first.split(" ")[1]), {key.lower(): value.strip() for key, _, value in pairs}

    async def parts(self, head: dict[str, str]) -> AsyncIterator[bytes]:
        """The body as it comes."""
        if head.get("transfer-encoding") != "chunked":
            if size := int(head.get("content-length", "0")):
                yield await self.reader.readexactly(size)
            return
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            yield (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readexactly(2)

    def close(self) -> None:
        self.writer.close()


async def connected(port: int) -> Connection:
    return Connection(*await asyncio.open_connection("127.0.0.1", port, limit=2**27))


@asynccontextmanager
async def connection(port: int) -> AsyncGenerator[Connection]:
    one = await connected(port)
    try:
        yield one
    finally:
        one.close()


def modern(id: Any, method: str, params: Json | None = None, **meta: Any) -> tuple[bytes, dict[str, str]]:
    """A request of the newer era, and the headers that mirror it. Names are plain; no argument is mirrored."""
    text = {**(params or {}), "_meta": {**MODERN_META, **meta}}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
    if isinstance(name := text.get("name"), str):
        headers["mcp-name"] = name
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": text}).encode(), headers


async def shaken(one: Connection, headers: dict[str, str] | None = None) -> dict[str, str]:
    """Do the handshake of the older era; the headers of every request that follows."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "promises", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).encode()
    answer = await one.ask(body, headers)
    session = {"mcp-session-id": answer.headers["mcp-session-id"]} if "mcp-session-id" in answer.headers else {}
    message = {**(headers or {}), **session, "mcp-protocol-version": "2025-11-25"}
    await one.ask(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', message)
    return message
