"""Find the place in a file that some lines resemble most: without white space, else by similarity.

The result is only for messages. The search is bounded: of a long file it looks at the part around the expected place,
of long lines at their beginning, of many places at the likeliest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nlargest

_MOST_SEARCHED = 60_000
_MOST_COMPARED, _MOST_PLACES, _MOST_TRIED = 200, 200, 12
_LONGEST_COMPARED = 200
_MIN_SIMILARITY = 0.5


@dataclass(frozen=True, slots=True)
class NearestPlace:
    """The place that some lines resemble most."""

    at: int
    same: int = 0
    """How many lines are the same there."""
    spaced: int = 0
    """How many more are the same apart from white space."""
    is_similar: bool = False
    """Whether it is similar enough to mention."""


def find_nearest(lines: list[str], old: list[str], expected: int) -> NearestPlace:
    """Find the place that these lines resemble most; of equal places the one nearest to `expected`."""
    expected = min(max(expected, 0), len(lines))
    first = max(expected - _MOST_SEARCHED // 2, 0)
    searched = [squeeze(line) for line in lines[first : first + _MOST_SEARCHED]]
    wanted = [squeeze(line) for line in old[:_MOST_COMPARED]]
    tried = {first + at for at in _candidates(searched, wanted, expected - first)} | {expected}
    scores = {at: _score(lines, old, at) for at in tried if at <= len(lines)}
    best = max(scores, key=lambda at: (scores[at], -abs(at - expected), -at))
    near = _describe_place(lines, old, best, scores[best])
    return near if near.is_similar else NearestPlace(expected)


def squeeze(line: str) -> str:
    """Return the beginning of a line, without white space."""
    return "".join(line.lstrip()[: 2 * _LONGEST_COMPARED].split())[:_LONGEST_COMPARED]


def _candidates(searched: list[str], wanted: list[str], expected: int) -> Iterator[int]:
    votes = _votes(searched, wanted, expected)
    yield from nlargest(_MOST_TRIED, votes, key=lambda at: (votes[at], -abs(at - expected)))
    if max(votes.values(), default=0) < sum(map(bool, wanted)):
        yield from _similar_places(searched, wanted, expected)


def _votes(searched: list[str], wanted: list[str], expected: int) -> dict[int, int]:
    """Count for each place how many lines match there, apart from white space."""
    places: dict[str, list[int]] = {line: [] for line in wanted if line}
    for at, line in enumerate(searched):
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


def _similar_places(searched: list[str], wanted: list[str], expected: int) -> Iterator[int]:
    """Find the places of the lines that are most similar to the longest wanted lines."""
    from rapidfuzz import fuzz, process

    nearest_first = sorted(range(len(searched)), key=lambda at: abs(at - expected))
    choices = [searched[at] for at in nearest_first]
    for step in nlargest(3, range(len(wanted)), key=lambda step: len(wanted[step])):
        cutoff = 100 * _MIN_SIMILARITY
        for _, _, number in process.extract(
            wanted[step], choices, scorer=fuzz.ratio, processor=None, limit=_MOST_TRIED, score_cutoff=cutoff
        ):
            if nearest_first[number] >= step:
                yield nearest_first[number] - step


def _score(lines: list[str], old: list[str], at: int) -> float:
    """Score the similarity at a place from 0 to 1; blank lines hardly count."""
    from rapidfuzz import fuzz

    total = weight = 0.0
    for expected, found in zip(old[:_MOST_COMPARED], lines[at : at + _MOST_COMPARED], strict=False):
        a, b = squeeze(expected), squeeze(found)
        line_weight = 1.0 if a else 0.1
        similarity = 0.9 * fuzz.ratio(a, b) / 100 + 0.05 * (a == b) + 0.05 * (expected.rstrip() == found.rstrip())
        total += line_weight * similarity
        weight += line_weight
    missing = sum(1.0 if line.strip() else 0.1 for line in old[:_MOST_COMPARED][max(len(lines) - at, 0) :])
    return total / max(weight + missing, 0.1)


def _describe_place(lines: list[str], old: list[str], at: int, score: float) -> NearestPlace:
    pairs = list(zip(old, lines[at : at + len(old)], strict=False))
    same = [bool(one.strip()) for one, other in pairs if one.rstrip() == other.rstrip()]
    unspaced = ("".join(one.split()) == "".join(other.split()) for one, other in pairs)
    spaced = sum(unspaced) - len(same)
    return NearestPlace(at, len(same), spaced, score >= _MIN_SIMILARITY or any(same) or spaced > 0)
