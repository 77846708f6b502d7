"""Readers do not wait for a change, and see each file as it was before or as it is after."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import APP, NOTES, left_over

PATCH = (
    "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+2\n*** Add File: new.txt\n+new\n"
    "*** Update File: src/app.py\n@@\n def f():\n-    return 1\n+    return 2\n*** End Patch"
)
NEW_NOTES, NEW_APP = NOTES.replace("two", "2"), APP.replace("1", "2", 1)


@contextmanager
def paused_change(space: Workspace, step: int) -> Generator[None]:
    """Apply the patch in another thread, and hold it before one of its steps."""
    is_there, go_on, real = threading.Event(), threading.Event(), space.transactions._do

    def pausing(number: int, *rest: Any) -> None:
        if number == step:
            is_there.set()
            assert go_on.wait(60)
        real(number, *rest)

    space.transactions._do = pausing  # type: ignore[method-assign]
    change = threading.Thread(target=lambda: space.apply_patch(PATCH))
    change.start()
    try:
        assert is_there.wait(60)
        yield
    finally:
        go_on.set()
        change.join(60)
    assert not change.is_alive()


@pytest.mark.parametrize("step", range(3))
@pytest.mark.parametrize("reader", ["same server", "another server", "server that starts"])
def test_a_reader_is_not_blocked_and_sees_old_or_new_files(root: Path, step: int, reader: str) -> None:
    space, other = Workspace(root), Workspace(root)
    with paused_change(space, step):
        place = {"same server": space, "another server": other}.get(reader) or Workspace(root)
        assert left_over(root)
        assert place.read_content("notes.txt").text in (NOTES, NEW_NOTES)
        assert place.read_content("src/app.py").text in (APP, NEW_APP)
        names = [entry["path"] for entry in place.list_paths()["entries"]]
        assert names in (["notes.txt", "src"], ["new.txt", "notes.txt", "src"])
    assert place.read_content("notes.txt").text == NEW_NOTES and place.read_content("src/app.py").text == NEW_APP
    assert place.read_content("new.txt").text == "new\n" and not left_over(root)


def test_no_file_is_read_half_written(root: Path) -> None:
    writer, reader = Workspace(root), Workspace(root)
    texts = [f"{letter * 999}\n" * 300 for letter in "ab"]
    writer.write_file("big.txt", texts[0])
    sizes = {len(text) for text in texts}

    def write() -> None:
        for number in range(30):
            writer.write_file("big.txt", texts[number % 2])

    thread = threading.Thread(target=write)
    thread.start()
    while thread.is_alive():
        about = reader.read_content("big.txt", 0, 300).data
        assert about["bytes"] in sizes and len(set(about["text"].replace("\n", ""))) == 1
    thread.join()


def test_a_change_is_not_held_up_by_a_long_read(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is hashed while it is read, which takes long for a large one."""
    real: Callable[..., Any] = space._read

    def change_meanwhile(at: Any) -> Any:
        with space.tree.open_file(at):
            space.write_file("notes.txt", "changed\n")
        return real(at)

    monkeypatch.setattr(space, "_read", change_meanwhile)
    assert space.read_content("notes.txt").text == "changed\n"
