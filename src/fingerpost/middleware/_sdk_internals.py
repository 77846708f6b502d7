"""The way through a server of the official SDK, and everything of the SDK that is not public.

The SDK hands a middleware only what comes after it. The caller's own list is what *all* middleware lets through,
and a reply of ours must look like the server's own. What that takes is found here and nowhere else, and each part
is verified before use: on a version that is built differently, guidance does less instead of failing.

Known versions: mcp 2.0 to 2.3.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from types import CodeType, FunctionType
from typing import Any, TypeAlias, cast

from mcp.server import MCPServer, Server
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.runner import ServerRunner
from mcp.server.subscriptions import SubscriptionBus, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, SERVER_INFO_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.engine.replies.classify import LONGEST_READ, is_failure, text_of
from fingerpost.engine.replies.exceptions import message_of, root_cause
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.tool_errors import ToolOperationError
from fingerpost.middleware.guidance import ServerGuidance
from fingerpost.middleware.outcome import Answer, Outcome
from fingerpost.middleware.paging import Pages, read_all_pages
from fingerpost.middleware.protocol import stamp_result

Context: TypeAlias = ServerRequestContext[Any, Any]

is_own_request: ContextVar[bool] = ContextVar("fingerpost_is_own_request", default=False)
"""Set while we ask the server for a list ourselves, so that asking does not make us ask again."""

_RAISED = "fingerpost_raised"
"""The attribute of a session that holds what a tool raised and what is answered for it: middleware sees masked text."""


@dataclass(slots=True)
class SdkUpstream:
    """The SDK's server, as a call flow uses it: one request's way from a middleware to the handlers.

    The whole chain is found behind `call_next`: a partial for each middleware, then a function of the runner.
    """

    guidance: ServerGuidance
    ctx: Context
    call_next: CallNext
    caller: object = None

    @property
    def server(self) -> Server[Any] | None:
        return server_behind(self.call_next)

    @property
    def bus(self) -> SubscriptionBus | None:
        return bus_of(self.server) if self.server else None

    @property
    def is_modern(self) -> bool:
        return self.ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    def is_outermost(self, middleware: object) -> bool:
        """Whether no middleware of the author stands before this one: then what passes here is what the caller gets."""
        before = takewhile(lambda one: one is not middleware, self.server.middleware if self.server else ())
        return all(type(one).__module__.startswith("mcp.") for one in before)

    async def read_entries(self, method: str, key: str) -> list[Any] | None:
        pages = await self.read_list(method, key)
        return pages.entries if pages else None

    async def read_list(self, method: str, key: str) -> Pages | None:
        """Read one of the caller's own lists through every middleware of the server; None if it cannot be read."""
        chain = self._whole_chain()
        token = is_own_request.set(True)

        async def read_page(params: dict[str, Any]) -> dict[str, Any]:
            return as_object(await chain(replace(self.ctx, method=method, params=params)))

        try:
            pages = await read_all_pages(read_page, key, as_object(as_object(self.ctx.params).get("_meta")))
        except Exception:  # without a list there is no guidance, and the call goes on
            return None
        finally:
            is_own_request.reset(token)
        return pages if pages.is_complete else None

    def _whole_chain(self) -> CallNext:
        """Rebuild the chain with every middleware of the server, also those that stand before us."""
        if self.server is None:
            return self.call_next
        call = _innermost(self.call_next)
        for middleware in reversed(self.server.middleware):
            call = partial(_apply_middleware, middleware, call)
        return call

    async def send(self, call: Call) -> Outcome:
        params = as_object(self.ctx.params)
        is_bare = "arguments" not in params and not call.arguments
        is_as_sent = call.tool == params.get("name") and (is_bare or call.arguments is params.get("arguments"))
        changed = {**params, "name": call.tool, "arguments": call.arguments}
        try:
            reply = await self.call_next(self.ctx if is_as_sent else replace(self.ctx, params=changed))
        except Exception as error:
            return self.outcome_of_exception(error)
        return self.outcome_of(reply)

    async def list_tools(self) -> Catalog | None:
        pages = await self.read_list("tools/list", "tools")
        if pages is None:
            return None
        return self.guidance.store_tools(self.caller, pages.entries, self.ttl(pages.last), self.server_name)

    @property
    def server_name(self) -> str:
        return self.server.name if self.server else ""

    def ttl(self, page: Mapping[str, Any]) -> float:
        """Return for how many seconds a list is fresh by the server's own word.

        That word counts only if the server can announce a change; otherwise it could not be taken back.
        """
        ttl = page.get("ttlMs")
        return ttl / 1000 if isinstance(ttl, int) and self.bus is not None else 0.0

    async def announce_change(self) -> None:
        """Tell the clients of either revision."""
        if self.bus is not None:
            await self.bus.publish(ToolsListChanged())
        await self.ctx.session.send_tool_list_changed()

    def outcome_of(self, reply: Any) -> Outcome:
        """Pair a reply with the exception of the tool behind it, if the reply is the failure made from it."""
        answer, raised = vars(self.ctx.session).get(_RAISED, ("", None))
        if raised is None or not is_failure(reply) or text_of(reply) != answer[:LONGEST_READ]:
            return Outcome(reply)  # what a tool has caught is its own, and so is what it says instead
        return Outcome(reply, raised, is_masked=message_of(root_cause(raised)) not in answer)

    def outcome_of_exception(self, error: Exception) -> Outcome:
        """Describe what the server answers by raising."""
        reply = protocol_error(error, is_modern=self.is_modern)
        return Outcome(reply, error, is_raised=True, is_masked=not isinstance(error, MCPError))

    def to_wire(self, answer: Answer) -> Any:
        """Return or raise an answer: the server's own if nothing was added, else as the protocol revision wants it."""
        reply, outcome = answer
        exception = outcome.exception if outcome else None
        if outcome is not None and reply is outcome.reply:
            if outcome.is_raised and exception:
                raise exception
            return reply
        if "content" not in reply:
            raise MCPError(reply["code"], reply["message"], reply.get("data")) from exception
        if not self.is_modern:
            return reply
        return stamp_result(reply, {SERVER_INFO_META_KEY: self.server.server_info_stamp} if self.server else {})


def _apply_middleware(middleware: ServerMiddleware[Any], call_next: CallNext, ctx: Context) -> Awaitable[HandlerResult]:
    return middleware(ctx, call_next)


def _innermost(call_next: CallNext) -> CallNext:
    while isinstance(call_next, partial):
        call_next = cast("CallNext", call_next.args[-1])
    return call_next


def server_behind(call_next: CallNext) -> Server[Any] | None:
    """Return the server that a middleware stands in front of: the end of the chain is a closure over its runner."""
    inner: Any = _innermost(call_next)
    if type(inner) is not FunctionType:
        return None
    if inner.__code__ is not _runner_cell.code:
        _runner_cell.locate(inner.__code__)
    runner: Any = cast("Any", inner).__closure__[_runner_cell.at].cell_contents if _runner_cell.at >= 0 else None
    return runner.server if type(runner) is ServerRunner else None


@dataclass(slots=True)
class _RunnerCell:
    """Where in that closure the runner is. It is the same for every call, so it is looked up once."""

    code: CodeType | None = None
    at: int = -1

    def locate(self, code: CodeType) -> None:
        self.code = code
        self.at = code.co_freevars.index("self") if "self" in code.co_freevars else -1


_runner_cell = _RunnerCell()


def bus_of(server: Server[Any]) -> SubscriptionBus | None:
    """Return the bus on which a server announces changes to 2026-07-28 clients, if it has one."""
    entry = server.get_request_handler("subscriptions/listen")
    return getattr(entry.handler, "_bus", None) if entry else None


def high_level_server(server: Server[Any]) -> object:
    """Return the `MCPServer` on top of a low-level server: its handlers are bound methods of it."""
    entry = server.get_request_handler("resources/list")
    return getattr(entry.handler, "__self__", None) if entry else None


def protocol_error(error: Exception, *, is_modern: bool) -> dict[str, Any]:
    """Return the protocol error that the SDK makes of an exception."""
    if isinstance(error, MCPError):
        return {"code": error.code, "message": error.message, "data": error.data}
    if isinstance(error, ValidationError):
        return {"code": INVALID_PARAMS, "message": "Invalid request parameters", "data": ""}
    code, message = (INTERNAL_ERROR, "Internal server error") if is_modern else (0, message_of(error))
    return {"code": code, "message": message}


def record_exceptions(server: MCPServer[Any]) -> None:
    """Wrap `call_tool` of a server so that what its tools raise is recorded on the session.

    A failure that was raised for the caller is raised again as the SDK's own `ToolError`, which the SDK logs in one
    line instead of with a traceback; everything else is raised as it is.
    """
    original = server.call_tool

    async def call_tool(name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await original(name, arguments, context)
        except Exception as error:
            if not _is_request_for(name, context):
                raise
            cause = root_cause(error)
            is_for_callers = isinstance(cause, ToolOperationError) and bool(message_of(cause))
            answer = message_of(cause if is_for_callers else error)
            vars(context.request_context.session)[_RAISED] = answer, error
            if is_for_callers:
                raise ToolError(answer) from error
            raise

    setattr(server, "call_tool", call_tool)  # noqa: B010


def _is_request_for(name: str, context: Any) -> bool:
    """Whether a tool runs because a client called it, and not because another tool did."""
    try:
        return context.request_context.params["name"] == name
    except Exception:  # there may be neither a context nor a request
        return False


def connection_state(session: Any) -> dict[str, Any]:
    """Return the scratch state of a connection, which outlives each request and ends with the connection."""
    return as_object(getattr(getattr(session, "_connection", None), "state", None))
