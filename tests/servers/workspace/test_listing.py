"""`list_paths`: kinds, depth, filters, pages."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.workspace import listing
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    NOTES,
    call_tool,
    failure,
    write_files,
)


def test_a_folder_is_listed_with_kinds_sizes_and_links(space: Workspace, root: Path) -> None:
    (root / "link").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    entries = {entry.pop("path"): entry for entry in space.list_paths()["entries"]}
    assert {name: entry["type"] for name, entry in entries.items()} == {
        "link": "link", "notes.txt": "file", "pipe": "special", "src": "folder",
    }  # fmt: skip
    assert entries["notes.txt"]["size"] == len(NOTES) and entries["link"]["target"] == "/etc/passwd"
    assert entries["src"]["modified"].endswith("+00:00")


def test_listing_goes_to_the_given_depth_and_filters(space: Workspace, root: Path) -> None:
    write_files(root, {"src/deep/er.py": "", "src/b.txt": ""})
    (root / "src/out").symlink_to("/etc")

    def paths(**more: Any) -> list[str]:
        return [entry["path"] for entry in space.list_paths(**more)["entries"]]

    assert paths(depth=9) == [
        "notes.txt", "src", "src/app.py", "src/b.txt", "src/deep", "src/deep/er.py", "src/out",
    ]  # fmt: skip
    assert paths(depth=9, glob="*.py") == ["src/app.py", "src/deep/er.py"]
    assert paths(depth=9, glob="src/*.txt") == ["src/b.txt"]
    assert paths(path="src", depth=2, glob="deep/*") == ["src/deep/er.py"]
    assert paths(path="notes.txt") == ["notes.txt"]


def test_a_large_folder_is_listed_in_pages_with_the_next_call(root: Path) -> None:
    write_files(root, {f"many/{number:04}.txt": "" for number in range(450)})
    first = call_tool(root, "list_paths", {"path": "many"})
    assert (first.structured["total"], first.structured["has_more"]) == (450, True)
    assert "offset: 200" in first.text
    last = call_tool(root, "list_paths", {"path": "many", "offset": 400})
    assert len(last.structured["entries"]) == 50 and last.structured["has_more"] is False


def test_listing_stops_at_a_limit(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_MAX_ENTRIES", 1)
    assert space.list_paths()["total"] == 1


def test_a_name_that_is_not_utf8_is_listed_and_does_no_harm(space: Workspace, root: Path) -> None:
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.txt")).write_text("x")
    assert "bad\\xff.txt" in [entry["path"] for entry in space.list_paths()["entries"]]
    assert failure(space.read_content, "bad.txt").code == "NOT_FOUND"


def test_a_file_that_vanishes_during_listing_is_listed_as_gone(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space.tree, "names", lambda at: ["ghost"])
    assert space.list_paths()["entries"] == [{"path": "ghost", "type": "gone"}]
