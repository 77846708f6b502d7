"""Codex: TOML is edited exactly, or refused with the lines to write."""

from __future__ import annotations

import json
import tomllib

import pytest

from fingerpost.client_config import ConfigSyntaxError, NoServersError, Outcome, unwrap, wrap
from tests.support.client_configs import CODEX, PROXY

FIRST_LINES = ("[mcp_servers.x]", 'command = "/opt/bin/fingerpost"')


def wrap_one(text: str) -> Outcome:
    """Wrap a config with one server that is not changed."""
    change = wrap(text, PROXY, None, "toml")
    [outcome] = change.outcomes
    assert (change.text == text) == (outcome.state == "skipped")
    return outcome


def test_commands_urls_tokens_and_headers_become_what_codex_accepts() -> None:
    servers = tomllib.loads(wrap(CODEX, PROXY, None, "toml").text)["mcp_servers"]
    assert servers["files"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=files", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem"],
        "startup_timeout_sec": 20,
        "env": {"DEBUG": "1"},
    }
    assert servers["figma"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=figma", "https://mcp.figma.com/mcp"],
        "env_vars": ["FIGMA_TOKEN"],
        "env": {
            "FINGERPOST_HEADERS": '{"X-Figma-Region": "us-east-1"}',
            "FINGERPOST_HEADER_TEMPLATES": '{"Authorization": "Bearer ${FIGMA_TOKEN}"}',
        },
    }
    assert servers["table"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=table", "https://example.com/mcp"],
        "env": {"FINGERPOST_HEADERS": '{"X-Key": "k", "X-Other": "o"}'},
    }


def test_comments_and_layout_stay() -> None:
    assert wrap('[mcp_servers.x] # mine\n  command = "a" # b\n', PROXY, None, "toml").text == (
        '[mcp_servers.x] # mine\n  command = "/opt/bin/fingerpost" # b\n'
        '  args = ["proxy", "--name=x", "--", "a"] # added by fingerpost\n'
    )


def test_arguments_added_after_wrapping_stay() -> None:
    text = '[mcp_servers.x]\ncommand = "a"\n'
    wrapped = wrap(text, PROXY, None, "toml").text.replace('"a"]', '"a", "-v"]')
    unwrapped = unwrap(wrapped, None, "toml").text
    assert tomllib.loads(unwrapped)["mcp_servers"]["x"] == {"command": "a", "args": ["-v"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[mcp_servers]\nx = { command = "a", args = ["-b", "c d"] }\n', ["a", "-b", "c d"]),
        ('[mcp_servers]\nx.command = "a"\n', ["a"]),
        (
            'mcp_servers.x = { command = "a", args = ["--api-key", "b", "--x=c"] }\n',
            ["a", "--api-key", "<hidden>", "--x=c"],
        ),
        ('[mcp_servers.x]\ncommand = "a"\nargs.x = 1\n', ["a", "and each of its arguments"]),
        ('mcp_servers.x = { command = "a", args = [1] }\n', ["a", "and each of its arguments"]),
        ("[[mcp_servers.x]]\n", ["the command", "and each of its arguments"]),
        ("mcp_servers.x = 1\n", ["the command", "and each of its arguments"]),
    ],
)
def test_an_entry_that_is_no_table_is_refused_with_the_lines_to_write(text: str, words: list[str]) -> None:
    outcome = wrap_one(text)
    assert outcome.remark == "it is not written as a table [mcp_servers.x]; write by hand:"
    server = {"command": "/opt/bin/fingerpost", "args": ["proxy", "--name=x", "--", *words]}
    assert outcome.by_hand[:2] == FIRST_LINES and len(outcome.by_hand) == 3
    assert tomllib.loads("\n".join(outcome.by_hand))["mcp_servers"] == {"x": server}


def test_the_lines_to_write_name_what_stays_without_the_values() -> None:
    outcome = wrap_one('mcp_servers.x = { command = "a", env = { TOKEN = "hunter2" }, enabled = true }\n')
    assert outcome.by_hand[-1] == "# and as before: env, enabled"
    assert "hunter2" not in "".join(outcome.by_hand)


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ('url = "https://a/mcp"', ('args = ["proxy", "--name=x", "https://a/mcp"]',)),
        ('url = "https://a/mcp?token=hunter2"', ('args = ["proxy", "--name=x", "the URL"]',)),
        ("url = 1", ('args = ["proxy", "--name=x", "the URL"]',)),
        (
            'url = "https://a", http_headers = 1',
            (
                'args = ["proxy", "--name=x", "https://a"]',
                """env = { FINGERPOST_HEADERS = '{"the header": "its value"}' }""",
            ),
        ),
        (
            'url = "https://a", bearer_token_env_var = "TOKEN", http_headers = { A = "hunter2" }',
            (
                'args = ["proxy", "--name=x", "https://a"]',
                'env_vars = ["TOKEN"]',
                """env = { FINGERPOST_HEADERS = '{"A": "its value"}', """
                """FINGERPOST_HEADER_TEMPLATES = '{"Authorization": "Bearer ${TOKEN}"}' }""",
            ),
        ),
    ],
)
def test_the_lines_to_write_for_a_url_have_no_secrets(fields: str, lines: tuple[str, ...]) -> None:
    outcome = wrap_one(f"mcp_servers.x = {{ {fields} }}\n")
    assert outcome.by_hand == (*FIRST_LINES, *lines)
    assert tomllib.loads("\n".join(outcome.by_hand))


@pytest.mark.parametrize(
    "headers",
    [
        "http_headers = { \"A\" = 'b' }",
        'http_headers = { A = "b", "C" = "d" }',
        'http_headers = {A="b"}',
        '[mcp_servers.x.http_headers]\nA = "b" # c\nC = "d"',
        '[mcp_servers.x."http_headers"]\nA = "b"',
    ],
)
def test_headers_that_could_not_be_restored_are_refused_with_the_lines_to_write(headers: str) -> None:
    outcome = wrap_one(f'[mcp_servers.x]\nurl = "https://a"\n{headers}\n')
    assert outcome.remark == "it is written in a way that could not be restored exactly; write by hand:"
    by_hand = tomllib.loads("\n".join(outcome.by_hand))["mcp_servers"]["x"]
    assert by_hand["args"] == ["proxy", "--name=x", "https://a"]
    assert set(json.loads(by_hand["env"]["FINGERPOST_HEADERS"]).values()) == {"its value"}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("enabled = true", "it has neither 'command' nor 'url'"),
        ('command = "a"\nurl = "https://a"', "it has both 'command' and 'url'"),
        ('command = ""', "'command' must be a string that is not empty"),
        ("url = 1", "'url' must be a string that is not empty"),
        ('command = "a"\nargs = [1]', "'args' is not a list of strings"),
        ('command = "a"\nargs = "b"', "'args' is not a list of strings"),
        ('url = "https://a"\nscopes = ["b"]', "the proxy does not support its 'scopes'"),
        ('url = "https://a"\nenv_http_headers = {A = "B"}', "the proxy does not support its 'env_http_headers'"),
        ('url = "https://a"\nhttp_headers = {A = 1}', "'http_headers' has values that cannot be sent as headers"),
        (
            'url = "https://a"\nhttp_headers = {A = "\\n\\u20ac"}',
            "'http_headers' has values that cannot be sent as headers",
        ),
        ('url = "https://a"\nhttp_headers = 1', "'http_headers' is not a list of strings"),
        ('url = "https://a"\n[mcp_servers.x.http_headers]', "its table 'http_headers' is empty"),
        ('url = "https://a"\nbearer_token_env_var = "A B"', "'bearer_token_env_var' is not the name of a variable"),
        ('url = "https://a"\nbearer_token_env_var = 1', "'bearer_token_env_var' is not the name of a variable"),
    ],
)
def test_an_unsupported_entry_is_skipped_with_the_reason(fields: str, why: str) -> None:
    assert wrap_one(f"[mcp_servers.x]\n{fields}\n").remark == why


def test_a_token_and_a_table_of_headers_share_the_variables() -> None:
    text = '[mcp_servers.x]\nurl = "https://a"\nbearer_token_env_var = "T"\n\n'
    text += '[mcp_servers.x.http_headers]\nX-Key = "it\'s"\n'
    wrapped = wrap(text, PROXY, None, "toml").text
    assert tomllib.loads(wrapped)["mcp_servers"]["x"]["env"] == {
        "FINGERPOST_HEADERS": '{"X-Key": "it\'s"}',
        "FINGERPOST_HEADER_TEMPLATES": '{"Authorization": "Bearer ${T}"}',
    }
    assert unwrap(wrapped, None, "toml").text == text


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ('args = ["proxy", "--"]', "there is no command after '--'"),
        ('args = ["proxy", "--budget", "1"]', "there is neither a command nor a URL after 'proxy'"),
        ('args = ["proxy", "https://a", 1]', "'args' is not a list of strings"),
        (
            'args = ["proxy", "https://a"]\nenv = {A = "b"}',
            "its 'env' has variables that an entry with a URL cannot have",
        ),
        (
            'args = ["proxy", "https://a"]\nenv_vars = ["A"]',
            "its FINGERPOST_HEADER_TEMPLATES and 'env_vars' are not what 'wrap' writes",
        ),
        (
            'args = ["proxy", "https://a"]\nenv = {FINGERPOST_HEADERS = \'[]\'}',
            "FINGERPOST_HEADERS is not a JSON object",
        ),
    ],
)
def test_a_wrapped_entry_that_was_broken_is_skipped(fields: str, why: str) -> None:
    text = f'[mcp_servers.x]\ncommand = "fingerpost"\n{fields}\n'
    change = unwrap(text, None, "toml")
    assert [(outcome.state, outcome.remark) for outcome in change.outcomes] == [("skipped", why)]
    assert change.text == text


def test_a_config_that_is_no_toml_or_has_no_servers_is_refused() -> None:
    with pytest.raises(ConfigSyntaxError, match="is not TOML: "):
        wrap("[mcp_servers", PROXY, None, "toml")
    with pytest.raises(NoServersError):
        wrap('model = "x"', PROXY, None, "toml")
    with pytest.raises(NoServersError):
        wrap("mcp_servers = 1", PROXY, None, "toml")
