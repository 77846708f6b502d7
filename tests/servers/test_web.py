"""How the reference servers listen."""

# pyright: basic
from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from fingerpost.servers.web import create_web_server, listen
from tests.support.waiting import PATIENCE


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
        return
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_replies_do_not_wait_for_acknowledgements(host: str) -> None:
    async def main() -> int:
        with listen(host, 0) as listener:
            web = create_web_server(app)
            serving = asyncio.create_task(web.serve(sockets=[listener]))
            reader, writer = await asyncio.open_connection(*listener.getsockname()[:2])
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert await reader.readline() == b"HTTP/1.1 204 No Content\r\n"
            (connection,) = web.server_state.connections
            accepted = connection.transport.get_extra_info("socket")
            option = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            web.should_exit = True
            await serving
            return option

    assert asyncio.run(asyncio.wait_for(main(), PATIENCE))
