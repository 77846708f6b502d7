"""`apply_patch`: a patch that breaks off is refused, with the place where it does."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.plan import parse_patch
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import HEAD, NOTES, call_tool, diff, failure, snapshot, write_files

GIT = "diff --git a/x.txt b/x.txt\nindex 1111111..2222222 100644\n" + HEAD + "@@ -1 +1 @@\n-one\n+1\n"
OTHER = "diff --git a/{0} b/{1}\n"


@pytest.mark.parametrize(
    ("patch", "line", "hunk", "missing"),
    [
        (HEAD + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n", 6, 1, 1),
        (HEAD + "@@ -1,3 +1,3 @@\n one\n-two\n", 5, 1, 2),
        (HEAD + "@@ -1,3 +1,4 @@\n one\n-two\n+2\n thr", 7, 1, 1),
        (HEAD + "@@ -1,3 +1,9 @@\n one\n-two\n+2\n three\n", 7, 1, 6),
        (HEAD + "@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n\n\n", 7, 1, 6),
        (HEAD + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n```\nDone.\n", 6, 1, 1),
        (HEAD + "@@ -1 +1 @@\n-one\n+1\n@@ -3,3 +3,2 @@\n", 6, 2, 3),
        (HEAD + "@@ -1 +1 @@\n-one\n+1\n@@ -3,3 +3,2 @@\n three\n", 7, 2, 2),
        (HEAD + "@@ -1,4 +1,4 @@\n one\n-two\n+2\n", 6, 1, 2),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ on\n-two\n+2\n@@\n-five\n", 7, 2, 1),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ on\n@@ two\n-two\n+2\n three\n*** End Pat", 8, 1, 1),
        ("*** Begin Patch\n*** Update File: x.txt\n@@\n-two\n+2\n*** E", 6, 1, 1),
        ("```\n*** Begin Patch\n*** Update File: x.txt\n@@\n-two\n+2\n```", 7, 1, 1),
    ],
)
def test_a_cut_patch_says_where_it_breaks_off(root: Path, patch: str, line: int, hunk: int, missing: int) -> None:
    write_files(root, {"x.txt": NOTES})
    before = snapshot(root)
    reply = call_tool(root, "apply_patch", {"patch": patch})
    assert reply.error["code"] == "PATCH_MALFORMED" and snapshot(root) == before
    details = reply.structured["error_detail"]["details"]
    assert (details["line"], details["hunk"], details["missing_lines"]) == (line, hunk, missing)
    assert details["path"] == "x.txt" and details["is_truncated"] is True
    assert f"breaks off at its line {line}, in hunk {hunk} of x.txt" in reply.text
    assert f"at least {missing} line" in reply.text
    assert not reply.structured["error_detail"].get("suggestions")


@pytest.mark.parametrize(
    "patch",
    [
        "*** Begin Patch\n",
        "*** Begin Patch\n*** Update File: x.txt\n",
        "*** Begin Patch\n*** Add File: n\n+a\n",
        "*** Update File: x.txt\n-two\n+2\n",
        "*** Begin Patch\n*** Delete File: x.txt\n*** End Patch\n*** Begin Patch\n*** Add File: n\n+a",
        HEAD + "@@ -1 +1 @@\n-one\n+1\n@",
        HEAD + "@@ -1 +1 @@\n-one\n+1\n-",
        HEAD + "@@ -1 +1 @@\n-one\n+1\n--- a/y.tx",
        HEAD + "@@ -1 +1 @@\n-one\n+1\n\n--- a/y.tx\n\n",
        GIT + "diff --gi",
        GIT + OTHER.format("n", "n") + "new file mode 100644\n",
        GIT + OTHER.format("n", "n") + "new file mode 100644\ninde",
        GIT + OTHER.format("n", "n") + "new file mode 100644\nindex 0000000..3333333\n",
        GIT + OTHER.format("x.txt", "x.txt") + "old mode 100644\n",
        GIT + OTHER.format("x.txt", "new.txt") + "similarity index 100%\n",
        GIT + OTHER.format("x.txt", "new.txt") + "similarity index 90%\n",
        GIT + OTHER.format("x.txt", "new.txt") + "similarity index 90%\nrename from x.txt\nrename to new.txt\n",
        GIT + OTHER.format("x.txt", "new.txt") + "similarity index 100%\nrename from x.txt\nrename to new",
        GIT + OTHER.format("x.txt", "new.txt") + "similarity index 100%\ncopy from x.txt\ncopy to new.t",
    ],
)
def test_a_patch_that_ends_inside_its_headers_is_refused(root: Path, patch: str) -> None:
    write_files(root, {"x.txt": "one\n\n" + NOTES})
    before = snapshot(root)
    error = failure(Workspace(root).apply_patch, patch)
    assert error.code == "PATCH_MALFORMED" and "breaks off" in error.message and snapshot(root) == before


def test_headers_that_are_whole_need_no_hunks(root: Path) -> None:
    write_files(root, {"x.txt": NOTES})
    space = Workspace(root)
    space.apply_patch(OTHER.format("x.txt", "a/n w.txt") + "rename from x.txt\nrename to a/n w.txt\n\n")
    space.apply_patch('diff --git "a/a/n w.txt" b/c d\ncopy from a/n w.txt\ncopy to e.txt\n')
    space.apply_patch(OTHER.format("e.txt", "e.txt") + "old mode 100644\nnew mode 100755\n\nDone.\n")
    space.apply_patch(OTHER.format("0", "0") + "new file mode 100644\nindex 0000000..e69de29\n")
    assert (root / "e.txt").read_text() == NOTES and (root / "0").read_bytes() == b"" and (root / "a/n w.txt").exists()


def test_more_lines_than_announced_are_a_wrong_count_and_no_loss(root: Path) -> None:
    write_files(root, {"x.txt": NOTES})
    result = Workspace(root).apply_patch(HEAD + "@@ -1 +1 @@\n one\n-two\n+2\n three\n")
    assert (root / "x.txt").read_text() == NOTES.replace("two", "2") and "counts" in result["warnings"][0]


WORDS = st.lists(st.sampled_from(["a", "b", "", "  c", "- d", "new mode 1"]), max_size=7)


@given(WORDS, WORDS, WORDS, st.data())
def test_a_diff_cut_anywhere_is_refused_or_lacks_no_line_of_a_hunk(
    old: list[str], new: list[str], more: list[str], data: st.DataObject
) -> None:
    before, after = "".join(f"{one}\n" for one in old), "".join(f"{one}\n" for one in new)
    added = "".join(f"+{one}\n" for one in more)
    create = f"--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,{len(more)} @@\n{added}" if more else ""
    whole = diff(before, after, context=1) + create
    cut = whole[: data.draw(st.integers(0, max(len(whole) - 1, 0)))]
    try:
        found = [len(hunk.lines) for file in parse_patch(cut).files for hunk in file.hunks]
    except ToolOperationError:
        return
    intended = [len(hunk.lines) for file in parse_patch(whole).files for hunk in file.hunks]
    assert found == intended[: len(found)]


@given(st.data())
def test_a_begin_patch_form_cut_anywhere_changes_nothing(data: st.DataObject) -> None:
    whole = (
        "*** Begin Patch\n*** Update File: notes.txt\n@@\n one\n-two\n+2\n*** Add File: n.txt\n+a\n+b\n"
        "*** Delete File: gone.txt\n*** End Patch"
    )
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder), {"notes.txt": NOTES, "gone.txt": "x\n"})
        before = snapshot(root)
        assert failure(Workspace(root).apply_patch, cut).code in ("PATCH_MALFORMED", "PATCH_EMPTY")
        assert snapshot(root) == before
