"""What others put into the workspace while a change is made is never replaced or taken away."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.workspace import new_files
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    NOTES,
    Faults,
    fail_with,
    failure,
    kill_process,
    left_over,
    replace_os,
    run_in_child,
    snapshot,
    write_files,
)

TWO_FILES = (
    "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+2\n*** Add File: new/b.txt\n+b\n"
    "*** Update File: src/app.py\n@@\n def f():\n-    return 1\n+    return 2\n*** End Patch"
)


def before_step(
    space: Workspace, kind: str, name: str, interfere: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let others do something right before the step of this kind at the place of this name."""
    real = space.transactions._do

    def late(number: int, step: Any, stage: int) -> None:
        if step.do == kind and step.at[-1] == name:
            interfere()
        real(number, step, stage)

    monkeypatch.setattr(space.transactions, "_do", late)


def no_exclusive_rename(*args: Any) -> None:
    raise OSError(errno.EINVAL, "not on this file system")


@pytest.fixture(params=["exclusive rename", "two steps", "old library"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How files are renamed without replacing others."""
    if request.param == "two steps":
        monkeypatch.setattr(new_files, "_rename_exclusively", no_exclusive_rename)
    if request.param == "old library":
        monkeypatch.setattr(new_files, "_EXCLUSIVE_RENAME", ("no_such_function", 1))
    return request.param


def assert_conflict(error: Any, path: str) -> None:
    assert (error.code, error.category, error.retryable) == ("CONFLICT", "conflict", True)
    assert path in error.message and "nothing was changed" in error.message


@pytest.mark.parametrize("appears", ["file", "link", "folder", "pipe"])
def test_a_new_file_replaces_nothing_that_appears(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, way: str, appears: str
) -> None:
    makers: dict[str, Callable[[], Any]] = {
        "file": lambda: write_files(root, {"new/b.txt": "someone else's"}),
        "link": lambda: (root / "new/b.txt").symlink_to("../notes.txt"),
        "folder": lambda: (root / "new/b.txt").mkdir(),
        "pipe": lambda: os.mkfifo(root / "new/b.txt"),
    }
    before = snapshot(root)
    before_step(space, "put", "b.txt", makers[appears], monkeypatch)
    assert_conflict(failure(space.apply_patch, TWO_FILES), "new/b.txt")
    after = snapshot(root)
    assert after.pop("new/b.txt")[0][0] == {"file": "-", "link": "l", "folder": "d", "pipe": "p"}[appears]
    assert after.pop("new") and after == before


@pytest.mark.parametrize("source", ["notes.txt", "src", "link"])
@pytest.mark.parametrize("appears", ["file", "folder"])
def test_a_move_replaces_nothing_that_appears(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, way: str, source: str, appears: str
) -> None:
    (root / "link").symlink_to("notes.txt")
    before = snapshot(root)
    place = root / "to"
    make = place.mkdir if appears == "folder" else lambda: place.write_text("someone else's")
    before_step(space, "rename", source, make, monkeypatch)
    assert_conflict(failure(space.move, source, "to"), "to")
    after = snapshot(root)
    assert after.pop("to")[2] == (b"" if appears == "folder" else b"someone else's") and after == before


@pytest.mark.parametrize("source", ["notes.txt", "src", "link"])
def test_everything_is_moved_either_way(space: Workspace, root: Path, way: str, source: str) -> None:
    (root / "link").symlink_to("notes.txt")
    before = snapshot(root)
    space.move(source, "a/to")
    assert not (root / source).is_symlink() and not (root / source).exists()
    space.move("a/to", source)
    space.delete("a")
    assert snapshot(root) == before


@pytest.mark.parametrize("kind", ["put", "drop"])
@pytest.mark.parametrize("how", ["written", "replaced"])
def test_a_file_that_others_change_right_before_the_step_is_kept(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, kind: str, how: str
) -> None:
    def interfere() -> None:
        write_files(root, {"theirs" if how == "replaced" else "src/app.py": "someone else's"})
        (root / "theirs").rename(root / "src/app.py") if how == "replaced" else None

    before = snapshot(root)
    before_step(space, kind, "app.py", interfere, monkeypatch)
    patch = TWO_FILES if kind == "put" else "*** Begin Patch\n*** Delete File: src/app.py\n*** End Patch"
    assert_conflict(failure(space.apply_patch, patch), "src/app.py")
    assert snapshot(root) == before | {"src/app.py": (*before["src/app.py"][:2], b"someone else's")}


def test_a_rollback_keeps_what_others_wrote_after_the_step(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interfere() -> None:
        for name in ("notes.txt", "new/b.txt"):
            write_files(root, {"theirs": "someone else's"})
            (root / "theirs").rename(root / name)
        fail_with(errno.EIO)()

    before_step(space, "put", "app.py", interfere, monkeypatch)
    assert failure(space.apply_patch, TWO_FILES).category == "internal"
    assert (root / "notes.txt").read_text() == (root / "new/b.txt").read_text() == "someone else's"
    assert not left_over(root)


def test_a_rollback_brings_back_a_file_that_others_deleted_after_the_step(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interfere() -> None:
        (root / "notes.txt").unlink()
        (root / "new/b.txt").unlink()
        fail_with(errno.EIO)()

    before = snapshot(root)
    before_step(space, "put", "app.py", interfere, monkeypatch)
    assert failure(space.apply_patch, TWO_FILES).category == "internal"
    assert snapshot(root) == before


def test_a_move_that_others_moved_on_is_not_rolled_back(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def move_on(steps: Any) -> None:
        (root / "to").rename(root / "further")
        write_files(root, {"to": "someone else's"})
        fail_with(errno.EIO)()

    monkeypatch.setattr(space.transactions, "_sync", move_on)
    assert failure(space.move, "notes.txt", "to").category == "internal"
    assert (root / "further").read_text() == NOTES and (root / "to").read_text() == "someone else's"
    assert not left_over(root)


@pytest.mark.parametrize("which", ["move", "write"])
def test_a_rename_in_two_steps_may_be_killed_in_between(
    root: Path, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_files, "_rename_exclusively", no_exclusive_rename)
    changes: dict[str, Callable[[Workspace], Any]] = {
        "move": lambda space: space.move("notes.txt", "to"), "write": lambda space: space.write_file("to", "new\n")
    }  # fmt: skip

    def be_killed() -> None:
        faults = Faults(0, kill_process)
        vars(faults)["unlink"] = lambda *args, **kwargs: kill_process()
        with monkeypatch.context() as patch:
            space = Workspace(root)
            replace_os(patch, faults)
            changes[which](space)

    before = snapshot(root)
    assert not run_in_child(be_killed)
    assert (root / "to").stat().st_nlink == 2 and left_over(root)
    Workspace(root)
    assert snapshot(root) == before


def test_a_move_is_not_rolled_back_over_a_new_file_of_others(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interfere(steps: Any) -> None:
        write_files(root, {"notes.txt": "someone else's"})
        fail_with(errno.EIO)()

    monkeypatch.setattr(space.transactions, "_sync", interfere)
    assert failure(space.move, "notes.txt", "to").category == "internal"
    assert (root / "to").read_text() == NOTES and (root / "notes.txt").read_text() == "someone else's"


def test_a_folder_that_appears_is_a_conflict(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(root)
    before_step(space, "mkdir", "new", lambda: write_files(root, {"new/theirs": "x"}), monkeypatch)
    error = failure(space.apply_patch, TWO_FILES)
    assert (error.category, error.retryable) == ("conflict", True)
    after = snapshot(root)
    assert after.pop("new/theirs")[2] == b"x" and after.pop("new") and after == before


def test_a_failure_to_rename_is_reported(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(root)
    monkeypatch.setattr(new_files, "_rename_exclusively", lambda *args: fail_with(errno.ENOSPC)())
    assert failure(space.write_file, "a.txt", "x").code == "NO_SPACE"
    assert snapshot(root) == before
