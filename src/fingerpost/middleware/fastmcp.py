"""Guidance for servers on FastMCP 4: `mcp.add_middleware(Guidance())`."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import cached_property, partial
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
from fingerpost.engine.model import EMPTY_REPORT, KEY, Call, Report
from fingerpost.engine.replies.exceptions import message_of, root_cause
from fingerpost.engine.safety.json_input import as_object
from fingerpost.middleware._fastmcp_internals import enclosing_context, server_info
from fingerpost.middleware._sdk_internals import connection_state, protocol_error
from fingerpost.middleware.call_flow import CallFlow
from fingerpost.middleware.caller_key import ServerKeys, caller_key
from fingerpost.middleware.guidance import ServerGuidance
from fingerpost.middleware.outcome import Answer, Outcome
from fingerpost.middleware.protocol import stamp_result

T = TypeVar("T")

_LOG = logging.getLogger("fingerpost")

_is_own_request: ContextVar[bool] = ContextVar("fingerpost_fastmcp_is_own_request", default=False)
"""Set while we ask the server for a list ourselves: then the asking code stores the list."""


class Guidance(ServerGuidance, Middleware):
    __doc__ = ServerGuidance.__doc__

    @cached_property
    def _servers(self) -> ServerKeys:
        return ServerKeys()

    def warn(self, text: str) -> None:
        _LOG.warning(text)

    # tools

    @override
    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        message, here = context.message, context.fastmcp_context
        if here is None or (caller := self._caller(here)) is None or _asks_for_version(message):
            return await call_next(context)  # the list has the newest version, which is not the one asked for
        arguments = message.arguments if message.arguments is not None else {}
        outcome, result = None, None
        if self.lets_pass(caller, message.name, arguments):
            try:
                result = await call_next(context)
            except Exception as error:
                outcome = _outcome_of_exception(error, here)
            else:
                if self.leaves_unchanged(caller, message.name, arguments, _gist(result)):
                    return result
                outcome = Outcome(_wire_result(result))
        call = Call(message.name, arguments)
        upstream = _FastMcpUpstream(self, context, call_next, caller, call, result)
        flow = CallFlow(self, upstream, caller, call)
        answer = await (flow.complete(outcome) if outcome else flow.run())
        if answer.is_unchanged:
            _raise_own(answer)
            return upstream.result
        is_returned = answer.outcome is not None and not answer.outcome.is_raised
        return _as_result(answer.reply, upstream.result if is_returned else None)

    @override
    async def on_message(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Guide a call whose arguments are no object: FastMCP shows it here only, after it has failed."""
        if context.method != "tools/call" or not isinstance(context.message, dict):
            return await call_next(context)
        here, params = context.fastmcp_context, as_object(cast("Any", context).message)
        name, caller = params.get("name"), self._caller(here) if here is not None else None
        if here is None or caller is None or not isinstance(name, str):
            return await call_next(context)
        call = Call(name, params.get("arguments"))
        answer = await CallFlow(
            self, _MalformedCallUpstream(self, context, call_next, caller, call), caller, call
        ).run()
        if answer.is_unchanged:
            _raise_own(answer)
        return _to_wire(answer.reply, here)

    def _caller(self, here: Context) -> object:
        """Return a key for who calls which server; None if it is not a client, and then there is no guidance.

        What a tool, or the program that holds the server, asks of it gets none.
        """
        try:
            if (request := here.request_context) is None or enclosing_context(here) is not None:
                return None
            self._servers.look_up(here.fastmcp)
            return self._servers.current, caller_key(request, request.meta, connection_state(request.session))
        except Exception as error:
            self.count_own_failure(error)
            return None

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
            if not _is_own_request.get() and (caller := self._caller(here)) is not None:
                self.store_tools(caller, _newest(tools), server_name=here.fastmcp.name)
            own = [_own_tool(one) for one in self.own_tools({tool.name for tool in tools})]
            return [*(map(self._annotate, tools) if self.effects else tools), *own]
        except Exception as error:
            self.count_own_failure(error)
            return tools

    def _annotate(self, tool: Tool) -> Tool:
        listed = _wire(tool.to_mcp_tool())
        annotated = self.effects.annotate(listed, KEY)
        if annotated is listed:
            return tool
        annotations = ToolAnnotations.model_validate(annotated["annotations"], by_alias=True)
        tag = {KEY: annotated["_meta"][KEY]}
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
        read_prompts = partial(_read_list, here.fastmcp.list_prompts, lambda prompt: _wire(prompt.to_mcp_prompt()))
        verdict = await self.judge_prompt(Call(message.name, message.arguments or {}), caller, read_prompts)
        if verdict.action == "repair":
            context = context.copy(message=message.model_copy(update={"arguments": verdict.call.arguments}))
        try:
            result = await call_next(context)
        except Exception as error:
            self._raise_guided(error, verdict.report)
            raise
        notes = self.safely(lambda: self.prompt_notes(verdict), {})
        return result.model_copy(update={"meta": {**(result.meta or {}), KEY: notes}}) if notes else result

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
            is_client = here is not None and self._caller(here) is not None
            report = await self._explain_unknown(uri, here.fastmcp) if here and is_client else EMPTY_REPORT
            known = MCPError(mcp_types.INVALID_PARAMS, f"Resource not found: {uri!r}", {"uri": uri})
            self._raise_guided(known, report, error)
            raise

    async def _explain_unknown(self, uri: str, server: FastMCP) -> Report:
        resources = await _read_list(server.list_resources, lambda one: {"uri": str(one.uri)})
        templates = await _read_list(server.list_resource_templates, lambda one: {"uriTemplate": one.uri_template})
        return self.explain_unknown_resource(uri, resources, templates)

    def _raise_guided(self, error: Exception, report: Report, cause: Exception | None = None) -> None:
        """Raise the protocol error that FastMCP makes of an exception, with guidance in its data, if there is any."""
        known = to_mcp_error(error)
        data = self.safely(lambda: self.error_data(report, known.error.data), None)
        if data:
            raise MCPError(known.error.code, known.error.message, data) from (cause or error)

    # the extension

    @override
    async def on_initialize(
        self,
        context: MiddlewareContext[mcp_types.InitializeRequest],
        call_next: CallNext[mcp_types.InitializeRequest, mcp_types.InitializeResult | None],
    ) -> mcp_types.InitializeResult | None:
        return self._advertise(await call_next(context))

    @override
    async def on_discover(
        self,
        context: MiddlewareContext[mcp_types.DiscoverRequest],
        call_next: CallNext[mcp_types.DiscoverRequest, mcp_types.DiscoverResult | dict[str, Any]],
    ) -> mcp_types.DiscoverResult | dict[str, Any]:
        return self._advertise(await call_next(context))

    def _advertise(self, result: T) -> T:
        """Add the extension to the server's capabilities."""
        if not isinstance(result, mcp_types.InitializeResult | mcp_types.DiscoverResult):
            return result
        extensions = {**(result.capabilities.extensions or {}), KEY: self.describe_extension()}
        capabilities = result.capabilities.model_copy(update={"extensions": extensions})
        return cast("T", result.model_copy(update={"capabilities": capabilities}))


class _FastMcpUpstream:
    """FastMCP's tools, as a call flow uses them. `result` is the last result as FastMCP knows it."""

    def __init__(
        self,
        guidance: Guidance,
        context: MiddlewareContext[Any],
        call_next: CallNext[Any, Any],
        caller: object,
        call: Call,
        result: Any = None,
    ) -> None:
        self._guidance, self._context, self._call_next = guidance, context, call_next
        self._caller, self._call = caller, call
        self._here = cast("Context", context.fastmcp_context)
        self.result = result

    async def send(self, call: Call) -> Outcome:
        context = self._context
        if call is not self._call:
            changes = {"name": call.tool, "arguments": call.arguments}
            context = context.copy(message=context.message.model_copy(update=changes))
        try:
            self.result = await self._call_next(context)
        except Exception as error:
            return _outcome_of_exception(error, self._here)
        return Outcome(_wire_result(self.result))

    async def list_tools(self) -> Catalog | None:
        tools = await _read_list(self._here.fastmcp.list_tools)
        return (
            None
            if tools is None
            else self._guidance.store_tools(self._caller, _newest(tools), server_name=self._here.fastmcp.name)
        )

    async def announce_change(self) -> None:
        await self._here.send_notification(mcp_types.ToolListChangedNotification())


class _MalformedCallUpstream(_FastMcpUpstream):
    """A call that FastMCP rejected: as it was sent it fails again, but with an object for arguments it can be made."""

    async def send(self, call: Call) -> Outcome:
        arguments: Any = call.arguments
        try:
            if not isinstance(arguments, dict):
                return Outcome(await self._call_next(self._context))
            return Outcome(_wire_result(await self._here.fastmcp.call_tool(call.tool, as_object(arguments))))
        except Exception as error:
            return _outcome_of_exception(error, self._here)


async def _read_list(
    read: Callable[[], Awaitable[Sequence[Any]]], convert: Callable[[Any], Any] = lambda one: one
) -> list[Any] | None:
    """Read one of the caller's own lists through every middleware of the server; None if it cannot be read."""
    token = _is_own_request.set(True)
    try:
        return [convert(one) for one in await read()]
    except Exception:  # without a list there is no guidance, and the call goes on
        return None
    finally:
        _is_own_request.reset(token)


def _is_mounted(here: Context) -> bool:
    """Whether a list is made for a server that this one is mounted in, under names of that server."""
    outer = enclosing_context(here)
    return outer is not None and outer.fastmcp is not here.fastmcp


def _asks_for_version(message: mcp_types.CallToolRequestParams) -> bool:
    return message.meta is not None and "version" in as_object(message.meta.get("fastmcp"))


def _is_modern(here: Context) -> bool:
    request = here.request_context
    return request is not None and request.protocol_version in MODERN_PROTOCOL_VERSIONS


def _outcome_of_exception(error: Exception, here: Context) -> Outcome:
    """Describe what FastMCP makes of an exception on the wire."""
    if not isinstance(error, NotFoundError | DisabledError | FastMCPError):
        reply = protocol_error(error, is_modern=_is_modern(here))
        return Outcome(reply, error, is_raised=True, is_masked=not isinstance(error, MCPError))
    reply = {"isError": True, "content": [{"type": "text", "text": message_of(error)}]}
    return Outcome(reply, error, is_raised=True, is_masked=message_of(root_cause(error)) not in message_of(error))


def _raise_own(answer: Answer) -> None:
    """Raise the server's own exception, if that is how it answered."""
    if answer.outcome and answer.outcome.is_raised and answer.outcome.exception:
        raise answer.outcome.exception


def _gist(result: Any) -> dict[str, Any]:
    """Return just enough of a result to see whether it is a plain success."""
    if type(result) is not ToolResult or result.structured_content is None:
        return _wire_result(result)
    return {"structuredContent": result.structured_content, "isError": result.is_error}


def _wire_result(result: Any) -> dict[str, Any]:
    """Return as much of a result as guidance reads; an extension's result or a question to the client is left alone."""
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
    """Convert a guided reply to what FastMCP wants: on top of the server's own result if there is one."""
    if "content" not in reply:
        raise MCPError(reply["code"], reply["message"], reply.get("data"))
    if original is None:
        return ToolResult.from_mcp_result(CallToolResult.model_validate(reply))
    raw = original.to_mcp_result()
    whole = raw if isinstance(raw, CallToolResult) else CallToolResult(
        content=original.content, structured_content=original.structured_content, is_error=original.is_error
    )  # fmt: skip
    changes = {"content": _guided_content(whole, reply), "meta": reply.get("_meta")}
    if "structuredContent" in reply:
        changes["structured_content"] = reply["structuredContent"]
    return ToolResult.from_mcp_result(whole.model_copy(update=changes))


def _guided_content(original: CallToolResult, reply: dict[str, Any]) -> list[Any]:
    """Return the server's own blocks, without secrets if they were hidden, and then ours."""
    own = [
        block.model_copy(update={"text": now["text"]}) if isinstance(block, TextContent) else block
        for block, now in zip(original.content, reply["content"], strict=False)
    ]
    return [*own, *(TextContent(type="text", text=block["text"]) for block in reply["content"][len(own) :])]


def _to_wire(reply: Any, here: Context) -> Any:
    """Return a reply outside of FastMCP's own handlers as the protocol revision wants it: nobody else completes it."""
    fields = as_object(reply)
    if "content" not in fields and "code" in fields:
        raise MCPError(fields["code"], fields["message"], fields.get("data"))
    return stamp_result(fields, server_info(here)) if _is_modern(here) and "content" in fields else reply


def _newest(tools: Sequence[Tool]) -> list[Any]:
    """Return the newest version of each tool."""
    return [_wire(tool.to_mcp_tool()) for tool in dedupe_with_versions(list(tools), lambda tool: tool.name)]


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
