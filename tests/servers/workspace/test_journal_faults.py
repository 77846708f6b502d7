"""A patch of many files is all or nothing on a full disk, in a read-only folder, and when the server is killed."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import errno
import os
import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.workspace import new_files
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    NOTES,
    Faults,
    diff,
    error_in_child,
    fail_with,
    kill_process,
    left_over,
    replace_os,
    run_in_child,
    snapshot,
    write_files,
)

FILES = {"a.txt": "a\n", "deep/b.txt": "b\n", "gone.txt": "gone\n", "moved.txt": "moved\n", "kept.txt": "kept\n"}
PATCH = (
    diff(NOTES, NOTES.replace("two", "2"), "notes.txt")
    + diff("a\n", "A\n" * 5000, "a.txt")
    + diff("b\n", "B\n", "deep/b.txt")
    + diff("", "new\n", "new/folder/c.txt").replace("--- a/new/folder/c.txt", "--- /dev/null")
    + diff("", "new\n", "new/d.txt").replace("--- a/new/d.txt", "--- /dev/null")
    + diff("gone\n", "", "gone.txt").replace("+++ b/gone.txt", "+++ /dev/null")
    + "diff --git a/moved.txt b/other/moved.txt\nrename from moved.txt\nrename to other/moved.txt\n"
    + "diff --git a/kept.txt b/copy.txt\ncopy from kept.txt\ncopy to copy.txt\n"
)
NOBODY = 65534


@pytest.fixture
def full_tree(root: Path) -> Path:
    return write_files(root, FILES)


@pytest.fixture
def before(full_tree: Path) -> dict[str, Any]:
    return snapshot(full_tree)


@pytest.fixture
def after(full_tree: Path, tmp_path: Path) -> dict[str, Any]:
    model = shutil.copytree(full_tree, tmp_path / "model")
    Workspace(model).apply_patch(PATCH)
    return snapshot(model)


def no_exclusive_rename(*args: Any) -> None:
    raise OSError(errno.EINVAL, "not on this file system")


def no_link(*args: Any, **kwargs: Any) -> None:
    raise OSError(errno.EPERM, "no hard links here")


def apply_with_faults(root: Path, way: str, faults: Faults) -> None:
    """Apply the patch on a file system with all abilities, without exclusive renames, or without hard links."""
    with pytest.MonkeyPatch.context() as patch:
        space = Workspace(root)
        if way == "no exclusive rename":
            patch.setattr(new_files, "_rename_exclusively", no_exclusive_rename)
        if way == "no hard links":
            vars(faults)["link"] = no_link
        replace_os(patch, faults)
        space.apply_patch(PATCH)


@pytest.mark.parametrize("way", ["everything", "no exclusive rename", "no hard links"])
def test_a_server_that_is_killed_at_any_moment_leaves_all_or_nothing(
    full_tree: Path, tmp_path: Path, before: dict[str, Any], after: dict[str, Any], way: str
) -> None:
    counting = Faults(0, kill_process)
    apply_with_faults(shutil.copytree(full_tree, tmp_path / "counted"), way, counting)
    moments = range(1, counting.count + 1)
    if os.environ.get("HYPOTHESIS_PROFILE") != "soak":
        moments = sorted({*random.Random(way).sample(moments, 15), counting.count})
    seen: list[bool] = []
    for moment in moments:
        root = shutil.copytree(full_tree, tmp_path / f"at-{moment}")
        assert not run_in_child(lambda: apply_with_faults(root, way, Faults(moment, kill_process)))  # noqa: B023
        Workspace(root)
        now = snapshot(root)
        assert now in (before, after), f"moment {moment}"
        seen.append(now == after)
    assert seen == sorted(seen) and not seen[0] and seen[-1]  # committed at one moment, and not before


def limit_file_size(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 1, 100, 2000, 9999])
def test_a_file_that_the_system_cannot_hold_leaves_nothing(full_tree: Path, before: dict[str, Any], size: int) -> None:
    """The kernel stops the write in the middle; one file of the patch has 10,000 bytes."""
    space = Workspace(full_tree)
    assert error_in_child(lambda: space.apply_patch(PATCH), limit_file_size(size)) == "NO_SPACE"
    assert snapshot(full_tree) == before


def test_a_limit_that_is_large_enough_is_no_error(full_tree: Path, after: dict[str, Any]) -> None:
    space = Workspace(full_tree)
    assert error_in_child(lambda: space.apply_patch(PATCH), limit_file_size(10_000)) == "done"
    assert snapshot(full_tree) == after


def test_a_disk_that_is_full_from_some_moment_on_leaves_nothing(
    full_tree: Path, tmp_path: Path, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """What needs room fails from then on; what frees room works."""
    moment = 0
    while True:
        moment += 1
        root = shutil.copytree(full_tree, tmp_path / f"at-{moment}")
        full = Faults(moment, fail_with(errno.ENOSPC), for_good=True, names=("write", "link", "mkdir"))
        code = error_in_child(lambda: apply_with_faults(root, "everything", full), lambda: None)  # noqa: B023
        assert snapshot(root) == (after if code == "done" else before), moment
        assert code in ("NO_SPACE", "done")
        if code == "done":
            break
    assert moment > 10


def become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def give_to_nobody(root: Path) -> None:
    if os.geteuid() == 0:
        for path in (root, *root.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("folder", [".", "deep", "src"])
def test_a_read_only_folder_leaves_nothing(full_tree: Path, tmp_path: Path, folder: str) -> None:
    give_to_nobody(full_tree)
    (full_tree / folder).chmod(0o555)
    before, space = snapshot(full_tree), Workspace(full_tree)
    code = error_in_child(lambda: space.apply_patch(PATCH), become_nobody)
    assert code == ("done" if folder == "src" else "permission")
    assert (snapshot(full_tree) == before) == (folder != "src") and not left_over(full_tree)
    (full_tree / folder).chmod(0o755)


def test_a_folder_that_turns_read_only_during_a_change_is_restored_later(full_tree: Path) -> None:
    """The rollback fails, too. The next start completes it."""
    give_to_nobody(full_tree)
    before, space = snapshot(full_tree), Workspace(full_tree)
    deep = os.open(full_tree / "deep", os.O_RDONLY)

    def lock_folder(steps: Any) -> None:
        os.fchmod(deep, 0o555)
        fail_with(errno.EIO)()

    space.transactions._sync = lock_folder  # type: ignore[method-assign]
    assert error_in_child(lambda: space.apply_patch(PATCH), become_nobody) == "permission"
    os.close(deep)
    assert left_over(full_tree)
    (full_tree / "deep").chmod(before["deep"][1])
    assert error_in_child(Workspace(full_tree).transactions.recover, become_nobody) == "done"
    assert snapshot(full_tree) == before
