"""Hunks put to the lines of a file: found by their numbers, else by their lines, and never guessed.

A line matches exactly; else apart from its ending; else apart from white space behind it. Lines that stay are always
left as the file has them, so nothing that a match overlooked is changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from fingerpost.servers.workspace.patch import Hunk

_LEVELS: tuple[Callable[[str], str], ...] = (str, lambda line: line.rstrip("\r\n"), str.rstrip)
_TOLD = (
    "",
    "Line endings of the patch differ from those of {path}, which were kept",
    "White space at the end of lines of {path} was overlooked",
)
_MOST_PLACES = 6
_MOST_STEPS = 8_000_000
"""How many lines may be looked at in search of hunks that are not where they say: some seconds."""


class Misfit(Exception):
    """A hunk that has no place, or several."""

    def __init__(self, hunk: Hunk, at: int, places: Sequence[int] = (), *, is_endless: bool = False) -> None:
        super().__init__()
        self.hunk, self.at, self.places, self.is_endless = hunk, at, tuple(places), is_endless


@dataclass(slots=True)
class Applied:
    """A file with its hunks applied."""

    lines: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    added: int = 0
    removed: int = 0


def applied(lines: list[str], hunks: Sequence[Hunk], path: str) -> Applied:
    """The lines after every hunk; `Misfit` where one does not fit."""
    ground, done = _Ground(lines), Applied()
    floor = shift = 0
    for hunk in _ordered(hunks):
        at, level = ground.located(hunk, floor, shift)
        end = at + len(hunk.old)
        done.lines += lines[floor:at]
        done.lines += _merged(hunk, lines, at, level)
        done.added += sum(mark == "+" for mark, _ in hunk.lines)
        done.removed += sum(mark == "-" for mark, _ in hunk.lines)
        done.warnings += _told(hunk, at, level, path)
        floor, shift = end, at - hunk.start if hunk.start is not None else shift
    done.lines += lines[floor:]
    _close(done.lines)
    return done


def _ordered(hunks: Sequence[Hunk]) -> Sequence[Hunk]:
    """Hunks from the top of the file to its end, where their numbers tell that order."""
    starts = [hunk.start for hunk in hunks if hunk.start is not None]
    return sorted(hunks, key=lambda hunk: hunk.start or 0) if len(starts) == len(hunks) else hunks


class _Ground:
    """The lines of a file, made ready for being searched."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._forms: dict[int, list[str]] = {0: lines}
        self._places: dict[int, dict[str, list[int]]] = {}
        self._steps = _MOST_STEPS

    def located(self, hunk: Hunk, floor: int, shift: int) -> tuple[int, int]:
        """Where a hunk belongs, at this line or after, and at which level it matches."""
        old = hunk.old
        expected = floor if hunk.start is None else max(hunk.start + shift, floor)
        if not old:
            return self._insertion(hunk, floor, expected), 1 if self.lines else 0
        if hunk.start is not None and expected == hunk.start + shift and not hunk.headers:
            for level in range(len(_LEVELS)):
                if self._fits(old, expected, level):
                    return expected, level
        for level in range(len(_LEVELS)):
            if places := list(self._found(hunk, old, level, floor)):
                if len(places) > 1:
                    raise Misfit(hunk, expected, places)
                return places[0], level
        raise Misfit(hunk, expected, is_endless=self._steps < 0)

    def form(self, level: int) -> list[str]:
        if level not in self._forms:
            self._forms[level] = list(map(_LEVELS[level], self.lines))
        return self._forms[level]

    def places(self, level: int) -> dict[str, list[int]]:
        """Where each line stands."""
        if level not in self._places:
            self._places[level] = places = dict[str, list[int]]()
            for at, line in enumerate(self.form(level)):
                places.setdefault(line, []).append(at)
        return self._places[level]

    def _insertion(self, hunk: Hunk, floor: int, expected: int) -> int:
        """Where lines come that no other lines say the place of: by number, below a header, or at the end."""
        if hunk.headers:
            after = list(self._below(hunk.headers, floor))
            if len(after) == 1:
                return after[0]
            raise Misfit(hunk, floor, after[:_MOST_PLACES])
        if hunk.start is None:
            return len(self.lines)
        if expected > len(self.lines):
            raise Misfit(hunk, expected)
        return expected

    def _fits(self, old: list[str], at: int, level: int) -> bool:
        known, form = _LEVELS[level], self.form(level)
        self._steps -= len(old)
        return form[at : at + len(old)] == [known(line) for line in old]

    def _found(self, hunk: Hunk, old: list[str], level: int, floor: int) -> Iterator[int]:
        """The places where these lines stand; below each place of its header, where it has one, the first."""
        if hunk.is_last:
            at = len(self.lines) - len(old)
            yield from [at] if at >= floor and self._fits(old, at, level) else []
        elif hunk.headers:
            firsts = (next(self._all(old, level, below), None) for below in self._below(hunk.headers, floor))
            yield from list(dict.fromkeys(one for one in firsts if one is not None))[:_MOST_PLACES]
        else:
            for count, at in enumerate(self._all(old, level, floor)):
                if count == _MOST_PLACES:
                    return
                yield at

    def _all(self, old: list[str], level: int, floor: int) -> Iterator[int]:
        block = [_LEVELS[level](line) for line in old]
        places, form = self.places(level), self.form(level)
        step, rarest = min(enumerate(block), key=lambda one: len(places.get(one[1], ())))
        for place in places.get(rarest, ()):
            self._steps -= 1
            at = place - step
            if self._steps < 0:
                return
            if at >= floor and form[at] == block[0]:
                self._steps -= len(block)
                if form[at : at + len(block)] == block:
                    yield at

    def _below(self, headers: tuple[str, ...], floor: int) -> Iterator[int]:
        """The lines below each place where the headers stand, one after the other."""
        for at in self._headed(headers[0], floor):
            yield from [at + 1] if len(headers) == 1 else islice(self._below(headers[1:], at + 1), 1)

    def _headed(self, header: str, floor: int) -> list[int]:
        """The lines that are this header, or else begin with it."""
        self._steps -= len(self.lines) - floor
        if self._steps < 0:
            return []
        lines = [(at, self.lines[at].strip()) for at in range(floor, len(self.lines))]
        whole = [at for at, line in lines if line == header]
        return whole or [at for at, line in lines if line.startswith(header)]


def _merged(hunk: Hunk, lines: list[str], at: int, level: int) -> list[str]:
    """The lines of a hunk after it: those that stay as the file has them, new ones ending as their neighbours do."""
    if level == 0:
        return hunk.new
    gone, merged, here = deque[str](), list[str](), at
    ending = _ending_near(lines, at) or "\n"
    for mark, text in hunk.lines:
        if mark == "+":
            ending = (_ending(gone.popleft()) if gone else "") or ending
            merged.append(_ended(text, ending if text.endswith("\n") else ""))
            continue
        own, here = lines[here], here + 1
        ending = _ending(own) or ending
        if mark == "-":
            gone.append(own)
        else:
            gone.clear()
            merged.append(own)
    if here > at and here == len(lines) and merged:
        merged[-1] = _ended(merged[-1], (_ending(merged[-1]) or ending) if _ending(lines[-1]) else "")
    return merged


def _ending_near(lines: list[str], at: int) -> str:
    """How lines end next to a place: the one before it, or else the one behind."""
    beside = [*reversed(lines[max(at - 2, 0) : at]), *lines[at : at + 1]]
    return next((found for line in beside if (found := _ending(line))), "")


def _ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def _ended(line: str, ending: str) -> str:
    return line.removesuffix("\n").removesuffix("\r") + ending


def _close(lines: list[str]) -> None:
    """Only the last line may go without an ending."""
    for at in range(len(lines) - 1):
        if not lines[at].endswith("\n"):
            lines[at] += _ending_near(lines, at) or _ending(lines[at + 1]) or "\n"


def _told(hunk: Hunk, at: int, level: int, path: str) -> Iterator[str]:
    if hunk.start is not None and hunk.old and at != hunk.start:
        yield f"The hunk for line {hunk.start + 1} of {path} was applied at line {at + 1}"
    if hunk.old and level:
        yield _TOLD[level].format(path=path)
