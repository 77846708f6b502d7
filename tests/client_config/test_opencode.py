"""opencode: the command is an array, and unknown members are rejected."""

from __future__ import annotations

import pytest

from fingerpost.client_config import NoServersError, unwrap, wrap
from tests.support.client_configs import OPENCODE_1, OPENCODE_2, PROXY, plain, states


def entry(source: str) -> str:
    return f'{{"mcp": {{"x": {source}}}}}'


def test_the_proxy_is_put_before_the_command_and_a_url_becomes_a_local_server() -> None:
    servers = plain(wrap(OPENCODE_1, PROXY).text)["mcp"]
    front = ["/opt/bin/fingerpost", "proxy"]
    assert servers["everything"] == {
        "type": "local",
        "command": [*front, "--name=everything", "--", "npx", "-y", "@modelcontextprotocol/server-everything"],
        "environment": {"A": "b"},
        "enabled": True,
    }
    assert servers["context7"] == {
        "type": "local",
        "command": [*front, "--name=context7", "https://mcp.context7.com/mcp"],
        "environment": {"FINGERPOST_HEADERS": '{"CONTEXT7_API_KEY": "{env:CONTEXT7_API_KEY}"}'},
    }


def test_servers_of_version_2_are_below_another_key() -> None:
    servers = plain(wrap(OPENCODE_2, PROXY).text)["mcp"]["servers"]
    assert servers["my-server"]["command"][1:4] == ["proxy", "--name=my-server", "--"]
    assert servers["remote"]["type"] == "local"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ('{"command": []}', "'command' must be an array of strings that is not empty"),
        ('{"command": ["a", 1]}', "'command' must be an array of strings that is not empty"),
        ('{"type": "remote", "url": "https://a", "oauth": {}}', "the proxy does not support its 'oauth'"),
        ('{"type": "remote", "url": "https://a", "environment": {}}', "the proxy does not support its 'environment'"),
        ('{"type": "remote"}', "it has neither 'command' nor 'url'"),
        ('{"type": "remote", "url": "https://a/sse"}', "its URL ends in /sse, the old transport"),
        ('{"type": "remote", "url": "ftp://a"}', "'url' is not an http URL"),
        (r'{"type": "remote", "u\u0072l": "https://a"}', "one of its keys or its type contains escapes"),
        ('{"type": "remote", "url": "https://a", "headers": {"A": 1}}', "'headers' is not an object of strings"),
        (
            '{"type": "remote", "url": "https://a", "headers": {"A": "b",}}',
            "its headers contain comments, which could not be restored; write them without comments",
        ),
        ('{"type": "remote", "type": "remote", "url": "https://a"}', "'type' occurs twice"),
    ],
)
def test_an_unsupported_entry_is_skipped_with_the_reason(source: str, why: str) -> None:
    assert states(entry(source)) == {"x": ("skipped", why)}
    assert wrap(entry(source), PROXY).text == entry(source)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ('{"command": ["fingerpost", "proxy", "--"]}', "there is no command after '--'"),
        ('{"command": ["fingerpost", "proxy"]}', "there is neither a command nor a URL after 'proxy'"),
        (
            '{"command": ["fingerpost", "proxy", "https://a"], "environment": {"A": "b"}}',
            "its 'environment' has variables that an entry with a URL cannot have",
        ),
        (
            '{"command": ["fingerpost", "proxy", "https://a"], "environment": {"FINGERPOST_HEADERS": "[]"}}',
            "FINGERPOST_HEADERS is not a JSON object",
        ),
    ],
)
def test_a_wrapped_entry_that_was_broken_is_skipped(source: str, why: str) -> None:
    assert states(entry(source), unwrap) == {"x": ("skipped", why)}
    assert unwrap(entry(source)).text == entry(source)


def test_an_entry_without_a_type_is_unwrapped_too() -> None:
    assert unwrap(entry('{"command": ["fingerpost", "proxy", "https://a"]}')).text == entry('{"url": "https://a"}')


def test_settings_beside_the_servers_are_no_servers() -> None:
    text = '{"mcp": {"allowed": ["a"], "discovery": {"enabled": true}, "x": {"type": "local", "command": ["a"]}}}'
    assert list(states(text)) == ["x"]
    with pytest.raises(NoServersError):
        wrap('{"mcp": {"allowed": ["a"]}}', PROXY)


def test_an_array_is_no_command_for_other_clients() -> None:
    assert states('{"mcpServers": {"x": {"command": ["fingerpost", "proxy", "--", "a"]}}}') == {
        "x": ("skipped", "'command' must be a string that is not empty")
    }
