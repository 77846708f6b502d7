"""Which known names a mistaken name probably meant.

`closest` is the only place in the project that compares names. Words come before letters: a name is
split into words, words are matched exactly, by stem, by spelling or by beginning, and only then is the
whole name compared letter by letter. Callers see confidences, so the measure can change without them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from typing import Any, Literal, TypeAlias

from fingerpost.diagnosis import CLEAR_LEAD
from fingerpost.untrusted import as_object, as_strings

Kind: TypeAlias = Literal["tool", "parameter", "value"]

SURE, FIRST, LISTED = 0.9, 0.7, 0.4
"""Above the first a match may be a fix, above the second it leads, above the third it is listed at all."""

_MOST = 10
_LONGEST = 96
_WORD = re.compile(r"[^\W\d_]+|\d+")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[_\-\s.]+(?=[^\W_])|(?<=\d)[_\-\s.]+(?=[^\W\d_])")
_SYMBOL = re.compile(r"[^\w\s.\-]")
_SIGNED = re.compile(r"(?:^|(?<=\d))[-.](?=\d)")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OPPOSITES = """
    start/stop lock/unlock before/after min/max minimum/maximum source/target from/to add/remove create/delete
    enable/disable open/close read/write get/set push/pull show/hide first/last next/previous include/exclude
    input/output import/export upload/download up/down on/off asc/desc insert/delete insert/remove update/delete
    subscribe/unsubscribe install/uninstall follow/unfollow mute/unmute archive/unarchive old/new left/right in/out
"""
_UNITS = frozenset({
    "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "h", "hour", "hours", "day",
    "days", "b", "kb", "mb", "gb", "tb", "bytes", "px", "pt", "em", "mm", "cm", "m", "km", "in", "ft", "mi", "g", "kg",
    "lb", "c", "f", "k", "usd", "eur", "gbp", "cents",
})  # fmt: skip
_OPPOSITE = {tuple(way) for pair in _OPPOSITES.split() for way in (pair.split("/"), pair.split("/")[::-1])}


@dataclass(frozen=True, slots=True)
class Match:
    """A known name, how probably it was meant, and whether it is the only reading that survives."""

    name: str
    confidence: float
    is_clear: bool


class Names:
    """Candidates prepared for being asked about often."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        self.words = [_words(name) for name in self.names]
        self.keys = ["".join(words) for words in self.words]
        self.stems = [[_stem(word) for word in words] for words in self.words]
        self.by_key = _grouped(enumerate(self.keys))
        self.by_word = _grouped((index, word) for index, words in enumerate(self.words) for word in set(words))
        self.vocabulary = sorted(self.by_word)


def closest(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> tuple[Match, ...]:
    """The likeliest readings of `mistake`, best first; empty when nothing is near."""
    known = candidates if isinstance(candidates, Names) else Names(candidates)
    asked = _words(mistake[:_LONGEST])
    if not asked:
        return ()
    scores = _scores(asked, known, kind)
    _by_slot(context or {}, known, scores)
    foremost = nsmallest(_MOST * 2, scores.items(), key=lambda pair: (-pair[1], known.names[pair[0]]))
    capped = [(_capped(score, mistake, known.names[index]), index) for index, score in foremost]
    ranked = sorted(capped, key=lambda pair: (-pair[0], known.names[pair[1]]))[:_MOST]
    lead = ranked[0][0] - (ranked[1][0] if len(ranked) > 1 else 0.0) if ranked else 0.0
    is_clear = bool(ranked) and ranked[0][0] >= SURE and lead >= CLEAR_LEAD
    return tuple(
        Match(
            known.names[index],
            round(score, 2),
            is_clear=rank == 0 and is_clear and not _is_short(asked, known.words[index]),
        )
        for rank, (score, index) in enumerate(ranked)
    )


def _capped(score: float, mistake: str, name: str) -> float:
    """Letters are not all of a name: `C++` is not `C`, and `10` is not `1.0`. Such a reading may be listed only."""
    asked, known = mistake[:_LONGEST], name[:_LONGEST]
    is_other = _SYMBOL.findall(asked) != _SYMBOL.findall(known) or _SIGNED.findall(asked) != _SIGNED.findall(known)
    return min(score, 0.65) if is_other or _is_guarded(_words(asked), _words(known)) else score


def spelling(name: str) -> str:
    """What is left of a name when case, and separators between its words, carry no meaning; all else stays."""
    folded = unicodedata.normalize("NFKC", name[:_LONGEST])
    return _BETWEEN_WORDS.sub("", folded).casefold()


def normal_form(name: str) -> str:
    """What is left of a name when case and separators carry no meaning."""
    return "".join(_words(name[:_LONGEST]))


def _scores(asked: tuple[str, ...], known: Names, kind: Kind) -> dict[int, float]:
    key = "".join(asked)
    scores: defaultdict[int, float] = defaultdict(float)
    for index in known.by_key.get(key, ()):
        scores[index] = 1.0
    _by_words(asked, known, scores)
    _by_letters(key, known, scores)
    if kind == "value" and len(key) <= 2:
        _by_initial(key, known, scores)
    return {index: score for index, score in scores.items() if score > LISTED}


def _by_words(asked: tuple[str, ...], known: Names, scores: defaultdict[int, float]) -> None:
    """Share of words in common, each as near as its nearest word."""
    total: defaultdict[int, float] = defaultdict(float)
    for word in asked:
        nearest: dict[int, float] = {}
        for candidate, likeness in _near_words(word, known.vocabulary):
            for index in known.by_word[candidate]:
                nearest[index] = max(nearest.get(index, 0.0), likeness)
        for index, likeness in nearest.items():
            total[index] += likeness
    stems = [_stem(word) for word in asked]
    for index, likeness in total.items():
        share = 2 * likeness / (len(asked) + len(known.words[index]))
        score = min(0.88, 0.1 + 0.75 * share)
        if share > 0.9 and sorted(stems) == sorted(known.stems[index]):
            score = 0.97 if stems == known.stems[index] else 0.89
        if score > LISTED:
            scores[index] = max(scores[index], score)


def _by_letters(key: str, known: Names, scores: defaultdict[int, float]) -> None:
    """Spelling, beginning and containment of the whole name."""
    allowed = min(3, len(key) // 3)
    for near, distance, index in _spelled_like(key, known.keys, allowed):
        if near and key[0] == near[0]:
            doubt = 0.0 if len(key) > 4 or sorted(key) == sorted(near) else 0.3 if len(key) < 4 else 0.1
            scores[index] = max(scores[index], 0.98 - doubt - 0.3 * distance**1.5 / max(len(key), len(near)))
    if len(key) >= 3:
        for index, near in enumerate(known.keys):
            if key in near:
                share = len(key) / len(near)
                scores[index] = max(scores[index], (0.72 if near.startswith(key) else 0.45) + 0.15 * share)


def _by_initial(key: str, known: Names, scores: defaultdict[int, float]) -> None:
    """Two letters are an abbreviation of anything that begins alike: worth listing, never worth a fix."""
    for index, near in enumerate(known.keys):
        if near.startswith(key[0]) and len(near) <= 6:
            scores[index] = max(scores[index], 0.5 if key[-1] in near[1:] else 0.41)


def _by_slot(context: Mapping[str, Any], known: Names, scores: dict[int, float]) -> None:
    """One stray argument and one required parameter still open, of the value's own type: evidence by itself."""
    args, kinds = as_object(context.get("args")), as_object(context.get("types"))
    open_slots = [name for name in as_strings(context.get("required")) if name in known.names]
    strays = [name for name in args if name not in kinds]
    if len(open_slots) == 1 == len(strays) and kinds.get(open_slots[0]) == context.get("value_type", ""):
        index = known.names.index(open_slots[0])
        scores[index] = max(scores.get(index, 0.0), 0.72)


def _near_words(word: str, vocabulary: list[str]) -> Iterable[tuple[str, float]]:
    stem = _stem(word)
    for candidate, distance, _ in _spelled_like(word, vocabulary, max(1, len(word) // 4)):
        if distance == 0:
            yield candidate, 1.0
        elif _stem(candidate) == stem:
            yield candidate, 0.97
        elif len(word) >= 4 and len(candidate) >= 4 and candidate[0] == word[0]:
            yield candidate, 0.95 - 0.15 * distance
    if len(word) >= 3:
        start = bisect_left(vocabulary, word)
        for candidate in vocabulary[start : start + _MOST]:
            if candidate != word and candidate.startswith(word):
                yield candidate, 0.6


def _spelled_like(text: str, candidates: list[str], most_edits: int) -> list[tuple[str, int, int]]:
    """The candidates within so many edits (swaps count one), nearest first: text, edits, index."""
    from rapidfuzz import process  # a process in which every name is right need not load it
    from rapidfuzz.distance import OSA

    return process.extract(text, candidates, scorer=OSA.distance, score_cutoff=most_edits, limit=_MOST)


def _is_guarded(asked: tuple[str, ...], meant: tuple[str, ...]) -> bool:
    """Opposites, numbered siblings and other units may be listed, never put forward."""
    odd = [word for word in asked if word not in meant], [word for word in meant if word not in asked]
    key, other = "".join(asked), "".join(meant)
    return key != other and (
        any(word.isdigit() for side in odd for word in side)
        or any((one, twin) in _OPPOSITE for one in odd[0] for twin in odd[1])
        or any(one in _UNITS and twin in _UNITS for one in odd[0] for twin in odd[1])
        or any(f"{no}{key}" == other or f"{no}{other}" == key for no in ("un", "dis", "de", "in", "non"))
    )


def _is_short(asked: tuple[str, ...], meant: tuple[str, ...]) -> bool:
    """Of a few letters any other few are a near miss."""
    key, other = "".join(asked), "".join(meant)
    return key != other and min(len(key), len(other)) < 4


@lru_cache(maxsize=8192)
def _words(name: str) -> tuple[str, ...]:
    """`searchFiles`, `search-files` and `SEARCH_FILES` share the words (search, files)."""
    folded = unicodedata.normalize("NFKC", name[:_LONGEST])
    return tuple(word.casefold() for word in _WORD.findall(_HUMPS.sub("_", folded)))


def _stem(word: str) -> str:
    """The singular, near enough to see that two words differ by number only."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _grouped(pairs: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for index, key in pairs:
        groups[key].append(index)
    return dict(groups)
