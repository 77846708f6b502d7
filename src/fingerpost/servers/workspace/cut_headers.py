"""Recognize the headers of a diff that was cut off inside them, so that it is not taken for a smaller diff."""

from __future__ import annotations

import re

from fingerpost.servers.workspace.diff_file_names import strip_prefix

_HEADERS = (
    "@@ -", "diff --git ", "--- ", "+++ ", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ",
    "rename from ", "rename to ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ",
    "GIT binary patch", "Binary files ",
)  # fmt: skip
_EMPTY_BLOB = re.compile(r"(?:0{7,}\.\.e69de29|e69de29[0-9a-f]*\.\.0{7,})")


def is_cut_header(line: str) -> bool:
    """Whether the last line of a diff is the beginning of a header, or names only the first file of a pair."""
    text = line.rstrip("\r")
    return bool(text) and (text.startswith("--- ") or any(one.startswith(text) for one in _HEADERS))


def find_missing_header(fields: dict[str, str], pair: tuple[str, str] | None) -> str:
    """Return what the headers of a git diff without hunks announce and do not have; empty if they are whole."""
    if "index" in fields:
        return "" if _EMPTY_BLOB.match(fields["index"]) else "the hunks"
    if "old mode" in fields and "new mode" not in fields:
        return "'new mode'"
    for kind in ("rename", "copy"):
        if f"{kind} from" in fields and (name := fields.get(f"{kind} to", "")) != _new_name(pair, name):
            return f"the rest of '{kind} to'"
    if "new file mode" in fields:
        return "'index' or the hunks"
    moves = "rename from" in fields or "copy from" in fields
    if fields.get("similarity index", "100%").strip() != "100%":
        return "the hunks"
    return "" if moves or "similarity index" not in fields else "'rename from' or 'copy from'"


def _new_name(pair: tuple[str, str] | None, name: str) -> str:
    """Return the new name in the first line of a diff if `name` is its beginning, else `name`."""
    whole = strip_prefix(pair[1]) if pair else name
    return whole if whole.startswith(name) else name
