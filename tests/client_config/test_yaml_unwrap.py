"""Continue and Goose: a wrapped entry is restored to the same bytes, also after other changes."""

from __future__ import annotations

import pytest
import yaml

from fingerpost.client_config import unwrap
from tests.support.client_configs import GOOSE
from tests.support.yaml_configs import continue_entry, goose_entry, outcome_of, servers_of, unwrap_text, wrap_text


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
