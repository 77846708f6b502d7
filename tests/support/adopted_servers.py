"""Servers that adopted guidance in one line, written once for both frameworks."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from fastmcp import FastMCP
from mcp.client import Client
from mcp.server import MCPServer

from fingerpost import KEY, fastmcp, sdk

T = TypeVar("T")
FRAMEWORKS = ("sdk", "fastmcp")
ERAS = ("2025-11-25", "2026-07-28")


class Adopted:
    """A server of one framework with guidance in front of it."""

    def __init__(self, framework: str, *args: Any, name: str = "adopted", **kwargs: Any) -> None:
        self.framework = framework
        if framework == "sdk":
            self.guidance: Any = sdk.Guidance(*args, **kwargs)
            self.server: Any = MCPServer[Any](name, middleware=[self.guidance])
        else:
            self.guidance = fastmcp.Guidance(*args, **kwargs)
            self.server = FastMCP[Any](name)
            self.server.add_middleware(self.guidance)

    def tool(self, function: Callable[..., Any], **more: Any) -> None:
        self.server.tool(**more)(function)

    def prompt(self, function: Callable[..., Any]) -> None:
        self.server.prompt()(function)

    def resource(self, uri: str, function: Callable[..., Any]) -> None:
        self.server.resource(uri)(function)

    @asynccontextmanager
    async def client(self, era: str = "2026-07-28", **more: Any) -> AsyncIterator[Client]:
        server = getattr(self.server, "_mcp_server", self.server)
        async with Client(server, mode="legacy" if era == "2025-11-25" else "auto", **more) as client:
            yield client


@dataclass(frozen=True)
class Said:
    """What a client sees of a tool result."""

    is_error: bool
    texts: list[str]
    guidance: dict[str, Any]
    structured: Any
    meta: dict[str, Any]

    @property
    def error(self) -> dict[str, Any]:
        return self.guidance.get("error", {})

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


async def called(client: Any, name: str, arguments: dict[str, Any] | None = None) -> Said:
    result = await client.call_tool(name, arguments or {})
    meta = dict(result.meta or {})
    texts = [getattr(block, "text", "") for block in result.content]
    return Said(bool(result.is_error), texts, meta.get(KEY, {}), result.structured_content, meta)


def run(main: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(main)


def reply_to(
    server: Adopted, name: str, arguments: dict[str, Any] | None = None, *, era: str = "2026-07-28", times: int = 1
) -> Said:
    """What the last of so many equal calls is answered with."""

    async def main() -> Said:
        async with server.client(era) as client:
            for _ in range(times - 1):
                await called(client, name, arguments)
            return await called(client, name, arguments)

    return run(main())


def asked(server: Adopted, ask: Callable[[Client], Awaitable[T]], *, era: str = "2026-07-28") -> T:
    async def main() -> T:
        async with server.client(era) as client:
            return await ask(client)

    return run(main())
