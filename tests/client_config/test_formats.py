"""Which format a config has, and the differences of Gemini CLI."""

from __future__ import annotations

import pytest

from fingerpost.client_config import ConfigSyntaxError, Format, format_of, unwrap, wrap
from tests.support.client_configs import GEMINI, OTHERS, PROXY, STRICT, plain


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/home/me/.gemini/settings.json", "gemini"),
        ("C:\\Users\\me\\.gemini\\settings.json", "gemini"),
        ("/home/me/.gemini/other.json", "json"),
        ("/home/me/not.gemini/settings.json", "json"),
        ("/home/me/.codex/config.toml", "toml"),
        ("/home/me/.continue/config.YAML", "yaml"),
        ("/home/me/x.yml", "yaml"),
        ("/home/me/.claude.json", "json"),
        ("/home/me/config", "json"),
    ],
)
def test_the_format_follows_from_the_path(path: str, form: Format) -> None:
    assert format_of(path) == form


@pytest.mark.parametrize(("form", "text"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_config_of_every_client_is_wrapped_and_unwrapped_to_the_same_bytes(
    form: Format, text: str, ends: str, mark: str
) -> None:
    config = mark + text.replace("\n", ends)
    wrapped = wrap(config, STRICT, None, form)
    assert wrapped.text != config
    assert wrap(wrapped.text, PROXY, None, form).text == wrapped.text
    assert unwrap(wrapped.text, None, form).text == config


def test_text_in_another_format_is_refused() -> None:
    for form in ("json", "gemini", "toml"):
        with pytest.raises(ConfigSyntaxError):
            wrap("a: b", PROXY, None, form)


def test_gemini_gets_no_unknown_members_and_keeps_its_types() -> None:
    wrapped = wrap(GEMINI, PROXY, None, "gemini").text
    servers = plain(wrapped)["mcpServers"]
    assert servers["clock"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=clock", "--", "mcp-clock"],
        "cwd": "./clock",
    }
    assert servers["github"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=github", "https://api.githubcopilot.com/mcp/"],
        "env": {"FINGERPOST_HEADERS": '{"Authorization": "Bearer $GITHUB_TOKEN"}'},
        "timeout": 5000,
    }
    assert servers["typed"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=typed", "https://example.com/mcp"],
        "type": "http",
    }
    assert servers["old"] == {"url": "https://example.com/events"}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            '{"url": "https://a/mcp"}',
            "in Gemini CLI, 'url' without a type may be the old transport 'sse'; if the server speaks streamable HTTP, "
            "rename it to 'httpUrl'",
        ),
        ('{"url": "https://a/mcp", "type": "sse"}', "the proxy does not support 'sse', the old transport"),
        (
            '{"httpUrl": "https://a/mcp", "headers": {"A": "b",}}',
            "its headers, URL or type could not be restored exactly; write its headers without comments",
        ),
        ('{"httpUrl": "https://a/mcp", "url": "https://a/sse"}', "it has both 'url' and 'httpUrl'"),
        ('{"httpUrl": "https://a", "authProviderType": "x"}', "the proxy does not support its 'authProviderType'"),
    ],
)
def test_an_entry_of_gemini_that_cannot_be_wrapped_is_skipped(source: str, why: str) -> None:
    text = f'{{"mcpServers": {{"x": {source}}}}}'
    change = wrap(text, PROXY, None, "gemini")
    assert [(outcome.state, outcome.remark) for outcome in change.outcomes] == [("skipped", why)]
    assert change.text == text


def test_other_clients_with_the_names_of_gemini_are_restored_too() -> None:
    text = '{"mcpServers": {"x": {"httpUrl": "https://a/mcp", "headers": {}}}}'
    wrapped = wrap(text, PROXY).text
    assert '"fingerpost": {"url": "httpUrl"}' in wrapped
    assert unwrap(wrapped).text == text


def test_arguments_added_to_a_command_of_gemini_stay() -> None:
    text = '{"mcpServers": {"x": {"command": "a"}}}'
    wrapped = wrap(text, PROXY, None, "gemini").text.replace('"a"]', '"a", "-v"]')
    assert plain(unwrap(wrapped, None, "gemini").text) == {"mcpServers": {"x": {"command": "a", "args": ["-v"]}}}


def test_a_hand_written_entry_of_gemini_gets_the_type_of_a_url() -> None:
    text = '{"mcpServers": {"x": {"type": "stdio", "command": "fingerpost", "args": ["proxy", "https://a"]}}}'
    assert unwrap(text, None, "gemini").text == '{"mcpServers": {"x": {"type": "http", "url": "https://a"}}}'
