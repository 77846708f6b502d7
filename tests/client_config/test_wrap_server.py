"""What `wrap` writes, and which entries it skips."""

from __future__ import annotations

import re

import pytest

from fingerpost.client_config import Proxy, unwrap, wrap
from tests.support.client_configs import (
    CLAUDE_DESKTOP,
    CURSOR,
    FIXTURES,
    PROXY,
    STRICT,
    VS_CODE,
    VS_CODE_SETTINGS,
    entry,
    plain,
    states,
    wrap_entry,
)
from tests.support.paths import ROOT


@pytest.mark.parametrize("text", FIXTURES.values(), ids=FIXTURES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_config_of_every_client_is_wrapped_and_unwrapped_to_the_same_bytes(text: str, ends: str, mark: str) -> None:
    config = mark + text.replace("\n", ends)
    wrapped = wrap(config, STRICT).text
    assert wrapped != config
    assert plain(wrapped)
    assert wrap(wrapped, PROXY).text == wrapped
    assert unwrap(wrapped).text == config


def test_a_command_moves_after_two_dashes_and_everything_else_stays() -> None:
    assert wrap(CLAUDE_DESKTOP, PROXY).text == CLAUDE_DESKTOP.replace(
        '"command": "npx"', '"command": "/opt/bin/fingerpost"'
    ).replace('"-y",', '"proxy", "--name=filesystem", "--", "npx", "-y",').replace(
        '"command": "mcp-clock"',
        '"command": "/opt/bin/fingerpost", "args": ["proxy", "--name=clock", "--", "mcp-clock"], '
        '"fingerpost": {"args": null}',
    )


def test_options_for_the_proxy_come_before_the_command() -> None:
    assert plain(wrap(VS_CODE_SETTINGS, STRICT).text)["mcp"]["servers"]["fetch"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=fetch", "--auto-correct", "off", "--", "uvx", "mcp-server-fetch"],
    }


def test_a_url_becomes_a_command_of_type_stdio_and_its_headers_a_variable() -> None:
    servers = plain(wrap(VS_CODE, STRICT).text)["servers"]
    assert servers["github"] == {
        "type": "stdio",
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=github", "--auto-correct", "off", "https://api.githubcopilot.com/mcp/"],
        "env": {"FINGERPOST_HEADERS": '{"Authorization": "Bearer ${input:token}"}'},
    }
    assert servers["local"]["envFile"] == "${workspaceFolder}/.env"
    assert servers["old"] == {"type": "sse", "url": "https://example.com/sse"}


def test_the_examples_of_the_guide_are_what_wrap_and_unwrap_write() -> None:
    page = (ROOT / "docs" / "wrap.md").read_text(encoding="utf-8")
    fences = re.findall(r"^```(json|toml|yaml)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [form for form, _ in fences] == ["json"] * 6 + ["toml"] * 2 + ["yaml"] * 2
    for (form, before), (_, after) in zip(fences[::2], fences[1::2], strict=True):
        assert wrap(before, Proxy("/usr/local/bin/fingerpost"), None, form).text == after
        assert unwrap(after, None, form).text == before


def test_headers_move_into_an_existing_env_and_the_undo_information_takes_their_place() -> None:
    assert plain(wrap(CURSOR, PROXY).text)["mcpServers"]["x"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=x", "http://localhost:3000/mcp"],
        "env": {"FINGERPOST_HEADERS": '{"X-Key": "k"}', "A": "1"},
        "fingerpost": {"headers": '{"X-Key": "k", /* ! */ }', "place": "headers"},
    }


@pytest.mark.parametrize(
    "source",
    [
        '{"command": "npx", "args": ["a"]}',
        '{"command": "npx", "args": []}',
        '{"url": "https://example.com/mcp"}',
        '{"type": "http", "url": "https://example.com/mcp", "headers": {"A": "b"}}',
    ],
)
def test_usual_entries_need_no_undo_information(source: str) -> None:
    assert '"fingerpost":' not in wrap_entry(source)


def test_no_secret_is_written_twice() -> None:
    source = '{"url": "https://example.com/mcp", "headers": {"Authorization": "hush"}, "env": {}}'
    assert wrap_entry(source).count("hush") == 1


def test_a_moved_string_keeps_its_escapes() -> None:
    source = r'{"command": "n\u0070x\/é", "args": ["\u00e9"]}'
    assert r'"--", "n\u0070x\/é", "\u00e9"' in wrap_entry(source)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ('"off"', "it is not an object"),
        ("{}", "it has neither 'command' nor 'url'"),
        ('{"_comment": "todo"}', "it has neither 'command' nor 'url'"),
        ('{"command": "a", "url": "https://b"}', "it has both 'command' and 'url'"),
        ('{"url": "https://a", "serverUrl": "https://b"}', "it has both 'url' and 'serverUrl'"),
        ('{"command": ""}', "'command' must be a string that is not empty"),
        ('{"command": ["npx"]}', "'command' must be a string that is not empty"),
        ('{"command": "a", "command": "b"}', "'command' occurs twice"),
        ('{"command": "a", "args": "b"}', "'args' is not an array"),
        ('{"command": "a", "args": {"proxy": 1}}', "'args' is not an array"),
        ('{"command": "a", "type": "http"}', "its type is 'http'"),
        ('{"command": "a", "type": 1}', "its type is not a string"),
        ('{"command": "a", "fingerpost": {}}', "it has a member 'fingerpost' but does not run the proxy"),
        ('{"type": "sse", "url": "https://a"}', "the proxy does not support 'sse', the old transport"),
        ('{"type": "ws", "url": "https://a"}', "its type is 'ws'"),
        ('{"url": "https://a/sse"}', 'its URL ends in /sse, the old transport; if it is not, set "type": "http"'),
        (
            '{"url": "https://a/sse?a=1"}',
            'its URL ends in /sse, the old transport; if it is not, set "type": "http"',
        ),
        ('{"url": "ws://a"}', "'url' is not an http URL"),
        ('{"url": "https://a/é"}', "'url' contains characters that must be escaped"),
        ('{"url": "https://a", "headers": {"X A": "1"}}', 'the header "X A" cannot be sent'),
        ('{"url": "https://a", "headers": {"A": "€"}}', "the header 'A' cannot be sent"),
        ('{"url": "https://a", "args": []}', "the proxy does not support its 'args'"),
        ('{"url": "https://a", "oauth": {}}', "the proxy does not support its 'oauth'"),
        ('{"url": "https://a", "transport": "sse"}', "the proxy does not support its 'transport'"),
        ('{"url": "https://a", "headers": null}', "'headers' is not an object of strings"),
        ('{"url": "https://a", "headers": {"A": 1}}', "'headers' is not an object of strings"),
        ('{"url": "https://a", "headers": {"A": "1"}, "env": null}', "'env' is not an object"),
        ('{"url": "https://a", "env": {"FINGERPOST_HEADERS": ""}}', "its 'env' already has FINGERPOST_HEADERS"),
        (r'{"u\u0072l": "https://a"}', "one of its keys or its type contains escapes"),
        (r'{"url": "https://a", "he\u0061ders": {}}', "one of its keys or its type contains escapes"),
        (r'{"type": "\u0068ttp", "url": "https://a"}', "one of its keys or its type contains escapes"),
    ],
)
def test_an_unsupported_entry_is_skipped_with_the_reason(source: str, why: str) -> None:
    assert states(entry(source)) == {"x": ("skipped", why)}
    assert wrap_entry(source) == source


def test_type_http_is_wrapped_even_if_the_url_ends_in_sse() -> None:
    assert states(entry('{"type": "http", "url": "https://a/sse"}'))["x"][0] == "wrapped"


def test_a_url_with_a_query_is_wrapped_with_a_warning() -> None:
    assert states(entry('{"serverUrl": "https://a/mcp?page=2", "headers": {}}')) == {
        "x": ("wrapped", "its whole URL is now visible in the process list")
    }


def test_a_url_without_headers_is_wrapped_with_a_warning_about_signing_in() -> None:
    assert states(entry('{"url": "https://a"}')) == {
        "x": ("wrapped", "the proxy cannot sign in; if the client signs in to this server, unwrap it")
    }
    assert states(entry('{"url": "https://a", "headers": {}}')) == {"x": ("wrapped", "")}
