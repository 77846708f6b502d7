"""A journal that others put into the workspace changes nothing, and is named in the error."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.workspace import journal
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    NOTES,
    fail_with,
    failure,
    left_over,
    snapshot,
    staging_folder,
    write_files,
)

INODE_OF_VICTIM = -1


def plant(root: Path, *steps: dict[str, Any], old: str = "planted") -> Path:
    """Plant a journal as somebody would who knows how a staging folder is named."""
    write_files(root.parent, {"victim.txt": "victim", "outside/victim.txt": "victim"})
    stage = root / staging_folder(root)
    stage.mkdir(0o700)
    for number, step in enumerate(steps):
        (stage / f"old-{number}").write_text(old)
        step.update({key: value for key, value in {"to": [], "mode": None, "had": True}.items() if key not in step})
        if step.get("ino") == INODE_OF_VICTIM:
            step["ino"] = (root.parent / "victim.txt").stat().st_ino
    (stage / "journal").write_text(json.dumps({"stage": stage.stat().st_ino, "steps": steps}))
    (stage / "journal").chmod(0o600)
    return stage


def assert_refused(root: Path) -> None:
    before = snapshot(root.parent)
    space = Workspace(root)
    for do, words in ((space.write_file, ("notes.txt", "x")), (space.read_content, ("notes.txt",))):
        error = failure(do, *words)
        assert (error.code, error.retryable) == ("CONFLICT", False) and staging_folder(root) in error.message
    assert snapshot(root.parent) == before


@pytest.mark.parametrize(
    "at",
    [
        ["..", "victim.txt"], ["src", "..", "..", "victim.txt"], ["../victim.txt"], ["/", "victim.txt"], [""], [],
        ["", "notes.txt"], ["."], [".", "notes.txt"], ["src/app.py"], ["a\0b"], ["\ud800"], "notes.txt", None, [1],
        [".git", "config"], [".GIT", "config"], ["src", ".git", "hooks", "x"], ["OURS", "journal"], ["OURS"],
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "step",
    [
        {"do": "put", "ino": INODE_OF_VICTIM}, {"do": "put", "had": False, "ino": INODE_OF_VICTIM},
        {"do": "drop", "ino": None}, {"do": "mkdir", "ino": None}, {"do": "rmdir", "mode": 0o777, "ino": None},
        {"do": "rename", "ino": INODE_OF_VICTIM, "to": ["new.txt"]},
    ],
    ids=lambda step: f"{step['do']}-{step.get('had')}",
)  # fmt: skip
def test_a_planted_journal_reaches_no_place_outside_and_no_control_file(
    root: Path, at: Any, step: dict[str, Any]
) -> None:
    names = [staging_folder(root) if name == "OURS" else name for name in at] if isinstance(at, list) else at
    plant(root, {**step, "at": names})
    assert_refused(root)


@pytest.mark.parametrize("to", [["..", "victim.txt"], ["/etc"], [], [".git"], ["OURS", "x"], None])
def test_a_planted_journal_moves_nothing_in_from_outside(root: Path, to: Any) -> None:
    names = [staging_folder(root) if name == "OURS" else name for name in to] if to else to
    plant(root, {"do": "rename", "at": ["new.txt"], "to": names, "ino": INODE_OF_VICTIM})
    assert_refused(root)


@pytest.mark.parametrize(
    "change",
    [
        {"do": "chmod"}, {"do": None}, {"had": 1}, {"had": None}, {"mode": "x"}, {"mode": -1}, {"mode": 1 << 20},
        {"mode": True}, {"ino": "x"}, {"ino": None}, {"more": 1}, {"to": ["x"]}, {"do": "rmdir"}, {"do": "drop"},
    ],
)  # fmt: skip
def test_a_step_with_values_that_no_server_writes_is_refused(root: Path, change: dict[str, Any]) -> None:
    plant(root, {"do": "put", "at": ["notes.txt"], "ino": 1} | change)
    assert_refused(root)


@pytest.mark.parametrize("steps", [None, {}, [1], "steps"])
def test_a_journal_without_a_list_of_steps_is_refused(root: Path, steps: Any) -> None:
    stage = plant(root)
    (stage / "journal").write_text(json.dumps({"stage": stage.stat().st_ino, "steps": steps}))
    assert_refused(root)


def test_a_folder_that_is_now_a_link_leads_nowhere(root: Path) -> None:
    plant(root, {"do": "drop", "at": ["link", "new.txt"], "ino": None})
    (root / "link").symlink_to(root.parent / "outside")
    assert_refused(root)


def make_writable_by_others(stage: Path) -> None:
    stage.chmod(0o777)


def make_journal_writable_by_group(stage: Path) -> None:
    (stage / "journal").chmod(0o620)


def link_journal(stage: Path) -> None:
    os.link(stage / "journal", stage.parent / "second-name")


def link_journal_from_elsewhere(stage: Path) -> None:
    (stage / "journal").rename(stage.parent / "elsewhere")
    (stage / "journal").symlink_to("../elsewhere")


def make_journal_a_pipe(stage: Path) -> None:
    (stage / "journal").unlink()
    os.mkfifo(stage / "journal", 0o600)


def make_old_file_a_pipe(stage: Path) -> None:
    (stage / "old-0").unlink()
    os.mkfifo(stage / "old-0")


@pytest.mark.parametrize(
    "tamper",
    [
        make_writable_by_others, make_journal_writable_by_group, link_journal, link_journal_from_elsewhere,
        make_journal_a_pipe, make_old_file_a_pipe,
    ],
)  # fmt: skip
def test_a_staging_folder_that_others_can_write_to_is_refused(root: Path, tamper: Callable[[Path], None]) -> None:
    tamper(plant(root, {"do": "drop", "at": ["new.txt"], "ino": None}))
    assert_refused(root)


@pytest.mark.parametrize("which", ["folder", "journal"])
def test_a_staging_folder_of_another_user_is_refused(root: Path, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = plant(root, {"do": "drop", "at": ["new.txt"], "ino": None})
    place = stage if which == "folder" else stage / "journal"
    if os.geteuid() == 0:
        os.chown(place, 65534, 65534)
    else:
        monkeypatch.setattr(journal, "_user", lambda: os.geteuid() + 1)
    assert_refused(root)


def test_a_folder_of_others_without_a_journal_stays_and_blocks_nothing(root: Path) -> None:
    stage = plant(root, {"do": "drop", "at": ["new.txt"], "ino": None})
    (stage / "journal").unlink()
    make_writable_by_others(stage)
    Workspace(root).write_file("a.txt", "x")
    assert (stage / "old-0").read_text() == "planted" and (root / "a.txt").read_text() == "x"


def test_a_folder_that_cannot_be_opened_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(root)
    space = Workspace(root)
    (root / staging_folder(root)).mkdir()
    real = space.tree.folder
    monkeypatch.setattr(space.tree, "folder", lambda at: fail_with(13)() if at == (staging_folder(root),) else real(at))
    error = failure(space.write_file, "a.txt", "x")
    assert error.code == "CONFLICT" and staging_folder(root) in error.message


def test_a_journal_of_this_user_with_places_inside_is_rolled_back(root: Path) -> None:
    """So the tests above fail for the reason they name."""
    plant(root, {"do": "drop", "at": ["new.txt"], "ino": None}, old="restored")
    Workspace(root)
    assert (root / "new.txt").read_text() == "restored" and not left_over(root)
    assert (root / "notes.txt").read_text() == NOTES
