"""Servers on the official SDK and on FastMCP, with guidance as middleware, that play cases.

A list of tools that is asked for sets the policy of the case, from the next request on. As a program,
`frameworks.py KIND FOLDER` serves standard input and output.
"""

# pyright: reportIncompatibleMethodOverride=false
from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.prompts import Prompt, PromptResult
from fastmcp.prompts.base import PromptArgument
from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.providers import Provider
from fastmcp.tools import Tool, ToolResult
from mcp.server import MCPServer, Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from bench.replies.scene import PlayedError, Scene
from fingerpost import Policy, fastmcp, sdk

KINDS = ("SDK Server", "SDK MCPServer", "FastMCP")


class Player:
    """The entries of a scene as the frameworks have them; whoever lists tools has the guidance replaced."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.replace_guidance: Callable[[Policy], None] = lambda policy: None

    def tools(self) -> list[types.Tool]:
        self.replace_guidance(Policy(**self.scene.case["policy"]))
        return [types.Tool.model_validate(one) for one in self.scene.list_entries("tools/list")]

    def prompts(self) -> list[types.Prompt]:
        return [types.Prompt.model_validate(one) for one in self.scene.list_entries("prompts/list")]

    def resources(self) -> list[types.Resource]:
        return [types.Resource.model_validate(one) for one in self.scene.list_entries("resources/list")]

    def templates(self) -> list[types.ResourceTemplate]:
        entries = self.scene.list_entries("resources/templates/list")
        return [types.ResourceTemplate.model_validate(one) for one in entries]

    def play(self, method: str, name: str, arguments: Any) -> dict[str, Any]:
        self.scene.note(method, name, arguments)
        try:
            return self.scene.play(method, name, arguments)
        except PlayedError as error:
            raise MCPError(error.code, error.message, error.data) from error

    def call(self, name: str, arguments: Any) -> types.CallToolResult:
        return types.CallToolResult.model_validate(self.play("tools/call", name, arguments))

    def prompt(self, name: str, arguments: Any) -> types.GetPromptResult:
        return types.GetPromptResult.model_validate(self.play("prompts/get", name, arguments))

    def read(self, uri: str) -> types.ReadResourceResult:
        return types.ReadResourceResult.model_validate(self.play("resources/read", uri, None))


def make_low_level(player: Player) -> Server[Any]:
    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=player.tools())

    async def list_prompts(ctx: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=player.prompts())

    async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=player.resources())

    async def list_templates(ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=player.templates())

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return player.call(params.name, params.arguments)

    async def get_prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return player.prompt(params.name, params.arguments)

    async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return player.read(str(params.uri))

    server = Server[Any](
        "scene",
        version="1",
        on_list_tools=list_tools,
        on_list_prompts=list_prompts,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_call_tool=call_tool,
        on_get_prompt=get_prompt,
        on_read_resource=read_resource,
    )
    _attach(player, server.middleware, sdk.Guidance)
    return server


def make_mcp_server(player: Player) -> MCPServer[Any]:
    class Played(MCPServer[Any]):
        async def list_tools(self) -> list[types.Tool]:
            return player.tools()

        async def list_prompts(self) -> list[types.Prompt]:
            return player.prompts()

        async def list_resources(self) -> list[types.Resource]:
            return player.resources()

        async def list_resource_templates(self) -> list[types.ResourceTemplate]:
            return player.templates()

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> types.CallToolResult:
            return player.call(name, arguments)

        async def get_prompt(self, name: str, arguments: Any = None, context: Any = None) -> types.GetPromptResult:
            return player.prompt(name, arguments)

        async def read_resource(self, uri: Any, context: Any = None) -> list[ReadResourceContents]:
            player.read(str(uri))
            return [ReadResourceContents(content="the contents", mime_type="text/plain")]

    server = Played("scene", version="1")
    _attach(player, server.middleware, sdk.Guidance)
    return server


def make_fastmcp(player: Player) -> FastMCP[Any]:
    class PlayedTool(Tool):
        async def run(self, arguments: dict[str, Any]) -> ToolResult:
            return ToolResult.from_mcp_result(player.call(self.name, arguments))

    class PlayedPrompt(Prompt):
        async def render(self, arguments: dict[str, Any] | None = None) -> PromptResult:
            return PromptResult(player.play("prompts/get", self.name, arguments)["messages"][0]["content"]["text"])

    class PlayedResource(Resource):
        async def read(self) -> str:
            return player.play("resources/read", str(self.uri), None)["contents"][0]["text"]

    class PlayedProvider(Provider):
        async def _list_tools(self) -> list[Tool]:
            return [PlayedTool(**_tool_fields(one)) for one in player.tools()]

        async def _list_prompts(self) -> list[Prompt]:
            return [PlayedPrompt(name=one.name, arguments=_arguments(one)) for one in player.prompts()]

        async def _list_resources(self) -> Sequence[Resource]:
            return [PlayedResource.model_validate({"uri": one.uri, "name": one.name}) for one in player.resources()]

        async def _list_resource_templates(self) -> list[ResourceTemplate]:
            return [
                ResourceTemplate(name=one.name, uri_template=one.uri_template, parameters={})
                for one in player.templates()
            ]

    server = FastMCP[Any]("scene", version="1", providers=[PlayedProvider()])
    _attach(player, server.middleware, fastmcp.Guidance)
    return server


def _tool_fields(tool: types.Tool) -> dict[str, Any]:
    fields = ("name", "title", "description", "output_schema", "annotations")
    return {name: getattr(tool, name) for name in fields} | {"parameters": tool.input_schema}


def _arguments(prompt: types.Prompt) -> list[PromptArgument]:
    return [
        PromptArgument(name=one.name, description=one.description, required=bool(one.required))
        for one in prompt.arguments or []
    ]


def _attach(player: Player, middleware: list[Any], make: Callable[[Policy], Any]) -> None:
    """Put guidance last, and let the player replace it where the policy of its case is another."""
    middleware.append(make(Policy()))

    def replace_guidance(policy: Policy) -> None:
        middleware[-1] = make(policy)

    player.replace_guidance = replace_guidance


async def serve_low_level(server: Server[Any]) -> None:
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def main(kind: str, folder: str) -> None:
    logging.disable(logging.CRITICAL)
    player = Player(Scene(Path(folder)))
    if kind == "SDK Server":
        asyncio.run(serve_low_level(make_low_level(player)))
    elif kind == "SDK MCPServer":
        make_mcp_server(player).run("stdio")
    else:
        make_fastmcp(player).run("stdio", show_banner=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
