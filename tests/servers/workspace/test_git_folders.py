"""What decides which programs Git runs is read, and never changed."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.workspace.paths import is_git_path
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import call_tool, diff, failure, snapshot, write_files

CONFIG = "[core]\n\tbare = false\n"
SPELLINGS = [
    ".git", ".GIT", ".Git", ".git.", ".git ", ".git. .", "git~1", "GIT~1", "git~2", ".git::$INDEX_ALLOCATION",
    ".g\u200cit", ".gi\u202et", "\ufeff.git", "\uff0e\uff47\uff49\uff54",
]  # fmt: skip


@pytest.fixture
def repository(root: Path) -> Path:
    write_files(root, {".git/config": CONFIG, ".git/hooks/old.sample": "x\n", "sub/.git": "gitdir: ../.git\n"})
    (root / ".git/empty").mkdir()
    for name, target in {"to-git": ".git", "to-config": ".git/config", "to-hooks": "src/../.git/hooks"}.items():
        (root / name).symlink_to(target)
    return root


def new_file(path: str) -> str:
    return f"diff --git a/{path} b/{path}\nnew file mode 100755\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"


CALLS: list[tuple[str, tuple[str, ...]]] = [
    ("write_file", (".git/config", "x")), ("write_file", (".git/hooks/pre-commit", "x")),
    ("write_file", (".git", "x")), ("write_file", ("src/.git", "gitdir: /elsewhere\n")),
    ("write_file", ("src/.git/config", "x")), ("write_file", ("sub/.git", "gitdir: x\n")),
    ("write_file", ("sandbox:/.git/config", "x")), ("write_file", ("sandbox:/%2egit/config", "x")),
    ("write_file", ("src/../.git/config", "x")), ("write_file", ("to-git/config", "x")),
    ("write_file", ("to-config", "x")), ("write_file", ("to-hooks/pre-commit", "x")),
    ("move", ("notes.txt", ".git/hooks/pre-commit")), ("move", ("notes.txt", "to-hooks/pre-commit")),
    ("move", ("src", ".git/hooks2")), ("move", ("src", "other/.git")), ("move", (".git/config", "c")),
    ("move", (".git", "git-old")), ("move", ("sub/.git", "x")), ("move", ("to-git/config", "c")),
    ("delete", (".git/config",)), ("delete", (".git/empty",)), ("delete", ("sub/.git",)),
    ("delete", ("to-hooks/old.sample",)),
    ("apply_patch", (diff(CONFIG, f"{CONFIG}\tfsmonitor = x\n", ".git/config"),)),
    ("apply_patch", (diff(CONFIG, f"{CONFIG}\tfsmonitor = x\n", "to-config"),)),
    ("apply_patch", (new_file(".git/hooks/pre-commit"),)), ("apply_patch", (new_file("to-hooks/pre-commit"),)),
    ("apply_patch", (f"{new_file('harmless.txt')}{new_file('src/.git/hooks/pre-commit')}",)),
    ("apply_patch", ("*** Begin Patch\n*** Delete File: .git/config\n*** End Patch",)),
    ("apply_patch", ("*** Begin Patch\n*** Update File: notes.txt\n*** Move to: .git/x\n*** End Patch",)),
    ("apply_patch", ("*** Begin Patch\n*** Update File: .git/config\n*** Move to: x\n*** End Patch",)),
    ("apply_patch", ("diff --git a/notes.txt b/.git/x\ncopy from notes.txt\ncopy to .git/x\n",)),
]  # fmt: skip


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize(("name", "words"), CALLS, ids=[f"{n}-{name}" for n, (name, _) in enumerate(CALLS)])
def test_nothing_below_git_is_changed(repository: Path, name: str, words: tuple[str, ...], dry_run: bool) -> None:
    before = snapshot(repository)
    error = failure(getattr(Workspace(repository), name), *words, dry_run=dry_run)
    assert (error.code, error.category, error.retryable) == ("PERMISSION_DENIED", "permission", False), error
    assert ".git" in error.message and error.likely_fix is None
    assert snapshot(repository) == before


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_of_git_is_refused(space: Workspace, root: Path, name: str) -> None:
    before = snapshot(root)
    for path in (f"{name}/config", f"src/{name}/hooks/pre-commit", name):
        assert failure(space.write_file, path, "x").code == "PERMISSION_DENIED"
        assert failure(space.move, "notes.txt", path).code == "PERMISSION_DENIED"
    assert snapshot(root) == before


@pytest.mark.parametrize(
    "path",
    [".gitignore", ".gitattributes", ".gitmodules", ".github/workflows/ci.yml", "x.git", "git", "git~x"],
)
def test_files_with_similar_names_are_written(space: Workspace, root: Path, path: str) -> None:
    space.write_file(path, "x\n")
    assert (root / path).read_text() == "x\n" and not is_git_path((path,))


def test_git_files_are_read_and_listed(repository: Path) -> None:
    space = Workspace(repository)
    assert space.read_content(".git/config").text == CONFIG
    assert [one["path"] for one in space.list_paths(".git/hooks")["entries"]] == [".git/hooks/old.sample"]


def test_links_to_git_are_moved_and_deleted_themselves(repository: Path) -> None:
    space, config = Workspace(repository), (repository / ".git/config").read_bytes()
    space.move("to-config", "c")
    space.delete("c")
    space.delete("to-git")
    assert (repository / ".git/config").read_bytes() == config


def test_a_folder_that_holds_a_repository_is_moved_with_it(repository: Path) -> None:
    Workspace(repository).move("sub", "lib/sub")
    assert (repository / "lib/sub/.git").read_text() == "gitdir: ../.git\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("delete", {"path": "sub/.gti"}), ("delete", {"path": "/sub/.git"}),
        ("move", {"from_path": "sub/.gti", "to_path": "x"}), ("move", {"from_path": "notse.txt", "to_path": ".git/x"}),
        ("write_file", {"path": "/.git/config", "text": "x"}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: sub/.gti\n*** End Patch"}),
    ],
)  # fmt: skip
def test_no_call_is_suggested_that_would_change_git(repository: Path, name: str, arguments: dict[str, Any]) -> None:
    reply = call_tool(repository, name, arguments)
    offered = [reply.error.get(key) for key in ("corrected_call", "suggestions", "likely_fix")]
    assert reply.is_error and ".git" not in str(offered).replace(".gti", ""), reply.text


@pytest.mark.parametrize(
    "marks", [("HEAD", "objects/x", "refs/x"), ("HEAD", "commondir"), ("head", "OBJECTS/x", "Refs/x")]
)
def test_no_folder_becomes_a_repository_without_that_name(space: Workspace, root: Path, marks: tuple[str, ...]) -> None:
    """Git takes such a folder for a bare repository, and runs what its configuration names."""
    patch = "".join(new_file(f"deep/bare/{name}") for name in ("config", *marks))
    assert failure(space.apply_patch, patch).code == "PERMISSION_DENIED"
    for number, last in enumerate(marks if marks[0] == "HEAD" else ()):
        for name in (one for one in marks if one != last):
            space.write_file(f"d{number}/{name}", "x")
        assert failure(space.write_file, f"d{number}/{last}", "x").code == "PERMISSION_DENIED"
        assert failure(space.move, "notes.txt", f"d{number}/{last}").code == "PERMISSION_DENIED"
        assert space.write_file(f"d{number}/other", "x")["changed"]


def test_a_bare_repository_is_not_changed(space: Workspace, root: Path) -> None:
    write_files(root, {f"r.git/{name}": "x" for name in ("HEAD", "objects/x", "refs/x", "config")})
    before = snapshot(root)
    for do, words in (
        (space.write_file, ("r.git/hooks/update", "x")), (space.write_file, ("r.git/config", "y")),
        (space.delete, ("r.git/HEAD",)), (space.move, ("r.git/HEAD", "x")), (space.move, ("src", "r.git/hooks")),
    ):  # fmt: skip
        assert failure(do, *words).code == "PERMISSION_DENIED"
    assert snapshot(root) == before


def test_the_error_says_why_and_what_to_do(repository: Path) -> None:
    reply = call_tool(repository, "write_file", {"path": ".git/hooks/pre-commit", "text": "x"})
    assert reply.is_error and reply.error["code"] == "PERMISSION_DENIED"
    assert "decides which programs Git runs" in reply.text and "git" in reply.error["hint"]
    assert not os.path.exists(repository / ".git/hooks/pre-commit")
