"""Continue and Goose: the plain block style of YAML is read, everything else is refused with the lines to write."""

from __future__ import annotations

import pytest
import yaml

from fingerpost.client_config import ConfigSyntaxError, NoServersError, wrap
from tests.support.client_configs import PROXY
from tests.support.yaml_configs import continue_entry, outcome_of, unwrap_text

REST = "and each of its arguments"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("command: a\nargs: &shared\n  - b", ["a", REST]),
        ("command: *shared", ["the command", REST]),
        ("command: !!str a", ["the command", REST]),
        ("<<: *shared\ncommand: a", ["the command", REST]),
        ("command: a\nargs:\n  - b\n    c", ["a", REST]),
        ("command: a\n  b", ["the command", REST]),
        ('command: "a\n  b"', ["the command", REST]),
        ("command: a\nargs: [b,\nc]", ["the command", REST]),
        ("command: a\nargs:\n  - - b", ["a", REST]),
        ("command: a\nargs:\n  - b: c", ["a", REST]),
        ("command: a\nargs:\n  - [b]", ["a", REST]),
        ("command: a\nargs:\n  -\n    b", ["a", REST]),
        ("command: a\nargs:\n  - b\n - c", ["a", REST]),
        ("command: a\nargs: [b,\n  \tc]", ["a", REST]),
        ('command: a\nargs: ["\\x41"]', ["a", REST]),
        ("command: a\nargs: [b, c]\nenv: *shared", ["a", "b", "c"]),
        ("command: a\nargs:\n  - --token\n  - hunter2\nenv: *shared", ["a", "--token", "<hidden>"]),
        ("command: a\nenv: &shared\n  TOKEN: hunter2", ["a"]),
        ('command: "\\x41"', ["the command", REST]),
        ("command: a\ncommand: b", ["the command", REST]),
        ("command: a\n? b", ["the command", REST]),
        ("command:\ta", ["the command", REST]),
        ("command: a\tb", ["the command", REST]),
    ],
)
def test_what_is_not_the_plain_style_is_refused_with_the_lines_to_write(fields: str, words: list[str]) -> None:
    outcome = outcome_of(continue_entry(fields))
    assert outcome.remark.startswith("it is not in the plain style of YAML (line ")
    assert outcome.remark.endswith("); write by hand:")
    assert yaml.safe_load("\n".join(outcome.by_hand)) == {
        "type": "stdio",
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--name=x", "--", *words],
    }


def test_a_mapping_in_flow_style_is_refused_too() -> None:
    assert outcome_of(continue_entry("command: [a]")).remark.split("'")[1] == "command"
    outcome = outcome_of("extensions:\n  x: {type: stdio, cmd: a}\n")
    assert "expected 'name:' with the fields on the lines below" in outcome.remark
    assert outcome.by_hand[1] == "cmd: /opt/bin/fingerpost" and outcome.by_hand[-1] == f"  - {REST}"


def test_a_url_is_in_the_lines_to_write_and_its_secrets_are_not() -> None:
    for fields, url in (("url: https://a/mcp", "https://a/mcp"), ("url: https://a?token=hunter2", "the URL")):
        outcome = outcome_of(continue_entry(f"{fields}\nrequestOptions: &shared\n  headers:\n    A: hunter2"))
        server = yaml.safe_load("\n".join(outcome.by_hand))
        assert server["args"] == ["proxy", "--name=x", url]
        assert server["env"] == {"FINGERPOST_HEADERS": '{"the header": "its value"}'}


def test_other_servers_are_wrapped_beside_one_that_is_refused() -> None:
    text = continue_entry("command: *a") + "  - name: y\n    command: b\n"
    change = wrap(text, PROXY, None, "yaml")
    assert [outcome.state for outcome in change.outcomes] == ["skipped", "wrapped"]
    assert change.text.startswith(continue_entry("command: *a"))
    assert unwrap_text(change.text) == text


def test_two_servers_with_one_name_are_refused() -> None:
    change = wrap("mcpServers:\n" + "  - name: x\n    command: a\n" * 2, PROXY, None, "yaml")
    assert {outcome.state for outcome in change.outcomes} == {"skipped"}


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
