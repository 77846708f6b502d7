"""Where servers are found in a config, and which ones are wrapped already."""

from __future__ import annotations

import json

import pytest

from fingerpost.client_config import NoServersError, unwrap, wrap
from tests.support.client_configs import (
    CLAUDE_CODE,
    CLAUDE_DESKTOP,
    PROXY,
    entry,
    plain,
    states,
    unwrap_entry,
    wrap_entry,
)


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("fingerpost", ["proxy", "--", "npx"]),
        ("/home/me/.local/bin/fingerpost", ["proxy", "https://a"]),
        ("C:\\Python\\Scripts\\Fingerpost.EXE", ["proxy", "--", "npx"]),
        ("/usr/bin/python3.12", ["-m", "fingerpost", "proxy", "--", "npx"]),
    ],
)
def test_a_wrapped_entry_is_recognized_wherever_fingerpost_is_installed(command: str, args: list[str]) -> None:
    source = json.dumps({"command": command, "args": args})
    assert states(entry(source)) == {"x": ("already wrapped", "")}
    unwrapped = plain(unwrap_entry(source))
    assert unwrapped in ({"command": "npx", "args": []}, {"url": "https://a"})


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("fingerpost", ["serve", "units"]),
        ("fingerpost", []),
        ("fingerposter", ["proxy", "--", "npx"]),
        ("python", ["-m", "http.server", "proxy"]),
    ],
)
def test_a_command_that_only_resembles_the_proxy_is_wrapped(command: str, args: list[str]) -> None:
    source = json.dumps({"command": command, "args": args})
    assert plain(wrap_entry(source))["args"] == ["proxy", "--name=x", "--", command, *args]
    assert unwrap_entry(wrap_entry(source)) == source


def test_servers_of_a_project_are_wrapped_and_reported_with_the_project() -> None:
    wrapped = wrap(CLAUDE_CODE, PROXY)
    assert [(outcome.server.name, outcome.server.project) for outcome in wrapped.outcomes] == [
        ("sentry", ""),
        ("db", "/home/me/shop"),
    ]
    assert plain(wrapped.text)["projects"]["/home/me/shop"]["mcpServers"]["db"]["args"] == [
        *["proxy", "--name=db", "--", "uvx", "mcp-db", "--", "x"]
    ]


def test_only_the_selected_servers_are_changed() -> None:
    some = wrap(CLAUDE_DESKTOP, PROXY, ["clock"])
    assert [outcome.server.name for outcome in some.outcomes] == ["clock"]
    assert '"command": "npx"' in some.text
    every = wrap(some.text, PROXY).text
    assert unwrap(every, ["filesystem"]).text == some.text


@pytest.mark.parametrize("text", ["[]", "{}", '{"mcpServers": []}', '{"projects": {"a": 1}}', '{"mcp": "servers"}'])
def test_a_document_without_servers_is_refused(text: str) -> None:
    with pytest.raises(NoServersError):
        wrap(text, PROXY)


def test_servers_are_found_under_a_dotted_settings_key() -> None:
    assert states('{"mcp.servers": {"x": {"command": "a"}}}')["x"][0] == "wrapped"
