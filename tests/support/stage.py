"""A server that plays whatever scene it is handed, on each framework and each transport.

A scene is a list of tools, a policy, and what the server answers. It is set by reading a resource, so that the
same real client that makes the calls can set it over any transport. As a program: `stage.py KIND stdio|http`.
"""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.server.providers import Provider
from fastmcp.tools import Tool, ToolResult
from mcp.server import MCPServer, Server
from mcp.shared.exceptions import MCPError

from fingerpost import Policy, fastmcp, sdk

KINDS = ("low-level", "MCPServer", "FastMCP")


@dataclass
class Scene:
    """What one server lists and answers, and the policy of the guidance in front of it."""

    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    policy: Policy = field(default_factory=Policy)
    reply: dict[str, Any] | None = None
    """What every call is answered with; without it, what the tool was called with."""

    @property
    def uri(self) -> str:
        text = json.dumps([self.tools, asdict(self.policy), self.reply])
        return f"scene://{base64.urlsafe_b64encode(text.encode()).decode()}"

    @classmethod
    def at(cls, uri: str) -> Scene:
        tools, policy, reply = json.loads(base64.urlsafe_b64decode(uri.partition("://")[2]))
        return cls(tools, Policy(**policy), reply)

    def play(self, name: str, arguments: Any) -> types.CallToolResult:
        if name not in {tool.get("name") for tool in self.tools}:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name}")
        if self.reply is None:
            text = json.dumps({"called": name, "with": arguments})
            return types.CallToolResult(content=[types.TextContent(type="text", text=text)])
        if "code" in self.reply:
            raise MCPError(self.reply["code"], self.reply["message"], self.reply.get("data"))
        return types.CallToolResult.model_validate(self.reply)


class Stage:
    """A server of one kind, and the scene that it plays."""

    def __init__(self, kind: str) -> None:
        self.scene = Scene()
        self.server, self._guide = _SERVERS[kind](self)
        self.set(self.scene)

    def set(self, scene: Scene) -> str:
        self.scene = scene
        self._guide(scene.policy)
        return "set"


Made = tuple[Any, Callable[[Policy], None]]


def _low_level(stage: Stage) -> Made:
    async def tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in stage.scene.tools])

    async def call(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return stage.scene.play(params.name, params.arguments or {})

    async def read(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = stage.set(Scene.at(str(params.uri)))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=str(params.uri), text=text)])

    server = Server[Any]("stage", on_list_tools=tools, on_call_tool=call, on_read_resource=read)
    return server, _swapper(server.middleware, sdk.Guidance)


def _plain(stage: Stage) -> Made:
    """A server that has never heard of guidance, for the proxy to stand in front of."""
    server, _ = _low_level(stage)
    server.middleware.clear()
    return server, lambda policy: None


def _mcp_server(stage: Stage) -> Made:
    class Played(MCPServer[Any]):
        async def list_tools(self) -> list[types.Tool]:
            return [types.Tool.model_validate(one) for one in stage.scene.tools]

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            return stage.scene.play(name, arguments)

    server = Played("stage")

    @server.resource("scene://{code}")
    def scene(code: str) -> str:
        return stage.set(Scene.at(f"scene://{code}"))

    return server, _swapper(server.middleware, sdk.Guidance)


def _fast_mcp(stage: Stage) -> Made:
    class PlayedTool(Tool):
        async def run(self, arguments: dict[str, Any]) -> ToolResult:
            return ToolResult.from_mcp_result(stage.scene.play(self.name, arguments))

    class Played(Provider):
        async def _list_tools(self) -> list[Tool]:
            return [_played(PlayedTool, one) for one in stage.scene.tools]

    server = FastMCP[Any]("stage", providers=[Played()])

    @server.resource("scene://{code}")
    def scene(code: str) -> str:
        return stage.set(Scene.at(f"scene://{code}"))

    return server, _swapper(server.middleware, fastmcp.Guidance)


def _played(kind: type[Tool], listed: dict[str, Any]) -> Tool:
    tool = types.Tool.model_validate(listed)
    return kind(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        parameters=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=tool.annotations,
    )


def _swapper(middleware: list[Any], make: Callable[[Policy], Any]) -> Callable[[Policy], None]:
    def swap(policy: Policy) -> None:
        others = [one for one in middleware if not isinstance(one, sdk.Guidance | fastmcp.Guidance)]
        middleware[:] = [*others, make(policy)]

    return swap


_SERVERS: dict[str, Callable[[Stage], Made]] = {
    "low-level": _low_level,
    "plain": _plain,
    "MCPServer": _mcp_server,
    "FastMCP": _fast_mcp,
}


def main(kind: str, transport: str, port: str = "0") -> None:
    server: Any = Stage(kind).server
    if kind in ("low-level", "plain"):
        wrapper = MCPServer[Any]("stage")
        wrapper._lowlevel_server = server
        server = wrapper
    if transport == "stdio":
        server.run("stdio", **({"show_banner": False} if kind == "FastMCP" else {}))
    elif kind == "FastMCP":
        server.run("http", port=int(port), show_banner=False, path="/mcp")
    else:
        server.run("streamable-http", port=int(port))


if __name__ == "__main__":
    main(*sys.argv[1:])
