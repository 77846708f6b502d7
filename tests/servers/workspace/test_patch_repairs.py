"""`apply_patch`: what was meant is computed and offered; the offered patch applies, and gives what was meant."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import HEAD, NOTES, call_tool, diff, failure, snapshot, write_files

TABS = "class A:\n\tdef f(self):\n\t\treturn 1\n\n\tdef g(self):\n\t\treturn 2\n"
THREE = TABS.replace("2", "3")
PATCH = "*** Begin Patch\n*** Update File: {0}\n@@\n{1}\n*** End Patch"


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        (NOTES, HEAD + "@@\n one\n-two\n+2\n@@\n-five\n+5\n+6\n", NOTES.replace("two", "2").replace("five", "5\n6")),
        (NOTES, HEAD + "@@ def f(): @@\n-two\n+2\n\n", NOTES.replace("two", "2")),
        (NOTES, HEAD + "@@ -2 @@\r\n-two\r\n+2\r\n", NOTES.replace("two", "2")),
        (NOTES, HEAD + "@@ -2 +2 @@\n-two\n+2\n@@\n-four\n", NOTES.replace("two", "2").replace("four\n", "")),
        (TABS, HEAD + "@@ -5,2 +5,2 @@\n     def g(self):\n-        return 2\n+        return 3\n", THREE),
        (TABS, PATCH.format("x.txt", "-        return 2\n+        return 3\n+"), TABS.replace("2", "3\n")),
        (TABS, HEAD + "@@\n     def g(self):\n-        return 2\n", TABS.replace("\t\treturn 2\n", "")),
        (
            TABS,
            HEAD + "@@ -5,2 +5,3 @@\n     def g(self):\n-        return 2\n+        if x:\n+            return 3\n",
            TABS.replace("\t\treturn 2", "\t\tif x:\n\t\t\treturn 3"),
        ),
        (
            TABS,
            HEAD + "@@ -3 +3 @@\n-        return 1\n+        return 3\n"
            "@@ -6 +6 @@\n-        return 2\n+        return 4\n",
            TABS.replace("1", "3").replace("2", "4"),
        ),
        ("    a\n    b\n", HEAD + "@@ -1,2 +1,2 @@\n \ta\n-\tb\n+\tc\n", "    a\n    c\n"),
        ("f(1,  2)\n", HEAD + "@@ -1 +1 @@\n-f(1, 2)\n+f(1, 3)\n", "f(1, 3)\n"),
        ("a b\nc d\n", HEAD + "@@ -1,2 +1,2 @@\n a b\n-c\u00a0d\n+c\u00a0e\n", "a b\nc e\n"),
        ("a\u00a0b\n", HEAD + "@@ -1 +1 @@\n-a b\n+c d\n", "c d\n"),
    ],
)  # fmt: skip
def test_the_patch_that_was_meant_is_offered_and_applies(root: Path, before: str, patch: str, after: str) -> None:
    write_files(root, {"x.txt": before, "notes.txt": ""})
    held = snapshot(root)
    reply = call_tool(root, "apply_patch", {"patch": patch})
    assert reply.error and snapshot(root) == held
    corrected = reply.structured["error_detail"]["corrected_call"]
    assert corrected["applicability"] == "machine_applicable" and "Corrected call" in reply.text, reply.text
    assert not call_tool(root, corrected["name"], corrected["arguments"]).is_error
    assert (root / "x.txt").read_text() == after


@pytest.mark.parametrize(
    "patch",
    [
        "--- a/nots.txt\n+++ b/nots.txt\n@@ -2 +2 @@\n-two\n+2\n",
        "--- nots.txt\n+++ nots.txt\n@@\n-two\n+2\n",
        "diff --git a/nots.txt b/nots.txt\nindex 83db48f..bf2a1c0 100644\n"
        "--- a/nots.txt\n+++ b/nots.txt\n@@\n-two\n+2\n",
        PATCH.format("nots.txt", "-two\n+2"),
    ],
)
def test_the_similar_file_that_the_hunks_fit_is_put_into_the_patch(root: Path, patch: str) -> None:
    reply = call_tool(root, "apply_patch", {"patch": patch})
    assert reply.error["code"] == "FILE_NOT_FOUND" and "The hunks of this file fit notes.txt" in reply.text
    corrected = reply.structured["error_detail"]["corrected_call"]
    assert not call_tool(root, corrected["name"], corrected["arguments"]).is_error
    assert (root / "notes.txt").read_text() == NOTES.replace("two", "2")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("@@ -6 +6,0 @@\n-        return 2\n", "the file has tabs and the patch spaces"),
        ("@@ -6 +6,0 @@\n-\treturn 2\n", "indentation, the file has 2 and the patch 1 characters"),
        ("@@ -6 +6,0 @@\n-return 2\n", "indentation, the file has 2 and the patch 0 characters"),
        ("@@ -6 +6,0 @@\n-\t return 2\n", "the file has tabs and the patch tabs and spaces"),
        ("@@ -6 +6,0 @@\n-\t\treturn  2\n", "white space inside lines"),
        ("@@ -6 +6,0 @@\n-\t\treturn\u00a02\n", "the patch has non-breaking spaces"),
    ],
)
def test_differences_in_white_space_are_named(root: Path, body: str, named: str) -> None:
    write_files(root, {"x.txt": TABS})
    reply = call_tool(root, "apply_patch", {"patch": HEAD + body})
    assert reply.error["code"] == "PATCH_DOES_NOT_APPLY" and named in reply.text, reply.text
    assert ("⍽ a non-breaking space" in reply.text) is ("\u00a0" in body)


@pytest.mark.parametrize(
    "patch",
    [
        HEAD + "@@\n-\t\treturn\n+x\n",
        HEAD + "@@\n+x\n",
        HEAD + "@@\n-again\n+x\n",
        HEAD + "@@ -1 +1 @@\n-a gain\n+x\n",
        HEAD + "@@ -5,2 +5,2 @@\n  def g(self):\n-        return 2\n+    return 3\n",
        HEAD + "@@ -5,2 +5,2 @@\n     def g(self):\n-    return 2\n+    return 3\n",
        HEAD + "@@ -1 +1 @@\n-zzz\n+x\n",
        PATCH.format("nots.txt", "-nothing of it\n+x"),
        "*** Begin Patch\n*** Delete File: nots.txt\n*** End Patch",
        "diff --git a/nots.txt b/new.txt\nrename from nots.txt\nrename to new.txt\n--- a/nots.txt\n+++ b/new.txt\n"
        "@@ -1 +1 @@\n-two\n+2\n",
        HEAD + "@@\n-class A:\n+class B:\n" + HEAD.replace("x.txt", "none.of.these") + "@@ -1 +1 @@\n-a\n+b\n",
        HEAD + "@@\n" + "-class A:\n+class B:\n" * 9_000,
    ],
)
def test_nothing_is_offered_if_more_than_one_patch_could_be_meant(root: Path, patch: str) -> None:
    write_files(root, {"x.txt": TABS + "again\nagain\n"})
    before = snapshot(root)
    error = failure(Workspace(root).apply_patch, patch)
    assert error.likely_fix is None and snapshot(root) == before


def test_of_a_long_patch_the_headers_are_corrected(root: Path) -> None:
    patch = "--- a/nots.txt\n+++ b/nots.txt\n@@\n-two\n+" + "x" * 600 + "\n"
    reply = call_tool(root, "apply_patch", {"patch": patch})
    detail = reply.structured["error_detail"]
    lines = {"1": "--- a/notes.txt", "2": "+++ b/notes.txt", "3": "@@ -2,1 +2,1 @@"}
    assert detail["details"]["corrected_lines"] == lines and "corrected_call" not in detail
    assert all(f"Line {number} of the patch has to be {line}" in reply.text for number, line in lines.items())
    respaced = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n def f():\n-\treturn 1\n+\t" + "x" * 600 + "\n"
    assert "corrected_lines" not in failure(Workspace(root).apply_patch, respaced).details


def test_a_new_file_with_a_bare_hunk_gets_its_range(root: Path) -> None:
    error = failure(Workspace(root).apply_patch, "--- /dev/null\n+++ b/new.txt\n@@\n+a\n+b\n")
    assert "@@ -0,0 +1,2 @@" in error.likely_fix["value"]
    Workspace(root).apply_patch(error.likely_fix["value"])
    assert (root / "new.txt").read_text() == "a\nb\n"


def _damage(patch: str, kind: str, number: int) -> str:
    match kind:
        case "bare":
            return re.sub(r"^@@ .*", "@@", patch, flags=re.MULTILINE)
        case "numbers":
            return re.sub(r"^@@ -\d+(.*) \+\d+", rf"@@ -{number}\1 +{number}", patch, flags=re.MULTILINE)
        case "counts":
            return re.sub(r"^@@ -(\d+)\S* \+(\d+)\S*", rf"@@ -\1,{number} +\2,{number}", patch, flags=re.MULTILINE)
        case "indentation":
            return re.sub(r"^([ +-])(\t+)", lambda one: one[1] + "    " * len(one[2]), patch, flags=re.MULTILINE)
        case _:
            return patch.replace("letters", "leters")


LINES = st.lists(st.sampled_from(["a", "b", "\tc", "\td", "\t\te", "", "f"]), min_size=1, max_size=14)
KINDS = st.sampled_from(["bare", "numbers", "counts", "indentation", "name"])


CHANGES = st.lists(st.tuples(st.integers(0, 13), st.sampled_from(["\tc", "g", "\t\th", None])), min_size=1, max_size=4)


@given(LINES, CHANGES, st.lists(KINDS, min_size=1, max_size=2), st.integers(1, 20), st.integers(0, 3))
def test_a_damaged_diff_gives_what_was_meant_or_nothing(
    lines: list[str], changes: list[tuple[int, str | None]], kinds: list[str], number: int, context: int
) -> None:
    old = [f"{line}{at}" for at, line in enumerate(lines)] if "numbers" in kinds or "counts" in kinds else lines
    new = list(old)
    for at, line in changes:
        new[at : at + 1] = [] if line is None else [line]
    before, after = ("".join(f"{line}\n" for line in some) for some in (old, new))
    patch = diff(before, after, "letters.txt", context=context)
    if before == after:
        return
    for kind in kinds:
        patch = _damage(patch, kind, number)
    with tempfile.TemporaryDirectory() as folder:
        path = write_files(Path(folder), {"letters.txt": before}) / "letters.txt"
        is_corrected = _apply_as_told(path.parent, patch)
        found = path.read_text()
        if is_corrected is None:
            assert found == before
        elif "indentation" in kinds and (not is_corrected or patch.count("\n@@") > 1):
            # a hunk that fits as it is may still add lines with other white space
            assert "".join(found.split()) == "".join(after.split())
        else:
            assert found == after, patch


def _apply_as_told(root: Path, patch: str) -> bool | None:
    """Apply a patch, or else the one that is offered; return whether it was that one, or none if neither applies."""
    space = Workspace(root)
    try:
        space.apply_patch(patch)
    except ToolOperationError as error:
        fix = error.likely_fix
    else:
        return False
    if fix is None:
        return None
    space.apply_patch(fix["value"])
    return True
