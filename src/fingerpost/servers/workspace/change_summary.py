"""Summarize the difference between two texts, briefly and in bounded time."""

from __future__ import annotations

import difflib

_MOST_COMPARED, _MOST_SHOWN, _LONGEST_SHOWN = 1_500, 40, 160


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
