"""Entries of Continue and Goose, and helpers to wrap and unwrap their YAML."""

from __future__ import annotations

from typing import Any

import yaml

from fingerpost.client_config import Outcome, unwrap, wrap
from tests.support.client_configs import PROXY


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
