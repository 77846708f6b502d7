"""A server as plain functions: either framework makes a server of them, with guidance in front or without.

A function takes declared parameters and gives a dictionary, or the words for a reader beside it. What goes wrong it
raises, as `fingerpost.errors`; everything that is wrong with a call itself has been said before it is asked.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_type_hints

import mcp_types as types
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from fingerpost import sdk
from fingerpost.engine.policy import Policy
from fingerpost.errors import ToolOperationError

if TYPE_CHECKING:
    from fastmcp import FastMCP


class Answer(NamedTuple):
    """What a tool found: as a model reads it, and as a program does."""

    text: str
    data: dict[str, Any]


Function: TypeAlias = "Callable[..., dict[str, Any] | Answer]"


@dataclass(frozen=True, slots=True)
class Served:
    """What there is to serve."""

    name: str
    instructions: str
    tools: tuple[Function, ...]
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What is declared of every tool, such as `readOnlyHint`."""
    guidance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What `Guidance` is told: the policy, the shape of errors, which tools write."""

    def on_sdk(self, *, is_guided: bool = True) -> MCPServer[Any]:
        """The server on the official SDK."""
        middleware = [sdk.Guidance(**self._told())] if is_guided else []
        server = MCPServer[Any](
            self.name,
            version=metadata.version("fingerpost"),
            instructions=self.instructions,
            middleware=middleware,
            log_level="WARNING",
        )
        declared = types.ToolAnnotations.model_validate(self.annotations) if self.annotations else None
        raised = None if is_guided else ToolError
        for function in self.tools:
            server.tool(annotations=declared)(_returning(function, _for_sdk, types.CallToolResult, raised))
        return server

    def on_fastmcp(self, *, is_guided: bool = True) -> FastMCP[Any]:
        """The same on FastMCP."""
        from fastmcp import FastMCP
        from fastmcp.exceptions import ToolError
        from fastmcp.tools import ToolResult

        from fingerpost import fastmcp

        server = FastMCP[Any](self.name, version=metadata.version("fingerpost"), instructions=self.instructions)
        if is_guided:
            server.add_middleware(fastmcp.Guidance(**self._told()))
        for function in self.tools:
            raised = None if is_guided else ToolError
            made = _returning(function, lambda said: ToolResult(said.text, said.data), ToolResult, raised)
            server.tool(annotations=dict(self.annotations) or None, output_schema=None)(made)
        return server

    def _told(self) -> dict[str, Any]:
        """What guidance is told. Both frameworks hold a call against its schema, so none that breaks it is sent on."""
        return {**self.guidance, "policy": replace(self.guidance.get("policy", Policy()), unfit_values="reject")}


def _for_sdk(said: Answer) -> types.CallToolResult:
    block = types.TextContent(type="text", text=said.text)
    return types.CallToolResult(content=[block], structured_content=said.data)


def _returning(
    function: Function, made: Callable[[Answer], Any], kind: type, raised: type[Exception] | None
) -> Callable[..., Any]:
    """The same function with results as a framework wants them.

    It declares no output schema: to those who do, guidance on an error may not be sent as data. Served bare, its
    errors are `raised` as the framework's own, so that their message is seen.
    """

    @functools.wraps(function)
    def tool(**arguments: Any) -> Any:
        try:
            said = function(**arguments)
        except ToolOperationError as error:
            if raised is None:
                raise
            raise raised(error.message) from error
        return made(said if isinstance(said, Answer) else Answer(json.dumps(said, ensure_ascii=False), said))

    hints = {**get_type_hints(function, include_extras=True), "return": kind}
    parameters = [one.replace(annotation=hints[one.name]) for one in inspect.signature(function).parameters.values()]
    vars(tool)["__signature__"] = inspect.Signature(parameters, return_annotation=kind)
    tool.__annotations__ = hints
    return tool
