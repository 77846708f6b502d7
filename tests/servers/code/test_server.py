"""The code server over MCP: both frameworks, standard streams, HTTP, the proxy, and the transcripts of its README."""

# pyright: basic
from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from fingerpost.servers.code import create_server
from tests.support.adopted_servers import ERAS, called
from tests.support.code_server import (
    FRAMEWORKS,
    call_server,
)
from tests.support.paths import SOURCE
from tests.support.transcripts import matches_transcript, read_transcripts

README = SOURCE / "servers/code/README.md"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
class TestSourceDocumentExamples:
    def test_an_unknown_tool_is_corrected_with_the_same_arguments(
        self, project: Path, framework: str, era: str
    ) -> None:
        error = call_server(project, "serach", {"pattern": "User"}, framework=framework, era=era).error
        assert (error["code"], error["message"]) == ("UNKNOWN_TOOL", "Tool 'serach' not found")
        assert error["suggestions"]["did_you_mean"] == "search"
        assert list(error["suggestions"]["available_categories"]) == ["search", "get", "list", "info"]
        assert error["hint"] == 'Try: search(pattern: "User")'

    def test_misspelled_parameters_are_corrected_and_give_results(
        self, project: Path, framework: str, era: str
    ) -> None:
        reply = call_server(project, "search", {"patern": "User", "filtr": "*.ts"}, framework=framework, era=era)
        assert [one["id"] for one in reply.structured["results"]] == ["web/user.ts:UserView", "web/user.ts:L2"]
        assert [(one["from"], one["to"]) for one in reply.guidance["corrections"]] == [
            ("patern", "pattern"), ("filtr", "filter"),
        ]  # fmt: skip
        assert reply.guidance["warnings"][0] == "Unknown param 'patern', did you mean 'pattern'?"

    def test_a_missing_parameter_shows_the_schema(self, project: Path, framework: str, era: str) -> None:
        error = call_server(project, "search", framework=framework, era=era).error
        assert (error["code"], error["message"]) == ("MISSING_REQUIRED", "Required parameter 'pattern' is missing")
        assert error["schema_hint"]["required"] == ["pattern"]
        assert error["schema_hint"]["optional"] == ["filter", "max", "offset"]
        assert error["schema_hint"]["example"]["pattern"] == "authenticate"

    def test_a_wrong_type_is_reported_with_the_expected_one(self, project: Path, framework: str, era: str) -> None:
        error = call_server(project, "search", {"pattern": "User", "max": "fifty"}, framework=framework, era=era).error
        assert (error["code"], error["hint"]) == ("INVALID_TYPE", "Use a number: max: 50")
        assert error["message"] == "Parameter 'max' must be integer, got string"
        assert error["schema_hint"]["max"] == {
            "type": "integer", "minimum": 1, "maximum": 1000, "default": 50,
            "description": "Maximum number of results to return",
        }  # fmt: skip

    def test_a_number_out_of_range_is_reported_with_the_range(self, project: Path, framework: str, era: str) -> None:
        error = call_server(project, "search", {"pattern": "User", "max": 5000}, framework=framework, era=era).error
        assert (error["code"], error["details"]["value"]) == ("OUT_OF_RANGE", 5000)
        assert error["hint"] == "Use max: 1000 for maximum results, or paginate with offset"

    def test_a_success_has_next_steps_only_once(self, project: Path, framework: str, era: str) -> None:
        reply = call_server(project, "search", {"pattern": "User", "max": 2}, framework=framework, era=era)
        assert reply.structured["next_steps"].keys() == {"get_more", "get_details", "refine_search"}
        assert reply.structured["tips"].keys() == {"high_results", "get_details", "pagination"}
        assert reply.guidance == {} and len(reply.texts) == 1
        assert reply.text.count("offset: 2") == 1

    def test_no_results_give_next_steps(self, project: Path, framework: str, era: str) -> None:
        reply = call_server(project, "search", {"pattern": "xyzabc123"}, framework=framework, era=era)
        assert reply.is_error and reply.error["code"] == "NOT_FOUND"
        assert reply.error["message"] == "No results found for pattern 'xyzabc123'"
        assert {"broaden_search", "check_scope", "alternatives"} <= reply.error["next_steps"].keys()

    def test_info_lists_the_tools_and_explains_one(self, project: Path, framework: str, era: str) -> None:
        reply = call_server(project, "info", framework=framework, era=era)
        assert not reply.is_error and "search, get_definition, list_files" in reply.text
        full = call_server(project, "info", {"tool": "search", "detail": "full"}, framework=framework, era=era).text
        assert '"examples": ["authenticate", "User.*", "^function"]' in full and '"maximum": 1000' in full

    def test_a_definition_is_read_and_files_are_listed(self, project: Path, framework: str, era: str) -> None:
        reply = call_server(project, "get_definition", {"id": "src/auth.py:check"}, framework=framework, era=era)
        assert reply.structured["signature"] == "def check(name, password)"
        reply = call_server(project, "list_files", {"filter": "*.py"}, framework=framework, era=era)
        assert reply.structured["files"] == ["src/app.py", "src/auth.py"]

    def test_all_tools_are_declared_read_only_and_closed_world(self, project: Path, framework: str, era: str) -> None:
        async def main() -> list[Any]:
            server = getattr(create_server(project), framework)()
            mode = "legacy" if era == "2025-11-25" else "auto"
            async with Client(getattr(server, "_mcp_server", server), mode=mode) as client:
                return (await client.list_tools()).tools

        tools = asyncio.run(main())
        assert [tool.name for tool in tools] == ["search", "get_definition", "list_files", "info"]
        for tool in tools:
            assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
            assert all("description" in one or "enum" in one for one in tool.input_schema["properties"].values())


def conversation(command: list[str], calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What a program answers on its standard streams."""

    async def main() -> list[Any]:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "fingerpost", *command])
        async with Client(stdio_client(parameters)) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(asyncio.wait_for(main(), 60))


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"patern": "authenticate"}),
    ("get_definition", {"id": "src/auth.py:User.authenticate"}),
    ("list_files", {"max": "2"}),
    ("serach", {"pattern": "User"}),
    ("info", {}),
]


def check_conversation(replies: list[Any]) -> None:
    assert replies[0].structured["results"][0]["id"] == "src/auth.py:User.authenticate"
    assert replies[0].guidance["corrections"][0]["to"] == "pattern"
    assert replies[1].structured["kind"] == "method"
    assert replies[2].structured["returned"] == 2
    assert replies[3].error["corrected_call"]["name"] == "search"
    assert "get_definition" in replies[4].text


def test_the_server_runs_on_standard_streams(project: Path) -> None:
    replies = conversation(["serve", "code", str(project)], [*CALLS, ("search", {"pattern": "check("})])
    check_conversation(replies)
    assert replies[5].error["corrected_call"]["arguments"] == {"pattern": "check\\("}


def test_the_server_runs_over_http(project: Path) -> None:
    command = [sys.executable, "-m", "fingerpost", "serve", "code", str(project), "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = cast("Any", process.stderr).readline().strip().removeprefix("listening on ")

            async def main() -> list[Any]:
                async with Client(url) as client:
                    return [await called(client, name, arguments) for name, arguments in CALLS]

            check_conversation(asyncio.run(asyncio.wait_for(main(), 60)))
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


def test_the_bare_server_runs_behind_the_proxy(project: Path) -> None:
    bare = [sys.executable, "-m", "fingerpost", "serve", "code", str(project), "--guidance", "off"]
    check_conversation(conversation(["proxy", "--", *bare], CALLS))


def test_the_transcripts_of_the_readme_are_real(project: Path) -> None:
    calls = list(read_transcripts(README))
    assert len(calls) >= 6

    async def main() -> None:
        async with Client(create_server(project).on_sdk()) as client:
            for name, arguments, expected in calls:
                reply = await called(client, name, arguments)
                assert matches_transcript(reply.text, expected), reply.text

    asyncio.run(main())
