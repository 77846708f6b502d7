"""Guidance for a server on FastMCP 4: `mcp.add_middleware(Guidance())`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar, cast

import mcp_types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError, to_mcp_error
from fastmcp.prompts.base import PromptResult
from fastmcp.resources.base import ResourceResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool, ToolResult
from fastmcp.tools.base import InputRequiredToolResult
from fastmcp.utilities.versions import dedupe_with_versions
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from typing_extensions import override

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import EMPTY_REPORT, Call, Report
from fingerpost.engine.replies.enrich import KEY
from fingerpost.engine.replies.exceptions import message_of, root_cause
from fingerpost.engine.safety.json_input import as_object
from fingerpost.middleware._sdk_internals import protocol_error
from fingerpost.middleware.call_flow import Exchange, Outcome
from fingerpost.middleware.caller_key import caller_key
from fingerpost.middleware.guidance import Door

T = TypeVar("T")

_is_ours: ContextVar[bool] = ContextVar("fingerpost_fastmcp_is_ours", default=False)
"""Set while we ask the server for a list ourselves: whoever asks then keeps what comes."""


class Guidance(Door, Middleware):
    __doc__ = Door.__doc__

    # tools

    @override
    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        message, here = context.message, context.fastmcp_context
        if here is None or (caller := self._caller(here)) is None or _asks_for_a_version(message):
            return await call_next(context)  # what is listed is the newest version, which is not the one asked for
        sent = message.arguments if message.arguments is not None else {}
        outcome, result = None, None
        if self.lets_pass(caller, message.name, sent):
            try:
                result = await call_next(context)
            except Exception as error:
                outcome = _outcome_of(error, here)
            else:
                if self._desk.has_nothing_to_say(caller, message.name, sent, _gist(result)):
                    return result
                outcome = Outcome(_wire_result(result))
        exchange = _Exchange(self._desk, self._tools, caller, Call(message.name, sent))
        exchange.door, exchange.context, exchange.call_next, exchange.result = self, context, call_next, result
        reply, outcome = await exchange.run(outcome)
        if outcome is not None and reply is outcome.reply:
            if outcome.is_raised and outcome.cause is not None:
                raise outcome.cause
            return exchange.result
        return _as_result(reply, exchange.result if outcome and not outcome.is_raised else None)

    @override
    async def on_message(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """A call whose arguments are no object never gets to the tools: FastMCP shows it here, once it has failed."""
        if context.method != "tools/call" or not isinstance(context.message, dict):
            return await call_next(context)
        here, params = context.fastmcp_context, as_object(cast("Any", context).message)
        name, caller = params.get("name"), self._caller(here) if here is not None else None
        if here is None or caller is None or not isinstance(name, str):
            return await call_next(context)
        exchange = _MalformedExchange(self._desk, self._tools, caller, Call(name, params.get("arguments")))
        exchange.door, exchange.context, exchange.call_next = self, context, call_next
        reply, outcome = await exchange.run()
        if outcome is not None and outcome.is_raised and outcome.cause is not None and reply is outcome.reply:
            raise outcome.cause
        return _stamped(reply, here)

    def _caller(self, here: Context) -> object:
        """Who is calling which server; nothing where it is no client, or cannot be told: then nothing is said.

        What a tool, or whoever holds the server, asks of it is none of ours.
        """
        try:
            if (request := here.request_context) is None or _around(here) is not None:
                return None
            if (server := here.fastmcp) is not self._last:
                self._last, self._token = server, self._servers.setdefault(server, object())
            return self._token, caller_key(request, request.meta)
        except Exception as error:
            self._desk.failed(error)
            return None

    async def read_tools(self, caller: object, server: FastMCP) -> Catalog | None:
        """The caller's own list, the newest version of each tool, put on the shelf; none where it cannot be read."""
        tools = await _listed(server.list_tools)
        return None if tools is None else self._kept(caller, tools)

    def _kept(self, caller: object, tools: Sequence[Tool]) -> Catalog:
        newest = dedupe_with_versions(list(tools), lambda tool: tool.name)
        return self._tools.put(caller, [[_wire(tool.to_mcp_tool()) for tool in newest]])

    async def announce(self, here: Context) -> None:
        """Tell clients that the list of tools has changed."""
        await here.send_notification(mcp_types.ToolListChangedNotification())

    @override
    async def on_list_tools(
        self,
        context: MiddlewareContext[mcp_types.ListToolsRequest],
        call_next: CallNext[mcp_types.ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        tools = await call_next(context)
        here = context.fastmcp_context
        if here is None or _is_mounted(here):
            return tools
        try:
            if not _is_ours.get() and (caller := self._caller(here)) is not None:
                self._kept(caller, tools)
            return self._labelled(tools)
        except Exception as error:
            self._desk.failed(error)
            return tools

    def _labelled(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """The list as clients see it; our own tool stands at its end."""
        own = [_own_tool(one) for one in self._desk.own_tools({tool.name for tool in tools})]
        return [*(map(self._label, tools) if self._desk.effects else tools), *own]

    def _label(self, tool: Tool) -> Tool:
        listed = _wire(tool.to_mcp_tool())
        labelled = self._desk.effects.annotate(listed, KEY)
        if labelled is listed:
            return tool
        annotations = ToolAnnotations.model_validate(labelled["annotations"], by_alias=True)
        tag = {KEY: labelled["_meta"][KEY]}
        return tool.model_copy(update={"annotations": annotations, "meta": {**(tool.meta or {}), **tag}})

    # prompts and resources

    @override
    async def on_get_prompt(
        self,
        context: MiddlewareContext[mcp_types.GetPromptRequestParams],
        call_next: CallNext[mcp_types.GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        message, here = context.message, context.fastmcp_context
        if here is None or (caller := self._caller(here)) is None:
            return await call_next(context)
        read = partial(_listed, here.fastmcp.list_prompts, lambda prompt: _wire(prompt.to_mcp_prompt()))
        verdict = await self._admitted(Call(message.name, message.arguments or {}), caller, read)
        if verdict.action == "repair":
            context = context.copy(message=message.model_copy(update={"arguments": verdict.call.arguments}))
        try:
            result = await call_next(context)
        except Exception as error:
            if (guided := self._guided_error(error, verdict.report)) is None:
                raise
            raise guided from error
        said = self._desk.safely(lambda: self._desk.remarks(verdict), {})
        return result.model_copy(update={"meta": {**(result.meta or {}), KEY: said}}) if said else result

    @override
    async def on_read_resource(
        self,
        context: MiddlewareContext[mcp_types.ReadResourceRequestParams],
        call_next: CallNext[mcp_types.ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        try:
            return await super().on_read_resource(context, call_next)
        except (NotFoundError, DisabledError) as error:
            here, uri = context.fastmcp_context, str(context.message.uri)
            report = await self._lost(uri, here.fastmcp) if here and self._caller(here) is not None else EMPTY_REPORT
            known = MCPError(mcp_types.INVALID_PARAMS, f"Resource not found: {uri!r}", {"uri": uri})
            if (guided := self._guided_error(known, report)) is None:
                raise
            raise guided from error

    async def _lost(self, uri: str, server: FastMCP) -> Report:
        resources = await _listed(server.list_resources, lambda one: {"uri": str(one.uri)})
        templates = await _listed(server.list_resource_templates, lambda one: {"uriTemplate": one.uri_template})
        return self._astray(uri, resources, templates)

    def _guided_error(self, error: Exception, report: Report) -> MCPError | None:
        """The protocol error that FastMCP makes of an exception, with guidance in its data; else nothing."""
        known = to_mcp_error(error)
        data = self._desk.safely(lambda: self._desk.data(report, known.error.data), None)
        return MCPError(known.error.code, known.error.message, data) if data else None

    # the extension

    @override
    async def on_initialize(
        self,
        context: MiddlewareContext[mcp_types.InitializeRequest],
        call_next: CallNext[mcp_types.InitializeRequest, mcp_types.InitializeResult | None],
    ) -> mcp_types.InitializeResult | None:
        return self._advertised(await call_next(context))

    @override
    async def on_discover(
        self,
        context: MiddlewareContext[mcp_types.DiscoverRequest],
        call_next: CallNext[mcp_types.DiscoverRequest, mcp_types.DiscoverResult | dict[str, Any]],
    ) -> mcp_types.DiscoverResult | dict[str, Any]:
        return self._advertised(await call_next(context))

    def _advertised(self, result: T) -> T:
        if not isinstance(result, mcp_types.InitializeResult | mcp_types.DiscoverResult):
            return result
        extensions = {**(result.capabilities.extensions or {}), KEY: self._desk.about()}
        capabilities = result.capabilities.model_copy(update={"extensions": extensions})
        return cast("T", result.model_copy(update={"capabilities": capabilities}))


async def _listed(
    read: Callable[[], Awaitable[Sequence[Any]]], say: Callable[[Any], Any] = lambda one: one
) -> list[Any] | None:
    """One of the caller's own lists, through every middleware of the server; none where it cannot be read."""
    token = _is_ours.set(True)
    try:
        return [say(one) for one in await read()]
    except Exception:  # a list that cannot be read leaves us without a word, and the call on its way
        return None
    finally:
        _is_ours.reset(token)


def _is_mounted(here: Context) -> bool:
    """Whether a list is made for a server that this one is a part of, under names of that server's."""
    around = _around(here)
    return around is not None and around.fastmcp is not here.fastmcp


def _around(here: Context) -> Context | None:
    """The context in which this one was entered, if any: FastMCP enters one for all that is asked of a server."""
    tokens = getattr(here, "_tokens", ())
    outer = tokens[-1].old_value if tokens else None
    return outer if isinstance(outer, Context) else None


def _asks_for_a_version(message: mcp_types.CallToolRequestParams) -> bool:
    return message.meta is not None and "version" in as_object(message.meta.get("fastmcp"))


class _Exchange(Exchange):
    """A call that came through FastMCP's tools."""

    __slots__ = ("call_next", "context", "door", "result")

    door: Guidance
    context: MiddlewareContext[Any]
    call_next: CallNext[Any, Any]
    result: Any

    @property
    def here(self) -> Context:
        return cast("Context", self.context.fastmcp_context)

    async def send(self, call: Call) -> Outcome:
        message = self.context.message
        if call is not self.call:
            message = message.model_copy(update={"name": call.tool, "arguments": call.arguments})
        context = self.context if call is self.call else self.context.copy(message=message)
        try:
            self.result = await self.call_next(context)
        except Exception as error:
            return _outcome_of(error, self.here)
        return Outcome(_wire_result(self.result))

    async def read(self) -> Catalog | None:
        return await self.door.read_tools(self.caller, self.here.fastmcp)

    async def announce(self) -> None:
        await self.door.announce(self.here)


class _MalformedExchange(_Exchange):
    """A call that FastMCP did not let through: as it came it fails again, but with an object it can be made."""

    __slots__ = ()

    async def send(self, call: Call) -> Outcome:
        arguments: Any = call.arguments
        try:
            if not isinstance(arguments, dict):
                return Outcome(await self.call_next(self.context))
            return Outcome(_wire_result(await self.here.fastmcp.call_tool(call.tool, as_object(arguments))))
        except Exception as error:
            return _outcome_of(error, self.here)


def _outcome_of(error: Exception, here: Context) -> Outcome:
    """What FastMCP makes of an exception on the wire."""
    request = here.request_context
    is_modern = request is not None and request.protocol_version in MODERN_PROTOCOL_VERSIONS
    if not isinstance(error, NotFoundError | DisabledError | FastMCPError):
        is_masked = not isinstance(error, MCPError)
        return Outcome(protocol_error(error, is_modern=is_modern), error, is_raised=True, is_masked=is_masked)
    reply = {"isError": True, "content": [{"type": "text", "text": message_of(error)}]}
    return Outcome(reply, error, is_raised=True, is_masked=message_of(root_cause(error)) not in message_of(error))


def _gist(result: Any) -> dict[str, Any]:
    """Just enough of a result to see whether it is one of the many about which nothing is said."""
    if type(result) is not ToolResult or result.structured_content is None:
        return _wire_result(result)
    return {"structuredContent": result.structured_content, "isError": result.is_error}


def _wire_result(result: Any) -> dict[str, Any]:
    """As much of a result as guidance reads; what an extension or a question to the client is, is left alone."""
    if not isinstance(result, ToolResult) or isinstance(result, InputRequiredToolResult):
        return {"resultType": "other"}
    texts = [
        {"type": block.type, **({"text": block.text} if isinstance(block, TextContent) else {})}
        for block in result.content
    ]
    wire: dict[str, Any] = {"content": texts, "isError": result.is_error}
    if result.structured_content is not None:
        wire["structuredContent"] = result.structured_content
    if result.meta is not None:
        wire["_meta"] = result.meta
    return wire


def _as_result(reply: dict[str, Any], original: ToolResult | None) -> ToolResult:
    """A guided reply as FastMCP wants it: on top of the server's own result where there is one."""
    if "content" not in reply:
        raise MCPError(reply["code"], reply["message"], reply.get("data"))
    if original is None:
        return ToolResult.from_mcp_result(CallToolResult.model_validate(reply))
    added = [TextContent(type="text", text=block["text"]) for block in reply["content"][len(original.content) :]]
    raw = original.to_mcp_result()
    whole = raw if isinstance(raw, CallToolResult) else CallToolResult(
        content=original.content, structured_content=original.structured_content, is_error=original.is_error
    )  # fmt: skip
    return ToolResult.from_mcp_result(
        whole.model_copy(update={"content": [*whole.content, *added], "meta": reply["_meta"]})
    )


def _stamped(reply: Any, here: Context) -> Any:
    """A reply outside of FastMCP's own handlers, as this era wants it: nobody else adds what is missing."""
    said = as_object(reply)
    if "content" not in said and "code" in said:
        raise MCPError(said["code"], said["message"], said.get("data"))
    request = here.request_context
    if request is None or request.protocol_version not in MODERN_PROTOCOL_VERSIONS or "content" not in said:
        return reply
    low_level = getattr(here.fastmcp, "_mcp_server", None)
    info = {mcp_types.SERVER_INFO_META_KEY: low_level.server_info_stamp} if low_level is not None else {}
    return {"resultType": "complete", **said, "_meta": {**info, **as_object(said.get("_meta"))}}


def _own_tool(listed: dict[str, Any]) -> Tool:
    return Tool(
        name=listed["name"],
        title=listed["title"],
        description=listed["description"],
        parameters=listed["inputSchema"],
        annotations=ToolAnnotations.model_validate(listed["annotations"]),
        meta=listed["_meta"],
    )


def _wire(model: Any) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
