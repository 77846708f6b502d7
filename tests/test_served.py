"""The reference servers have in common: two frameworks, two transports, one command, and pages that run."""

# pyright: basic
from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from adopted import called
from mcp.client import Client
from pydantic import Field
from transcripts import call_in, is_as_shown

from fingerpost.errors import ToolOperationError
from fingerpost.servers.served import Answer, Served

FRAMEWORKS = ("on_sdk", "on_fastmcp")


def double(value: Annotated[int, Field(description="A number", ge=0)], times: int = 2) -> dict[str, Any]:
    """Multiply a number."""
    return {"result": value * times}


def read(path: str) -> Answer:
    """Read a file."""
    if path != "a.txt":
        raise ToolOperationError(f"{path} does not exist", code="NOT_FOUND", hint="There is a.txt")
    return Answer("héllo", {"path": path})


SERVED = Served("lab", "Try it.", (double, read), {"readOnlyHint": True}, {"shape": "flat"})


def asked(framework: str, name: str, arguments: dict[str, Any], **options: Any) -> Any:
    async def main() -> Any:
        server = getattr(SERVED, framework)(**options)
        async with Client(getattr(server, "_mcp_server", server)) as client:
            return await called(client, name, arguments)

    return asyncio.run(main())


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_function_is_a_tool_on_either_framework(framework: str) -> None:
    said = asked(framework, "double", {"value": 4})
    assert (said.text, said.structured, said.is_error) == ('{"result": 8}', {"result": 8}, False)
    said = asked(framework, "read", {"path": "a.txt"})
    assert (said.text, said.structured) == ("héllo", {"path": "a.txt"})


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_a_function_declares_is_listed(framework: str) -> None:
    async def main() -> list[Any]:
        server = getattr(SERVED, framework)()
        async with Client(getattr(server, "_mcp_server", server)) as client:
            return (await client.list_tools()).tools

    tool = next(one for one in asyncio.run(main()) if one.name == "double")
    assert tool.description == "Multiply a number."
    assert tool.input_schema["properties"]["value"]["description"] == "A number"
    assert tool.output_schema is None
    assert tool.annotations.read_only_hint is True


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_wrong_calls_are_guided_unless_it_is_served_bare(framework: str) -> None:
    assert asked(framework, "double", {"valeu": "4"}).structured == {"result": 8}
    said = asked(framework, "read", {"path": "b.txt"})
    assert said.is_error and said.structured["hint"] == "There is a.txt"
    assert asked(framework, "double", {"valeu": "4"}, is_guided=False).is_error


def test_calls_are_written_in_one_line_and_shown_with_gaps() -> None:
    assert call_in('f(a: 1, b: "x, y", c: [{"d": null}])') == ("f", {"a": 1, "b": "x, y", "c": [{"d": None}]})
    assert call_in("f()") == ("f", {})
    assert is_as_shown("one\ntwo\nthree 3", "one\n…\nthree …")
    assert not is_as_shown("one\ntwo", "one")
