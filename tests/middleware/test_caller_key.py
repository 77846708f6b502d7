"""Two principals over HTTP: each is answered from what it may see, and from nothing else."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_http_headers
from fastmcp.server.middleware import Middleware
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from fingerpost import fastmcp, sdk
from fingerpost.middleware.caller_key import caller_key
from tests.support.adopted_servers import ERAS, FRAMEWORKS, called, run


def read_secret(id: str) -> str:
    return id


def read_public(id: str) -> str:
    return id


def sees(headers: Any, name: str) -> bool:
    return "secret" not in name or headers.get("authorization") == "Bearer admin"


async def hiding(ctx: Any, call_next: Any) -> Any:
    result = await call_next(ctx)
    if ctx.method == "tools/list":
        result = {**result, "tools": [tool for tool in result["tools"] if sees(ctx.request.headers, tool["name"])]}
    return result


class Hiding(Middleware):
    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        headers = get_http_headers(include={"authorization"})
        return [tool for tool in await call_next(context) if sees(headers, tool.name)]


@asynccontextmanager
async def served(framework: str) -> AsyncIterator[str]:
    """A server of either framework on a port of its own."""
    if framework == "sdk":
        server: Any = MCPServer[Any]("vault", middleware=[sdk.Guidance(), hiding])
    else:
        server = FastMCP[Any]("vault", middleware=[fastmcp.Guidance(), Hiding()])
    for tool in (read_secret, read_public):
        server.tool()(tool)
    app = server.streamable_http_app() if framework == "sdk" else server.http_app()
    http = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    task = asyncio.create_task(http.serve())
    while not http.started:
        await asyncio.sleep(0.01)
    port = http.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        http.should_exit = True
        await task


@asynccontextmanager
async def client_of(url: str, token: str, era: str) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode="legacy" if era == "2025-11-25" else "auto") as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_principal_is_answered_from_its_own_list(framework: str, era: str) -> None:
    logging.disable(logging.CRITICAL)

    async def main() -> None:
        async with (
            served(framework) as url,
            client_of(url, "admin", era) as admin,
            client_of(url, "guest", era) as guest,
        ):
            for _ in range(3):
                seen = await called(admin, "read_secrt", {"id": "1"})
                hidden = await called(guest, "read_secrt", {"id": "1"})
                assert "read_secret" in seen.text
                assert "read_secret" not in json.dumps([hidden.texts, hidden.meta])
                assert "secret" not in (await called(guest, "info")).text
                assert "secret" in (await called(admin, "info")).text
                assert (await called(admin, "read_public", {"id": "x"})).texts == ["x"]

    run(main())


class Asked:
    """What a request looks like to whoever asks who made it."""

    def __init__(self, headers: dict[str, str], host: str = "10.0.0.1", era: str = "2026-07-28") -> None:
        self.request = type("Request", (), {"headers": headers, "client": type("Client", (), {"host": host})()})()
        self.session = type("Session", (), {"_connection": type("Connection", (), {"state": dict[str, Any]()})()})()
        self.protocol_version = era


def said(name: str) -> dict[str, Any]:
    return {"io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}


def test_everything_that_tells_callers_apart_is_in_the_key() -> None:
    base = {"authorization": "Bearer a", "user-agent": "x"}
    me = caller_key(Asked(base), said("one"), {})
    assert caller_key(Asked({**base, "x-tenant": "b"}), said("one"), {}) != me
    assert caller_key(Asked({**base, "authorization": "Bearer b"}), said("one"), {}) != me
    assert caller_key(Asked(base, host="10.0.0.2"), said("one"), {}) != me
    assert caller_key(Asked(base), said("other"), {}) != me
    assert caller_key(Asked(base), None, {}) != me


def test_what_changes_from_one_request_to_the_next_is_not() -> None:
    base = {"authorization": "Bearer a"}
    me = caller_key(Asked(base), said("one"), {})
    later = {**base, "Mcp-Name": "search", "mcp-param-a": "1", "traceparent": "00-1", "Content-Length": "5"}
    assert caller_key(Asked(later), {**said("one"), "progressToken": 7, "example.com/toolUseId": "t1"}, {}) == me


def test_no_credential_is_kept() -> None:
    assert b"hunter2" not in repr(caller_key(Asked({"authorization": "Bearer hunter2"}), None, {})).encode()


def test_a_token_that_the_sdk_verified_counts_without_its_header() -> None:
    before = caller_key(Asked({}), None, {})
    token = auth_context_var.set(AuthenticatedUser(AccessToken(token="t", client_id="c", scopes=[])))
    try:
        assert caller_key(Asked({}), None, {}) != before
    finally:
        auth_context_var.reset(token)


def test_a_connection_that_lasts_is_its_own_caller() -> None:
    request = Asked({}, era="2025-11-25")
    one, other = dict[str, Any](), dict[str, Any]()
    assert caller_key(request, None, one) == caller_key(request, None, one) != caller_key(request, None, other)
