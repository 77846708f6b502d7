"""Where in a file some lines nearly stand: found without their white space, else by how much lines are alike.

This is only for telling. The search is bounded: of a long file the part around the place that was meant, of long lines
their beginning, of many places the likeliest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nlargest

_MOST_SEARCHED = 200_000
_MOST_COMPARED, _MOST_PLACES, _MOST_TRIED = 200, 200, 12
_LONGEST_COMPARED = 200
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Near:
    """The place that some lines come nearest to."""

    at: int
    same: int = 0
    """How many of them stand there."""
    spaced: int = 0
    """How many more do but for white space."""
    is_alike: bool = False
    """Whether it is worth telling of."""


def nearest(lines: list[str], old: list[str], expected: int) -> Near:
    """Where in a file these lines come nearest to what is there; of equal places the one nearest to `expected`."""
    expected = min(max(expected, 0), len(lines))
    first = max(expected - _MOST_SEARCHED // 2, 0)
    ground = [squeezed(line) for line in lines[first : first + _MOST_SEARCHED]]
    wanted = [squeezed(line) for line in old[:_MOST_COMPARED]]
    tried = {first + at for at in _candidates(ground, wanted, expected - first)} | {expected}
    scores = {at: _score(lines, old, at) for at in tried if at <= len(lines)}
    best = max(scores, key=lambda at: (scores[at], -abs(at - expected), -at))
    near = _near(lines, old, best, scores[best])
    return near if near.is_alike else Near(expected)


def squeezed(line: str) -> str:
    """The beginning of a line, without white space."""
    return "".join(line.lstrip()[: 2 * _LONGEST_COMPARED].split())[:_LONGEST_COMPARED]


def _candidates(ground: list[str], wanted: list[str], expected: int) -> Iterator[int]:
    votes = _votes(ground, wanted, expected)
    yield from nlargest(_MOST_TRIED, votes, key=lambda at: (votes[at], -abs(at - expected)))
    if max(votes.values(), default=0) < sum(map(bool, wanted)):
        yield from _alike(ground, wanted, expected)


def _votes(ground: list[str], wanted: list[str], expected: int) -> dict[int, int]:
    """For each place, how many lines would stand there but for white space."""
    places: dict[str, list[int]] = {line: [] for line in wanted if line}
    for at, line in enumerate(ground):
        if line in places:
            places[line].append(at)
    votes: dict[int, int] = {}
    for step, line in enumerate(wanted):
        found = places.get(line, [])
        middle = max(bisect_left(found, expected + step) - _MOST_PLACES // 2, 0)
        for place in found[middle : middle + _MOST_PLACES]:
            if place >= step:
                votes[place - step] = votes.get(place - step, 0) + 1
    return votes


def _alike(ground: list[str], wanted: list[str], expected: int) -> Iterator[int]:
    """The places where lines are that look most like the longest of those that are wanted."""
    from rapidfuzz import fuzz, process

    nearest_first = sorted(range(len(ground)), key=lambda at: abs(at - expected))
    choices = [ground[at] for at in nearest_first]
    for step in nlargest(3, range(len(wanted)), key=lambda step: len(wanted[step])):
        cutoff = 100 * _ALIKE
        for _, _, number in process.extract(
            wanted[step], choices, scorer=fuzz.ratio, processor=None, limit=_MOST_TRIED, score_cutoff=cutoff
        ):
            if nearest_first[number] >= step:
                yield nearest_first[number] - step


def _score(lines: list[str], old: list[str], at: int) -> float:
    """How much is there of these lines, from 0 to 1; blank ones hardly count."""
    from rapidfuzz import fuzz

    total = weight = 0.0
    for expected, found in zip(old[:_MOST_COMPARED], lines[at : at + _MOST_COMPARED], strict=False):
        a, b = squeezed(expected), squeezed(found)
        weighs = 1.0 if a else 0.1
        likeness = 0.9 * fuzz.ratio(a, b) / 100 + 0.05 * (a == b) + 0.05 * (expected.rstrip() == found.rstrip())
        total += weighs * likeness
        weight += weighs
    missing = sum(1.0 if line.strip() else 0.1 for line in old[:_MOST_COMPARED][max(len(lines) - at, 0) :])
    return total / max(weight + missing, 0.1)


def _near(lines: list[str], old: list[str], at: int, score: float) -> Near:
    pairs = list(zip(old, lines[at : at + len(old)], strict=False))
    same = [bool(one.strip()) for one, other in pairs if one.rstrip() == other.rstrip()]
    unspaced = ("".join(one.split()) == "".join(other.split()) for one, other in pairs)
    spaced = sum(unspaced) - len(same)
    return Near(at, len(same), spaced, score >= _ALIKE or any(same) or spaced > 0)
