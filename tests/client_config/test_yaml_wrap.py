"""Continue and Goose: entries become commands of the proxy, or are skipped with the reason."""

from __future__ import annotations

import pytest
import yaml

from tests.support.client_configs import CONTINUE, GOOSE
from tests.support.yaml_configs import continue_entry, goose_entry, outcome_of, servers_of, unwrap_text, wrap_text


def test_servers_of_continue_become_commands() -> None:
    servers = servers_of(wrap_text(CONTINUE))
    assert servers["Files"] == {
        "name": "Files",
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=Files", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/me"],
        "env": {"DEBUG": "1"},
    }
    assert servers["remote"] == {
        "name": "remote",
        "type": "stdio",
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=remote", "https://example.com/mcp"],
        "env": {"FINGERPOST_HEADERS": '{"Authorization": "Bearer ${{ secrets.TOKEN }}", "X-Org": "me"}'},
    }
    assert servers["old"] == {"name": "old", "type": "sse", "url": "https://example.com/sse"}


def test_servers_of_goose_become_commands_and_the_proxy_fills_in_variables() -> None:
    servers = servers_of(wrap_text(GOOSE))
    assert servers["fetch"]["args"] == ["proxy", "--name=fetch", "--", "uvx", "mcp-server-fetch"]
    assert servers["keyed"] == {
        "type": "stdio",
        "name": "keyed",
        "cmd": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=keyed", "https://example.com/mcp"],
        "envs": {"FINGERPOST_HEADER_TEMPLATES": '{"Authorization": "Bearer ${TOKEN}"}'},
        "env_keys": ["TOKEN"],
        "headers": {},
    }
    assert servers["developer"]["type"] == "builtin"


@pytest.mark.parametrize(
    "fields",
    [
        "url: https://a\nrequestOptions:\n  headers:\n    A: 'b'",
        "url: https://a\nrequestOptions:\n  headers:\n    A: b # c",
        "url: https://a\nrequestOptions:\n    headers:\n        A: b",
    ],
)
def test_headers_that_could_not_be_restored_are_refused_with_the_lines_to_write(fields: str) -> None:
    outcome = outcome_of(continue_entry(fields))
    assert outcome.remark == "it is written in a way that could not be restored exactly; write by hand:"
    assert outcome.by_hand[2:] == (
        "args:",
        "  - proxy",
        "  - --name=x",
        "  - https://a",
        "env:",
        """  FINGERPOST_HEADERS: '{"A": "its value"}'""",
    )


def test_headers_that_the_proxy_gets_already_are_not_written_twice() -> None:
    text = goose_entry("type: streamable_http\nuri: https://a\nenvs:\n  FINGERPOST_HEADERS: '{}'\nheaders:\n  A: b")
    assert outcome_of(text).by_hand[-2] == "envs:"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("version: 1", "it has no command"),
        ("command: a\nurl: https://a", "it has both 'command' and 'url'"),
        ('command: ""', "'command' must be a text that is not empty"),
        ("type: sse\nurl: https://a", "the proxy does not support 'sse', the old transport"),
        ("type: streamable-http\ncommand: a", "its type is 'streamable-http'"),
        ("url: https://a/sse", "its URL ends in /sse, the old transport; if it is not, set 'type: streamable-http'"),
        ("url: ftp://a", "'url' is not an http URL"),
        ("url: https://a\napiKey: b", "the proxy does not support its 'apiKey'"),
        ("url: https://a\nenv:\n  A: b", "the proxy does not support its 'env'"),
        ("url: https://a\nrequestOptions:\n  verifySsl: false", "the proxy does not support its 'requestOptions'"),
        (
            "url: https://a\nrequestOptions:\n  headers:\n    A: €",
            "'headers' has values that cannot be sent as headers",
        ),
    ],
)
def test_an_unsupported_entry_of_continue_is_skipped_with_the_reason(fields: str, why: str) -> None:
    assert outcome_of(continue_entry(fields)).remark == why


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("cmd: a", "it has no type"),
        ("type: builtin", "its type is 'builtin'"),
        ("type: streamable_http\nuri: https://a\nsocket: b", "the proxy does not support its 'socket'"),
        (
            "type: streamable_http\nuri: https://a\nheaders:\n  A: $B",
            "a header contains '$'; only ${NAME} is supported there",
        ),
    ],
)
def test_an_unsupported_entry_of_goose_is_skipped_with_the_reason(fields: str, why: str) -> None:
    assert outcome_of(goose_entry(fields)).remark == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (continue_entry("url: https://a\nrequestOptions:\n  headers: {}"), "its headers are not texts of one line"),
        (
            continue_entry("url: https://a\nrequestOptions:\n  headers:\n    A: []"),
            "its headers are not texts of one line",
        ),
        (continue_entry("url: https://a\nrequestOptions: {a: 1}"), "'requestOptions' is not a mapping in block style"),
        (
            goose_entry("type: streamable_http\nuri: https://a\nenvs: [a]\nheaders:\n  A: b"),
            "'envs' is not a mapping in block style",
        ),
        (
            goose_entry("type: streamable_http\nuri: https://a\nheaders: {Authorization: Bearer hunter2}"),
            "'headers' is not a mapping in block style",
        ),
        (continue_entry("command: a\nargs: {b: c}"), "'args' is not a list of texts"),
        (continue_entry("command: a\nargs: [b: c]"), "'args' is not a list of texts"),
        (continue_entry("command: a\nargs: [b, *c]"), "'args' is not a list of texts"),
        (continue_entry("command: a\nargs:"), "'args' is not a list of texts"),
        (continue_entry("command: a,b\nargs: [c]"), "it is written in a way that could not be restored exactly"),
    ],
)
def test_an_entry_that_could_not_be_restored_is_refused_with_the_lines_to_write(text: str, why: str) -> None:
    outcome = outcome_of(text)
    assert outcome.remark == f"{why}; write by hand:"
    assert yaml.safe_load("\n".join(outcome.by_hand))["args"][:2] == ["proxy", "--name=x"]
    assert "hunter2" not in "".join(outcome.by_hand)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ('["-y", "z"]', '["proxy", "--name=x", "--", npx, "-y", "z"]'),
        ("[-y, it''s, a b] # why", '["proxy", "--name=x", "--", npx, -y, it\'\'s, a b] # why'),
        ("[ 'a, b' , \"]#\" ,]", '[ "proxy", "--name=x", "--", npx, \'a, b\' , "]#" ,]'),
        ("[ ]", '["proxy", "--name=x", "--", npx ]'),
        (
            "[\n  a, # b\n  # c\n  d:e\n  ]",
            '[\n      "proxy", "--name=x", "--", npx, a, # b\n      # c\n      d:e\n      ]',
        ),
        ('\n  [\n    "a#b",\n  ] # c', '\n      [\n        "proxy", "--name=x", "--", npx, "a#b",\n      ] # c'),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_list_in_flow_style_is_edited_in_place(args: str, expected: str, line_break: str) -> None:
    for entry, command in ((continue_entry, "command"), (goose_entry, "type: stdio\ncmd")):
        text = entry(f"{command}: npx\nargs: {args}\nenabled: true").replace("\n", line_break)
        wrapped = wrap_text(text)
        assert f"args: {expected}".replace("\n", line_break) in wrapped
        before, after = (servers_of(side)["x"] for side in (text, wrapped))
        assert after["args"] == ["proxy", "--name=x", "--", "npx", *before["args"]]
        assert unwrap_text(wrapped) == text


def test_an_entry_of_goose_with_an_empty_body_is_skipped() -> None:
    assert outcome_of("extensions:\n  x:\n").remark == "it has no type"
