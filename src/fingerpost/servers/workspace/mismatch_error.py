"""Explain why a hunk does not fit, so that the next patch does: the nearest place, and how its lines differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from fingerpost.engine.phrases import count_noun, encode_json
from fingerpost.servers.workspace.apply_hunks import HunkMismatch, apply_hunks
from fingerpost.servers.workspace.nearest_lines import NearestPlace, find_nearest
from fingerpost.servers.workspace.patch import Hunk, PatchError
from fingerpost.servers.workspace.white_space import indent_of, name_differences

_MOST_SHOWN, _LONGEST_SHOWN, _MOST_DIFFERENCES = 8, 100, 3
_AGAIN = "Read the file again, and send a patch against what it holds now"
_SPACED = "Send these lines with the white space that the file has"


def mismatch_error(mismatch: HunkMismatch, lines: list[str], hunks: Sequence[Hunk], path: str) -> PatchError:
    """Build the error for a hunk that fits no place in a file, or several."""
    number = hunks.index(mismatch.hunk) + 1
    which = f"Hunk {number} of {len(hunks)} does not fit {path}"
    details: dict[str, Any] = {"path": path, "hunk": number, "patch_line": mismatch.hunk.line}
    if mismatch.is_too_costly:
        hint = "Send the right line numbers, or fewer changes at a time"
        return _error(f"{which}: too much had to be searched for it", hint, details)
    if _is_applied(lines, hunks, path) and not _is_still_present(mismatch, lines):
        message = f"The changes of {path} are there already"
        return _error(message, "Leave this file out of the patch", {**details, "already_applied": True})
    if mismatch.places:
        places = [place + 1 for place in mismatch.places]
        hint = "Send more of the lines around it, or the right line number, so that only one place is meant"
        return _error(
            f"{which}: it could be at any of lines {_join_numbers(places)}", hint, {**details, "candidates": places}
        )
    if absent := next((one for one in mismatch.hunk.headers if not _has_header(lines, one)), None):
        message = f"{which}: no line below the hunk before is {encode_json(_cut(absent))}"
        near = find_nearest(lines, [absent], mismatch.at)
        differences = _differences([absent], lines[near.at : near.at + 1], near.at) if near.is_similar else ()
        return _error(message, "Copy the line behind @@ from the file, or leave it out", details, differences)
    if not mismatch.hunk.old:
        message = f"{which}: line {mismatch.at + 1} is meant, and the file has {count_noun(len(lines), 'line')}"
        return _error(message, _AGAIN, details)
    return _drift_error(which, mismatch, lines, details)


def _drift_error(which: str, mismatch: HunkMismatch, lines: list[str], details: dict[str, Any]) -> PatchError:
    old = mismatch.hunk.old
    near = find_nearest(lines, old, mismatch.at)
    there = lines[near.at : near.at + len(old)]
    details |= {
        "nearest_line": near.at + 1,
        "matching_lines": near.same,
        "expected": [_cut(line) for line in old[:_MOST_SHOWN]],
        "found": [f"{near.at + step + 1}: {_cut(line)}" for step, line in enumerate(there[:_MOST_SHOWN])],
    }
    if not near.is_similar:
        is_placed = mismatch.hunk.start is not None and mismatch.hunk.start == near.at
        differences = _differences(old, there, near.at) if is_placed else ()
        return _error(f"{which}: nothing in it is like the lines that are meant", _AGAIN, details, differences)
    if near.same == len(old):
        why = "which is not the end of the file" if mismatch.hunk.is_last else "out of order or taken by another hunk"
        return _error(f"{which}: its lines stand at line {near.at + 1}, {why}", _AGAIN, details)
    hint = _SPACED if near.same + near.spaced == len(old) else _AGAIN
    names = f" ({'; '.join(names)})" if (names := name_differences(old, there)) else ""
    return _error(f"{which}: {_where(near, len(old))}{names}", hint, details, _differences(old, there, near.at))


def _where(near: NearestPlace, count: int) -> str:
    place, lines = f"nearest is line {near.at + 1}", count_noun(count, "line")
    if near.same:
        more = f", and {near.spaced} more but for white space" if near.spaced else ""
        return f"{place}, where {near.same} of {lines} match{more}"
    if near.spaced == count:
        return f"{place}, which matches but for white space"
    if near.spaced:
        return f"{place}, where {near.spaced} of {lines} match but for white space"
    return f"no line matches exactly; {place}"


def _differences(old: list[str], there: list[str], at: int) -> Iterator[str]:
    for step, expected in enumerate(old):
        found = there[step] if step < len(there) else None
        if found is None:
            yield f"Line {at + step + 1} is past the end, expected {encode_json(_cut(expected))}"
        elif found.rstrip() != expected.rstrip():
            yield f"Line {at + step + 1} is {_show_difference(found.rstrip(), expected.rstrip())}"


def _show_difference(found: str, expected: str) -> str:
    """Show two lines, cut around their first difference; white space is drawn if it differs."""
    is_spaced = "".join(found.split()) == "".join(expected.split()) or indent_of(found) != indent_of(expected)
    one, other = (
        (_draw_white_space(found), _draw_white_space(expected)) if is_spaced else (found.strip(), expected.strip())
    )
    pairs = enumerate(zip(one, other, strict=False))
    first_difference = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    skipped = first_difference - _LONGEST_SHOWN // 3 if first_difference > _LONGEST_SHOWN * 2 // 3 else 0
    front = "…" if skipped else ""
    message = f"{encode_json(_cut(front + one[skipped:]))}, expected {encode_json(_cut(front + other[skipped:]))}"
    hard = ", ⍽ a non-breaking space" if "⍽" in message else ""
    return message + (f" (· is a space, → a tab{hard})" if is_spaced else "")


def _draw_white_space(line: str) -> str:
    return line.replace(" ", "·").replace("\t", "→").replace("\u00a0", "⍽")


def _is_applied(lines: list[str], hunks: Sequence[Hunk], path: str) -> bool:
    """Whether the file already has every change of the patch."""
    if not all(hunk.new for hunk in hunks):
        return False
    try:
        shift, inverse = 0, list[Hunk]()
        for hunk in hunks:
            inverse.append(hunk.inverted(shift))
            shift += len(hunk.new) - len(hunk.old)
        return bool(apply_hunks(lines, inverse, path))
    except HunkMismatch:
        return False


def _is_still_present(mismatch: HunkMismatch, lines: list[str]) -> bool:
    """Whether lines that the hunk only removes are still there, apart from white space."""
    if any(mark == "+" for mark, _ in mismatch.hunk.lines):
        return False
    near = find_nearest(lines, mismatch.hunk.old, mismatch.at)
    return near.same + near.spaced == len(mismatch.hunk.old)


def _has_header(lines: list[str], header: str) -> bool:
    return any(line.strip().startswith(header) for line in lines)


def _error(message: str, hint: str, details: dict[str, Any], differences: Iterable[str] = ()) -> PatchError:
    hints = tuple(islice(differences, _MOST_DIFFERENCES))
    return PatchError(message, code="PATCH_DOES_NOT_APPLY", hint=hint, hints=hints, details=details)


def _join_numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _cut(line: str) -> str:
    text = line.rstrip("\r\n")
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
