"""The way through a server of the official SDK, from one middleware to the handlers and around.

A middleware is handed only what comes after it. The caller's own list is what *every* middleware lets through,
and a reply of ours has to look as the server's own would; so here is found what the SDK does not hand out,
and nowhere else.
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
from mcp.server.subscriptions import SubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, SERVER_INFO_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from fingerpost.engine.replies.enrich import LONGEST_READ, is_failure, text_of
from fingerpost.engine.replies.exceptions import message_of, root_cause
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.tool_errors import ToolOperationError
from fingerpost.middleware.call_flow import Outcome

Context: TypeAlias = ServerRequestContext[Any, Any]

_MOST_PAGES = 200

is_ours: ContextVar[bool] = ContextVar("fingerpost_is_ours", default=False)
"""Set while we ask the server for a list ourselves, so that asking does not make us ask again."""

_RAISED = "fingerpost_raised"
"""Where what a tool raised, and what is answered for it, is noted on its request: a middleware sees a masked text."""


@dataclass(slots=True)
class Chain:
    """The way from a middleware to the handlers, and what stands around it.

    The SDK hands a middleware only what comes after it. The caller's own list is what *all* of them let
    through, so the whole chain is found behind `call_next`: a partial for each middleware, and at last a
    function of the runner's.
    """

    ctx: Context
    call_next: CallNext

    @property
    def server(self) -> Server[Any] | None:
        return server_behind(self.call_next)

    @property
    def meta(self) -> dict[str, Any]:
        return as_object(as_object(self.ctx.params).get("_meta"))

    def is_outermost(self, middleware: object) -> bool:
        """Whether none of the author's own stands before this one: then what passes here is what the caller gets."""
        before = takewhile(lambda one: one is not middleware, self.server.middleware if self.server else ())
        return all(type(one).__module__.startswith("mcp.") for one in before)

    @property
    def bus(self) -> SubscriptionBus | None:
        return bus_of(self.server) if self.server else None

    @property
    def is_modern(self) -> bool:
        return self.ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def listed(self, method: str, key: str) -> tuple[list[Any] | None, Mapping[str, Any]]:
        """Every entry of one of the caller's lists, all pages followed, and the last page; none where it cannot be."""
        token = is_ours.set(True)
        try:
            return await self._pages(method, key)
        except Exception:  # a list that cannot be read leaves us without a word, and the call on its way
            return None, {}
        finally:
            is_ours.reset(token)

    async def entries(self, method: str, key: str) -> list[Any] | None:
        return (await self.listed(method, key))[0]

    async def _pages(self, method: str, key: str) -> tuple[list[Any] | None, Mapping[str, Any]]:
        meta = {name: one for name, one in self.meta.items() if name != "progressToken"}
        call, entries, cursor = self._whole(), list[Any](), None
        for _ in range(_MOST_PAGES):
            params = {**({"_meta": meta} if meta else {}), **({"cursor": cursor} if cursor else {})}
            page = as_object(await call(replace(self.ctx, method=method, params=params)))
            entries += as_list(page.get(key))
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return entries, page
        return None, {}

    def _whole(self) -> CallNext:
        """The chain with every middleware of the server in it, also those that stand before us."""
        if self.server is None:
            return self.call_next
        call = _innermost(self.call_next)
        for middleware in reversed(self.server.middleware):
            call = partial(_applied, middleware, call)
        return call

    def answered(self, reply: Any) -> Outcome:
        """What the server answered, and what its tool raised where that is a failure."""
        answer, raised = vars(self.ctx.session).get(_RAISED, ("", None))
        if raised is None or not is_failure(reply) or text_of(reply) != answer[:LONGEST_READ]:
            return Outcome(reply)  # what a tool has caught is its own, and so is what it says instead
        return Outcome(reply, raised, is_masked=message_of(root_cause(raised)) not in answer)

    def failed(self, error: Exception) -> Outcome:
        """What the server answers by raising."""
        return Outcome(
            protocol_error(error, is_modern=self.is_modern),
            error,
            is_raised=True,
            is_masked=not isinstance(error, MCPError),
        )

    def wired(self, reply: Any, outcome: Outcome | None) -> Any:
        """A reply on the wire: as it was where nothing was added, else as this era wants it."""
        if outcome is not None and reply is outcome.reply:
            if outcome.is_raised and outcome.cause is not None:
                raise outcome.cause
            return reply
        if "content" not in reply:
            raise MCPError(reply["code"], reply["message"], reply.get("data")) from (outcome.cause if outcome else None)
        return self._stamped(reply)

    def _stamped(self, result: dict[str, Any]) -> dict[str, Any]:
        """The pipeline leaves what a middleware answers by itself alone, so what it would add is added here."""
        if not self.is_modern:
            return result
        info = {SERVER_INFO_META_KEY: self.server.server_info_stamp} if self.server else {}
        return {"resultType": "complete", **result, "_meta": {**info, **as_object(result.get("_meta"))}}


def _applied(middleware: ServerMiddleware[Any], call_next: CallNext, ctx: Context) -> Awaitable[HandlerResult]:
    return middleware(ctx, call_next)


def _innermost(call_next: CallNext) -> CallNext:
    while isinstance(call_next, partial):
        call_next = cast("CallNext", call_next.args[-1])
    return call_next


def server_behind(call_next: CallNext) -> Server[Any] | None:
    """The server that a middleware stands in front of: the last of the chain is a function of its runner's."""
    inner: Any = _innermost(call_next)
    if type(inner) is not FunctionType:
        return None
    if inner.__code__ is not _runners.code:
        _runners.learn(inner.__code__)
    runner: Any = cast("Any", inner).__closure__[_runners.at].cell_contents if _runners.at >= 0 else None
    return runner.server if type(runner) is ServerRunner else None


@dataclass(slots=True)
class _Runners:
    """Where in the closure of that function the runner is; the same for every call, so it is looked up once."""

    code: CodeType | None = None
    at: int = -1

    def learn(self, code: CodeType) -> None:
        self.code = code
        self.at = code.co_freevars.index("self") if "self" in code.co_freevars else -1


_runners = _Runners()


def bus_of(server: Server[Any]) -> SubscriptionBus | None:
    """Where a server announces changes to 2026-07-28 clients, if it does."""
    entry = server.get_request_handler("subscriptions/listen")
    return getattr(entry.handler, "_bus", None) if entry else None


def high_level(server: Server[Any]) -> object:
    """The `MCPServer` on top of a low-level one: its handlers are that server's own methods."""
    entry = server.get_request_handler("resources/list")
    return getattr(entry.handler, "__self__", None) if entry else None


def protocol_error(error: Exception, *, is_modern: bool) -> dict[str, Any]:
    """The protocol error that the SDK makes of an exception."""
    if isinstance(error, MCPError):
        return {"code": error.code, "message": error.message, "data": error.data}
    if isinstance(error, ValidationError):
        return {"code": INVALID_PARAMS, "message": "Invalid request parameters", "data": ""}
    code, message = (INTERNAL_ERROR, "Internal server error") if is_modern else (0, message_of(error))
    return {"code": code, "message": message}


def _is_request_for(name: str, context: Any) -> bool:
    """Whether a tool runs because a client called it, and not because another tool did."""
    try:
        return context.request_context.params["name"] == name
    except Exception:  # there may be neither a context nor a request
        return False


def watch(server: MCPServer[Any]) -> None:
    """Note what the tools of a server raise, on the way out.

    A failure that was raised for the caller goes on as the SDK's own kind of such, which it logs in one line
    rather than with a traceback; everything else goes on as it is.
    """
    original = server.call_tool

    async def call_tool(name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await original(name, arguments, context)
        except Exception as error:
            if not _is_request_for(name, context):
                raise
            meant = root_cause(error)
            is_for_callers = isinstance(meant, ToolOperationError) and bool(message_of(meant))
            answer = message_of(meant if is_for_callers else error)
            vars(context.request_context.session)[_RAISED] = answer, error
            if is_for_callers:
                raise ToolError(answer) from error
            raise

    setattr(server, "call_tool", call_tool)  # noqa: B010
