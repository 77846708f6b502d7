"""What the reference servers share: two frameworks, two transports, one command, and READMEs that run."""

# pyright: basic
from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import pytest
from mcp.client import Client
from pydantic import Field

from fingerpost.cli.main import main
from fingerpost.errors import ToolOperationError
from fingerpost.servers.answer import Answer
from fingerpost.servers.command import create_server
from fingerpost.servers.tool_server import ToolServer
from tests.support.adopted_servers import called
from tests.support.transcripts import matches_transcript, parse_call
from tests.support.waiting import PATIENCE

FRAMEWORKS = ("on_sdk", "on_fastmcp")


def double(value: Annotated[int, Field(description="A number", ge=0)], times: int = 2) -> dict[str, Any]:
    """Multiply a number."""
    return {"result": value * times}


def read(path: str) -> Answer:
    """Read a file."""
    if path != "a.txt":
        raise ToolOperationError(f"{path} does not exist", code="NOT_FOUND", hint="There is a.txt")
    return Answer("héllo", {"path": path})


SERVER = ToolServer("lab", "Try it.", (double, read), {"readOnlyHint": True}, {"shape": "flat"})


def call(framework: str, name: str, arguments: dict[str, Any], **options: Any) -> Any:
    async def main() -> Any:
        server = getattr(SERVER, framework)(**options)
        async with Client(getattr(server, "_mcp_server", server)) as client:
            return await called(client, name, arguments)

    return asyncio.run(main())


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_function_is_a_tool_on_either_framework(framework: str) -> None:
    reply = call(framework, "double", {"value": 4})
    assert (reply.text, reply.structured, reply.is_error) == ('{"result": 8}', {"result": 8}, False)
    reply = call(framework, "read", {"path": "a.txt"})
    assert (reply.text, reply.structured) == ("héllo", {"path": "a.txt"})


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_declarations_of_a_function_are_listed(framework: str) -> None:
    async def main() -> list[Any]:
        server = getattr(SERVER, framework)()
        async with Client(getattr(server, "_mcp_server", server)) as client:
            return (await client.list_tools()).tools

    tool = next(one for one in asyncio.run(main()) if one.name == "double")
    assert tool.description == "Multiply a number."
    assert tool.input_schema["properties"]["value"]["description"] == "A number"
    assert tool.output_schema is None
    assert tool.annotations.read_only_hint is True


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_server_reports_its_version(framework: str) -> None:
    async def main() -> Any:
        server = getattr(SERVER, framework)()
        async with Client(getattr(server, "_mcp_server", server), mode="legacy") as client:
            return client.server_info

    info = asyncio.run(main())
    assert (info.name, info.version) == ("lab", metadata.version("fingerpost"))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_wrong_calls_get_guidance_unless_it_is_off(framework: str) -> None:
    assert call(framework, "double", {"valeu": "4"}).structured == {"result": 8}
    reply = call(framework, "read", {"path": "b.txt"})
    assert reply.is_error and reply.structured["hint"] == "There is a.txt"
    assert call(framework, "double", {"valeu": "4"}, is_guided=False).is_error
    bare = call(framework, "read", {"path": "b.txt"}, is_guided=False)
    assert bare.is_error and bare.text.endswith("b.txt does not exist") and not bare.guidance


def test_transcripts_have_one_call_per_line_and_gaps_in_replies() -> None:
    assert parse_call('f(a: 1, b: "x, y", c: [{"d": null}])') == ("f", {"a": 1, "b": "x, y", "c": [{"d": None}]})
    assert parse_call("f()") == ("f", {})
    assert matches_transcript("one\ntwo\nthree 3", "one\n…\nthree …")
    assert not matches_transcript("one\ntwo", "one")


# the command


def serve_over_http(*words: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "serve", *words, "--http", "127.0.0.1:0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    found = re.search(r"listening on (http://127\.0\.0\.1:\d+/mcp)", process.stderr.readline())
    assert found is not None
    return process, found[1]


def test_an_address_that_cannot_be_used_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "units", "--http", "nowhere"]) == 2
    assert "nowhere is not an address to listen on\nFor example --http 127.0.0.1:8080" in capsys.readouterr().err
    assert main(["serve", "units", "--http", "203.0.113.1:80"]) == 2
    assert "cannot listen on 203.0.113.1:80" in capsys.readouterr().err


def test_a_missing_folder_is_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["serve", "code", str(tmp_path / "none")]) == 2
    assert "none does not exist\nFor example: fingerpost serve code ." in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main(["serve", "workspace", str(tmp_path / "file")]) == 2
    assert "file is not a folder" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["code", "units", "workspace"])
def test_a_missing_extra_is_named(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.startswith(f"fingerpost.servers.{kind}")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fingerpost.servers.tool_server", None)  # as if mcp could not be imported
    monkeypatch.setattr("builtins.__import__", _import_without("mcp_types", "mcp", "pint", "tree_sitter"))
    monkeypatch.delitem(sys.modules, "fingerpost.servers.tool_server")
    folder = [] if kind == "units" else [str(tmp_path)]
    assert main(["serve", kind, *folder]) == 2
    assert f"Install it with: pip install 'fingerpost[{kind}]'" in capsys.readouterr().err


def _import_without(*names: str) -> Any:
    real = __import__

    def import_module(name: str, *args: Any, **more: Any) -> Any:
        if name.partition(".")[0] in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **more)

    return import_module


def test_the_server_runs_over_http_and_stops_on_an_interrupt() -> None:
    process, url = serve_over_http("units")
    try:

        async def convert() -> Any:
            async with Client(url) as client:
                return await called(client, "convert", {"value": 1, "from_unit": "km", "to_unit": "m"})

        assert asyncio.run(convert()).structured["quantity"] == 1000
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) in (0, 130)
        process.communicate()


def test_the_server_ends_when_its_client_closes_the_input() -> None:
    command = [sys.executable, "-m", "fingerpost", "serve", "units"]
    assert subprocess.run(command, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False).returncode == 0


def test_a_missing_module_of_fingerpost_is_not_reported_as_a_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"fingerpost\.servers\.none"):
        create_server("none")
