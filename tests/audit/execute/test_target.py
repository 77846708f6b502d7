"""The server to audit as the user gives it, and without secrets for reports."""

from __future__ import annotations

import pytest

from fingerpost.audit.execute.target import Target, parse_target
from fingerpost.terminal.command_error import CommandError


def test_a_target_is_a_command_or_a_url() -> None:
    assert parse_target(["a", "b"], None) == Target(command=("a", "b"))
    assert parse_target([], "http://x") == Target(url="http://x")
    for words, url in (([], None), (["a"], "http://x")):
        with pytest.raises(CommandError, match="give either a command or a URL"):
            parse_target(words, url)


def test_secrets_in_a_command_or_url_are_hidden() -> None:
    words = (
        "env",
        "API_KEY=a b",
        "run",
        "--password",
        "hunter2",
        "-v",
        "--key=x",
        "--token=ghp_a1B2c3D4e5F6g7H8",
        "a  b\n",
    )
    hidden = ("env", "API_KEY=<hidden>", "run", "--password", "<hidden>", "-v", "--key=x", "--token=<hidden>", "a  b\n")
    assert Target(command=words).without_secrets == hidden
    assert Target(command=words).label == "env API_KEY=<hidden> run --password <hidden> -v --key=x --token=<hidden> a b"
    path = "/tmp/a1B2c3D4e5F6g7H8i9J0/server.py"
    assert Target(command=("run", path, "a1B2c3D4e5F6g7H8i9J0k1L2")).label == f"run {path} <hidden>"
    assert Target(url="http://h/a1B2c3D4e5F6g7H8i9J0/mcp").label == "<hidden>"
    assert Target(url="http://u:pw@h/mcp?token=abc").label == "http://<hidden>@h/mcp?token=<hidden>"
