"""A change is made completely or not at all, at whatever moment it fails."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import errno
import os
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace import tools
from fingerpost.servers.workspace.paths import STAGING, staging_name
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    NOTES,
    Faults,
    diff,
    fail_with,
    failure,
    kill_process,
    left_over,
    replace_os,
    run_in_child,
    snapshot,
    staging_folder,
    write_files,
)

CHANGES = (
    diff(NOTES, NOTES.replace("two", "2"), "notes.txt")
    + "diff --git a/src/app.py b/lib/new/app.py\nrename from src/app.py\nrename to lib/new/app.py\n"
    + "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
    + "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+run\n"
)


def changes(space: Workspace) -> list[Any]:
    return [
        lambda: space.apply_patch(CHANGES),
        lambda: space.move("src", "a/b/src"),
        lambda: space.delete("empty"),
        lambda: space.write_file("notes.txt", "new\n"),
    ]


@pytest.fixture
def tree_with_more(root: Path) -> Path:
    write_files(root, {"gone.txt": "gone\n"})
    (root / "empty").mkdir(mode=0o750)
    (root / "notes.txt").chmod(0o640)
    return root


def before_and_after(root: Path, scratch: Path, which: int) -> tuple[Any, Any]:
    """The tree before a change and after it."""
    import shutil

    shutil.copytree(root, scratch, symlinks=True)
    before = snapshot(scratch)
    changes(Workspace(scratch))[which]()
    return before, snapshot(scratch)


def run_with_faults(do: Any, monkeypatch: pytest.MonkeyPatch, faults: Faults) -> int:
    replace_os(monkeypatch, faults)
    try:
        do()
    except ToolOperationError:
        pass
    finally:
        monkeypatch.undo()
    return faults.count


def run_and_be_killed(root: Path, which: int, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """Change a tree, and be kill_process at some moment of it."""
    run_with_faults(changes(Workspace(root))[which], monkeypatch, Faults(moment, kill_process))


def pick_moments(count: int, thorough: bool, seed: int) -> list[int]:
    every = range(1, count + 2)
    return list(every) if thorough else sorted(random.Random(seed).sample(every, min(10, len(every))))


@pytest.fixture
def thorough() -> bool:
    """Whether to try every moment, and not a sample."""
    return os.environ.get("HYPOTHESIS_PROFILE") == "soak"


def copy_tree(tree_with_more: Path, before: dict[str, Any], scratch: Path) -> Path:
    """Copy the tree into its own folder."""
    import shutil

    shutil.copytree(tree_with_more, scratch, symlinks=True)
    assert snapshot(scratch) == before
    return scratch


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("kind", ["once", "for good", "killed"])
def test_a_failure_at_any_moment_leaves_all_or_nothing(
    tree_with_more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int, kind: str, thorough: bool
) -> None:
    before, after = before_and_after(tree_with_more, tmp_path / "model", which)
    counted = Workspace(copy_tree(tree_with_more, before, tmp_path / "counted"))
    count = run_with_faults(changes(counted)[which], monkeypatch, Faults(0, kill_process))
    seen = set[bool]()
    for moment in pick_moments(count, thorough or kind == "once", which):
        root = copy_tree(tree_with_more, before, tmp_path / f"at-{moment}")
        if kind == "killed":
            run_in_child(lambda: run_and_be_killed(root, which, monkeypatch, moment))  # noqa: B023
        else:
            space = Workspace(root)
            number = (errno.EIO, errno.EACCES, errno.ENOSPC)[moment % 3]
            faults = Faults(moment, fail_with(number), for_good=kind == "for good")
            run_with_faults(changes(space)[which], monkeypatch, faults)
        Workspace(root)
        now = snapshot(root)
        assert now in (before, after), f"moment {moment}"
        seen.add(now == after)
    assert seen == {True, False} or not (thorough or kind == "once")


@pytest.mark.parametrize("which", range(4))
def test_a_rollback_may_be_interrupted_and_repeated(
    tree_with_more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int, thorough: bool
) -> None:
    before, after = before_and_after(tree_with_more, tmp_path / "model", which)
    probe = Workspace(copy_tree(tree_with_more, before, tmp_path / "counted"))
    count = run_with_faults(changes(probe)[which], monkeypatch, Faults(0, kill_process))
    for moment in pick_moments(count, thorough, which)[0 if thorough else -6 :]:
        root = copy_tree(tree_with_more, before, tmp_path / f"at-{moment}")
        run_in_child(lambda: run_and_be_killed(root, which, monkeypatch, moment))  # noqa: B023
        for second in range(1, 30, 1 if thorough else 7):
            breaking = Faults(second, kill_process)
            run_in_child(lambda: run_with_faults(lambda: Workspace(root), monkeypatch, breaking))  # noqa: B023
        Workspace(root)
        assert snapshot(root) in (before, after)


def test_a_rollback_is_not_repeated_after_it_succeeded(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, faults = snapshot(root), Faults(0, kill_process)
    vars(faults)["unlink"] = lambda *args, **kwargs: fail_with(errno.EIO)()
    with monkeypatch.context() as patch:
        replace_os(patch, faults)
        assert failure(space.write_file, "notes.txt", "new\n").category == "internal"
    assert (root / left_over(root)[0] / "journal").exists()
    assert space.read_content("notes.txt").text == NOTES and snapshot(root) == before


def test_an_empty_folder_is_restored_with_its_mode_at_the_second_attempt(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "empty").mkdir(mode=0o750)
    before, faults = snapshot(root), Faults(0, kill_process)
    vars(faults)["fchmod"] = lambda fd, mode: fail_with(errno.EIO)() if mode == 0o750 else os.fchmod(fd, mode)
    with monkeypatch.context() as patch:
        patch.setattr(space.transactions, "_sync", lambda steps: fail_with(errno.EIO)())
        replace_os(patch, faults)
        assert failure(space.delete, "empty").category == "internal"
    Workspace(root)
    assert snapshot(root) == before


def test_a_file_that_others_create_meanwhile_is_not_rolled_back(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*args: Any) -> None:
        write_files(root, {"a.txt": "someone else's"})
        fail_with(errno.EIO)()

    monkeypatch.setattr(space.transactions, "_do", late)
    assert failure(space.write_file, "a.txt", "x").category == "internal"
    assert (root / "a.txt").read_text() == "someone else's" and not left_over(root)


def test_a_full_disk_and_a_forbidden_path_have_different_errors(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {28: "NO_SPACE", 13: None, 30: None, 5: None}
    categories = {28: "internal", 13: "permission", 30: "permission", 5: "internal"}
    before = snapshot(root)
    for number, code in expected.items():
        with monkeypatch.context() as patch:
            replace_os(patch, Faults(3, fail_with(number)))
            error = failure(space.write_file, "a.txt", "x")
        assert (error.code, error.category) == (code, categories[number])
        assert str(root) not in str(error) and snapshot(root) == before


def test_without_hard_links_old_files_are_copied(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(root)

    def link(*args: Any, **kwargs: Any) -> None:
        raise PermissionError(1, "no hard links here")

    faults = Faults(0, kill_process)
    vars(faults)["link"] = link
    replace_os(monkeypatch, faults)
    real = space.transactions._sync
    monkeypatch.setattr(space.transactions, "_sync", lambda steps: fail_with(5)())
    assert failure(space.write_file, "notes.txt", "new\n").category == "internal"
    assert snapshot(root) == before
    monkeypatch.setattr(space.transactions, "_sync", real)
    space.write_file("notes.txt", "new\n")
    assert (root / "notes.txt").read_text() == "new\n"


def test_a_file_that_others_change_meanwhile_is_not_overwritten(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = space.transactions.commit

    def late(steps: Any) -> None:
        (root / "notes.txt").write_text("someone else's, and longer than before\n")
        commit(steps)

    monkeypatch.setattr(space.transactions, "commit", late)
    error = failure(space.apply_patch, diff(NOTES, "x\n", "notes.txt"))
    assert (error.category, error.retryable) == ("conflict", True)
    assert (root / "notes.txt").read_text().startswith("someone") and not left_over(root)


def test_a_patch_is_planned_without_the_lock_and_again_if_others_change_its_files(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_patch, other = tools.plan_patch, Workspace(root)
    changes = iter([lambda: other.write_file("notes.txt", f"zero\n{NOTES}")])

    def late(*args: Any) -> Any:
        plan = plan_patch(*args)
        for change in changes:
            change()
        return plan

    monkeypatch.setattr(tools, "plan_patch", late)
    space.apply_patch(diff(NOTES, NOTES.replace("two", "2"), "notes.txt"))
    assert (root / "notes.txt").read_text() == "zero\n" + NOTES.replace("two", "2")


def test_a_file_that_vanishes_meanwhile_is_a_conflict(
    space: Workspace, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    real = space.transactions.commit

    def late(steps: Any) -> None:
        (root / "notes.txt").unlink()
        real(steps)

    monkeypatch.setattr(space.transactions, "commit", late)
    assert failure(space.move, "notes.txt", "n.txt").category == "conflict"
    assert not left_over(root)


def test_two_servers_take_turns_and_a_waiting_one_times_out(root: Path) -> None:
    first, second = Workspace(root), Workspace(root)
    second.transactions._timeout = 0.1
    with first.transactions.lock():
        error = failure(second.write_file, "a.txt", "x")
        assert (error.category, error.retryable) == ("conflict", True)
    assert second.write_file("a.txt", "x")["changed"]
    second.transactions._timeout = 60
    with first.transactions.lock():
        waiting = threading.Thread(target=lambda: second.write_file("b.txt", "x"))
        waiting.start()
        time.sleep(0.05)  # a thread that does not wait for its turn has the time to write
        assert not (root / "b.txt").exists()
    waiting.join(60)
    assert (root / "b.txt").exists()


def test_calls_of_one_server_take_turns(space: Workspace) -> None:
    space.transactions._timeout = 0.05
    with space.transactions.lock():
        caught: list[ToolOperationError] = []
        other = threading.Thread(target=lambda: caught.append(failure(space.write_file, "notes.txt", "x")))
        other.start()
        other.join(60)
    assert caught[0].category == "conflict"


@pytest.mark.parametrize(
    "held", [b"{}", b"[]", b"no JSON", b'{"stage": 1, "steps": [{"do": "drop", "at": ["notes.txt"]}]}']
)
def test_a_damaged_journal_is_named_and_not_touched(root: Path, held: bytes) -> None:
    write_files(root, {f"{staging_folder(root)}/journal": held})
    before = snapshot(root)
    error = failure(Workspace(root).read_content, "notes.txt")
    assert (error.code, error.retryable) == ("CONFLICT", False) and "move that folder away" in str(error.hint)
    assert f"{staging_folder(root)}/journal in the workspace is damaged" in error.message and snapshot(root) == before


def test_a_journal_that_is_a_folder_is_damaged(root: Path) -> None:
    write_files(root, {f"{staging_folder(root)}/journal/mine.txt": "mine"})
    assert "damaged" in failure(Workspace(root).read_content, "notes.txt").message


def test_staged_files_without_a_journal_are_deleted(root: Path) -> None:
    before = snapshot(root)
    write_files(root, {f"{staging_folder(root)}/{name}": "x" for name in ("new-0", "old-12", "draft")})
    (root / staging_folder(root) / "old-1").symlink_to("/etc/passwd")
    write_files(root, {f"{staging_name('second', root.stat().st_ino)}/new-0": "x"})
    Workspace(root)
    assert snapshot(root) == before


def test_files_of_others_in_a_staging_folder_stay_and_block_nothing(root: Path) -> None:
    mine = {"mine.txt": "mine", "new-0.bak": "mine", "old-1/mine.txt": "mine"}
    write_files(root, {f"{staging_folder(root)}/{name}": held for name, held in (mine | {"new-0": "x"}).items()})
    make_every_change(Workspace(root))
    assert not (root / staging_folder(root) / "new-0").exists()
    assert {name: (root / staging_folder(root) / name).read_text() for name in mine} == mine


def make_every_change(space: Workspace) -> None:
    """Make every kind of change."""
    space.write_file("w.txt", "one\n")
    space.apply_patch(diff("one\n", "two\n", "w.txt"))
    space.move("w.txt", "deep/w.txt")
    assert space.read_content("deep/w.txt").text == "two\n"
    space.delete("deep/w.txt")
    space.delete("deep")


@pytest.mark.parametrize("name", [STAGING, STAGING.upper(), f"{STAGING}-1", f"{STAGING}-0123abcd-0123456789abcdef"])
@pytest.mark.parametrize(
    "kind", ["file", "link", "dangling", "pipe", "empty", "files", "journal", "subfolder", "copied", "forbidden"]
)
def test_names_that_resemble_a_staging_folder_are_not_touched_and_block_nothing(
    root: Path, name: str, kind: str
) -> None:
    write_files(root.parent, {"elsewhere/new-0": "mine"})
    match kind:
        case "file":
            write_files(root, {name: "mine"})
        case "link":
            (root / name).symlink_to(root.parent / "elsewhere")
        case "dangling":
            (root / name).symlink_to("nowhere")
        case "pipe":
            os.mkfifo(root / name)
        case "empty" | "forbidden":
            (root / name).mkdir(mode=0o700 if kind == "empty" else 0)
        case "files":
            write_files(root, {f"{name}/{one}": "mine" for one in ("mine.txt", "new-0", "old-0", "draft")})
        case "journal":
            steps = '[{"do": "drop", "at": ["notes.txt"]}]'
            write_files(root, {f"{name}/journal": f'{{"stage": 1, "steps": {steps}}}', f"{name}/old-0": "mine"})
        case "subfolder":
            write_files(root, {f"{name}/new-0/mine.txt": "mine"})
        case _:
            write_files(
                root, {f"{staging_name('0123abcd', root.parent.stat().st_ino)}/new-0": "from another workspace"}
            )
    before, elsewhere = snapshot(root), snapshot(root.parent / "elsewhere")
    make_every_change(Workspace(root))
    assert snapshot(root) == before and snapshot(root.parent / "elsewhere") == elsewhere
    (root / name).chmod(0o700) if kind == "forbidden" else None


def test_a_folder_that_resembles_a_staging_folder_is_used_as_any_other(space: Workspace, root: Path) -> None:
    write_files(root, {f"{STAGING}/mine.txt": "mine"})
    assert space.read_content(f"{STAGING}/mine.txt").text == "mine"
    assert STAGING in [entry["path"] for entry in space.list_paths()["entries"]]
    (root / staging_folder(root)).write_text("no folder")
    assert space.list_paths()["total"] == 3 and (root / staging_folder(root)).exists()
