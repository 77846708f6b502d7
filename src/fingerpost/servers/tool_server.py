"""A server made of plain functions, for either framework, with or without guidance.

A function declares its parameters and returns a dictionary or an `Answer`. It raises the exceptions of
`fingerpost.errors`. The arguments it gets are valid by its schema.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import TYPE_CHECKING, Any, get_type_hints

import mcp_types as types
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from fingerpost.engine.policy import Policy
from fingerpost.errors import ToolOperationError
from fingerpost.middleware.sdk import Guidance
from fingerpost.servers.answer import Answer, Function

if TYPE_CHECKING:
    from fastmcp import FastMCP


@dataclass(frozen=True, slots=True)
class ToolServer:
    """The tools of a server and its settings."""

    name: str
    instructions: str
    tools: tuple[Function, ...]
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The annotations of every tool, such as `readOnlyHint`."""
    guidance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The parameters of `Guidance`: the policy, the shape of errors, which tools write."""

    def on_sdk(self, *, is_guided: bool = True) -> MCPServer[Any]:
        """Build the server on the official SDK."""
        middleware = [Guidance(**self._guidance_parameters())] if is_guided else []
        server = MCPServer[Any](
            self.name,
            version=metadata.version("fingerpost"),
            instructions=self.instructions,
            middleware=middleware,
            log_level="WARNING",
        )
        annotations = types.ToolAnnotations.model_validate(self.annotations) if self.annotations else None
        error_class = None if is_guided else ToolError
        for function in self.tools:
            tool = _adapt(function, _sdk_result, types.CallToolResult, error_class)
            server.tool(annotations=annotations)(tool)
        return server

    def on_fastmcp(self, *, is_guided: bool = True) -> FastMCP[Any]:
        """Build the server on FastMCP."""
        from fastmcp import FastMCP
        from fastmcp.exceptions import ToolError
        from fastmcp.tools import ToolResult

        from fingerpost import fastmcp

        server = FastMCP[Any](self.name, version=metadata.version("fingerpost"), instructions=self.instructions)
        if is_guided:
            server.add_middleware(fastmcp.Guidance(**self._guidance_parameters()))
        error_class = None if is_guided else ToolError
        for function in self.tools:
            tool = _adapt(function, lambda answer: ToolResult(answer.text, answer.data), ToolResult, error_class)
            server.tool(annotations=dict(self.annotations) or None, output_schema=None)(tool)
        return server

    def _guidance_parameters(self) -> dict[str, Any]:
        """Refuse values that break the schema here, because both frameworks would refuse them without guidance."""
        return {**self.guidance, "policy": replace(self.guidance.get("policy", Policy()), unfit_values="reject")}


def _sdk_result(answer: Answer) -> types.CallToolResult:
    block = types.TextContent(type="text", text=answer.text)
    return types.CallToolResult(content=[block], structured_content=answer.data)


def _adapt(
    function: Function, to_result: Callable[[Answer], Any], result_class: type, error_class: type[Exception] | None
) -> Callable[..., Any]:
    """Wrap a function so that it returns what a framework expects.

    The wrapper declares no output schema, because a tool that has one cannot send guidance as data with an error.
    Without guidance, errors become the framework's own `error_class`, so that clients see their message.
    """

    @functools.wraps(function)
    def tool(**arguments: Any) -> Any:
        try:
            answer = function(**arguments)
        except ToolOperationError as error:
            if error_class is None:
                raise
            raise error_class(error.message) from error
        if not isinstance(answer, Answer):
            answer = Answer(json.dumps(answer, ensure_ascii=False), answer)
        return to_result(answer)

    hints = {**get_type_hints(function, include_extras=True), "return": result_class}
    parameters = [one.replace(annotation=hints[one.name]) for one in inspect.signature(function).parameters.values()]
    vars(tool)["__signature__"] = inspect.Signature(parameters, return_annotation=result_class)
    tool.__annotations__ = hints
    return tool
