"""Laws of patches, for generated texts."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.apply_hunks import apply_hunks
from fingerpost.servers.workspace.content import split_lines
from fingerpost.servers.workspace.plan import parse_patch
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    APP,
    LINE,
    NOTES,
    diff,
    snapshot,
    write_files,
)

TEXT = st.builds(
    lambda lines, end: "".join(f"{one}\n" for one in lines) + end, st.lists(LINE, max_size=12), LINE | st.just("")
)


@given(TEXT, TEXT, st.integers(1, 4))
def test_a_diff_turns_one_text_into_the_other_and_back(old: str, new: str, context: int) -> None:
    for before, after in ((old, new), (new, old)):
        if before != after:
            (file,) = parse_patch(diff(before, after, context=context)).files
            assert "".join(apply_hunks(split_lines(before), file.hunks, "x").lines) == after


@given(TEXT, TEXT, st.integers(0, 9))
def test_a_diff_applies_after_its_surroundings_have_moved(old: str, new: str, shift: int) -> None:
    above, below = "".join(f"above {n}\n" for n in range(9)), "".join(f"below {n}\n" for n in range(9))
    before, after = f"{above}{old}\n{below}", f"{above}{new}\n{below}"
    if before != after:
        (file,) = parse_patch(diff(before, after, context=30)).files
        moved = "".join(f"far {n}\n" for n in range(shift))
        done = apply_hunks(split_lines(moved + before), file.hunks, "x")
        assert "".join(done.lines) == moved + after and bool(done.warnings) == bool(shift)


PIECES = st.sampled_from(
    ["--- a/notes.txt", "+++ b/notes.txt", "@@ -1,2 +1,2 @@", "@@", " one", "-two", "+2", "", "*** Begin Patch",
     "*** Update File: notes.txt", "*** Add File: n", "*** Delete File: src/app.py", "*** Move to: m", "*** End Patch",
     "*** End of File", "diff --git a/notes.txt b/n", "rename from notes.txt", "rename to n", "new file mode 100755",
     "deleted file mode 100644", "--- /dev/null", "+++ /dev/null", "\\ No newline at end of file", "```", "words", "\r"]
)  # fmt: skip


@given(st.lists(PIECES | LINE, max_size=14).map("\n".join) | st.text(max_size=40))
def test_any_text_is_a_patch_or_an_error_and_a_dry_run_changes_nothing(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder), {"notes.txt": NOTES, "src/app.py": APP})
        before = snapshot(root)
        try:
            Workspace(root).apply_patch(text, dry_run=True)
        except ToolOperationError as error:
            assert error.code
        assert snapshot(root) == before
