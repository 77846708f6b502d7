"""The page corpus through every door, over every transport, with the real clients: one envelope."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import mcp_types as types
import pytest
from fastmcp import Client as FastClient
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from fingerpost import KEY, Catalog, admit
from fingerpost.engine.safety.redact import HIDDEN
from tests.support.pages import PAGES, PageCase, page_cases
from tests.support.paths import SUPPORT
from tests.support.stage import KINDS, Scene, Stage
from tests.support.waiting import PATIENCE, until

Reply: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[Reply]]

STAGE = SUPPORT / "stage.py"
CLIENTS = ("2025-11-25", "2026-07-28", "FastMCP")
TRANSPORTS = ("memory", "stdio", "http")


def doors() -> list[tuple[str, str, str]]:
    """Every kind with every client in memory, and with one of them each by pipes and by HTTP; in `make soak` all."""
    every = set(product(KINDS, CLIENTS, TRANSPORTS)) - {("low-level", "FastMCP", "memory")}  # which it does not take
    if os.environ.get("HYPOTHESIS_PROFILE") == "soak":
        return sorted(every)
    chosen = {
        (kind, CLIENTS[(place + turn) % 3], transport)
        for place, kind in enumerate(KINDS)
        for turn, transport in enumerate(("stdio", "http"))
    }
    return sorted({door for door in every if door[2] == "memory"} | chosen)


def cases() -> list[tuple[str, PageCase]]:
    """Every answer to a tool call on every page that a real server can be made to give."""
    every = [(path.stem, case) for path in sorted(PAGES.glob("*.md")) for case in page_cases(path.read_text("utf-8"))]
    return [(code, case) for code, case in every if case.rendered[0] not in _ASIDE and _can_be_listed(case)]


_ASIDE = ("guidance", "data", "rendered")


def _can_be_listed(case: PageCase) -> bool:
    """The SDKs list no tool whose schema is not an object's, and speak of nothing but a tool's own arguments."""
    try:
        for tool in case.given.tools:
            types.Tool.model_validate(tool)
    except ValidationError:
        return False
    return case.rendered[0] != "ask"


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # arguments that are no object, sent on purpose
@pytest.mark.parametrize(("kind", "client", "transport"), doors())
def test_a_call_earns_one_envelope_through_every_door(kind: str, client: str, transport: str) -> None:
    logging.disable(logging.ERROR)
    wrong = asyncio.run(_played(kind, client, transport))
    assert wrong == []


async def _played(kind: str, client: str, transport: str) -> list[Any]:
    async with _connected(kind, client, transport) as ask:
        return [
            wrong
            for code, case in cases()
            # what a tool of FastMCP raises is a tool result, and never a protocol error
            if (kind != "FastMCP" or "code" not in (case.given.result or {}))
            for wrong in await differences(code, case, ask)
        ]


async def differences(code: str, case: PageCase, ask: Ask) -> list[Any]:
    """What a call through a door earned, where that is not what its page says."""
    reply = await _answer(case, ask)
    return [(code, case.heading, reply, _expected(case))] if reply != _expected(case) else []


async def _answer(case: PageCase, ask: Ask) -> tuple[str, dict[str, Any], Any]:
    """The text and the structure that were added, and what the server was called with."""
    given = case.given
    own = next((tool["name"] for tool in given.tools if tool["name"] == given.policy.info_tool), None)
    scene = Scene(given.tools, replace(given.policy, info_tool=own), given.result)
    await ask("resources/read", {"uri": scene.uri})
    await ask("tools/list", {})
    reply: Reply = {}
    sent = {
        "name": given.call.tool,
        **({"arguments": given.call.arguments} if given.call.arguments is not None else {}),
    }
    for _ in range(given.attempts):
        reply = await ask("tools/call", sent)
    if "content" not in reply:
        guidance = (reply.get("data") or {}).get(KEY, {})
        return guidance.pop("text", ""), guidance, None
    guidance = (reply.get("_meta") or {}).get(KEY, {})
    guidance.pop("server_error", None)  # what the framework itself says, which is kept
    texts = [block["text"] for block in reply["content"]]
    called = json.loads(texts[0]) if texts and '"called"' in texts[0] else None
    played = [block["text"] for block in given.result["content"]] if given.result else texts[: called is not None]
    is_played = len(texts) >= len(played) and all(map(_is_same_or_redacted, texts, played))
    return "\n".join(texts[len(played) :] if is_played else texts), guidance, called


def _is_same_or_redacted(text: str, played: str) -> bool:
    """Whether a block is what the server said; secrets in it are hidden (`Policy.redact`)."""
    return text == played or (HIDDEN in text and text.partition(HIDDEN)[0] == played[: text.index(HIDDEN)])


def _expected(case: PageCase) -> tuple[str, dict[str, Any], Any]:
    given = case.given
    verdict = admit(given.call, Catalog.listed(given.tools), policy=given.policy)
    is_played = given.result is None and verdict.action in ("forward", "repair")
    called = {"called": verdict.call.tool, "with": verdict.call.arguments or {}} if is_played else None
    return case.rendered[1].rstrip("\n"), {k: v for k, v in case.structured.items() if k != "text"}, called


@asynccontextmanager
async def _connected(kind: str, client: str, transport: str) -> AsyncIterator[Ask]:
    """A real client of a server of this kind, as a function that sends a request and gives what came over the wire."""
    with _target(kind, transport) as target:
        if client == "FastMCP":
            async with FastClient(_for_fastmcp(target)) as fast:
                yield lambda method, params: _asked(fast.session, method, params)
        else:
            async with connected(getattr(target, "_mcp_server", target), client) as ask:
                yield ask


@asynccontextmanager
async def connected(target: Any, version: str) -> AsyncIterator[Ask]:
    """The official client of that revision, in the same way."""
    async with Client(target, mode="legacy" if version == "2025-11-25" else "auto") as plain:
        assert plain.protocol_version == version
        yield lambda method, params: _asked(plain.session, method, params)


def _for_fastmcp(target: Any) -> Any:
    if not isinstance(target, StdioServerParameters):
        return target
    from fastmcp.client.transports import StdioTransport

    return StdioTransport(target.command, list(target.args), keep_alive=False)


_REQUESTS: dict[str, tuple[Any, Any, Any]] = {
    "tools/call": (types.CallToolRequest, types.CallToolRequestParams, types.CallToolResult),
    "tools/list": (types.ListToolsRequest, types.PaginatedRequestParams, types.ListToolsResult),
    "resources/read": (types.ReadResourceRequest, types.ReadResourceRequestParams, types.ReadResourceResult),
}


async def _asked(session: Any, method: str, params: dict[str, Any]) -> Reply:
    """One request as it is given, also where its arguments are no object."""
    request, params_type, result_type = _REQUESTS[method]
    message = request.model_construct(method=method, params=params_type.model_construct(**params))
    try:
        result = await session.send_request(message, result_type)
    except MCPError as error:
        return {"code": error.code, "message": error.message, "data": error.data}
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


@contextmanager
def _target(kind: str, transport: str) -> Iterator[Any]:
    if transport == "memory":
        yield Stage(kind).server
    elif transport == "stdio":
        yield StdioServerParameters(command=sys.executable, args=[str(STAGE), kind, "stdio"])
    else:
        with http_server([str(STAGE), kind, "http"]) as url:
            yield url


@contextmanager
def http_server(program: list[str]) -> Iterator[str]:
    """A server of ours in a process of its own, on a port that is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bare = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, *program, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=bare)
    try:
        _await_port(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _await_port(port: int) -> None:
    def is_open() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(is_open)
