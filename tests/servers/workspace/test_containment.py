"""Nothing outside the workspace is read, listed or written."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace import tree
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    APP,
    FRAMEWORKS,
    NOTES,
    call_tool,
    diff,
    failure,
    left_over,
    snapshot,
    staging_folder,
    write_files,
)

UNSAFE = [
    "..", "../outside.txt", "src/../../outside.txt", "sandbox:/../outside.txt", "sandbox:/%2e%2e/outside.txt",
    "file:///etc/passwd", "/etc/passwd", "/proc/self/environ", "..\\outside.txt", "C:\\outside.txt", "c:/outside.txt",
    "a\0b", "x" * 300, "x/" * 3000, "\ud800", "out", "outdir/outside.txt", "rel", "up/outside.txt", "loop", "loop/x",
    "a-loop", "pipe", "pipe/x/../../pipe", "socket", "device", "OURS", "OURS/journal", "OURS.",
    "in-staging", "absent-out",
]  # fmt: skip


def set_traps(root: Path) -> None:
    """Put every kind of trap into a tree."""
    write_files(root.parent, {"outside.txt": "CANARY"})
    links = {
        "out": "/etc/passwd", "outdir": str(root.parent), "rel": "../outside.txt", "up": "src/../..", "loop": "loop",
        "a-loop": "b-loop", "b-loop": "src/../a-loop", "in-staging": f"{staging_folder(root)}/x",
        "absent-out": "/absent/file", "device": "/dev/zero",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as one_end:
        here = os.getcwd()
        os.chdir(root)
        try:
            one_end.bind("socket")
        finally:
            os.chdir(here)


@pytest.mark.parametrize("path", UNSAFE, ids=[str(number) for number in range(len(UNSAFE))])
def test_nothing_outside_is_read_or_written_and_the_error_does_not_repeat_the_path(root: Path, path: str) -> None:
    set_traps(root)
    path = path.replace("OURS", staging_folder(root).upper())
    space, before, canary = Workspace(root), snapshot(root), (root.parent / "outside.txt").read_bytes()
    body = "@@ -1 +1 @@\n-CANARY\n+x\n"
    patches = [f"--- a/{path}\n+++ b/{path}\n{body}", f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"]
    doings = [
        (space.read_content, (path,)), (space.write_file, (path, "x")), (space.move, ("notes.txt", f"{path}/y")),
        *((space.apply_patch, (patch,)) for patch in patches if not {"\\", "\0"} & set(path)),
    ]  # fmt: skip
    for do, words in doings:
        error = failure(do, *words)
        if do in (space.read_content, space.write_file):
            assert error.code == "UNSAFE_INPUT", (error, path)
        if error.code == "UNSAFE_INPUT":
            assert (error.category, error.retryable, error.likely_fix, error.hint) == ("validation", False, None, None)
            assert len(path) < 4 or path not in str(error)
    assert snapshot(root) == before and (root.parent / "outside.txt").read_bytes() == canary


@pytest.mark.parametrize("path", ["out", "outdir", "outdir/root", "rel", "up", "loop", "..", "/etc/ssh", "in-staging"])
def test_nothing_outside_is_listed(root: Path, path: str) -> None:
    set_traps(root)
    assert failure(Workspace(root).list_paths, path).code == "UNSAFE_INPUT"
    entries = Workspace(root).list_paths(depth=20)["entries"]
    assert not any("outside" in entry["path"] for entry in entries)


def test_nothing_outside_is_read_without_guidance(root: Path) -> None:
    set_traps(root)
    for path in ("../outside.txt", "outdir/outside.txt", "out", "rel"):
        for framework in FRAMEWORKS:
            reply = call_tool(root, "read_content", {"content_url": path}, framework=framework, is_guided=False)
            assert reply.is_error and "CANARY" not in str(reply) and "root:" not in str(reply)


def test_links_that_stay_inside_are_followed_and_stay_links(space: Workspace, root: Path) -> None:
    (root / "in").symlink_to("src/../notes.txt")
    (root / "code").symlink_to(f"{root}/src")
    assert space.read_content("in").text == NOTES
    assert space.read_content("code/app.py").text == APP
    assert space.write_file("in", "new\n")["changed"][0]["path"] == "notes.txt"
    assert (root / "in").is_symlink() and (root / "notes.txt").read_text() == "new\n"
    space.apply_patch(diff(APP, APP.replace("g", "h"), "code/app.py"))
    assert "h()" in (root / "src/app.py").read_text()
    assert space.move("in", "moved")["changed"][0]["from"] == "in"
    assert space.delete("moved")["changed"][0]["path"] == "moved"
    assert (root / "notes.txt").exists()


def test_a_link_that_appears_between_check_and_use_is_not_followed(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_traps(root)
    resolve_links = space.tree.resolve_links

    def swapped(at: Any, **more: Any) -> Any:
        found = resolve_links(at, **more)
        if (root / "src").is_dir() and not (root / "src").is_symlink():
            (root / "src").rename(root / "aside")
            (root / "src").symlink_to(root.parent)
        return found

    monkeypatch.setattr(space.tree, "resolve_links", swapped)
    assert failure(space.write_file, "src/app.py", "x").code == "UNSAFE_INPUT"
    assert failure(space.read_content, "src/outside.txt").code == "UNSAFE_INPUT"
    assert not (root.parent / "app.py").exists() and not left_over(root)


def test_a_file_that_turns_into_a_link_or_a_pipe_is_not_opened(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_traps(root)
    monkeypatch.setattr(space.tree, "resolve_links", lambda at, **more: at)
    assert failure(space.read_content, "out").code == "UNSAFE_INPUT"
    plain = iter([True, False])
    real = tree._require_plain_file

    def once(info: os.stat_result) -> None:
        if not next(plain):
            real(os.stat(root / "pipe"))

    monkeypatch.setattr(tree, "_require_plain_file", once)
    assert failure(space.read_content, "notes.txt").code == "UNSAFE_INPUT"


def test_a_file_that_turns_into_a_pipe_does_not_block(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tree._require_plain_file

    def swapping(info: os.stat_result) -> None:
        real(info)
        (root / "notes.txt").unlink()
        os.mkfifo(root / "notes.txt")

    monkeypatch.setattr(tree, "_require_plain_file", swapping)
    caught: list[ToolOperationError] = []
    reader = threading.Thread(target=lambda: caught.append(failure(space.read_content, "notes.txt")), daemon=True)
    reader.start()
    reader.join(5)
    assert [error.code for error in caught] == ["UNSAFE_INPUT"]


def test_accents_in_another_unicode_form_name_the_same_file(space: Workspace, root: Path) -> None:
    composed, decomposed = "é/ü.txt", "e\u0301/u\u0308.txt"
    write_files(root, {decomposed: "there\n"})
    assert space.read_content(composed).text == "there\n"
    assert space.write_file(composed, "new\n")["changed"][0]["action"] == "replaced"
    assert failure(space.read_content, "notes.txt/é").code == "NOT_FOUND"
    assert failure(space.read_content, "é/ä/ü").code == "NOT_FOUND"
    space.apply_patch(
        '--- "a/\\303\\251/\\303\\274.txt"\n+++ "b/\\303\\251/\\303\\274.txt"\n@@ -1 +1 @@\n-new\n+newer\n'
    )
    assert (root / decomposed).read_text() == "newer\n" and len(list(root.iterdir())) == 3
