"""Secrets on a command line are hidden, and its other words stay."""

from __future__ import annotations

import pytest

from fingerpost.engine.safety.command_words import hide_in_command


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["npx", "-y", "@scope/server", "/home/me"], ["npx", "-y", "@scope/server", "/home/me"]),
        (["a", "--token", "hunter2", "b"], ["a", "--token", "<hidden>", "b"]),
        (["a", "--api-key=hunter2", "TOKEN=hunter2"], ["a", "--api-key=<hidden>", "TOKEN=<hidden>"]),
        (["a", "--dsn", "postgres://bob:hunter2@db/x"], ["a", "--dsn", "postgres://<hidden>@db/x"]),
        (["a", "ghp_0123456789hunter2"], ["a", "<hidden>"]),
    ],
)
def test_secrets_follow_an_option_or_an_equals_sign(words: list[str], shown: list[str]) -> None:
    assert list(hide_in_command(words)) == shown
