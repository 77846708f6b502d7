"""Why a hunk does not fit, so that the next patch does: where it comes nearest, what it expects, what is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from fingerpost.engine.phrases import count_noun, encode_json
from fingerpost.servers.workspace.applying import Misfit, applied
from fingerpost.servers.workspace.nearness import Near, nearest
from fingerpost.servers.workspace.patch import Hunk, PatchError

_MOST_SHOWN, _LONGEST_SHOWN, _MOST_DIFFERENCES = 8, 100, 3
_AGAIN = "Read the file again, and send a patch against what it holds now"
_SPACED = "Send these lines with the white space that the file has"


def unfit(misfit: Misfit, lines: list[str], hunks: Sequence[Hunk], path: str) -> PatchError:
    """What is said of a hunk that has no place in a file."""
    number = hunks.index(misfit.hunk) + 1
    which = f"Hunk {number} of {len(hunks)} does not fit {path}"
    details: dict[str, Any] = {"path": path, "hunk": number, "patch_line": misfit.hunk.line}
    if _is_applied(lines, hunks, path) and not _is_still_there(misfit, lines):
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
        said = f"{which}: no line below the hunk before is {encode_json(_cut(absent))}"
        near = nearest(lines, [absent], misfit.at)
        differences = _differences([absent], lines[near.at : near.at + 1], near.at) if near.is_alike else ()
        return _error(said, "Copy the line behind @@ from the file, or leave it out", details, differences)
    if not misfit.hunk.old:
        said = f"{which}: line {misfit.at + 1} is meant, and the file has {count_noun(len(lines), 'line')}"
        return _error(said, _AGAIN, details)
    return _drifted(which, misfit, lines, details)


def _drifted(which: str, misfit: Misfit, lines: list[str], details: dict[str, Any]) -> PatchError:
    old = misfit.hunk.old
    near = nearest(lines, old, misfit.at)
    there = lines[near.at : near.at + len(old)]
    details |= {
        "nearest_line": near.at + 1,
        "matching_lines": near.same,
        "expected": [_cut(line) for line in old[:_MOST_SHOWN]],
        "found": [f"{near.at + step + 1}: {_cut(line)}" for step, line in enumerate(there[:_MOST_SHOWN])],
    }
    if not near.is_alike:
        is_placed = misfit.hunk.start is not None and misfit.hunk.start == near.at
        differences = _differences(old, there, near.at) if is_placed else ()
        return _error(f"{which}: nothing in it is like the lines that are meant", _AGAIN, details, differences)
    if near.same == len(old):
        why = "which is not the end of the file" if misfit.hunk.is_last else "out of order or taken by another hunk"
        return _error(f"{which}: its lines stand at line {near.at + 1}, {why}", _AGAIN, details)
    hint = _SPACED if near.same + near.spaced == len(old) else _AGAIN
    return _error(f"{which}: {_where(near, len(old))}", hint, details, _differences(old, there, near.at))


def _where(near: Near, count: int) -> str:
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
            yield f"Line {at + step + 1} is {_told_apart(found.rstrip(), expected.rstrip())}"


def _told_apart(found: str, expected: str) -> str:
    """Two lines, cut so that it shows where they differ; their white space is drawn where that is what differs."""
    is_spaced = "".join(found.split()) == "".join(expected.split()) or _indent(found) != _indent(expected)
    one, other = (_drawn(found), _drawn(expected)) if is_spaced else (found.strip(), expected.strip())
    pairs = enumerate(zip(one, other, strict=False))
    alike = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    skipped = alike - _LONGEST_SHOWN // 3 if alike > _LONGEST_SHOWN * 2 // 3 else 0
    front = "…" if skipped else ""
    said = f"{encode_json(_cut(front + one[skipped:]))}, expected {encode_json(_cut(front + other[skipped:]))}"
    return said + (" (· is a space, → a tab)" if is_spaced else "")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _drawn(line: str) -> str:
    return line.replace(" ", "·").replace("\t", "→")


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


def _is_still_there(misfit: Misfit, lines: list[str]) -> bool:
    """Whether lines that are only to go are there but for white space: what stays around them proves nothing then."""
    if any(mark == "+" for mark, _ in misfit.hunk.lines):
        return False
    near = nearest(lines, misfit.hunk.old, misfit.at)
    return near.same + near.spaced == len(misfit.hunk.old)


def _is_headed(lines: list[str], header: str) -> bool:
    return any(line.strip().startswith(header) for line in lines)


def _error(message: str, hint: str, details: dict[str, Any], differences: Iterable[str] = ()) -> PatchError:
    hints = tuple(islice(differences, _MOST_DIFFERENCES))
    return PatchError(message, code="PATCH_DOES_NOT_APPLY", hint=hint, hints=hints, details=details)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _cut(line: str) -> str:
    text = line.rstrip("\r\n")
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
