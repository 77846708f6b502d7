"""Which files are read, and what a written file keeps: its owner, its mode, its place behind a link."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.client_config.config_file import ConfigFile
from fingerpost.terminal.command_error import CommandError

NOBODY = 65534


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "mcp.json"
    path.write_text("{}", encoding="utf-8")
    return path


def record_owners(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """Record the owners that are set, and set none, so that the test needs no rights."""
    owners: list[tuple[str, int, int]] = []

    def chown(path: str, user: int, group: int) -> None:
        owners.append((Path(path).name, user, group))

    monkeypatch.setattr(os, "chown", chown)
    return owners


def owned_by(config: ConfigFile, user: int, group: int) -> ConfigFile:
    """The same file as if somebody else owned it."""
    values: list[Any] = list(config.status)
    values[stat.ST_UID], values[stat.ST_GID] = user, group
    return ConfigFile(config.name, config.path, config.content, config.text, os.stat_result(values))


def test_a_written_file_gets_the_owner_and_mode_of_the_old_one(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.chmod(0o640)
    owners = record_owners(monkeypatch)
    theirs = owned_by(ConfigFile.read(str(config)), NOBODY, NOBODY)
    theirs.write("[]")
    theirs.back_up()
    assert [(user, group) for _, user, group in owners] == [(NOBODY, NOBODY)] * 2
    assert all(name.startswith(".mcp.json") for name, _, _ in owners)  # before the file is in its place
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert sorted(path.name for path in config.parent.iterdir()) == ["mcp.json", "mcp.json.fingerpost-backup"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_root_does_not_lock_the_user_out(config: Path) -> None:
    os.chown(config, NOBODY, NOBODY)
    config.chmod(0o600)
    read = ConfigFile.read(str(config))
    backup = read.back_up()
    read.write("[]")
    for path in (config, backup):
        status = path.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (NOBODY, NOBODY, 0o600)


def test_no_owner_is_set_if_it_is_right_already(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = record_owners(monkeypatch)
    ConfigFile.read(str(config)).write("[]")
    assert (owners, config.read_text(encoding="utf-8")) == ([], "[]")


def test_a_file_is_not_replaced_if_its_owner_cannot_be_kept(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, user: int, group: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(CommandError, match=r"cannot write .*: Operation not permitted"):
        owned_by(ConfigFile.read(str(config)), NOBODY, NOBODY).write("[]")
    assert config.read_text(encoding="utf-8") == "{}"
    assert [path.name for path in config.parent.iterdir()] == ["mcp.json"]


def test_a_system_without_owners_is_written_too(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "chown")
    owned_by(ConfigFile.read(str(config)), NOBODY, NOBODY).write("[]")
    assert config.read_text(encoding="utf-8") == "[]"


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as endpoint:
        endpoint.bind(os.fspath(tmp_path / "s"))
        for path, kind in ((tmp_path, "a folder"), (pipe, "a pipe"), (tmp_path / "s", "a socket")):
            with pytest.raises(CommandError) as raised:
                ConfigFile.read(str(path))
            assert str(raised.value) == f"{path} is {kind}"
            assert raised.value.way_out == "Give the client's config file."
    with pytest.raises(CommandError, match=r"^/dev/null is a device$"):
        ConfigFile.read("/dev/null")


@pytest.mark.parametrize(
    ("mode", "kind"), [(stat.S_IFBLK, "a device"), (0o140000 | 0o1, "a socket"), (0, "a special file")]
)
def test_other_kinds_of_files_are_named_too(
    config: Path, monkeypatch: pytest.MonkeyPatch, mode: int, kind: str
) -> None:
    values: list[Any] = list(config.stat())
    values[stat.ST_MODE] = mode

    def status_of(path: Path) -> os.stat_result:
        return os.stat_result(values)

    monkeypatch.setattr(Path, "stat", status_of)
    with pytest.raises(CommandError, match=f"is {kind}$"):
        ConfigFile.read(str(config))


def test_a_link_to_a_link_is_followed_and_stays(config: Path) -> None:
    first, second = config.with_name("first"), config.with_name("second")
    first.symlink_to(config.name)
    second.symlink_to(first.name)
    ConfigFile.read(str(second)).write("[]")
    assert (config.read_text(encoding="utf-8"), first.is_symlink(), second.is_symlink()) == ("[]", True, True)


def test_the_commands_need_no_module_that_windows_lacks() -> None:
    code = (
        "import sys\n"
        "for name in ('fcntl', 'grp', 'pwd', 'pty', 'resource', 'syslog', 'termios', 'tty'):\n"
        "    sys.modules[name] = None\n"
        "from fingerpost.cli.main import main\n"
        "sys.exit(main(['wrap', '--help']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--dry-run" in done.stdout
