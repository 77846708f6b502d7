"""Guidance for servers on the official SDK: `MCPServer("x", middleware=[Guidance()])`, or a low-level `Server`.

A middleware sees every message before validation. It answers by itself if a call is refused or asks about the
tools; otherwise the server answers, and its reply gets guidance.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cached_property, partial
from types import CoroutineType
from typing import Any, cast

from mcp.server import MCPServer, Server
from mcp.server.context import CallNext
from mcp.server.subscriptions import ServerEvent, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from fingerpost.engine import info_tool
from fingerpost.engine.model import KEY, Call, Report
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.middleware._sdk_internals import (
    Context,
    SdkUpstream,
    bus_of,
    connection_state,
    high_level_server,
    is_own_request,
    record_exceptions,
    server_behind,
)
from fingerpost.middleware.call_flow import CallFlow
from fingerpost.middleware.caller_key import ServerKeys, caller_key
from fingerpost.middleware.guidance import ServerGuidance
from fingerpost.middleware.protocol import NOT_FOUND_CODES

_LOG = logging.getLogger("fingerpost")


class Guidance(ServerGuidance):
    __doc__ = ServerGuidance.__doc__

    @cached_property
    def _servers(self) -> ServerKeys:
        return ServerKeys()

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
            return _forward(ctx, call_next)
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
                return self._advertise(ctx, call_next)
            case _:
                return _forward(ctx, call_next)

    def warn(self, text: str) -> None:
        _LOG.warning(text)

    # tools

    async def _call_tool(self, ctx: Context, call_next: CallNext) -> Any:
        params = as_object(ctx.params)
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or (caller := self._caller(ctx, call_next)) is None:
            return await call_next(ctx)
        outcome, upstream = None, SdkUpstream(self, ctx, call_next, caller)
        if self.lets_pass(caller, name, arguments):
            try:
                reply = await call_next(ctx)
            except Exception as error:
                outcome = upstream.outcome_of_exception(error)
            else:
                if self.leaves_unchanged(caller, name, arguments, reply):
                    return reply
                outcome = upstream.outcome_of(reply)
        flow = CallFlow(self, upstream, caller, Call(name, arguments))
        return upstream.to_wire(await (flow.complete(outcome) if outcome else flow.run()))

    def _caller(self, ctx: Context, call_next: CallNext) -> object:
        """Return a key for who calls which server; None if that cannot be told, and then there is no guidance."""
        try:
            server, connection = server_behind(call_next), connection_state(ctx.session)
            if server is not None and self._servers.look_up(server):
                self._subscribe(server)
            return self._servers.current, caller_key(ctx, ctx.params and ctx.params.get("_meta"), connection)
        except Exception as error:
            self.count_own_failure(error)
            return None

    def _subscribe(self, server: Server[Any]) -> None:
        """Prepare a server once: learn when its list changes, and what its tools raise."""
        if (bus := bus_of(server)) is not None:
            bus.subscribe(self._on_event)
        if isinstance(high := high_level_server(server), MCPServer):
            record_exceptions(cast("MCPServer[Any]", high))

    def _on_event(self, event: ServerEvent) -> None:
        if isinstance(event, ToolsListChanged):
            self.tools.expire_all()

    async def _list_tools(self, ctx: Context, call_next: CallNext) -> Any:
        result = await call_next(ctx)
        page = as_object(result)
        if not isinstance(page.get("tools"), list):
            return result
        try:
            return self.complete_page(page, await self._taken_names(page, SdkUpstream(self, ctx, call_next)))
        except Exception as error:
            self.count_own_failure(error)
            return result

    async def _taken_names(self, page: dict[str, Any], upstream: SdkUpstream) -> set[str]:
        """Return the names on every page of the list, when this is the last page. The list is stored on the way.

        Our own requests pass here too, and get the same answer: what stands between us and the client may cache it.
        """
        if page.get("nextCursor"):
            return set()
        tools = as_list(page["tools"])
        caller = None if is_own_request.get() else self._caller(upstream.ctx, upstream.call_next)
        if caller is not None and as_object(upstream.ctx.params).get("cursor"):
            tools = await upstream.read_entries("tools/list", "tools") or tools
        elif caller is not None:
            fresh_for = upstream.ttl(page) if upstream.is_outermost(self) else 0.0
            self.store_tools(caller, tools, fresh_for, upstream.server_name)
        return {str(as_object(tool).get("name")) for tool in tools if not info_tool.is_ours(tool, KEY)}

    # prompts and resources

    async def _get_prompt(self, ctx: Context, call_next: CallNext) -> Any:
        params = as_object(ctx.params)
        name, caller = params.get("name"), self._caller(ctx, call_next)
        if caller is None or not isinstance(name, str):
            return await call_next(ctx)
        read_prompts = partial(SdkUpstream(self, ctx, call_next).read_entries, "prompts/list", "prompts")
        verdict = await self.judge_prompt(Call(name, params.get("arguments") or {}), caller, read_prompts)
        if verdict.action == "repair":
            ctx = replace(ctx, params={**params, "arguments": verdict.call.arguments})
        try:
            result = await call_next(ctx)
        except Exception as error:
            self._raise_guided(error, verdict.report)
            raise
        notes = self.safely(lambda: self.prompt_notes(verdict), {})
        if not notes:
            return result
        fields = as_object(result)
        return {**fields, "_meta": {**as_object(fields.get("_meta")), KEY: notes}}

    async def _read_resource(self, ctx: Context, call_next: CallNext) -> Any:
        try:
            return await call_next(ctx)
        except MCPError as error:
            upstream, uri = SdkUpstream(self, ctx, call_next), as_object(ctx.params).get("uri")
            if error.code in NOT_FOUND_CODES and isinstance(uri, str):
                resources = await upstream.read_entries("resources/list", "resources")
                templates = await upstream.read_entries("resources/templates/list", "resourceTemplates")
                self._raise_guided(error, self.explain_unknown_resource(uri, resources, templates))
            raise

    def _raise_guided(self, error: Exception, report: Report) -> None:
        """Raise the server's protocol error with guidance in its data, if there is anything to add."""
        known = error if isinstance(error, MCPError) else None
        data = self.safely(lambda: self.error_data(report, known.data if known else None), None)
        if data is not None:
            code, message = (known.code, known.message) if known else (INVALID_PARAMS, report.diagnoses[0].message)
            raise MCPError(code, message, data) from error

    async def _advertise(self, ctx: Context, call_next: CallNext) -> Any:
        """Add the extension to the server's capabilities."""
        result = await call_next(ctx)
        fields = as_object(result)
        if not isinstance(fields.get("capabilities"), dict):
            return result
        capabilities = as_object(fields["capabilities"])
        extensions = {**as_object(capabilities.get("extensions")), KEY: self.describe_extension()}
        return {**fields, "capabilities": {**capabilities, "extensions": extensions}}


async def _forward(ctx: Context, call_next: CallNext) -> Any:
    return await call_next(ctx)
