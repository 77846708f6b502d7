"""Summarize the difference between two texts, and show the diff of a patch, briefly and in bounded time."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from fingerpost.servers.workspace.apply_hunks import PatchedLines

_MOST_COMPARED, _MOST_SHOWN, _LONGEST_SHOWN = 1_500, 40, 160
_MOST_SHOWN_OF_PATCH = 120


def summarize_changes(old: list[str], new: list[str]) -> tuple[int, int, list[str]]:
    """Return the number of added and of removed lines, and the beginning of the diff."""
    front = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - front
    back = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    before, after = old[front : len(old) - back], new[front : len(new) - back]
    if max(len(before), len(after)) > _MOST_COMPARED:
        removed_lines = [f"-{line}" for line in before[:_MOST_SHOWN]]
        return len(after), len(before), _cut([f"@@ line {front + 1} @@", *removed_lines])
    lead = max(front - 3, 0)
    tail = old[len(old) - back :][:3]
    lines = list(difflib.unified_diff(old[lead:front] + before + tail, new[lead:front] + after + tail))[2:]
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    return added, removed, _cut([_shift_header(line, lead) for line in lines])


def _cut(lines: list[str]) -> list[str]:
    short = [line.rstrip("\r\n")[:_LONGEST_SHOWN] for line in lines[:_MOST_SHOWN]]
    return [*short, f"… {len(lines) - _MOST_SHOWN} more lines"] if len(lines) > _MOST_SHOWN else short


def _shift_header(line: str, by: int) -> str:
    """Add an offset to the line numbers of a hunk header."""
    if not line.startswith("@@"):
        return line
    _, old, new, _ = line.split()
    return f"@@ {_shift_range(old, by)} {_shift_range(new, by)} @@"


def _shift_range(text: str, by: int) -> str:
    start, comma, count = text[1:].partition(",")
    return f"{text[0]}{int(start) + by}{comma}{count}"


class PatchDiff:
    """The diff that a patch results in, up to a number of lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._count = 0

    @property
    def lines(self) -> list[str]:
        """The beginning of the diff, and how many lines are left out."""
        left = self._count - len(self._lines)
        return [*self._lines, f"… {left} more lines"] if left else self._lines

    def add(self, old: str | None, new: str | None, done: PatchedLines) -> None:
        """Add the change of a file; a name is none if there is no such file."""
        self._add(f"--- a/{old}" if old else "--- /dev/null")
        self._add(f"+++ b/{new}" if new else "+++ /dev/null")
        for line in _diff_lines(done):
            self._add(line)

    def _add(self, line: str) -> None:
        self._count += 1
        if len(self._lines) < _MOST_SHOWN_OF_PATCH:
            text = line.rstrip("\r\n")
            self._lines.append(text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…")


def _diff_lines(done: PatchedLines) -> Iterator[str]:
    """Yield the hunks with the lines that the file has before and after."""
    for hunk, old, new in done.places:
        yield hunk.header(old, new)
        for mark, _ in hunk.lines:
            line = done.lines[new] if mark == "+" else done.old_lines[old]
            old, new = old + (mark != "+"), new + (mark != "-")
            yield mark + line
            if not line.endswith("\n"):
                yield "\\ No newline at end of file"
