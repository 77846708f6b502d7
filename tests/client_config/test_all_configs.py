"""`wrap --all` and `unwrap --all`: what is listed, what is asked, and the exit code."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from fingerpost.cli.main import main

CURSOR = '{"mcpServers": {"a": {"command": "x", "args": []}}}'
CODEX = '[mcp_servers.b]\ncommand = "y"\nargs = []\n'


class Terminal(io.StringIO):
    """Standard input of a user at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    for path, text in ((".cursor/mcp.json", CURSOR), (".codex/config.toml", CODEX)):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def run(*words: str) -> int:
    return main([words[0], *(["--command", "fingerpost"] if words[0] == "wrap" else []), "--all", *words[1:]])


def texts(home: Path) -> tuple[str, str]:
    return (
        (home / ".cursor/mcp.json").read_text(encoding="utf-8"),
        (home / ".codex/config.toml").read_text(encoding="utf-8"),
    )


def test_without_a_terminal_the_configs_are_listed_and_the_exit_code_says_that_something_is_left(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("wrap") == 1
    assert capsys.readouterr().out == (
        f"Codex: {home}/.codex/config.toml\n"
        "  b: can be wrapped\n"
        f"Cursor: {home}/.cursor/mcp.json\n"
        "  a: can be wrapped\n"
        "Nothing was written: this is no terminal. Add --yes to change them all.\n"
    )
    assert texts(home) == (CURSOR, CODEX)


def test_yes_wraps_them_all_and_unwrap_restores_them(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", "--yes") == 0
    assert (
        "  Done. The config without the proxy is saved in config.toml.fingerpost-backup.\n" in capsys.readouterr().out
    )
    assert all('"proxy", "--name=' in text for text in texts(home))
    assert run("wrap") == 0  # nothing is left
    assert "  a: already wrapped\n" in capsys.readouterr().out
    assert run("unwrap") == 1
    assert "  a: can be unwrapped\n" in capsys.readouterr().out
    assert run("unwrap", "--yes") == 0
    assert capsys.readouterr().out.count("  Done.\n") == 2
    assert texts(home) == (CURSOR, CODEX)


def test_options_for_the_proxy_are_written(home: Path) -> None:
    assert run("wrap", "--yes", "--", "--auto-correct", "off") == 0
    assert all('"--auto-correct", "off", "--"' in text for text in texts(home))


@pytest.mark.parametrize(
    ("answers", "is_wrapped"), [("y\nN\n", (False, True)), ("\n YES \n", (True, False)), ("", (False, False))]
)
def test_a_terminal_is_asked_for_each_config(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: str,
    is_wrapped: tuple[bool, bool],
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(answers))
    assert run("wrap") == 1
    out = capsys.readouterr().out
    assert out.count("  Wrap these servers? [y/N] ") == 2
    assert "no terminal" not in out
    assert tuple("proxy" in text for text in texts(home)) == is_wrapped


def test_unwrap_asks_too(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", "--yes") == 0
    monkeypatch.setattr(sys, "stdin", Terminal("y\ny\n"))
    assert run("unwrap") == 0
    assert capsys.readouterr().out.count("  Unwrap these servers? [y/N] ") == 2
    assert texts(home) == (CURSOR, CODEX)


def test_a_dry_run_prints_the_differences_and_asks_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", "--dry-run", "--yes") == 0
    out = capsys.readouterr().out
    assert '+args = ["proxy", "--name=b", "--", "y"]\n' in out
    assert texts(home) == (CURSOR, CODEX)


def test_a_broken_config_is_reported_and_the_others_are_wrapped(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".codex/config.toml").write_text("[", encoding="utf-8")
    (home / ".continue").mkdir()
    (home / ".continue/config.yaml").write_text("mcpServers: [{name: x}]\n", encoding="utf-8")
    assert run("wrap", "--yes") == 2
    printed = capsys.readouterr()
    assert "config.toml is not TOML: " in printed.err
    assert "Write by hand, for each server:\n    type: stdio\n    command: fingerpost\n" in printed.err
    assert f"Cursor: {home}/.cursor/mcp.json\n  a: can be wrapped\n  Done." in printed.out


def test_a_config_without_servers_is_passed_over(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".codex/config.toml").write_text('model = "x"\n', encoding="utf-8")
    (home / ".cursor/mcp.json").unlink()
    assert run("wrap") == 0
    assert capsys.readouterr().out == "No config of a known client with MCP servers was found.\n"


def test_lines_to_write_by_hand_are_printed_below_the_server(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / ".codex" / "config.toml"
    file.write_text('mcp_servers.x = { command = "a", args = ["--key=b", "--token", "c"] }\n', encoding="utf-8")
    assert main(["wrap", "--command", "fingerpost", str(file)]) == 0
    assert capsys.readouterr().out == (
        "x: skipped (it is not written as a table [mcp_servers.x]; write by hand:)\n"
        "    [mcp_servers.x]\n"
        '    command = "fingerpost"\n'
        '    args = ["proxy", "--name=x", "--", "a", "--key=b", "--token", "<hidden>"]\n'
        "Write your own values in place of <hidden>.\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wrap"], "the client's config is missing\nGive its FILE, or --all to find the known ones.\n"),
        (["unwrap"], "the client's config is missing\nGive its FILE, or --all to find the known ones.\n"),
        (["wrap", "--all", "x.json"], "unexpected argument 'x.json'\n--all finds the configs itself.\n"),
        (["unwrap", "--all", "x.json"], "unexpected argument 'x.json'\n--all finds the configs itself.\n"),
        (
            ["wrap", "--all", "--server", "a"],
            "--server needs a FILE\nWithout --all: fingerpost wrap FILE --server NAME.\n",
        ),
        (["wrap", "x.json", "--yes"], "--yes needs --all\nFor one FILE nothing is asked.\n"),
    ],
)
def test_words_that_do_not_fit_are_refused(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"fingerpost: {message}"
    assert texts(home) == (CURSOR, CODEX)
