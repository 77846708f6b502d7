"""`write_file`, `move` and `delete`, and the paths that errors suggest."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import os
import random
import stat
from pathlib import Path
from typing import Any

import pytest

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    APP,
    NOTES,
    call_tool,
    diff,
    edit_randomly,
    failure,
    snapshot,
    write_files,
)


def test_a_file_is_written_with_its_folders_and_reported(space: Workspace, root: Path) -> None:
    result = space.write_file("a/b/c.txt", "x\ny\n")
    assert result == {
        "changed": [{"path": "a/b/c.txt", "action": "created", "added": 2, "removed": 0}],
        "dry_run": False, "created_folders": ["a", "a/b"], "warnings": [], "bytes": 4, "lines": 2,
        "diff": ["@@ -0,0 +1,2 @@", "+x", "+y"],
    }  # fmt: skip
    (root / "a/b/c.txt").chmod(0o750)
    result = space.write_file("a/b/c.txt", "x\nz\n")
    assert result["changed"] == [{"path": "a/b/c.txt", "action": "replaced", "added": 1, "removed": 1}]
    assert stat.S_IMODE((root / "a/b/c.txt").stat().st_mode) == 0o750
    assert space.write_file("a/b/c.txt", "x\nz\n")["changed"][0]["action"] == "unchanged"


def test_changes_of_encoding_and_line_endings_are_reported(space: Workspace, root: Path) -> None:
    write_files(root, {"bom.txt": b"\xef\xbb\xbfa\r\n", "bin": b"\0\1"})
    assert len(space.write_file("bom.txt", "b\n")["warnings"]) == 2
    assert space.write_file("bin", "b\n")["warnings"] == ["The file was not text before"]
    assert failure(space.write_file, "x.txt", "\ud800").code == "INVALID_INPUT"
    assert failure(space.write_file, "notes.txt/x", "x").category == "conflict"
    assert failure(space.write_file, "src", "x").code == "INVALID_INPUT"


def test_a_large_replacement_is_summarized_in_bounded_time(space: Workspace, root: Path) -> None:
    write_files(root, {"big.txt": "".join(f"{n}\n" for n in range(50_000))})
    result = space.write_file("big.txt", "".join(f"{n * 7 % 50_000}\n" for n in range(50_000)))
    assert result["changed"][0]["added"] > 40_000 and len(result["diff"]) <= 41
    lines = [f"{n}\n" for n in range(50_000)]
    write_files(root, {"big.txt": "".join(lines)})
    lines[40_000] = "new\n"
    result = space.write_file("big.txt", "".join(lines))
    assert (result["changed"][0]["added"], result["diff"][0]) == (1, "@@ -39998,7 +39998,7 @@")


def test_a_move_replaces_nothing_and_creates_folders(space: Workspace, root: Path) -> None:
    error = failure(space.move, "notes.txt", "src/app.py")
    assert error.category == "conflict" and "Delete it first" in str(error.hint)
    assert space.move("src", "lib/code")["created_folders"] == ["lib"]
    assert (root / "lib/code/app.py").read_text() == APP
    into = failure(space.move, "notes.txt", "lib/code/")
    assert (into.parameter, into.likely_fix) == ("to_path", "lib/code/notes.txt")
    for words in (("lib", "lib/inner"), (".", "x"), ("notes.txt", "notes.txt"), ("notes.txt", "."), ("lib", "lib")):
        assert failure(space.move, *words).category == "conflict"
    assert failure(space.move, "notse.txt", "x").code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("delete", {"path": "/"}),
        ("delete", {"path": "/src"}),
        ("delete", {"path": "/zzz.bin"}),
        ("write_file", {"path": "/", "text": "x"}),
        ("write_file", {"path": "/src", "text": "x"}),
        ("write_file", {"path": "/notes.txt/x", "text": "x"}),
        ("read_content", {"content_url": "/"}),
        ("read_content", {"content_url": "/src"}),
        ("read_content", {"content_url": "scr"}),
        ("read_content", {"content_url": "notse.txt", "offset": 900}),
        ("move", {"from_path": "notse.txt", "to_path": "src/app.py"}),
        ("move", {"from_path": "/", "to_path": "x"}),
        ("move", {"from_path": "src/app.py", "to_path": "/notes.txt"}),
        ("move", {"from_path": "notes.txt", "to_path": "full"}),
        ("move", {"from_path": "src/app.py", "to_path": "src"}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: /notes.txt\n*** End Patch"}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: /src/ap.py\n*** End Patch"}),
    ],
)
def test_no_corrected_call_is_suggested_that_would_fail(root: Path, name: str, arguments: dict[str, Any]) -> None:
    write_files(root, {"full/notes.txt": "x"})
    reply = call_tool(root, name, arguments)
    assert reply.is_error and reply.error["hint"], reply.text
    assert "corrected_call" not in reply.error and "Corrected call" not in reply.text


def error_of(space: Workspace, name: str, words: tuple[Any, ...]) -> ToolOperationError | None:
    try:
        getattr(space, name)(*words)
    except ToolOperationError as error:
        return error
    return None


def wrong_paths(root: Path) -> list[str]:
    """Misspelled and unusual paths to what exists in a tree."""
    there = [str(path.relative_to(root)) for path in sorted(root.rglob("*"))]
    slips = [f"{path[:-3]}{path[-2:]}{path[-3:-2]}" for path in there] + [path.upper() for path in there]
    slips += [path[:-1] for path in there] + [path.replace("e", "", 1) for path in there]
    result = ["", ".", *there, *slips, "new.txt", "src/new.txt", "notes.txt/new.txt", "none/new.txt", "zzz"]
    forms = ("{}", "/{}", "sandbox:/{}", "sandbox:{}", "file:/{}", f"{root}/{{}}", f"file://{root}/{{}}", "{}/")
    return [form.format(path) for path in dict.fromkeys(result) for form in forms]


@pytest.mark.no_cover
def test_every_suggested_value_works(root: Path) -> None:
    write_files(
        root, {"C:/app.txt": "x", "http:/page.txt": "x", "a%20b.txt": "x", "full/notes.txt": "x", "lib/x/y.py": ""}
    )
    (root / "empty").mkdir()
    for name, target in {"into": "src", "within": "notes.txt", "dangling": "absent", "outside": "/etc/passwd"}.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipes")
    space, tried = Workspace(root), 0
    for path in wrong_paths(root):
        calls: list[tuple[str, tuple[Any, ...], str]] = [
            ("read_content", (path,), "content_url"), ("read_content", (path, 3), "content_url"),
            ("read_content", (path, 999), "offset"), ("list_paths", (path,), "path"),
            ("write_file", (path, "x", True), "path"), ("delete", (path, True), "path"),
            ("move", (path, "new.txt", True), "from_path"), ("move", (path, "full", True), "from_path"),
            ("move", ("notes.txt", path, True), "to_path"), ("move", ("lib", path, True), "to_path"),
        ]  # fmt: skip
        for name, words, parameter in calls:
            if (error := error_of(space, name, words)) is None:
                continue
            readings = [one.value for one in getattr(error, "readings", ())]
            for fix in [*readings, *([] if error.likely_fix is None else [error.likely_fix])]:
                at = {"to_path": 1, "offset": 1}.get(error.parameter or parameter, 0)
                again = (*words[:at], fix, *words[at + 1 :])
                assert error_of(space, name, again) is None, (name, words, again)
                tried += 1
    assert tried > 400


def test_only_files_and_empty_folders_are_deleted(space: Workspace, root: Path) -> None:
    error = failure(space.delete, "src")
    assert error.category == "conflict" and "1 item" in error.message
    space.delete("src/app.py")
    (root / "src").chmod(0o750)
    assert space.delete("src")["changed"] == [{"path": "src", "action": "deleted", "added": 0, "removed": 0}]
    assert failure(space.delete, ".").category == "conflict"
    assert space.delete("notes.txt")["changed"][0]["removed"] == 5


def test_a_dry_run_reports_the_same_and_changes_nothing(space: Workspace, root: Path) -> None:
    patch = (
        diff(NOTES, edit_randomly(NOTES, random.Random(3)), "notes.txt")
        + "--- /dev/null\n+++ b/a/n.txt\n@@ -0,0 +1 @@\n+n\n"
    )
    doings: list[tuple[Any, tuple[str, ...]]] = [
        (space.write_file, ("a/b.txt", "x")), (space.apply_patch, (patch,)), (space.delete, ("a/b.txt",)),
        (space.move, ("notes.txt", "n/x")),
    ]  # fmt: skip
    for do, words in doings:
        before = snapshot(root)
        dry = do(*words, dry_run=True)
        assert snapshot(root) == before
        if do == space.apply_patch:
            assert dry.pop("diff")  # only a dry run shows it
        assert do(*words) == {**dry, "dry_run": False}


def test_a_very_large_file_is_moved_and_deleted_and_not_read(root: Path) -> None:
    with (root / "large.txt").open("wb") as large:
        large.truncate(1 << 40)
    reply = call_tool(root, "write_file", {"path": "large.txt", "text": "x"})
    assert reply.error["code"] == "FILE_TOO_LARGE" and "move and delete work" in reply.error["hint"], reply.text
    assert "corrected_call" not in call_tool(root, "write_file", {"path": "/large.txt", "text": "x"}).error
    assert not call_tool(root, "move", {"from_path": "large.txt", "to_path": "a/larger.txt"}).is_error
    assert not call_tool(root, "delete", {"path": "a/larger.txt"}).is_error
    assert not (root / "a/larger.txt").exists()
