"""Continue and Goose: the plain block style of YAML is edited exactly, everything else is refused."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from fingerpost.client_config import ConfigSyntaxError, NoServersError, Outcome, unwrap, wrap
from tests.support.client_configs import CONTINUE, GOOSE, PROXY

FRONT = ["proxy", "--name=x"]
BY_HAND = (
    "type: stdio",
    "COMMAND: /opt/bin/fingerpost",
    "args:",
    "  - proxy",
    "  - --name=x",
    "  - --",
    "  - the command",
    "  - and each of its arguments",
)


def by_hand(command: str) -> tuple[str, ...]:
    return tuple(line.replace("COMMAND", command) for line in BY_HAND)


def continue_entry(fields: str) -> str:
    return "mcpServers:\n  - name: x\n" + "".join(f"    {line}\n" for line in fields.split("\n"))


def goose_entry(fields: str) -> str:
    return "extensions:\n  x:\n" + "".join(f"    {line}\n" for line in fields.split("\n"))


def wrap_text(text: str) -> str:
    return wrap(text, PROXY, None, "yaml").text


def unwrap_text(text: str) -> str:
    return unwrap(text, None, "yaml").text


def outcome_of(text: str, *, is_unwrap: bool = False) -> Outcome:
    """The outcome for the only server, which is not changed."""
    change = unwrap(text, None, "yaml") if is_unwrap else wrap(text, PROXY, None, "yaml")
    [outcome] = change.outcomes
    assert (outcome.state, change.text) == ("skipped", text)
    return outcome


def servers_of(text: str) -> Any:
    document = yaml.safe_load(text)
    return document.get("extensions") or {server["name"]: server for server in document["mcpServers"]}


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


def test_a_config_that_goose_wrote_anew_is_unwrapped_to_the_same_servers() -> None:
    wrapped = yaml.safe_load(wrap_text(GOOSE))
    for server in wrapped["extensions"].values():
        if server.get("cmd"):
            server.pop("headers", None)  # a command has no headers, so Goose drops them
    unwrapped = unwrap_text(yaml.safe_dump(wrapped, sort_keys=False))
    before, after = servers_of(GOOSE), servers_of(unwrapped)
    for name, server in before.items():
        after[name].setdefault("headers", {})
        after[name].setdefault("envs", {})
        assert after[name] == {"headers": {}, "envs": {}, **server}


@pytest.mark.parametrize(
    "text",
    [
        "mcpServers:\n- command: a\n  name: x",
        "---\nmcpServers:\n- name: x\n  command: 'a'\n  args: [] # none\n",
        'extensions:\n  "x":\n    type: stdio\n    cmd: a\n    args:\n\n    # first\n    - b # c\n',
        "extensions:\n  x:\n    type: streamable_http\n    uri: https://a\n    headers: {}\n",
        "extensions:\n  x:\n    type: streamable_http\n    uri: https://a\n"
        "    headers:\n      A: b\n    envs:\n      C: d\n",
        "extensions: # mine\n  x:\n    available_tools: [a, b]\n    type: stdio\n    cmd: a\n    args: []\n",
        "extensions:\n  x:\n    type: streamable_http\n    headers:\n    uri: https://a\n",
    ],
)
def test_usual_layouts_are_restored_exactly(text: str) -> None:
    wrapped = wrap_text(text)
    assert "--name=x" in servers_of(wrapped)["x"]["args"]
    assert unwrap_text(wrapped) == text


@pytest.mark.parametrize(
    "fields",
    [
        "command: a\nargs: &shared\n  - b",
        "command: *shared",
        "command: !!str a",
        "<<: *shared\ncommand: a",
        "command: a\nargs:\n  - b\n    c",
        "command: a\n  b",
        'command: "a\n  b"',
        "command: a\nargs: [b,\n  c]",
        "command: a\nargs:\n  - - b",
        "command: a\nargs:\n  - b: c",
        "command: a\nargs:\n  - [b]",
        "command: a\nargs:\n  -\n    b",
        "command: a\nargs:\n  - b\n - c",
        'command: "\\x41"',
        "command: a\ncommand: b",
        "command: a\n? b",
        "command:\ta",
        "command: a\tb",
    ],
)
def test_what_is_not_the_plain_style_is_refused_with_the_lines_to_write(fields: str) -> None:
    outcome = outcome_of(continue_entry(fields))
    assert outcome.remark.startswith("it is not in the plain style of YAML (line ")
    assert outcome.remark.endswith("); write by hand:")
    assert outcome.by_hand == by_hand("command")
    assert yaml.safe_load("\n".join(outcome.by_hand))


def test_flow_style_is_refused_too() -> None:
    for fields, key in (("command: a\nargs: [b]", "args"), ("command: [a]", "command")):
        assert quote_of(outcome_of(continue_entry(fields))) == key
    outcome = outcome_of("extensions:\n  x: {type: stdio, cmd: a}\n")
    assert "expected 'name:' with the fields on the lines below" in outcome.remark
    assert outcome.by_hand == by_hand("cmd")


def quote_of(outcome: Outcome) -> str:
    return outcome.remark.split("'")[1]


def test_other_servers_are_wrapped_beside_one_that_is_refused() -> None:
    text = continue_entry("command: *a") + "  - name: y\n    command: b\n"
    change = wrap(text, PROXY, None, "yaml")
    assert [outcome.state for outcome in change.outcomes] == ["skipped", "wrapped"]
    assert change.text.startswith(continue_entry("command: *a"))
    assert unwrap_text(change.text) == text


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
        "  - the URL",
        "env:",
        """  FINGERPOST_HEADERS: '{"the header": "its value"}'""",
    )


def test_headers_that_the_proxy_gets_already_are_not_written_twice() -> None:
    text = goose_entry("type: streamable_http\nuri: https://a\nenvs:\n  FINGERPOST_HEADERS: '{}'\nheaders:\n  A: b")
    assert outcome_of(text).by_hand[-2] == "envs:"


def test_two_servers_with_one_name_are_refused() -> None:
    change = wrap("mcpServers:\n" + "  - name: x\n    command: a\n" * 2, PROXY, None, "yaml")
    assert {outcome.state for outcome in change.outcomes} == {"skipped"}


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
        ("url: https://a\nrequestOptions:\n  headers: {}", "its headers are not texts of one line"),
        ("url: https://a\nrequestOptions:\n  headers:\n    A: []", "its headers are not texts of one line"),
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
        (
            "type: streamable_http\nuri: https://a\nenvs: [a]\nheaders:\n  A: b",
            "'envs' is not a mapping in block style",
        ),
    ],
)
def test_an_unsupported_entry_of_goose_is_skipped_with_the_reason(fields: str, why: str) -> None:
    assert outcome_of(goose_entry(fields)).remark == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (continue_entry("command: fingerpost\nargs:\n- proxy\n- --"), "there is no command after '--'"),
        (continue_entry("command: fingerpost\nargs:\n- proxy"), "there is neither a command nor a URL after 'proxy'"),
        (
            "mcpServers:\n  - args:\n      - proxy\n      - https://a\n    name: x\n    command: fingerpost\n",
            "'args' is the first key of the entry; write it after the others",
        ),
        (
            continue_entry(
                "command: fingerpost\nargs:\n- proxy\n- https://a\nenv:\n  FINGERPOST_HEADERS: '{}'\n  A: b"
            ),
            "its 'env' has variables that an entry with a URL cannot have",
        ),
        (
            continue_entry("command: fingerpost\nargs:\n- proxy\n- https://a\nenv:\n  FINGERPOST_HEADERS: '[]'"),
            "FINGERPOST_HEADERS is not a JSON object, or there are two of them",
        ),
    ],
)
def test_a_wrapped_entry_that_was_broken_is_skipped(text: str, why: str) -> None:
    assert outcome_of(text, is_unwrap=True).remark == why


def test_an_entry_that_is_not_the_plain_style_is_not_unwrapped() -> None:
    fields = 'command: "/opt/bin/fingerpost"\nargs:\n  - proxy\n  - --\n  - a'
    remark = outcome_of(continue_entry(f"{fields}\ncwd: *here"), is_unwrap=True).remark
    assert remark.startswith("it is not in the plain style of YAML (line 8: anchors, ")
    assert not remark.endswith("write by hand:")
    for other in ("command: *a", "command: fingerpost\ncwd: *b", "command: a\nargs:\n  - proxy\ncwd: *b"):
        assert unwrap(continue_entry(other), None, "yaml").outcomes[0].state == "not wrapped"


def test_variables_added_to_goose_after_wrapping_stay() -> None:
    text = goose_entry("type: streamable_http\nuri: https://a\nenvs: {}\nheaders:\n  A: b")
    line = """      FINGERPOST_HEADERS: '{"A": "b"}'\n"""
    wrapped = wrap_text(text)
    assert line in wrapped
    for changed in (wrapped.replace(line, line + "      B: c\n"), wrapped.replace(line, "      B: c\n" + line)):
        assert unwrap_text(changed) == text.replace("envs: {}", "envs:\n      B: c")


def test_an_entry_of_goose_with_an_empty_body_is_skipped() -> None:
    assert outcome_of("extensions:\n  x:\n").remark == "it has no type"


def test_a_name_that_is_not_the_first_key_is_found_and_a_missing_one_is_replaced_by_the_line() -> None:
    for text, name in (
        ("mcpServers:\n- command: a\n", "line 2"),
        ("mcpServers:\n- command: a\n  name: 'it''s' # mine\n", "it's"),
        ("mcpServers:\n- command: *a\n  name: 'x' # mine\n", "x"),
    ):
        assert wrap(text, PROXY, None, "yaml").outcomes[0].server.name == name
    text = "extensions:\n  x y? {}:\n    a: b\n"
    assert wrap(text, PROXY, None, "yaml").outcomes[0].server.name == "x y? {}:"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mcpServers: [{name: x}]\n", "line 1: write 'mcpServers' as a list, each item on lines of its own"),
        ("extensions: *x\n", "line 1: write 'extensions' as a mapping, each key on lines of its own"),
        ("mcpServers:\n  x:\n    command: a\n", "line 2: unexpected indentation"),
        ("extensions:\n    x:\n      a: b\n  y:\n", "line 4: unexpected indentation"),
    ],
)
def test_a_section_in_another_style_is_refused_with_the_form_to_write(text: str, problem: str) -> None:
    with pytest.raises(ConfigSyntaxError) as raised:
        wrap(text, PROXY, None, "yaml")
    assert str(raised.value) == f"is not in the plain style of YAML: {problem}"
    assert "  - --name=NAME" in raised.value.by_hand


@pytest.mark.parametrize("text", ["{mcpServers: []}\n", "a: b\n---\nmcpServers: []\n", "a: b\n...\n"])
def test_a_document_that_is_no_block_mapping_is_refused(text: str) -> None:
    with pytest.raises(ConfigSyntaxError, match=r"expected a key$"):
        wrap(text, PROXY, None, "yaml")


def test_line_breaks_that_readers_disagree_on_are_refused() -> None:
    with pytest.raises(ConfigSyntaxError, match="line breaks"):
        wrap("mcpServers:\r  - name: x\n", PROXY, None, "yaml")


def test_a_config_without_servers_is_refused_and_an_empty_section_is_not() -> None:
    with pytest.raises(NoServersError):
        wrap("models: []\n", PROXY, None, "yaml")
    for text in ("mcpServers: []\n", "extensions: {} # none\n", "extensions:\n", "mcpServers: null\n"):
        assert wrap(text, PROXY, None, "yaml").outcomes == ()
