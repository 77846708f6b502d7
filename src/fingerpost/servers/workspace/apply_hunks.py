"""Apply hunks to the lines of a file: at their line number, else where their lines are found, never by guessing.

A line matches exactly, else without its ending, else without trailing white space. Context lines are copied from the
file, so a match that ignores white space does not change them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from fingerpost.servers.workspace.patch import Hunk

_LEVELS: tuple[Callable[[str], str], ...] = (
    str,
    lambda line: line.rstrip("\r\n"),
    str.rstrip,
    lambda line: "".join(line.split()),
)
_MATCHING_LEVELS, _NO_SPACE = range(3), 3
"""The levels at which a hunk is applied, and the one that is only for messages."""
_LEVEL_WARNINGS = (
    "",
    "Line endings of the patch differ from those of {path}, which were kept",
    "White space at the end of lines of {path} was overlooked",
)
_MOST_PLACES = 6
_MOST_STEPS = 2_000_000
"""The limit of lines that are indexed or compared for one patch: about a second."""


class SearchBudget:
    """How much may still be searched for a patch, in lines. Steps are counted, so the result never depends on time."""

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def spend(self, steps: int) -> None:
        self.left -= steps

    @property
    def is_spent(self) -> bool:
        return self.left < 0


class HunkMismatch(Exception):
    """A hunk that fits no place, or several."""

    def __init__(
        self,
        hunk: Hunk,
        at: int,
        places: Sequence[int] = (),
        *,
        is_too_costly: bool = False,
        spaced_places: Sequence[int] = (),
    ) -> None:
        super().__init__()
        self.hunk, self.at, self.places, self.is_too_costly = hunk, at, tuple(places), is_too_costly
        self.spaced_places = tuple(spaced_places)
        """Where it fits apart from white space."""


@dataclass(slots=True)
class PatchedLines:
    """The lines of a file after its hunks."""

    lines: list[str] = field(default_factory=list[str])
    old_lines: Sequence[str] = ()
    warnings: list[str] = field(default_factory=list[str])
    added: int = 0
    removed: int = 0
    places: list[tuple[Hunk, int, int]] = field(default_factory=list[tuple[Hunk, int, int]])
    """Each hunk with its first line in the old and in the new file, counted from 0."""


def apply_hunks(lines: list[str], hunks: Sequence[Hunk], path: str, budget: SearchBudget | None = None) -> PatchedLines:
    """Apply every hunk. Raises `HunkMismatch` if one does not fit, or if the search for it takes too long."""
    search, result = _SearchableLines(lines, budget or SearchBudget()), PatchedLines(old_lines=lines)
    floor = shift = 0
    for hunk in _sort_hunks(hunks):
        at, level = search.locate(hunk, floor, shift)
        end = at + len(hunk.old)
        result.lines += lines[floor:at]
        result.places.append((hunk, at, len(result.lines)))
        result.lines += _merge_hunk(hunk, lines, at, level)
        result.added += sum(mark == "+" for mark, _ in hunk.lines)
        result.removed += sum(mark == "-" for mark, _ in hunk.lines)
        result.warnings += _warnings(hunk, at, level, path)
        floor, shift = end, at - hunk.start if hunk.start is not None else shift
    result.lines += lines[floor:]
    _end_all_lines(result.lines)
    return result


def _sort_hunks(hunks: Sequence[Hunk]) -> Sequence[Hunk]:
    """Sort hunks by line number if all of them have one."""
    starts = [hunk.start for hunk in hunks if hunk.start is not None]
    return sorted(hunks, key=lambda hunk: hunk.start or 0) if len(starts) == len(hunks) else hunks


class _SearchableLines:
    """The lines of a file, indexed for searching."""

    def __init__(self, lines: list[str], budget: SearchBudget) -> None:
        self.lines, self.budget = lines, budget
        self._forms: dict[int, list[str]] = {0: lines}
        self._places: dict[int, dict[str, list[int]]] = {}

    def locate(self, hunk: Hunk, floor: int, shift: int) -> tuple[int, int]:
        """Find the place of a hunk, at `floor` or below, and the level at which it matches."""
        old = hunk.old
        expected = floor if hunk.start is None else max(hunk.start + shift, floor)
        if not old:
            return self._place_insertion(hunk, floor, expected), 1 if self.lines else 0
        if hunk.start is not None and expected == hunk.start + shift and not hunk.headers:
            for level in _MATCHING_LEVELS:
                if self._fits(old, expected, level):
                    return expected, level
        for level in _MATCHING_LEVELS:
            if places := list(self._find_places(hunk, old, level, floor)):
                if len(places) > 1:
                    raise HunkMismatch(hunk, expected, places)
                return places[0], level
        is_too_costly = self.budget.is_spent
        spaced = list(self._find_places(hunk, old, _NO_SPACE, floor)) if self._may_squeeze(old) else []
        raise HunkMismatch(hunk, expected, is_too_costly=is_too_costly, spaced_places=spaced)

    def _may_squeeze(self, old: list[str]) -> bool:
        """Whether lines that are not all blank may be searched without white space; that is only for the message."""
        return 2 * len(self.lines) <= self.budget.left and any(line.strip() for line in old)

    def normal_form(self, level: int) -> list[str]:
        if level not in self._forms:
            self.budget.spend(len(self.lines))
            self._forms[level] = list(map(_LEVELS[level], self.lines))
        return self._forms[level]

    def line_places(self, level: int) -> dict[str, list[int]]:
        """Return the places of each line."""
        if level not in self._places:
            self.budget.spend(len(self.lines))
            self._places[level] = places = dict[str, list[int]]()
            for at, line in enumerate(self.normal_form(level)):
                places.setdefault(line, []).append(at)
        return self._places[level]

    def _place_insertion(self, hunk: Hunk, floor: int, expected: int) -> int:
        """Place a hunk without old lines: below its header, at its line number, or at the end."""
        if hunk.headers:
            after = list(self._places_below(hunk.headers, floor))
            if len(after) == 1:
                return after[0]
            raise HunkMismatch(hunk, floor, after[:_MOST_PLACES])
        if hunk.start is None:
            return len(self.lines)
        if expected > len(self.lines):
            raise HunkMismatch(hunk, expected)
        return expected

    def _fits(self, old: list[str], at: int, level: int) -> bool:
        normalize, there = _LEVELS[level], self.lines[at : at + len(old)]
        self.budget.spend(len(old))
        return [normalize(line) for line in there] == [normalize(line) for line in old]

    def _find_places(self, hunk: Hunk, old: list[str], level: int, floor: int) -> Iterator[int]:
        """Find the places of these lines; if the hunk has headers, the first place below each."""
        if hunk.is_last:
            at = len(self.lines) - len(old)
            yield from [at] if at >= floor and self._fits(old, at, level) else []
        elif hunk.headers:
            firsts = (
                next(self._find_all(old, level, below), None) for below in self._places_below(hunk.headers, floor)
            )
            yield from list(dict.fromkeys(one for one in firsts if one is not None))[:_MOST_PLACES]
        else:
            for count, at in enumerate(self._find_all(old, level, floor)):
                if count == _MOST_PLACES:
                    return
                yield at

    def _find_all(self, old: list[str], level: int, floor: int) -> Iterator[int]:
        if self.budget.is_spent:
            return
        block = [_LEVELS[level](line) for line in old]
        places, form = self.line_places(level), self.normal_form(level)
        step, rarest = min(enumerate(block), key=lambda one: len(places.get(one[1], ())))
        for place in places.get(rarest, ()):
            self.budget.spend(1)
            at = place - step
            if self.budget.is_spent:
                return
            if at >= floor and form[at] == block[0]:
                self.budget.spend(1 + len(block) // 8)  # comparing is faster than indexing
                if form[at : at + len(block)] == block:
                    yield at

    def _places_below(self, headers: tuple[str, ...], floor: int) -> Iterator[int]:
        """Find the lines below each place where the headers follow one another."""
        for at in self._find_header(headers[0], floor):
            yield from [at + 1] if len(headers) == 1 else islice(self._places_below(headers[1:], at + 1), 1)

    def _find_header(self, header: str, floor: int) -> list[int]:
        """Find the lines that equal this header, or else begin with it."""
        self.budget.spend(len(self.lines) - floor)
        if self.budget.is_spent:
            return []
        lines = [(at, self.lines[at].strip()) for at in range(floor, len(self.lines))]
        whole = [at for at, line in lines if line == header]
        return whole or [at for at, line in lines if line.startswith(header)]


def _merge_hunk(hunk: Hunk, lines: list[str], at: int, level: int) -> list[str]:
    """Return the new lines of a hunk: context as in the file, added lines with the ending of their neighbours."""
    if level == 0:
        return hunk.new
    removed, merged, here = deque[str](), list[str](), at
    ending = _ending_near(lines, at) or "\n"
    for mark, text in hunk.lines:
        if mark == "+":
            ending = (_ending(removed.popleft()) if removed else "") or ending
            merged.append(_with_ending(text, ending if text.endswith("\n") else ""))
            continue
        own, here = lines[here], here + 1
        ending = _ending(own) or ending
        if mark == "-":
            removed.append(own)
        else:
            removed.clear()
            merged.append(own)
    if here > at and here == len(lines) and merged:
        merged[-1] = _with_ending(merged[-1], (_ending(merged[-1]) or ending) if _ending(lines[-1]) else "")
    return merged


def _ending_near(lines: list[str], at: int) -> str:
    """The line ending next to a place: of the line before it, else of the line after."""
    beside = [*reversed(lines[max(at - 2, 0) : at]), *lines[at : at + 1]]
    return next((found for line in beside if (found := _ending(line))), "")


def _ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def _with_ending(line: str, ending: str) -> str:
    return line.removesuffix("\n").removesuffix("\r") + ending


def _end_all_lines(lines: list[str]) -> None:
    """Add the line ending where one is missing before the last line."""
    for at in range(len(lines) - 1):
        if not lines[at].endswith("\n"):
            lines[at] += _ending_near(lines, at) or _ending(lines[at + 1]) or "\n"


def _warnings(hunk: Hunk, at: int, level: int, path: str) -> Iterator[str]:
    if hunk.start is not None and hunk.old and at != hunk.start:
        yield f"The hunk for line {hunk.start + 1} of {path} was applied at line {at + 1}"
    if hunk.old and level:
        yield _LEVEL_WARNINGS[level].format(path=path)
