"""Guidance for a server on the official SDK: `MCPServer("x", middleware=[Guidance()])`, or a low-level `Server`.

A middleware sees every message as it came, before validation. It answers by itself where a call is refused or
asks about the tools; otherwise the server does, and its reply is guided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import CoroutineType
from typing import Any, cast

from mcp.server import MCPServer, Server
from mcp.server.context import CallNext
from mcp.server.subscriptions import ServerEvent, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from fingerpost.engine import info_tool
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call, Report
from fingerpost.engine.replies.enrich import KEY
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.middleware._sdk_internals import Chain, Context, bus_of, high_level, is_ours, server_behind, watch
from fingerpost.middleware.call_flow import Exchange, Outcome
from fingerpost.middleware.caller_key import caller_key
from fingerpost.middleware.guidance import Door

_NOT_FOUND = (-32602, -32002, 0)


class Guidance(Door):
    __doc__ = Door.__doc__

    @classmethod
    def install(cls, server: MCPServer[Any] | Server[Any], *args: Any, **kwargs: Any) -> Guidance:
        """Put guidance in front of a server that exists already."""
        if not isinstance(server, MCPServer | Server):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"server must be an MCPServer or a Server of the mcp SDK, got {type(server).__name__}; "
                "for FastMCP: from fingerpost.fastmcp import Guidance; mcp.add_middleware(Guidance())"
            )
        guidance = cls(*args, **kwargs)
        server.middleware.append(guidance)
        return guidance

    def __call__(self, ctx: Context, call_next: CallNext) -> CoroutineType[Any, Any, Any]:
        if ctx.request_id is None:
            return _passed(ctx, call_next)
        match ctx.method:
            case "tools/call":
                return self._call_tool(ctx, call_next)
            case "tools/list":
                return self._list_tools(ctx, call_next)
            case "prompts/get":
                return self._get_prompt(ctx, call_next)
            case "resources/read":
                return self._read_resource(ctx, call_next)
            case "initialize" | "server/discover":
                return self._advertised(ctx, call_next)
            case _:
                return _passed(ctx, call_next)

    async def _call_tool(self, ctx: Context, call_next: CallNext) -> Any:
        params, outcome = as_object(ctx.params), None
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or (caller := self._caller(ctx, call_next)) is None:
            return await call_next(ctx)
        if self.lets_pass(caller, name, arguments):
            try:
                reply = await call_next(ctx)
            except Exception as error:
                outcome = Chain(ctx, call_next).failed(error)
            else:
                if self._desk.has_nothing_to_say(caller, name, arguments, reply):
                    return reply
                outcome = Chain(ctx, call_next).answered(reply)
        exchange = _Exchange(self._desk, self._tools, caller, Call(name, arguments))
        exchange.door, exchange.chain = self, Chain(ctx, call_next)
        return exchange.chain.wired(*await exchange.run(outcome))

    def _caller(self, ctx: Context, call_next: CallNext) -> object:
        """Who is calling which server; nothing where that cannot be told, and then nothing is said."""
        try:
            server = server_behind(call_next)
            if server is not self._last and server is not None:
                self._meet(server)
            return self._token, caller_key(ctx, ctx.params and ctx.params.get("_meta"))
        except Exception as error:
            self._desk.failed(error)
            return None

    def _meet(self, server: Server[Any]) -> None:
        """What is done once for each server: hear when its list changes, and what its tools raise."""
        if server not in self._servers:
            self._servers[server] = object()
            if (bus := bus_of(server)) is not None:
                bus.subscribe(self._on_event)
            if isinstance(high := high_level(server), MCPServer):
                watch(cast("MCPServer[Any]", high))
        self._last, self._token = server, self._servers[server]

    def _on_event(self, event: ServerEvent) -> None:
        if isinstance(event, ToolsListChanged):
            self._tools.outdate()

    async def _list_tools(self, ctx: Context, call_next: CallNext) -> Any:
        result = await call_next(ctx)
        page = as_object(result)
        if not isinstance(page.get("tools"), list):
            return result
        try:
            return await self._labelled(page, Chain(ctx, call_next))
        except Exception as error:
            self._desk.failed(error)
            return result

    async def _labelled(self, page: dict[str, Any], chain: Chain) -> dict[str, Any]:
        """A page of the list as clients see it; our own tool stands on the last page.

        It is the same when we ask for it ourselves: what stands between us and the client may keep it.
        """
        tools = as_list(page["tools"])
        labelled, own = self._desk.labelled(tools), list[Any]()
        if not page.get("nextCursor"):
            own = self._desk.own_tools(await self._names(tools, page, chain))
        return page if labelled is tools and not own else {**page, "tools": [*labelled, *own]}

    async def _names(self, tools: list[Any], page: dict[str, Any], chain: Chain) -> set[str]:
        """The names that are taken, on every page of the list. A list that passes is kept, for it was read anyway."""
        caller = None if is_ours.get() else self._caller(chain.ctx, chain.call_next)
        if caller is not None and as_object(chain.ctx.params).get("cursor"):
            tools = await chain.entries("tools/list", "tools") or tools
        elif caller is not None:
            self._kept(caller, tools, page if chain.is_outermost(self) else {}, chain)
        return {str(as_object(tool).get("name")) for tool in tools if not info_tool.is_ours(tool, KEY)}

    async def read_tools(self, caller: object, chain: Chain) -> Catalog | None:
        """The caller's own list, every page of it, put on the shelf; none where it cannot be read."""
        tools, last = await chain.listed("tools/list", "tools")
        return None if tools is None else self._kept(caller, tools, last, chain)

    def _kept(self, caller: object, tools: list[Any], page: Mapping[str, Any], chain: Chain) -> Catalog:
        """A list on the shelf until it goes stale, by the server's own word.

        Where the server has no way to announce a change, that word could not be taken back, and is not taken.
        """
        ttl = page.get("ttlMs")
        holds = isinstance(ttl, int) and chain.bus is not None
        return self._tools.put(caller, [tools], self._desk.now() + cast("int", ttl) / 1000 if holds else 0.0)

    async def announce(self, chain: Chain) -> None:
        """Tell the clients of either era that the list of tools has changed."""
        if chain.bus is not None:
            await chain.bus.publish(ToolsListChanged())
        await chain.ctx.session.send_tool_list_changed()

    async def _get_prompt(self, ctx: Context, call_next: CallNext) -> Any:
        params, chain = as_object(ctx.params), Chain(ctx, call_next)
        name, caller = params.get("name"), self._caller(ctx, call_next)
        if caller is None or not isinstance(name, str):
            return await call_next(ctx)
        read = partial(chain.entries, "prompts/list", "prompts")
        verdict = await self._admitted(Call(name, params.get("arguments") or {}), caller, read)
        if verdict.action == "repair":
            ctx = replace(ctx, params={**params, "arguments": verdict.call.arguments})
        try:
            result = await call_next(ctx)
        except Exception as error:
            if (guided := self._guided_error(error, verdict.report)) is None:
                raise
            raise guided from error
        said = self._desk.safely(lambda: self._desk.remarks(verdict), {})
        return _remarked(as_object(result), said) if said else result

    async def _read_resource(self, ctx: Context, call_next: CallNext) -> Any:
        try:
            return await call_next(ctx)
        except MCPError as error:
            chain, uri = Chain(ctx, call_next), as_object(ctx.params).get("uri")
            if error.code not in _NOT_FOUND or not isinstance(uri, str):
                raise
            resources = await chain.entries("resources/list", "resources")
            templates = await chain.entries("resources/templates/list", "resourceTemplates")
            if (guided := self._guided_error(error, self._astray(uri, resources, templates))) is None:
                raise
            raise guided from error

    def _guided_error(self, error: Exception, report: Report) -> MCPError | None:
        """The server's protocol error with guidance in its data; nothing where there is nothing to add."""
        known = error if isinstance(error, MCPError) else None
        data = self._desk.safely(lambda: self._desk.data(report, known.data if known else None), None)
        if data is None:
            return None
        return (
            MCPError(known.code, known.message, data)
            if known
            else MCPError(INVALID_PARAMS, report.diagnoses[0].message, data)
        )

    async def _advertised(self, ctx: Context, call_next: CallNext) -> Any:
        result = await call_next(ctx)
        said = as_object(result)
        if not isinstance(said.get("capabilities"), dict):
            return result
        capabilities = as_object(said["capabilities"])
        extensions = {**as_object(capabilities.get("extensions")), KEY: self._desk.about()}
        return {**said, "capabilities": {**capabilities, "extensions": extensions}}


class _Exchange(Exchange):
    """A call that came through the SDK."""

    __slots__ = ("chain", "door")

    chain: Chain
    door: Guidance

    async def send(self, call: Call) -> Outcome:
        ctx = self.chain.ctx
        if call is not self.call:
            ctx = replace(ctx, params={**as_object(ctx.params), "name": call.tool, "arguments": call.arguments})
        try:
            reply = await self.chain.call_next(ctx)
        except Exception as error:
            return self.chain.failed(error)
        return self.chain.answered(reply)

    async def read(self) -> Catalog | None:
        return await self.door.read_tools(self.caller, self.chain)

    async def announce(self) -> None:
        await self.door.announce(self.chain)


async def _passed(ctx: Context, call_next: CallNext) -> Any:
    return await call_next(ctx)


def _remarked(result: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    return {**result, "_meta": {**as_object(result.get("_meta")), KEY: said}}
