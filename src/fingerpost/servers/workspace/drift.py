"""Why a hunk does not fit, so that the next patch does: where it comes nearest, what it expects, what is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from fingerpost.servers.workspace.applying import Misfit, applied, nearest
from fingerpost.servers.workspace.patch import Hunk, PatchError
from fingerpost.voice import counted, encoded

_MOST_SHOWN, _LONGEST_SHOWN = 8, 100


def unfit(misfit: Misfit, lines: list[str], hunks: Sequence[Hunk], path: str) -> PatchError:
    """What is said of a hunk that has no place in a file."""
    number = hunks.index(misfit.hunk) + 1
    which = f"Hunk {number} of {len(hunks)} does not fit {path}"
    details: dict[str, Any] = {"path": path, "hunk": number, "patch_line": misfit.hunk.line}
    if _is_applied(lines, hunks, path):
        said = f"The changes of {path} are there already"
        return _error(said, "Leave this file out of the patch", {**details, "already_applied": True})
    if misfit.places:
        places = [place + 1 for place in misfit.places]
        hint = "Send more of the lines around it, or the right line number, so that only one place is meant"
        return _error(
            f"{which}: it could be at any of lines {_listed(places)}", hint, {**details, "candidates": places}
        )
    if misfit.is_endless:
        return _error(f"{which}: too much had to be searched for it", "Send the right line numbers", details)
    if absent := next((one for one in misfit.hunk.headers if not _is_headed(lines, one)), None):
        said = f"{which}: no line below the hunk before is {encoded(_cut(absent))}"
        return _error(said, "Copy the line behind @@ from the file, or leave it out", details)
    return _drifted(which, misfit, lines, details)


def _drifted(which: str, misfit: Misfit, lines: list[str], details: dict[str, Any]) -> PatchError:
    old = misfit.hunk.old
    at, same = nearest(lines, misfit.hunk, misfit.at)
    there = lines[at : at + len(old)]
    differences = list(islice(_differences(old, there, at), 3))
    details |= {
        "nearest_line": at + 1,
        "matching_lines": same,
        "expected": [_cut(line) for line in old[:_MOST_SHOWN]],
        "found": [f"{at + step + 1}: {_cut(line)}" for step, line in enumerate(there[:_MOST_SHOWN])],
    }
    hint = "Read the file again, and send a patch against what it holds now"
    if not same or not differences:
        where = (
            f"none of its {counted(len(old), 'line')} is there" if not same else "the place is taken or out of order"
        )
        return _error(f"{which}: {where}", hint, details)
    said = f"{which}: nearest is line {at + 1}, where {same} of {counted(len(old), 'line')} match"
    error = _error(said, hint, details)
    error.hints = tuple(differences)
    return error


def _differences(old: list[str], there: list[str], at: int) -> Iterator[str]:
    for step, expected in enumerate(old):
        found = there[step] if step < len(there) else None
        if found is None:
            yield f"Line {at + step + 1} is past the end, expected {encoded(_cut(expected))}"
        elif found.rstrip() != expected.rstrip():
            yield f"Line {at + step + 1} is {encoded(_cut(found))}, expected {encoded(_cut(expected))}"


def _is_applied(lines: list[str], hunks: Sequence[Hunk], path: str) -> bool:
    """Whether the file already is what the patch would make of it."""
    if not all(hunk.new for hunk in hunks):
        return False
    try:
        shifted, back = 0, list[Hunk]()
        for hunk in hunks:
            back.append(hunk.reversed(shifted))
            shifted += len(hunk.new) - len(hunk.old)
        return bool(applied(lines, back, path))
    except Misfit:
        return False


def _is_headed(lines: list[str], header: str) -> bool:
    return any(line.strip().startswith(header) for line in lines)


def _error(message: str, hint: str, details: dict[str, Any]) -> PatchError:
    return PatchError(message, code="PATCH_DOES_NOT_APPLY", hint=hint, details=details)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _cut(line: str) -> str:
    text = line.rstrip("\r\n")
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
