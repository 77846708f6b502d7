"""`apply_patch`: patches that apply."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

from pathlib import Path

import pytest

from fingerpost.servers.workspace import tree
from fingerpost.servers.workspace.content import decode
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    HEAD,
    NOTES,
    diff,
    failure,
    snapshot,
    write_files,
)


def apply_to(root: Path, before: str | bytes, patch: str, name: str = "x.txt") -> tuple[str, list[str]]:
    write_files(root, {name: before})
    result = Workspace(root).apply_patch(patch)
    return (root / name).read_bytes().decode(), result["warnings"]


@pytest.mark.parametrize(
    ("patch", "warned"),
    [
        (HEAD + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", ""),
        ("--- x.txt\t2024-01-01 10:00:00.000 +0000\n+++ x.txt\t2024-01-02\n@@ -2 +2 @@\n-two\n+2\n", ""),
        ("--- x.txt 2024-01-01 10:00:00\n+++ x.txt 2024-01-02 10:00:00\n@@ -2 +2 @@\n-two\n+2\n", ""),
        ("diff -u x.txt.orig x.txt\n--- x.txt.orig\n+++ x.txt\n@@ -2 +2 @@\n-two\n+2\n", "two names"),
        ("diff --git a/x.txt b/x.txt\nindex 1..2 100644\n" + HEAD + "@@ -2 +2 @@ one\n-two\n+2\n", ""),
        ("diff --git x.txt x.txt\n--- x.txt\n+++ x.txt\n@@ -2 +2 @@\n-two\n+2\n", ""),
        ("Index: x.txt\n=====\n" + HEAD + "@@ -2 +2 @@\n-two\n+2\n", ""),
        ("Here it is:\n\n```diff\n" + HEAD + "@@ -2 +2 @@\n-two\n+2\n```\nDone.\n", "ignored"),
        ("From 0123456789\nSubject: x\n---\n x.txt | 2 +-\n" + HEAD + "@@ -2 +2 @@\n-two\n+2\n-- \n2.40\n", "ignored"),
        (HEAD + "@@ -4,3 +4,3 @@\n one\n-two\n+2\n three\n", "applied at line 1"),
        (HEAD + "@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n\n@@ -5 +5 @@\n-five\n+five\n", "counts its lines wrongly"),
        (HEAD + "@@ -1,9 +1,9 @@\n one\n-two\n+2\n" + HEAD + "@@ -5 +5 @@\n-five\n+five\n", "counts its lines"),
        (HEAD + "@@ -1,1 +1,1 @@\n one\n-two\n+2\n three\n", "counts its lines wrongly"),
        (HEAD + "@@ -2 +2 @@\r\n-two\r\n+2\r\n".replace("\r", ""), ""),
        ((HEAD + "@@ -2 +2 @@\n-two\n+2\n").replace("\n", "\r\n"), ""),
        (HEAD + "@@ -1,3 +1,3 @@\n one  \n-two\t\n+2\n three\n", "White space"),
        (HEAD + "@@ -4 +4 @@\n-four\n+four\n\n@@ -2 +2 @@\n-two\n+2", ""),
        ("*** Begin Patch\n*** Update File: x.txt\n@@\n one\n-two\n+2\n*** End Patch\n", ""),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ one\n-two\n+2\n\n*** End Patch\nok", "ignored"),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ on\n-two\n+2\n three\n*** End Patch", ""),
        ("*** Update File: x.txt\n@@ one @@\n-two\n+2\n*** End Patch", "'*** Begin Patch' is missing"),
        ("```\n*** Begin Patch\n*** Update File: x.txt\n-two\n+2\n```\n*** End Patch\n```", "ignored"),
        (
            "*** Begin Patch\n*** Update File: x.txt\n-two\n+two\n*** End Patch\nand\n"
            "*** Begin Patch\n*** Update File: x.txt\n-two\n+2\n*** End Patch\n",
            "ignored",
        ),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ -2,1 +2,1 @@\n-two\n+2\n*** End Patch", ""),
        (("*** Begin Patch\n*** Update File: x.txt\n@@\n one\n-two\n+2\n*** End Patch\n").replace("\n", "\r\n"), ""),
        (
            "*** Begin Patch\n\n*** Update File: x.txt\n\n@@\n-two\n+2\n@@\n-five\n+five\n*** End of File\n"
            "*** End Patch",
            "",
        ),
    ],
)
def test_patches_of_tools_and_models_are_understood(root: Path, patch: str, warned: str) -> None:
    text, warnings = apply_to(root, NOTES, patch)
    assert text == NOTES.replace("two", "2")
    assert (warned in str(warnings)) if warned else not warnings, warnings


@pytest.mark.parametrize("patch_ending", ["\n", "\r\n"])
@pytest.mark.parametrize("file_ending", ["\n", "\r\n"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_line_endings_are_kept_even_a_missing_one_at_the_end(
    root: Path, patch_ending: str, file_ending: str, is_closed: bool
) -> None:
    before = NOTES.replace("\n", file_ending)
    before = before if is_closed else before.removesuffix(file_ending)
    patch = HEAD + "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+2b\n@@ -4,2 +5,2 @@\n four\n-five\n+5\n"
    text, _ = apply_to(root, before, patch.replace("\n", patch_ending))
    after = "one\n2\n2b\nthree\nfour\n5\n".replace("\n", file_ending)
    assert text == (after if is_closed else after.removesuffix(file_ending))


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("a\r\nb\nc\n", "@@ -2,2 +2,3 @@\n b\n+x\n c\n", "a\r\nb\nx\nc\n"),
        ("a\r\nb\nc\n", "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n", "a\r\nb\nx\nc\n"),
        ("a\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n", "a\nb\r\nx\r\nc\r\n"),
        ("a\r\nb\nc\n", "@@ -2,0 +3 @@\n+x\n", "a\r\nb\nx\nc\n"),
        ("a\nb\r\nc\n", "@@ -2,0 +3 @@\n+x\n", "a\nb\r\nx\r\nc\n"),
        ("a\r\nb\n", "@@ -0,0 +1 @@\n+x\n", "x\r\na\r\nb\n"),
        ("a\r\nb\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n-c\n+B\n+C\n+D\n", "a\r\nB\nC\r\nD\r\n"),
        ("a\nb\r\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n", "a\nc\n"),
        ("a\nb\nc\r\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\r\n"),
        ("a\nb\nc\r\n", "@@ -1,3 +1,2 @@\n a\n b\n-c\n", "a\nb\n"),
        ("a\nb\r\nc", "@@ -3,0 +4 @@\n+x\n", "a\nb\r\nc\r\nx\r\n"),
        ("a\nb\r\nc", "@@ -1,3 +1,4 @@\n a\n b\n c\n+x\n", "a\nb\r\nc\r\nx"),
        ("a\r\nb\nc", "@@ -1,3 +1,3 @@\n a\n b\n-c\n+x\n", "a\r\nb\nx"),
        ("a", "@@ -1,0 +2 @@\n+x\n", "a\nx\n"),
    ],
)
def test_new_lines_get_the_ending_of_their_neighbours(root: Path, before: str, body: str, after: str) -> None:
    assert apply_to(root, before.encode(), HEAD + body)[0] == after


def test_lines_are_inserted_by_number_below_a_header_or_at_the_end(root: Path) -> None:
    assert apply_to(root, "a\r\nb\r\n", HEAD + "@@ -1,0 +2 @@\n+x\n")[0] == "a\r\nx\r\nb\r\n"
    assert apply_to(root, "a\nb", HEAD + "@@ -2,0 +3 @@\n+x\n\\ No newline at end of file\n")[0] == "a\nb\nx"
    begin = "*** Begin Patch\n*** Update File: x.txt\n"
    assert apply_to(root, "a\nb\n", begin + "@@ a\n+x\n*** End Patch")[0] == "a\nx\nb\n"
    assert apply_to(root, "a\nb\n", begin + "@@\n+x\n*** End Patch")[0] == "a\nb\nx\n"
    stacked = "class A:\n  def f():\n    1\nclass B:\n  def f():\n    1\n"
    patch = begin + "@@ class B:\n@@ def f():\n-    1\n+    2\n*** End Patch"
    assert apply_to(root, stacked, patch)[0] == stacked[:-2] + "2\n"
    patch = begin + "@@\n-b\n+c\n\\ No newline at end of file\n*** End Patch"
    assert apply_to(root, "a\nb", patch)[0] == "a\nc"


def test_lines_that_look_like_a_file_header_are_lines(root: Path) -> None:
    text, warnings = apply_to(root, "-- a\nb\nc\n", HEAD + "@@ -1 +1 @@\n--- a\n+++ a\n@@ -3 +3 @@\n-c\n+d\n")
    assert text == "++ a\nb\nd\n" and not warnings


def test_blank_lines_may_lack_their_leading_space(root: Path) -> None:
    text, warnings = apply_to(root, "a\n\nb\n", HEAD + "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")
    assert text == "a\n\nc\n" and "Blank lines" in warnings[0]
    assert apply_to(root, "a\n\nb\n", "*** Begin Patch\n*** Update File: x.txt\n a\n\n-b\n+c\n*** End Patch")[0] == text


def test_files_are_created_deleted_renamed_copied_and_change_their_mode(root: Path) -> None:
    space = Workspace(root, allow_exec=True)
    write_files(
        root, {"old.txt": "a\nb\nc\n", "gone.txt": "x\n", "empty.txt": "", "run.sh": "echo\n", "keep.txt": "k\n"}
    )
    result = space.apply_patch(
        "diff --git a/old.txt b/new name.txt\nsimilarity index 80%\nrename from old.txt\nrename to new name.txt\n"
        "--- a/old.txt\n+++ b/new name.txt\n@@ -2 +2 @@\n-b\n+B\n"
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\nindex e69de29..0000000\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/keep.txt b/copy.txt\nsimilarity index 100%\ncopy from keep.txt\ncopy to copy.txt\n"
        "diff --git a/bin/go b/bin/go\nnew file mode 100755\n--- /dev/null\n+++ b/bin/go\n@@ -0,0 +1 @@\n+go\n"
        "\\ No newline at end of file\n"
        "diff --git a/blank b/blank\nnew file mode 100644\nindex 0000000..e69de29\n"
    )
    assert [(entry["action"], entry["path"]) for entry in result["changed"]] == [
        ("moved", "new name.txt"), ("deleted", "gone.txt"), ("deleted", "empty.txt"), ("updated", "run.sh"),
        ("copied", "copy.txt"), ("created", "bin/go"), ("created", "blank"),
    ]  # fmt: skip
    assert (root / "new name.txt").read_text() == "a\nB\nc\n" and (root / "bin/go").read_bytes() == b"go"
    assert (root / "run.sh").stat().st_mode & 0o111 == 0o111 and (root / "bin/go").stat().st_mode & 0o100
    assert not any((root / name).exists() for name in ("old.txt", "gone.txt", "empty.txt"))
    space.apply_patch("diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n")
    assert (root / "run.sh").stat().st_mode & 0o111 == 0


def test_two_files_are_swapped_in_one_patch(space: Workspace, root: Path) -> None:
    write_files(root, {"a": "A\n", "b": "B\n"})
    space.apply_patch(
        "diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/a\nrename from b\nrename to a\n"
    )
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("B\n", "A\n")


def test_a_copy_has_the_original_content(space: Workspace, root: Path) -> None:
    copy = "diff --git a/notes.txt b/{0}\nsimilarity index 100%\ncopy from notes.txt\ncopy to {0}\n"
    rename = "diff --git a/notes.txt b/n.txt\nrename from notes.txt\nrename to n.txt\n"
    space.apply_patch(diff(NOTES, "other\n", "notes.txt") + copy.format("a.txt") + rename + copy.format("z.txt"))
    assert [(root / name).read_text() for name in ("a.txt", "n.txt", "z.txt")] == [NOTES, "other\n", NOTES]
    assert not (root / "notes.txt").exists()


def test_the_begin_patch_form_adds_moves_and_deletes(space: Workspace, root: Path) -> None:
    result = space.apply_patch(
        "*** Begin Patch\n*** Add File: b/new.txt\n+a\n+\n+b\n\n*** Update File: notes.txt\n*** Move to: n.txt\n@@\n"
        "-one\n+1\n*** Update File: n.txt\n@@\n-two\n+2\n*** Delete File: src/app.py\n*** End Patch"
    )
    assert [entry["action"] for entry in result["changed"]] == ["created", "moved", "updated", "deleted"]
    assert (root / "b/new.txt").read_text() == "a\n\nb\n" and (root / "n.txt").read_text().startswith("1\n2\n")
    assert not (root / "src/app.py").exists() and not (root / "notes.txt").exists()


def test_a_patch_refuses_to_move_or_delete_a_link(space: Workspace, root: Path) -> None:
    (root / "in").symlink_to("notes.txt")
    before = snapshot(root)
    for section in ("*** Delete File: in", "*** Update File: in\n*** Move to: m"):
        assert failure(space.apply_patch, f"*** Begin Patch\n{section}\n*** End Patch").code == "UNSAFE_INPUT"
    assert snapshot(root) == before


def test_a_similar_path_is_found_in_a_large_tree(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(root, {f"a{n}/x.txt": "" for n in range(20)} | {"z/deep/module.py": "here\n", ".git/config": ""})
    monkeypatch.setattr(tree, "_MOST_PATHS", 12)
    error = failure(space.read_content, "z/deep/modul.py")
    assert error.readings[0].value == "z/deep/module.py"  # type: ignore[attr-defined]
    monkeypatch.undo()
    assert ".git" in space.tree.paths() and ".git/config" not in space.tree.paths()


def test_a_file_can_become_a_folder(space: Workspace, root: Path) -> None:
    space.apply_patch("*** Begin Patch\n*** Delete File: notes.txt\n*** Add File: notes.txt/a\n+x\n*** End Patch")
    assert (root / "notes.txt/a").read_text() == "x\n"
    patch = "*** Begin Patch\n*** Add File: f\n+x\n*** Add File: f/g\n+x\n*** End Patch"
    assert failure(space.apply_patch, patch).category == "conflict"


def test_a_patch_keeps_the_encoding(space: Workspace, root: Path) -> None:
    for data in ("\ufeffé\r\nb\r\n".encode("utf-16-le"), b"\xef\xbb\xbf\xc3\xa9\r\nb\r\n", b"\xe9\nb\n"):
        write_files(root, {"x.txt": data})
        space.apply_patch(HEAD + "@@ -1,2 +1,2 @@\n é\n-b\n+ö\n")
        text = decode(data)
        assert text and (root / "x.txt").read_bytes() == text.encode(text.text.replace("b", "ö"))
    assert failure(space.apply_patch, HEAD + "@@ -2 +2 @@\n-ö\n+€\n").code == "INVALID_INPUT"


def test_a_dry_run_shows_the_resulting_diff(space: Workspace, root: Path) -> None:
    write_files(root, {"x.txt": "a  \r\nb\r\nc", "gone.txt": "x\n", "old.txt": "o\n"})
    before = snapshot(root)
    patch = (
        "*** Begin Patch\n*** Update File: x.txt\n@@\n a\n-b\n+B\n c\n*** Add File: new.txt\n+n\n"
        "*** Delete File: gone.txt\n*** Update File: old.txt\n*** Move to: m.txt\n*** End Patch"
    )
    shown = space.apply_patch(patch, dry_run=True)["diff"]
    assert shown == [
        "--- a/x.txt", "+++ b/x.txt", "@@ -1,3 +1,3 @@", " a  ", "-b", "+B", " c", "\\ No newline at end of file",
        "--- /dev/null", "+++ b/new.txt", "@@ -0,0 +1,1 @@", "+n",
        "--- a/gone.txt", "+++ /dev/null", "--- a/old.txt", "+++ b/m.txt",
    ]  # fmt: skip
    assert snapshot(root) == before and "diff" not in space.apply_patch(patch)


def test_a_long_diff_is_cut_and_says_so(space: Workspace, root: Path) -> None:
    patch = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,200 @@\n+" + "x" * 300 + "\n" + "+y\n" * 199
    shown = space.apply_patch(patch, dry_run=True)["diff"]
    assert len(shown) == 121 and shown[-1] == "… 83 more lines" and shown[3] == "+" + "x" * 158 + "…"


def test_the_diff_of_a_dry_run_applies(space: Workspace, root: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: notes.txt\n@@ one\n-two\n@@\n-four\n+4\n+4b\n five\n*** End Patch"
    shown = space.apply_patch(patch, dry_run=True)["diff"]
    result = space.apply_patch("\n".join(shown))
    assert (root / "notes.txt").read_text() == "one\nthree\n4\n4b\nfive\n" and not result["warnings"]
