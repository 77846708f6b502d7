"""Secrets whose own parameter does not say so: the value of `set_secret`, and a secret in the place of a name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.safety.secret_names import stores_secret

TEXT, ADDRESS = {"type": "string"}, "postgres://bob:s3cr3tpw@host/db"
OBJECT = {"type": "object"}


def answer(name: str, arguments: dict[str, Any], *, is_closed: bool = True) -> str:
    properties = {"name": TEXT, "value": TEXT, "ttl": {"type": "integer"}, "labels": OBJECT, "dsn": TEXT}
    schema = {"type": "object", "properties": properties, "additionalProperties": not is_closed}
    rendered = render(admit(Call(name, arguments), Catalog.listed([{"name": name, "inputSchema": schema}])).report)
    return f"{rendered.text}\n{json.dumps(rendered.structured)}"


@pytest.mark.parametrize(
    "tool_name",
    [
        "set_secret",
        "create_password",
        "store_credential",
        "putToken",
        "add_api_key",
        "secret_set",
        "vault_write_secret",
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "x", "value": "hunter2", "ttl": "soon"}, {"name": "x", "val": "hunter2"}, {"content": "hunter2"},
        {"name": "x", "value": ["hunter2"]}, {"name": "x", "data": {"v": "hunter2"}}, {"value": {"x": "hunter2"}},
    ],
)  # fmt: skip
def test_what_a_tool_for_secrets_stores_is_not_shown(tool_name: str, arguments: dict[str, Any]) -> None:
    assert "hunter2" not in answer(tool_name, arguments)
    assert "Unknown param" in answer(tool_name, {**arguments, "zebra": 1})


@pytest.mark.parametrize(
    "name", ["pin_message", "count_tokens", "get_secret", "list_tokens", "search", "tokenize_text", "set_token_policy"]
)
def test_other_tools_store_no_secret(name: str) -> None:
    assert not stores_secret(name)
    assert "hunter2" in answer(name, {"value": "hunter2", "ttl": "soon"})


@pytest.mark.parametrize(
    "arguments",
    [
        {ADDRESS: "x"}, {"dsn": "d", ADDRESS: {"a": 1}}, {"dsn": 1, ADDRESS: True},
        {"labels": {ADDRESS: 1}, "ttl": "no"}, {ADDRESS: "x" * 400, "ttl": "5 h"},
        {ADDRESS: "Zx9Kq27Lmw4Tr8Yb", "dsn": 1},
        {"labels": [{ADDRESS: 1}]}, {"labels": [{"a://b:s3cr3tpw@h": 1}]}, {"ttl": "1", ADDRESS: 1},
        {"value": {"a://b:s3cr3tpw@h": 1}}, {"labels": {ADDRESS: {"ttl": "x"}}, "dsn": 5},
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_secret_in_the_place_of_a_name_is_hidden(arguments: dict[str, Any], is_closed: bool) -> None:
    assert "s3cr3tpw" not in answer("query", arguments, is_closed=is_closed)
