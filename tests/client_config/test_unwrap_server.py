"""`unwrap` after the user has edited a wrapped config."""

from __future__ import annotations

import re

import pytest

from fingerpost.client_config import unwrap
from tests.support.client_configs import (
    entry,
    states,
    unwrap_entry,
    wrap_entry,
)


def test_arguments_added_after_wrapping_stay() -> None:
    wrapped = wrap_entry('{"command": "clock"}').replace('"clock"]', '"clock", "--utc"]')
    assert unwrap_entry(wrapped) == '{"command": "clock", "args": ["--utc"]}'


def test_a_url_changed_after_wrapping_stays_even_with_options_after_it() -> None:
    wrapped = wrap_entry('{"url": "https://a/mcp"}').replace('"https://a/mcp"', '"https://b/mcp", "--budget", "400"')
    assert unwrap_entry(wrapped) == '{"url": "https://b/mcp"}'


@pytest.mark.parametrize("headers", ['{"A": "old"}', '{"A": "old", }'])
@pytest.mark.parametrize("env", ["", ', "env": { }'])
def test_headers_changed_after_wrapping_stay(headers: str, env: str) -> None:
    wrapped = wrap_entry(f'{{"url": "https://a", "headers": {headers}{env}}}')
    changed = wrapped.replace(r"\"A\": \"old\"}", r"\"A\": \"new\"}")
    assert unwrap_entry(changed) == f'{{"url": "https://a", "headers": {{"A": "new"}}{env}}}'


def test_variables_added_after_wrapping_stay() -> None:
    wrapped = wrap_entry('{"url": "https://a", "headers": {"A": "b"}}')
    changed = wrapped.replace('"env": {', '"env": {"B": "c", ')
    assert unwrap_entry(changed) == '{"url": "https://a", "headers": {"A": "b"}, "env": {"B": "c"}}'


def test_headers_removed_after_wrapping_stay_removed() -> None:
    wrapped = wrap_entry('{"url": "https://a", "headers": {"A": "b"}, "env": {"B": "c"}}')
    changed = re.sub(r'"FINGERPOST_HEADERS": ".*?[^\\]", ', "", wrapped)
    assert unwrap_entry(changed) == '{"url": "https://a", "env": {"B": "c"}}'


def test_broken_undo_information_does_no_harm() -> None:
    wrapped = wrap_entry('{"serverUrl": "https://a", "headers": {"A": "b",}}')
    mangled = wrapped.replace(r'"{\"A\": \"b\",}"', '"{"').replace('"serverUrl"', "7")
    assert unwrap_entry(mangled) == '{"url": "https://a", "headers": {"A": "b"}}'


def test_comments_added_after_wrapping_stay() -> None:
    wrapped = wrap_entry('{"command": "a", "cwd": "/"}').replace(', "args"', ', // mine\n "args"')
    assert unwrap_entry(wrapped) == '{"command": "a" // mine\n , "cwd": "/"}'


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ('["proxy", "--"]', "there is no command after '--'"),
        ('["proxy", "--", 1]', "there is no command after '--'"),
        ('["proxy", "--budget", "400", 1]', "there is neither a command nor a URL after 'proxy'"),
        (
            '["proxy", "https://a"], "env": {"FINGERPOST_HEADERS": "[]"}',
            "FINGERPOST_HEADERS is not a JSON object",
        ),
        (
            '["proxy", "https://a"], "env": {"FINGERPOST_HEADERS": "{"}',
            "FINGERPOST_HEADERS is not a JSON object",
        ),
        ('["proxy", "https://a"], "env": {}, "env": {}', "'env' occurs twice"),
    ],
)
def test_a_wrapped_entry_that_was_broken_is_skipped(args: str, why: str) -> None:
    source = f'{{"command": "fingerpost", "args": {args}}}'
    assert states(entry(source), unwrap) == {"x": ("skipped", why)}
    assert unwrap_entry(source) == source


@pytest.mark.parametrize(
    ("wrapped_by_hand", "unwrapped"),
    [
        ('{"args": ["proxy", "--", "npx",], "command": "fingerpost"}', '{"args": [], "command": "npx"}'),
        ('{"args": ["proxy", "https://a"], "command": "fingerpost"}', '{"url": "https://a"}'),
        ('{"args": ["proxy", "https://a"], "fingerpost": {}, "command": "fingerpost",}', '{"url": "https://a",}'),
        ('{"env": [1], "command": "fingerpost", "args": ["proxy", "https://a"]}', '{"env": [1], "url": "https://a"}'),
    ],
)
def test_a_hand_written_entry_in_any_order_is_unwrapped(wrapped_by_hand: str, unwrapped: str) -> None:
    assert unwrap_entry(wrapped_by_hand) == unwrapped
