"""Select, from tens of thousands of names, the few hundred that a mistaken name can mean.

Indexing all of them takes a second, and nearly all have nothing in common with the mistake. So names that share a word
with it (by spelling or meaning) or are spelled alike are found by searching the names as one text, and only these
are indexed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.lexicon import full_forms, synonym_groups
from fingerpost.engine.matching.spelling import edit_distance, split_words, stem

MANY_NAMES = 10_000
"""Up to this number, all names are indexed."""

_WORD = lazy_pattern(r"[A-Z]?[a-z]{1,32}|[A-Z]{2,32}(?![a-z])")
_SEPARATORS = "_-.:/"
_FIRST_WORD = lazy_pattern(r"^[\W\d_]*([^\W\d_]?[^\W\d_A-Z]+|[^\W\d_]+)", re.MULTILINE)
_MOST_SAME = 8
_MOST_SELECTED = 400
_MOST_BY_SPELLING = 100
_MOST_WITH_WORD = 2_000
_MOST_WORDS = 8_000
_MIN_RATIO = 60.0
_LONGEST = 128


class LongList:
    """Very many names, searched as one text."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)

    @cached_property
    def _original(self) -> str:
        """The names, one on each line."""
        text = "\n".join(self._names)
        is_regular = len(text) <= _LONGEST * len(self._names) and text.count("\n") == len(self._names) - 1
        return text if is_regular else "\n".join([name[:_LONGEST].replace("\n", " ") for name in self._names])

    @cached_property
    def _text(self) -> str:
        # a few letters change their length in lower case, which would shift every place behind them
        return self._original.lower() if self._original.isascii() else _lower_same_length(self._original)

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self._lines)]

    @cached_property
    def counts(self) -> Counter[str]:
        """How many names contain each word, about."""
        text = _replace_each(self._original, _SEPARATORS + "0123456789", " ")
        counts = Counter[str]()
        for token, count in Counter(text.split()).items():
            for word in _WORD.findall(token):
                counts[stem(str(word).lower())] += count
        return counts

    @cached_property
    def words(self) -> dict[str, None]:
        """The different words of all names."""
        return dict.fromkeys(sorted(self.counts)[:_MOST_WORDS])

    def find_same_letters(self, name: str) -> list[str]:
        """Find the names that differ only in case and separators."""
        letters = _strip_separators(name[:_LONGEST].lower())
        at, found = -1, list[str]()
        while len(found) < _MOST_SAME and (at := self._letters.find(f"\n{letters}\n", at + 1)) >= 0:
            found.append(self._names[self._letters.count("\n", 0, at)])
        return found

    @cached_property
    def _letters(self) -> str:
        return f"\n{_strip_separators(self._text)}\n"

    def count_first_words(self) -> Counter[str]:
        """Count the names that begin with each word, in the order of the list."""
        counts = Counter[str]()
        for word, count in Counter(_FIRST_WORD.findall(self._original)).items():
            counts[str(word).lower()] += count
        return counts

    def select(self, mistake: str, kind: str = "tool") -> Names:
        """Return an index of the names that may be near the mistake."""
        scores = Counter[int]()
        for word in dict.fromkeys(map(stem, split_words(mistake[:_LONGEST]))):
            scores.update({index for near in self._related_words(word, kind) for index in self._with_word(near)})
        best = sorted(scores, key=lambda index: (-scores[index], index))[:_MOST_SELECTED]
        chosen = sorted({*best, *self._with_similar_spelling(mistake[:_LONGEST].lower())})
        return Names((self._names[index] for index in chosen), self.counts)

    def _related_words(self, word: str, kind: str) -> set[str]:
        """Return the words of these names that `word` may stand for, and the word itself."""
        from rapidfuzz import process

        limit = 0 if len(word) < 3 else 1 if len(word) < 4 else 2 if len(word) < 9 else 3
        near: list[Any] = process.extract(word, list(self.words), scorer=edit_distance(), score_cutoff=limit, limit=24)
        groups = {group for full in full_forms(word) for group in synonym_groups(full, kind)}
        alike = {other for other in self.words if groups and groups & self._groups(other, kind)}
        return {word, *full_forms(word), *(str(found[0]) for found in near), *alike}

    def _groups(self, word: str, kind: str) -> frozenset[int]:
        key = (word, kind)
        if key not in self._groups_of:
            forms = full_forms(stem(word))
            self._groups_of[key] = frozenset(group for full in forms for group in synonym_groups(full, kind))
        return self._groups_of[key]

    @cached_property
    def _groups_of(self) -> dict[tuple[str, str], frozenset[int]]:
        return {}

    def _with_word(self, word: str) -> Iterator[int]:
        """Yield the names that contain a word, up to a limit."""
        at = -1
        for _ in range(_MOST_WITH_WORD if word else 0):
            at = self._text.find(word, at + 1)
            if at < 0:
                return
            index = bisect_right(self._starts, at) - 1
            at = self._starts[index + 1] - 1
            yield index

    def _with_similar_spelling(self, mistake: str) -> list[int]:
        from rapidfuzz import fuzz, process

        near = process.extract(
            mistake, self._lines, scorer=fuzz.ratio, score_cutoff=_MIN_RATIO, limit=_MOST_BY_SPELLING
        )
        return [index for _, _, index in near]


def _lower_same_length(text: str) -> str:
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _strip_separators(text: str) -> str:
    return _replace_each(text, _SEPARATORS + " ", "")


def _replace_each(text: str, characters: str, new: str) -> str:
    """Replace characters one after the other, which is much faster than a pattern for them all."""
    for character in characters:
        text = text.replace(character, new)
    return text
