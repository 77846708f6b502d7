"""Policies per tool, declared aliases and hints for known failures, on both frameworks, as clients see them."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import logging
from typing import Any

import mcp_types as types
import pytest

from fingerpost import Policy
from fingerpost.engine.overrides.read import OverridesError
from fingerpost.errors import ToolOperationError
from tests.support.adopted_servers import FRAMEWORKS, Adopted, asked, called, reply_to


def search(pattern: str, max: int = 50) -> str:
    """Search the code."""
    return f"{pattern} {max}"


def read_file(path: str) -> str:
    """Read a file."""
    if path == "/secret":
        raise ToolOperationError("Access denied: /secret")
    if path == "/odd":
        raise ToolOperationError("Access denied: /odd", hint="Ask the owner")
    return f"text of {path}"


def adopted(framework: str, *args: Any, **declared: Any) -> Adopted:
    server = Adopted(framework, *args, **declared)
    server.tool(search, annotations=types.ToolAnnotations(read_only_hint=True))
    server.tool(read_file)
    return server


@pytest.mark.parametrize("framework", FRAMEWORKS)
class TestEveryFramework:
    def test_a_declared_alias_is_sent_as_the_parameter(self, framework: str) -> None:
        server = adopted(framework, aliases={"read_file": {"reference": "path"}})
        reply = reply_to(server, "read_file", {"reference": "/a"})
        assert reply.texts == ["text of /a", "Parameter 'reference' was auto-corrected to 'path'."]
        assert reply.guidance["corrections"][0]["from"] == "reference"
        refused = reply_to(server, "read_file", {"reference": "/a", "path": "/b"})
        assert refused.error["code"] == "CONFLICTING_PARAMS"

    def test_a_declared_hint_is_given_with_a_failure(self, framework: str) -> None:
        hints = [{"tool": "read_file", "match": "access denied", "hint": "Only /srv is shared"}]
        server = adopted(framework, hints=hints)
        assert "Only /srv is shared." in reply_to(server, "read_file", {"path": "/secret"}).text
        odd = reply_to(server, "read_file", {"path": "/odd"})
        assert odd.text.index("Only /srv is shared.") < odd.text.index("Ask the owner.")
        assert (odd.error["hint"], odd.error["hints"]) == ("Only /srv is shared", ["Ask the owner"])
        assert reply_to(server, "read_file", {"path": "/fine"}).texts == ["text of /fine"]

    def test_a_tool_has_its_own_policy(self, framework: str) -> None:
        server = adopted(
            framework,
            Policy(auto_correct="off"),
            tools={"search": Policy(budget=30), "read_file": {"auto_correct": "lossless"}},
        )
        assert reply_to(server, "search", {"patern": "x"}).texts[0] == "x 50"
        assert len(reply_to(server, "search", {"max": 5}).text) <= 30
        assert reply_to(server, "read_file", {"PATH": "/a"}).texts[0] == "text of /a"

    def test_declarations_for_nothing_are_reported_once(self, framework: str, caplog: pytest.LogCaptureFixture) -> None:
        server = adopted(
            framework,
            tools={"serach": {"tips": False}},
            aliases={"search": {"query": "patern"}},
            hints=[{"tool": "red_file", "match": "x", "hint": "y"}],
        )

        async def ask(client: Any) -> Any:
            await client.list_tools()
            server.tool(lambda: "more", name="more")
            await client.list_tools()
            return await called(client, "search", {"pattern": "x"})

        with caplog.at_level(logging.WARNING, logger="fingerpost"):
            assert asked(server, ask).texts == ["x 50"]
        assert [record.getMessage() for record in caplog.records if record.name == "fingerpost"] == [
            "tools.serach: the server lists no tool 'serach'; did you mean 'search'?",
            "aliases.search.query: 'search' has no parameter 'patern'; did you mean 'pattern'?",
            "hints[0]: the server lists no tool 'red_file'; did you mean 'read_file'?",
        ]

    def test_a_wrong_declaration_is_an_error_at_the_start(self, framework: str) -> None:
        with pytest.raises(OverridesError, match=r"tools.search.budgt: there is no such field. Did you mean budget\?"):
            adopted(framework, tools={"search": {"budgt": 5}})
