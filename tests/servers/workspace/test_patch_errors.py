"""`apply_patch`: patches that do not apply, and what the errors say."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.servers.workspace import nearest_lines, plan
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    HEAD,
    LINE,
    NOTES,
    call_tool,
    diff,
    failure,
    snapshot,
    write_files,
)

BARE = "--- a/notes.txt\n+++ b/notes.txt\n@@\n-two\n+2\n"


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ("", "PATCH_EMPTY"),
        (" \n\n", "PATCH_EMPTY"),
        ("*** Begin Patch\n*** End Patch", "PATCH_EMPTY"),
        ("just words", "PATCH_MALFORMED"),
        (BARE, "PATCH_MALFORMED"),
        (BARE.replace("@@", "@@ def f(): @@"), "PATCH_MALFORMED"),
        (BARE.replace("@@", "@@@ -1 -1 +1 @@@"), "PATCH_MALFORMED"),
        ("@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("@@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,4 @@\n+only new\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n one\ntwo\n+2\n three\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -0,0 +0,0 @@\n\\ No newline\n", "PATCH_MALFORMED"),
        ("*** a.txt\n--- b.txt\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "PATCH_MALFORMED"),
        ("Binary files a/x and b/x differ\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nindex 1..2\n", "PATCH_MALFORMED"),
        ("diff --git what ever b/x b/y\nnew mode 100755\n", "PATCH_MALFORMED"),
        ('diff --git "a/x" odd "b/x"\nnew mode 100755\n', "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/y\nrename from notes.txt\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ b/\n@@ -0,0 +1 @@\n+x\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ b/new/\n@@ -0,0 +1 @@\n+x\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ b/new/.\n@@ -0,0 +1 @@\n+x\n", "PATCH_MALFORMED"),
        ('--- /dev/null\n+++ "b/new/"\n@@ -0,0 +1 @@\n+x\n', "PATCH_MALFORMED"),
        ("--- a/\n+++ b/\n@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt/\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "PATCH_MALFORMED"),
        ("diff --git a/notes.txt b/\nrename from notes.txt\nrename to n/\n", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Add File: new/\n+x\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n*** Move to: n/\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\nwords\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: \n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@\n one\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@\nwords\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Add File: n.txt\nwords\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notse.txt\n@@\n-two\n+2\n*** End Patch", "FILE_NOT_FOUND"),
        ("*** Begin Patch\n*** Delete File: zzz\n*** End Patch", "FILE_NOT_FOUND"),
        ("--- a/notse.txt\n+++ b/notse.txt\n@@ -2 +2 @@\n-two\n+2\n", "FILE_NOT_FOUND"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -2 +2 @@\n-zwei\n+2\n", "PATCH_DOES_NOT_APPLY"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -99,0 +99 @@\n+2\n", "PATCH_DOES_NOT_APPLY"),
        ("--- a/notes.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "PATCH_DOES_NOT_APPLY"),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@ nowhere\n-two\n+2\n*** End Patch", "PATCH_DOES_NOT_APPLY"),
        (
            "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+2\n*** End of File\n*** End Patch",
            "PATCH_DOES_NOT_APPLY",
        ),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@ nowhere\n+2\n*** End Patch", "PATCH_DOES_NOT_APPLY"),
        (
            "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+2\n@@\n-one\n+1\n*** End Patch",
            "PATCH_DOES_NOT_APPLY",
        ),
    ],
)
def test_a_patch_that_cannot_be_applied_says_why_and_changes_nothing(
    space: Workspace, root: Path, patch: str, code: str
):
    before = snapshot(root)
    error = failure(space.apply_patch, patch)
    assert (error.code, error.category) == (code, "patch"), error
    assert error.hint or error.readings  # type: ignore[attr-defined]
    assert str(error.hint) not in error.message and snapshot(root) == before


def test_a_bare_separator_is_explained_in_the_hint_alone(space: Workspace) -> None:
    error = failure(space.apply_patch, BARE)
    assert error.details == {"line": 3} and "without line ranges" in error.message
    assert "@@ -1,3 +1,4 @@" in str(error.hint) and "*** Begin Patch" in str(error.hint)


def test_an_error_names_the_nearest_place_and_the_differences(root: Path) -> None:
    patch = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,4 +1,4 @@\n two\n drei\n-four\n+4\n five\n six\n"
    reply = call_tool(root, "apply_patch", {"patch": patch})
    detail = reply.structured["error_detail"]
    assert detail["details"] == {
        "path": "notes.txt", "hunk": 1, "patch_line": 3, "nearest_line": 2, "matching_lines": 3,
        "expected": ["two", "drei", "four", "five", "six"], "found": ["2: two", "3: three", "4: four", "5: five"],
    }  # fmt: skip
    assert 'Line 3 is "three", expected "drei"' in reply.text and "Line 6 is past the end" in reply.text


DRIFTED = "def f():\n    return 1\n\n\ndef g(x):\n\tif x:\n\t\treturn  22\n    return 2\n"


NONE, SPACED = "no line matches exactly; nearest is line", "nearest is line"


NEXT = "*** Begin Patch\n*** Update File: x.txt\n@@{}\n*** End Patch"


@pytest.mark.parametrize(
    ("body", "where", "shown"),
    [
        ("@@ -8 +8,0 @@\n-    return 20\n", f"{NONE} 8", '8 is "return 2", expected "return 20"'),
        ("@@ -1 +1,0 @@\n-  return 2\n", f"{SPACED} 8, which", '8 is "····return·2", expected "··return·2"'),
        ("@@ -1 +1,0 @@\n-  return 20\n", f"{NONE} 8", '8 is "····return·2", expected "··return·20" (· is a space'),
        ("@@ -1 +1,0 @@\n-        return 22\n", f"{SPACED} 7, which", '7 is "→→return··22", expected "········re'),
        ("@@ -1 +1,0 @@\n-\t\treturn 22\n", f"{SPACED} 7, which", '7 is "→→return··22", expected "→→return·22"'),
        ("@@ -1,2 +1 @@\n     if x:\n-        return 22\n", f"{SPACED} 6, which", 'expected "····if·x'),
        ("@@ -1,2 +1 @@\n def g(x):\n-    if x:\n", "line 5, where 1 of 2 lines match, and 1 more but", "Line 6 is"),
        ("@@ -1,2 +1 @@\n def h(y):\n-    if x:\n", f"{SPACED} 5, where 1 of 2 lines match but", "Line 5 is"),
        ("@@ -1,3 +1 @@\n def g(y):\n \tif y:\n-\t\treturn 23\n", f"{NONE} 5", "Line 7 is"),
        ("@@ -3,2 +3,2 @@\n \n-zzzzzzzz\n+y\n", "nothing in it is like the lines", 'Line 4 is "", expected "zzzzzzzz"'),
        ("@@ -90 +90,0 @@\n-zzzzzzzz\n", "nothing in it is like the lines", ""),
        ("@@ -90 +90,0 @@\n-   return  2\n", f"{SPACED} 8, which", 'Line 8 is "····return·2", expected "···return··2"'),
        ("@@ -90,0 +90 @@\n+z\n", "line 91 is meant, and the file has 8 lines", ""),
    ],
)  # fmt: skip
def test_the_nearest_place_is_found_if_no_line_is_the_same(root: Path, body: str, where: str, shown: str) -> None:
    write_files(root, {"x.txt": DRIFTED})
    before = snapshot(root)
    reply = call_tool(root, "apply_patch", {"patch": HEAD + body})
    assert reply.error["code"] == "PATCH_DOES_NOT_APPLY" and snapshot(root) == before
    assert where in reply.text and shown in reply.text, reply.text
    assert ("Line " in reply.text) is bool(shown)
    is_spaced = "which" in where or "and 1 more" in where
    assert ("with the white space that the file has" in reply.text) is is_spaced


@pytest.mark.parametrize(
    ("body", "where", "shown"),
    [
        ("\n-    return 20\n+x", f"{NONE} 8", 'Line 8 is "return 2", expected "return 20"'),
        ("\n-zzzzzzzz\n+x", "nothing in it is like the lines", ""),
        (" def gg(x):\n-    return 1\n+x", 'no line below the hunk before is "def gg(x):"', 'Line 5 is "def g(x):"'),
        (" zzzz\n-    return 1\n+x", 'no line below the hunk before is "zzzz"', ""),
        ("\n-def f():\n+x\n*** End of File", "its lines stand at line 1, which is not the end of the file", ""),
        ("\n-def g(x):\n+x\n@@\n-def f():\n+y", "its lines stand at line 1, out of order", ""),
    ],
)
def test_the_nearest_place_is_found_for_the_begin_patch_form(root: Path, body: str, where: str, shown: str) -> None:
    write_files(root, {"x.txt": DRIFTED})
    reply = call_tool(root, "apply_patch", {"patch": NEXT.format(body)})
    assert reply.error["code"] == "PATCH_DOES_NOT_APPLY"
    assert where in reply.text and shown in reply.text and ("Line " in reply.text) is bool(shown), reply.text


def test_an_empty_file_has_no_similar_lines(space: Workspace, root: Path) -> None:
    write_files(root, {"x.txt": ""})
    error = failure(space.apply_patch, HEAD + "@@ -1 +1 @@\n-a\n+b\n")
    assert error.hints == ('Line 1 is past the end, expected "a"',)


def test_of_equally_similar_places_the_expected_one_is_named() -> None:
    lines = ["    return 1\n", "pass\n"] * 500
    for intended in (0, 402, 998):
        for wanted in (["  return 1\n"], ["    return 12\n"]):
            assert nearest_lines.find_nearest(lines, wanted, intended).at == intended


@given(st.lists(LINE, max_size=8), st.lists(LINE, min_size=1, max_size=4), st.integers(0, 9))
def test_the_nearest_place_is_inside_the_file(lines: list[str], old: list[str], expected: int) -> None:
    near = nearest_lines.find_nearest(lines, old, expected)
    assert 0 <= near.at <= len(lines) and 0 <= near.same + near.spaced <= len(old)


@pytest.mark.no_cover
def test_the_nearest_place_in_a_huge_file_is_found_in_bounded_time(space: Workspace, root: Path) -> None:
    same, wide = "    same line here\n", "x" * 190
    cases = [
        ("".join(f"value_{n} = f({n})\n" for n in range(150_000)), "-value_99999 = f(9)\n"),
        (same * 150_000, "-    same lime here\n" * 5_000),
        (f"{wide}y\n" * 20_000, f"-{wide}z\n" * 5_000),
        ("x" * 5_000_000, f"-{'x' * 1_000_000}\n"),
    ]
    for text, body in cases:
        write_files(root, {"x.txt": text})
        began = time.process_time()
        error = failure(space.apply_patch, f"{HEAD}@@ -1 +1 @@\n{body}+x\n")
        assert time.process_time() - began < 8 and "nearest is line" in error.message and error.hints


def test_long_lines_show_where_they_differ(space: Workspace, root: Path) -> None:
    write_files(root, {"x.txt": "y" * 500 + "one\n"})
    error = failure(space.apply_patch, HEAD + "@@ -1 +1 @@\n-" + "y" * 500 + "two\n+b\n")
    assert 'one", expected' in error.hints[0] and 'two"' in error.hints[0] and len(error.hints[0]) < 260


def test_long_lines_are_cut_in_errors(space: Workspace, root: Path) -> None:
    write_files(root, {"x.txt": "a\n" + "y" * 500 + "\n"})
    error = failure(space.apply_patch, HEAD + "@@ -1,2 +1,2 @@\n-a\n+b\n " + "z" * 500 + "\n")
    assert all(len(hint) < 260 for hint in error.hints) and error.hints


def test_several_possible_places_are_named_and_none_is_guessed(space: Workspace, root: Path) -> None:
    before = snapshot(root)
    patches = [
        "--- a/src/app.py\n+++ b/src/app.py\n@@ -20 +20 @@\n-    return 1\n+    return 2\n",
        "*** Begin Patch\n*** Update File: src/app.py\n@@\n-    return 1\n+    return 2\n*** End Patch",
        "*** Begin Patch\n*** Update File: src/app.py\n@@ def\n-    return 1\n+    return 2\n*** End Patch",
    ]
    for patch in patches:
        error = failure(space.apply_patch, patch)
        assert error.code == "PATCH_DOES_NOT_APPLY" and error.details["candidates"] == [2, 6]
    insertion = "*** Begin Patch\n*** Update File: src/app.py\n@@ return 1\n+x\n*** End Patch"
    assert failure(space.apply_patch, insertion).details["candidates"] == [3, 7]
    assert snapshot(root) == before
    write_files(root, {"x.txt": "a\n" * 50})
    assert len(failure(space.apply_patch, HEAD + "@@ -90 +90 @@\n-a\n+b\n").details["candidates"]) == 6
    twice = "@@ -1 +1 @@\n-a\n+b\n"
    assert "candidates" in failure(space.apply_patch, HEAD + twice + twice).details


def test_a_patch_that_is_already_applied_is_recognized(space: Workspace, root: Path) -> None:
    patch = diff(NOTES, "zero\n" + NOTES.replace("four\n", "4\n4b\n"), "notes.txt", context=1)
    space.apply_patch(patch)
    assert failure(space.apply_patch, patch).details["already_applied"] is True
    write_files(root, {"same.txt": "x\n" * 30})
    patch = diff("x\n" * 30, "y\ny\n" + "x\n" * 25 + "z\n" + "x\n" * 5, "same.txt", context=1)
    space.apply_patch(patch)
    assert failure(space.apply_patch, patch).details["already_applied"] is True
    new = "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+n\n"
    space.apply_patch(new)
    assert failure(space.apply_patch, new).details["already_applied"] is True
    error = failure(space.apply_patch, new.replace("+n", "+m"))
    assert (error.code, error.category) == ("CONFLICT", "conflict")
    freeform = "*** Begin Patch\n*** Update File: src/app.py\n@@ def g():\n-    return 1\n+    return 3\n*** End Patch"
    space.apply_patch(freeform)
    assert (
        failure(space.apply_patch, freeform.replace("    return 1", "    return 9")).details["already_applied"] is True
    )
    gone = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-nothing of it\n*** End Patch"
    assert "already_applied" not in failure(space.apply_patch, gone).details


def test_a_rename_onto_another_file_and_a_patch_of_a_binary_file_are_refused(space: Workspace, root: Path) -> None:
    write_files(root, {"bin": b"\0"})
    rename = "diff --git a/notes.txt b/bin\nrename from notes.txt\nrename to bin\n"
    assert failure(space.apply_patch, rename).category == "conflict"
    assert failure(space.apply_patch, "--- a/bin\n+++ b/bin\n@@ -1 +1 @@\n-a\n+b\n").code == "PATCH_DOES_NOT_APPLY"
    assert failure(space.apply_patch, "--- a/src\n+++ b/src\n@@ -1 +1 @@\n-a\n+b\n").code == "INVALID_INPUT"


def test_a_similar_file_is_suggested_for_a_wrong_name_in_a_patch(root: Path) -> None:
    reply = call_tool(root, "apply_patch", {"patch": diff(NOTES, "", "notse.txt")})
    assert reply.structured["error_detail"]["suggestions"]["did_you_mean"] == "notes.txt"
    assert "notes.txt" in reply.structured["error_detail"]["hint"]


def test_huge_patches_take_bounded_time(space: Workspace, root: Path) -> None:
    count = 20_000
    write_files(root, {"x.txt": "".join(f"{n}\n" for n in range(count * 3))})
    hunks = "".join(f"@@ -{n * 3 + 1} +{n * 3 + 1} @@\n-{n * 3}\n+new {n}\n" for n in range(count))
    assert space.apply_patch(HEAD + hunks)["changed"][0]["added"] == count
    write_files(root, {"x.txt": "".join(f"{n}\n" for n in range(count * 3))})
    result = space.apply_patch(HEAD + "".join(f"@@ -1 +1 @@\n-{n * 3}\n+new {n}\n" for n in range(count)))
    assert result["changed"][0]["added"] == count and len(result["warnings"]) == 21


def test_a_search_that_takes_too_long_is_given_up(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.servers.workspace.apply_hunks._MOST_STEPS", 40)
    write_files(root, {"x.txt": "a\nb\n" * 50})
    error = failure(space.apply_patch, HEAD + "@@ -1,3 +1,2 @@\n a\n-a\n a\n")
    assert "too much" in error.message
    begin = "*** Begin Patch\n*** Update File: x.txt\n@@ a\n@@ b\n a\n-c\n*** End Patch"
    assert "too much" in failure(space.apply_patch, begin).message


def test_many_sections_for_one_file_are_given_up(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.servers.workspace.apply_hunks._MOST_STEPS", 2_000)
    write_files(root, {"x.txt": "".join(f"{n}\n" for n in range(100))})
    before = snapshot(root)
    sections = "".join(f"*** Update File: x.txt\n@@\n-{n}\n+x\n" for n in range(50))
    error = failure(space.apply_patch, f"*** Begin Patch\n{sections}*** End Patch")
    assert "too much" in error.message and "fewer changes" in str(error.hint) and snapshot(root) == before


def test_files_and_patches_that_are_too_large_are_refused_before_they_are_read(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (root / "x.txt").open("wb") as file:
        file.truncate(plan.MAX_CHANGED_BYTES + 1)
    monkeypatch.setattr(space.tree, "read", None)
    for error in (
        failure(space.apply_patch, HEAD + "@@ -1 +1 @@\n-a\n+b\n"),
        failure(space.apply_patch, "*** Begin Patch\n*** Delete File: x.txt\n*** End Patch"),
        failure(space.write_file, "x.txt", "new"),
    ):
        assert error.code == "FILE_TOO_LARGE" and "16,777,217 bytes" in error.message
    long = HEAD + "@@ -1 +1 @@\n-a\n+" + "b" * (4 << 20)
    error = failure(space.apply_patch, long)
    assert error.code == "PATCH_TOO_LARGE" and "4,194,304" in error.message
    monkeypatch.undo()
    space.delete("x.txt")
    assert not (root / "x.txt").exists()


def test_a_patch_of_many_files_reports_the_first_200(space: Workspace, root: Path) -> None:
    result = space.apply_patch("".join(f"--- /dev/null\n+++ b/f{n}\n@@ -0,0 +1 @@\n+x\n" for n in range(250)))
    assert (len(result["changed"]), result["total_changed"]) == (200, 250) and (root / "f249").exists()
