"""Changes make no file executable, and none runs as another user."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import stat
from pathlib import Path

import pytest

from fingerpost.servers.workspace.tools import Workspace
from tests.servers.workspace.test_server import call_over_stdio
from tests.support.server_workspace_lab import diff, write_files

NEW = "diff --git a/go b/go\nnew file mode 100755\n--- /dev/null\n+++ b/go\n@@ -0,0 +1 @@\n+go\n"
CHANGED = "diff --git a/notes.txt b/notes.txt\nold mode 100644\nnew mode 100755\n"
COPIED = "diff --git a/run b/copy\ncopy from run\ncopy to copy\n"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def tree_with_program(root: Path) -> Path:
    write_files(root, {"run": "run\n", "others": "run\n"})
    (root / "run").chmod(0o754)
    (root / "others").chmod(0o645)
    return root


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize(
    ("patch", "name"),
    [(NEW, "go"), (CHANGED, "notes.txt"), (COPIED, "copy"), (COPIED.replace("run", "others"), "copy")],
    ids=["new", "changed", "copied", "for others"],
)
def test_nothing_becomes_executable(tree_with_program: Path, patch: str, name: str, dry_run: bool) -> None:
    result = Workspace(tree_with_program).apply_patch(patch, dry_run)
    assert [one for one in result["warnings"] if "--allow-exec" in one and one.startswith(f"{name} is not made exec")]
    assert dry_run or mode(tree_with_program / name) & 0o111 == 0


@pytest.mark.parametrize(("patch", "name"), [(NEW, "go"), (CHANGED, "notes.txt"), (COPIED, "copy")])
def test_the_operator_can_allow_it(tree_with_program: Path, patch: str, name: str) -> None:
    result = Workspace(tree_with_program, allow_exec=True).apply_patch(patch)
    assert mode(tree_with_program / name) & 0o100 and not result["warnings"]


def test_the_command_line_allows_it(tree_with_program: Path) -> None:
    for number, option in enumerate(([], ["--allow-exec"])):
        patch = NEW.replace("go", f"go{number}")
        (reply,) = call_over_stdio(
            ["serve", "workspace", str(tree_with_program), *option], [("apply_patch", {"patch": patch})]
        )
        assert not reply.is_error and bool(mode(tree_with_program / f"go{number}") & 0o100) == bool(option)


def test_a_program_stays_one_when_it_is_changed_or_moved(tree_with_program: Path) -> None:
    space = Workspace(tree_with_program)
    assert not space.apply_patch(diff("run\n", "ran\n", "run"))["warnings"]
    assert not space.write_file("run", "new\n")["warnings"]
    assert mode(tree_with_program / "run") == 0o754
    moved = "*** Begin Patch\n*** Update File: run\n*** Move to: bin/run\n@@\n-new\n+newer\n*** End Patch"
    assert not space.apply_patch(moved)["warnings"]
    assert mode(tree_with_program / "bin/run") == 0o754


@pytest.mark.parametrize("bits", [0o4000, 0o2000, 0o1000, 0o7000])
def test_a_replaced_file_never_runs_as_another_user(tree_with_program: Path, bits: int) -> None:
    path, space = tree_with_program / "run", Workspace(tree_with_program, allow_exec=True)
    path.chmod(0o755 | bits)
    assert mode(path) & bits
    space.write_file("run", "new\n")
    assert mode(path) == 0o755
    path.chmod(0o755 | bits)
    space.apply_patch(diff("new\n", "newer\n", "run"))
    assert mode(path) == 0o755
    path.chmod(0o755 | bits)
    space.apply_patch("diff --git a/run b/copy\ncopy from run\ncopy to copy\n")
    assert mode(tree_with_program / "copy") == 0o755
