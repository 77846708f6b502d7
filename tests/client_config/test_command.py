"""`fingerpost wrap` and `fingerpost unwrap`: files, backups, messages."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.cli.main import main
from fingerpost.client_config import Proxy, wrap
from tests.support.client_configs import (
    CLAUDE_CODE,
    CLAUDE_DESKTOP,
    PROXY,
    VS_CODE,
    entry,
    plain,
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "client.json"
    path.write_bytes(CLAUDE_DESKTOP.encode())
    return path


def run(*words: str | Path) -> int:
    return main([str(word) for word in words])


def test_wrap_writes_a_backup_and_unwrap_restores_the_file_and_deletes_it(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.chmod(0o640)
    assert run("wrap", config, "--command", PROXY.command) == 0
    assert capsys.readouterr().out == (
        "filesystem: wrapped\nclock: wrapped\nThe config without the proxy is saved in client.json.fingerpost-backup.\n"
    )
    backup = config.with_name("client.json.fingerpost-backup")
    assert config.read_text(encoding="utf-8") == wrap(CLAUDE_DESKTOP, PROXY).text
    assert backup.read_text(encoding="utf-8") == CLAUDE_DESKTOP
    assert [stat.S_IMODE(path.stat().st_mode) for path in (config, backup)] == [0o640, 0o640]
    assert run("unwrap", config) == 0
    assert capsys.readouterr().out == "filesystem: unwrapped\nclock: unwrapped\n"
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP
    assert [path.name for path in config.parent.iterdir()] == ["client.json"]


def test_wrap_writes_the_absolute_path_of_the_running_fingerpost(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = config.parent / "bin" / "fingerpost"
    beside.parent.mkdir()
    beside.write_text("#!/bin/sh\n", encoding="utf-8")
    beside.chmod(0o755)
    monkeypatch.chdir(config.parent)
    monkeypatch.setattr(sys, "argv", ["bin/fingerpost", "wrap"])
    assert run("wrap", config) == 0
    assert plain(config.read_text(encoding="utf-8"))["mcpServers"]["clock"]["command"] == str(beside)


def test_wrap_finds_fingerpost_next_to_the_interpreter(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert run("wrap", config) == 0
    command = plain(config.read_text(encoding="utf-8"))["mcpServers"]["clock"]["command"]
    assert os.path.dirname(command) == os.path.dirname(sys.executable)


def test_wrap_without_an_executable_asks_for_it(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.setattr(sys, "executable", str(config.parent / "python"))
    monkeypatch.setenv("PATH", str(config.parent))
    assert run("wrap", config) == 2
    assert capsys.readouterr().err == (
        "fingerpost: the fingerpost executable was not found\nGive its path: --command PATH.\n"
    )


def test_an_executable_with_another_name_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--command", "/opt/fp") == 2
    assert '"/opt/fp" is not named fingerpost' in capsys.readouterr().err
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP


@pytest.mark.parametrize("order", [("--server", "clock", "FILE"), ("FILE", "--server", "clock")])
def test_options_after_the_dashes_are_passed_to_the_proxy(config: Path, order: tuple[str, ...]) -> None:
    words = [str(config) if word == "FILE" else word for word in order]
    assert run("wrap", *words, "--", "--auto-correct", "off") == 0
    servers = plain(config.read_text(encoding="utf-8"))["mcpServers"]
    assert servers["clock"]["args"] == ["proxy", "--name=clock", "--auto-correct", "off", "--", "mcp-clock"]
    assert servers["filesystem"]["command"] == "npx"


def test_a_second_file_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "other.json") == 2
    assert capsys.readouterr().err == (
        "fingerpost: unexpected argument 'other.json'\nPut -- before options for the proxy.\n"
    )


def test_an_unknown_server_gets_a_suggestion(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--server", "clock", "--server", "filesytem") == 2
    assert capsys.readouterr().err == (
        f"fingerpost: {config} has no server 'filesytem'\n"
        "Did you mean 'filesystem'? Its servers are 'filesystem' and 'clock'.\n"
    )
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP


def test_an_unknown_server_of_an_empty_config_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('{"mcpServers": {}}', encoding="utf-8")
    assert run("unwrap", config, "--server", "x") == 2
    assert capsys.readouterr().err.endswith("has no server 'x'\nIt has none.\n")


def test_each_server_is_reported_on_one_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(VS_CODE, encoding="utf-8")
    assert run("wrap", config, "--server", "local") == 0
    assert run("wrap", config) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "github: wrapped",
        "local: already wrapped",
        "old: skipped (the proxy does not support 'sse', the old transport)",
        "The config without the proxy is saved in client.json.fingerpost-backup.",
    ]
    config.write_text(CLAUDE_CODE, encoding="utf-8")
    assert run("wrap", config) == 0
    assert 'db in "/home/me/shop": wrapped\n' in capsys.readouterr().out


def test_a_backup_without_the_proxy_is_never_replaced_by_one_with_it(config: Path) -> None:
    backup = config.with_name("client.json.fingerpost-backup")
    assert run("wrap", config, "--server", "clock") == 0
    assert run("wrap", config) == 0
    assert backup.read_text(encoding="utf-8") == CLAUDE_DESKTOP
    backup.unlink()
    assert run("unwrap", config, "--server", "clock") == 0
    half = config.read_text(encoding="utf-8")
    assert run("wrap", config) == 0
    assert backup.read_text(encoding="utf-8") == half


def test_a_file_at_the_place_of_the_backup_stays(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs, folder, ours = (config.with_name(f"client.json.fingerpost-backup{end}") for end in ("", "-2", "-3"))
    theirs.write_text("mine", encoding="utf-8")
    folder.mkdir()
    assert run("wrap", config, "--server", "clock") == 0
    assert run("wrap", config) == 0
    assert capsys.readouterr().out.count("is saved in client.json.fingerpost-backup-3.\n") == 2
    assert (theirs.read_text(encoding="utf-8"), ours.read_text(encoding="utf-8")) == ("mine", CLAUDE_DESKTOP)
    assert run("unwrap", config) == 0
    assert sorted(config.parent.iterdir()) == [config, theirs, folder]


def test_a_backup_of_the_same_config_is_used_again(config: Path) -> None:
    backup = config.with_name("client.json.fingerpost-backup")
    backup.write_text(CLAUDE_DESKTOP, encoding="utf-8")
    assert run("wrap", config) == 0
    assert sorted(config.parent.iterdir()) == [config, backup]


def test_a_file_with_two_names_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = config.with_name("other.json")
    os.link(config, other)
    for command in ("wrap", "unwrap"):
        assert run(command, config) == 2
        assert "is one of 2 hard links to the same file" in capsys.readouterr().err
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP and config.samefile(other)
    assert sorted(config.parent.iterdir()) == [config, other]


def test_a_backup_that_differs_from_the_unwrapped_config_stays(config: Path) -> None:
    assert run("wrap", config) == 0
    changed = config.read_text(encoding="utf-8").replace("Ctrl+Space", "Ctrl+K")
    config.write_text(changed, encoding="utf-8")
    assert run("unwrap", config) == 0
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP.replace("Ctrl+Space", "Ctrl+K")
    assert config.with_name("client.json.fingerpost-backup").read_text(encoding="utf-8") == CLAUDE_DESKTOP


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
def test_nothing_is_written_if_nothing_changes(config: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    text = entry('"odd"')
    config.write_text(text, encoding="utf-8")
    before = config.stat()
    assert run(command, config) == 0
    assert (config.stat().st_ino, config.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in config.parent.iterdir()] == ["client.json"]
    assert (
        capsys.readouterr().out
        == {
            "wrap": "x: skipped (it is not an object)\n",
            "unwrap": "x: not wrapped\nNo server is wrapped, so there is nothing to undo.\n",
        }[command]
    )


def test_unwrap_of_one_server_reports_only_that_server(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--server", "clock") == 0
    capsys.readouterr()
    assert run("unwrap", config, "--server", "filesystem") == 0
    assert capsys.readouterr().out == "filesystem: not wrapped\n"


def test_a_config_with_an_empty_list_of_servers_is_no_error(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('{"mcpServers": {}}', encoding="utf-8")
    assert run("wrap", config) == 0
    assert capsys.readouterr().out == f"{config} lists no servers.\n"


def test_a_dry_run_prints_a_diff_and_writes_nothing(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_bytes(b'{"mcpServers": {\r\n"x": {"command": "a", "args": []} // \x1b[2J\r\n}}\r\n')
    before = config.read_bytes()
    assert run("wrap", "--dry-run", "--command", "fingerpost", config) == 0
    assert capsys.readouterr().out == (
        "x: wrapped\n"
        f"--- {config}\n+++ {config}\n@@ -1,3 +1,3 @@\n"
        ' {"mcpServers": {\n'
        '-"x": {"command": "a", "args": []} // \\x1b[2J\n'
        '+"x": {"command": "fingerpost", "args": ["proxy", "--name=x", "--", "a"]} // \\x1b[2J\n'
        " }}\n"
        "Nothing was written.\n"
    )
    assert config.read_bytes() == before
    assert [path.name for path in config.parent.iterdir()] == ["client.json"]
    assert run("wrap", config) == 0
    wrapped = config.read_bytes()
    assert run("unwrap", "--dry-run", config) == 0
    assert config.read_bytes() == wrapped


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_the_diff_in_colour(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    assert run("wrap", "--dry-run", config) == 0
    assert '\x1b[31m-    "clock": { "command": "mcp-clock" }\x1b[0m' in out.getvalue()


def test_a_link_stays_a_link_and_its_target_is_rewritten(config: Path) -> None:
    folder = config.parent / "links"
    folder.mkdir()
    link = folder / "mcp.json"
    link.symlink_to(config)
    assert run("wrap", link) == 0
    assert link.is_symlink()
    assert "proxy" in config.read_text(encoding="utf-8")
    assert [path.name for path in folder.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"mcpServers": {\n  "a" {}}}', " is not JSON: line 2, column 7: expected ':'\n"),
        (b"\xff\xfe{\x00}\x00", " is not UTF-8 text\nSave it as UTF-8 and try again.\n"),
        (
            b'{"models": {}}',
            " has no MCP servers\nLooked for an object at 'mcpServers', \"projects.*.mcpServers\", 'servers', "
            "'context_servers', 'mcp.servers' or 'mcp'.\n",
        ),
    ],
)
def test_a_config_that_cannot_be_read_is_reported_and_unchanged(
    config: Path, capsys: pytest.CaptureFixture[str], command: str, content: bytes, message: str
) -> None:
    config.write_bytes(content)
    assert run(command, config) == 2
    assert capsys.readouterr().err == f"fingerpost: {config}{message}"
    assert config.read_bytes() == content


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
def test_a_missing_file_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    missing = tmp_path / "none.json"
    assert run(command, missing) == 2
    assert capsys.readouterr().err == f"fingerpost: cannot read {missing}: No such file or directory\n"


def test_a_file_changed_by_another_program_is_not_overwritten(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrap_late(text: str, proxy: Proxy, only: Any, form: Any) -> Any:
        config.write_text("theirs", encoding="utf-8")
        return wrap(text, proxy, only, form)

    monkeypatch.setattr("fingerpost.client_config.planned_change.wrap", wrap_late)
    assert run("wrap", config) == 2
    assert "was changed by another program\nRun the command again.\n" in capsys.readouterr().err
    assert config.read_text(encoding="utf-8") == "theirs"


def test_a_failed_write_leaves_the_old_file_and_no_temporary_files(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    assert run("wrap", config) == 0
    wrapped = config.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    assert run("unwrap", config) == 2
    assert capsys.readouterr().err == f"fingerpost: cannot write {config}: No space left on device\n"
    config.write_bytes(CLAUDE_DESKTOP.encode())
    assert run("wrap", config) == 2
    assert "cannot write client.json.fingerpost-backup: No space left" in capsys.readouterr().err
    assert wrapped != config.read_bytes() == CLAUDE_DESKTOP.encode()
    assert {path.name for path in config.parent.iterdir()} == {"client.json", "client.json.fingerpost-backup"}


def test_text_that_utf8_cannot_encode_is_reported(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--", "--config", "\udcff") == 2
    assert capsys.readouterr().err == f"fingerpost: {config} cannot be written in UTF-8\n"
    assert config.read_bytes() == CLAUDE_DESKTOP.encode()


@pytest.mark.parametrize(
    "words", [["--bogus", "5"], ["--auto-correct", "perhaps"], ["--timeout", "-1"], ["--listen", "127.0.0.1:0"]]
)
def test_options_that_the_proxy_does_not_accept_are_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    file = tmp_path / "client.json"
    file.write_text('{"mcpServers": {"a": {"command": "npx"}}}')
    assert main(["wrap", str(file), "--", *words]) == 2
    assert file.read_text() == '{"mcpServers": {"a": {"command": "npx"}}}'
    assert capsys.readouterr().err
