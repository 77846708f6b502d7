"""Compute the patch that was meant, from edits of single lines that have only one possible result.

The corrected patch is only offered, never applied. It is offered if it applies as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from fingerpost.engine.phrases import encode_json
from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.patch import FilePatch, Hunk

Edits: TypeAlias = dict[int, str]
"""The new text of lines of a patch, by index."""

_MOST_ROUNDS, _LONGEST_REPAIRED = 8, 100_000
_LONGEST_OFFERED, _MOST_HEADERS = 440, 6
_INDEX = re.compile(r"^index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?\r?\n(?=--- )", re.MULTILINE)
"""The line of a git diff that names versions. It has no meaning here, and looks like a secret."""
_HEADER = ("@@", "--- ", "+++ ", "*** ", "diff ")


def correct_patch(text: str, edits: Edits, attempt: Callable[[str], Edits | None]) -> tuple[str, Edits] | None:
    """Edit a patch until it applies; return it with every edit, or none if that cannot be computed.

    `attempt` tries a patch and returns none if it applies, else further edits.
    """
    every: Edits = {}
    for _ in range(_MOST_ROUNDS if len(text) <= _LONGEST_REPAIRED else 0):
        if not edits:
            return None
        every |= edits
        text = _edit(text, edits)
        found = attempt(text)
        if found is None:
            return text, every
        edits = found
    return None


def offer_correction(error: ToolOperationError, label: str, text: str, edits: Edits) -> None:
    """Add a corrected patch to an error: the whole if it is short, else its headers that differ."""
    headers = {at + 1: line for at, line in sorted(edits.items()) if line.startswith(_HEADER)}
    short = _INDEX.sub("", text)
    if len(encode_json(short)) <= _LONGEST_OFFERED:
        label = label or "; ".join(headers.values()) or "the same patch with the white space of the file"
        error.parameter, error.likely_fix = "patch", {"value": short, "label": label}
        error.__dict__.pop("readings", None)  # the nearest path is in the patch
        return
    some = list(headers.items())[:_MOST_HEADERS]
    error.details |= {"corrected_lines": {str(number): line for number, line in headers.items()}} if some else {}
    error.hints = (*(f"Line {number} of the patch has to be {line}" for number, line in some), *error.hints)


def range_edits(places: Iterable[tuple[Hunk, int, int]]) -> Edits:
    """Return the headers of the hunks that have none."""
    return {hunk.line - 1: hunk.header(old, new) for hunk, old, new in places if hunk.is_bare}


def name_edits(text: str, one: FilePatch, old: str, new: str) -> Edits:
    """Return the headers of a file with another name."""
    lines = text.split("\n")
    end = one.hunks[0].line - 1 if one.is_diff else one.line
    name = re.compile(rf"(?<![^\s\"])((?:[abciow]/)?){re.escape(old)}(?![^\s\"])")
    heads = {at: name.sub(lambda found: found[1] + new, lines[at].rstrip("\r")) for at in range(one.line - 1, end)}
    return {at: line for at, line in heads.items() if line != lines[at].rstrip("\r")}


def _edit(text: str, edits: Edits) -> str:
    lines = text.split("\n")
    for at, line in edits.items():
        lines[at] = line + ("\r" if lines[at].endswith("\r") else "")
    return "\n".join(lines)
