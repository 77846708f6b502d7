"""`fingerpost proxy` as a command: its options, its configuration file, and its error messages."""

from __future__ import annotations

import io
import json
import socket
import sys
from pathlib import Path

import pytest

from fingerpost.cli import main as cli
from fingerpost.engine.policy import Policy
from fingerpost.proxy import command
from fingerpost.proxy.http.environment import headers_from_environment
from fingerpost.proxy.log import Log
from fingerpost.proxy.protocol.relay import Relay


def error_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """Run a command that cannot start; what it prints on standard error."""
    monkeypatch.setattr(sys, "argv", ["fingerpost", "proxy", *words])
    assert cli.main() == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give either a command or a URL"),
        (("http://127.0.0.1:1/mcp", "--", "x"), "give either a command or a URL"),
        (("--",), "give either a command or a URL"),
        (("--", "no-such-command-anywhere"), "there is no command no-such-command-anywhere"),
        (("--", "/"), "/ cannot be started: Permission denied"),
        (("--listen", "127.0.0.1:0", "--", "no-such-command-anywhere"), "there is no command no-such-command-anywhere"),
        (("python", "server.py"), "Put -- before a server's command"),
        (("python",), "python is not a URL"),
        (("http://h:99999/mcp",), "is not a URL"),
        (("http://[::1/mcp",), "is not a URL"),
        (("http://h/é",), "is not a URL"),
        (("--max-message", "nan", "--", "x"), "max-message must be between"),
        (("--max-message", "-1", "--", "x"), "max-message must be between"),
        (("--timeout", "-1", "--", "x"), "timeout must be a number of seconds"),
        (("--timeout", "inf", "--", "x"), "timeout must be a number of seconds"),
        (("--auto-corect", "off", "--", "x"), "Did you mean '--auto-correct'?"),
        (("--auto-correct", "of", "--", "x"), "invalid choice"),
        (("--listen", "8080x", "--", "x"), "is not an address to listen on"),
        (("--listen", "127.0.0.1:99999", "--", "x"), "is not an address to listen on"),
        (("--budget", "0", "--", "x"), "budget must be at least 1"),
        (("--max-stream", "-1", "--", "x"), "max-stream must be a number of seconds"),
        (("--allow-origin", "localhost:6274", "--", "x"), "localhost:6274 is not an origin"),
        (("--config", "nowhere.toml", "--", "x"), "cannot read nowhere.toml"),
    ],
)
def test_a_command_that_cannot_run_explains_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    assert message in error_of(capsys, monkeypatch, *words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auto-corect = 'off'", "there is no option auto-corect\nDid you mean auto-correct?"),
        ("xyzzy = 1", "there is no option xyzzy"),
        ("budget = 'x'", "budget must be int, got str"),
        ("tips = 1", "tips must be bool, got int"),
        ("= 1", "is not TOML"),
        ("guidance = 'offf'", "guidance must be on or off"),
        ("auto-correct = 'perhaps'", "auto-correct must be one of"),
        ("allow-origin = 'http://a'", "allow-origin must be list, got str"),
        ("allow-host = ['a', 1]", "allow-host must be a list of strings"),
        ("allow-origin = ['*']", "* is not an origin"),
    ],
)
def test_a_wrong_config_file_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "options.toml"
    file.write_text(text)
    assert message in error_of(capsys, monkeypatch, "--config", str(file), "--", sys.executable)


def test_the_command_line_overrides_the_file_and_the_file_overrides_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    setups: list[command.Setup] = []

    def run(words: list[str], setup: command.Setup) -> int:
        setups.append(setup)
        return 0

    monkeypatch.setattr(command, "_run_stdio_to_stdio", run)
    file = tmp_path / "options.toml"
    file.write_text("auto-correct = 'lossless'\nbudget = 400\ntimeout = 3\ninfo-tool = false\n")
    assert cli.main(["proxy", "--config", str(file), "--budget", "300", "--tips", "--", "x", "--", "-v"]) == 0
    [setup] = setups
    assert setup.timeout == 3
    assert setup.policy == Policy(auto_correct="lossless", budget=300, info_tool=None, tips=True, redact="own")


def test_without_guidance_there_is_no_relay() -> None:
    log = Log()
    assert command.Setup.from_settings({**command.DEFAULTS, "guidance": "off"}, log).make_relay() is None
    assert isinstance(command.Setup.from_settings(command.DEFAULTS, log).make_relay(), Relay)


def test_headers_are_read_from_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FINGERPOST_HEADERS", '{\n"Authorization": "Bearer t\\n"}')
    assert headers_from_environment() == [(b"authorization", b"Bearer t")]
    monkeypatch.setenv("FINGERPOST_HEADERS", '{"Content-Type": "application/json", "Accept": "*/*", "A": "b"}')
    assert headers_from_environment() == [(b"a", b"b")]
    for wrong in ("[]", "x", '{"é": "x"}', '{"a b": "x"}', '{"a": "x\\ny"}', '{"a": null}', '{"Host": "x"}'):
        monkeypatch.setenv("FINGERPOST_HEADERS", wrong)
        assert "FINGERPOST_HEADERS" in error_of(capsys, monkeypatch, "http://127.0.0.1:1/mcp")


def test_variables_are_filled_into_headers_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FINGERPOST_HEADERS", '{"A": "${TOKEN}"}')
    monkeypatch.setenv("FINGERPOST_HEADER_TEMPLATES", '{"Authorization": "Bearer ${TOKEN}", "B": "$TOKEN ${a b}"}')
    monkeypatch.setenv("TOKEN", "a${TOKEN}b")
    assert headers_from_environment() == [
        (b"a", b"${TOKEN}"),
        (b"authorization", b"Bearer a${TOKEN}b"),
        (b"b", b"$TOKEN ${a b}"),
    ]
    monkeypatch.setenv("TOKEN", "secret\u20ac")
    problem = error_of(capsys, monkeypatch, "http://127.0.0.1:1/mcp")
    assert "FINGERPOST_HEADER_TEMPLATES: 'Authorization' cannot be sent as a header" in problem
    assert "secret" not in problem
    for unset in ("", None):
        monkeypatch.setenv("TOKEN", unset) if unset is not None else monkeypatch.delenv("TOKEN")
        assert "the variable TOKEN is not set" in error_of(capsys, monkeypatch, "http://127.0.0.1:1/mcp")
    monkeypatch.setenv("FINGERPOST_HEADER_TEMPLATES", "[]")
    assert "FINGERPOST_HEADER_TEMPLATES is not a JSON object" in error_of(capsys, monkeypatch, "http://127.0.0.1:1/mcp")


def test_a_port_in_use_is_reported(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert f"cannot listen on {address}" in error_of(
            capsys, monkeypatch, "--listen", address, "http://127.0.0.1:1/mcp"
        )


def test_without_standard_error_the_log_writes_nowhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    Log(is_verbose=True).notice("up")
    assert capsys.readouterr().out == ""


def test_notices_are_always_logged_and_notes_only_in_verbose_mode() -> None:
    quiet, loud, machine = io.StringIO(), io.StringIO(), io.StringIO()
    for log in (Log(out=quiet), Log(out=loud, is_verbose=True), Log(out=machine, is_json=True)):
        log.notice("up")
        log.note("odd")
        log.record_call("repaired", "tool\x1b", "")
    assert quiet.getvalue() == "fingerpost: up\n"
    assert loud.getvalue() == 'fingerpost: up\nfingerpost: odd\nfingerpost: repaired "tool"\n'
    assert [json.loads(line)["event"] for line in machine.getvalue().splitlines()] == ["notice", "note", "repaired"]
