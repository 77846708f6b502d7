"""Index known names by word, meaning and spelling, to find those that are near a mistaken name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from math import log
from typing import TypeVar

from fingerpost.engine.matching.lexicon import full_forms, plain_weight, synonym_groups
from fingerpost.engine.matching.spelling import edit_distance, split_words, stem

_MANY_NAMES = 64
_MAX_CACHED = 1024
_MAX_NAMES = 512
_MAX_NEAR = 6


class Names:
    """Known names and their index. Everything except the split names is built on first use."""

    def __init__(self, names: Iterable[str], counts: Mapping[str, int] | None = None) -> None:
        """`counts` says how many names share a word, if these names were selected from more."""
        self._counts = counts or {}
        self.names = tuple(dict.fromkeys(names))
        self.words = [split_words(name) for name in self.names]
        self.stems = [tuple(stem(word) for word in each) for each in self.words]
        self.keys = ["".join(each) for each in self.words]
        self.by_key = _group(enumerate(self.keys))
        self._words_by_reach: dict[tuple[int, int], list[str]] = {}
        self._keys_by_reach: dict[tuple[int, int], tuple[list[str], list[int]]] = {}
        self._similar: dict[tuple[str, str], dict[str, float]] = {}
        self._words_by_group: dict[str, dict[int, list[str]]] = {}
        self._names_by_group: dict[str, dict[int, list[int]]] = {}
        self._holder_sets: dict[str, set[int]] = {}

    @cached_property
    def by_stem(self) -> dict[str, list[int]]:
        return _group((index, word) for index, each in enumerate(self.stems) for word in dict.fromkeys(each))

    @cached_property
    def by_stem_key(self) -> dict[str, list[int]]:
        return _group((index, "".join(each)) for index, each in enumerate(self.stems))

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much each word says: the more names share it, the less."""
        counts = self._counts
        return {
            word: plain_weight(word) / (1.0 + log(max(len(indexes), counts.get(word, 0))))
            for word, indexes in self.by_stem.items()
        }

    def weight(self, word: str) -> float:
        known = self.weights.get(word)
        return plain_weight(word) if known is None else known

    @cached_property
    def loads(self) -> list[float]:
        weights = self.weights
        return [sum([weights[word] for word in each]) for each in self.stems]

    @cached_property
    def prefixes(self) -> Counter[tuple[str, ...]]:
        """How many names begin with the same words. A namespace is a prefix that names share."""
        return Counter(each[:end] for each in self.stems for end in range(1, min(len(each), 5)))

    @cached_property
    def _words_by_length(self) -> dict[int, list[str]]:
        return _by_length((word, word) for word in self.by_stem)

    @cached_property
    def _keys_by_length(self) -> dict[int, list[tuple[str, int]]]:
        return _by_length((key, (key, index)) for index, key in enumerate(self.keys))

    def _words_near_length(self, length: int, limit: int) -> list[str]:
        """Return the words whose length differs by at most `limit`."""
        if (length, limit) not in self._words_by_reach:
            self._words_by_reach[length, limit] = _near_length(self._words_by_length, length, limit)
        return self._words_by_reach[length, limit]

    def _keys_near_length(self, length: int, limit: int) -> tuple[list[str], list[int]]:
        if (length, limit) not in self._keys_by_reach:
            near = _near_length(self._keys_by_length, length, limit)
            self._keys_by_reach[length, limit] = [key for key, _ in near], [index for _, index in near]
        return self._keys_by_reach[length, limit]

    @cached_property
    def _all_words(self) -> str:
        return "\n" + "\n".join(self.by_stem) + "\n"

    def _find_words_by_group(self, kind: str) -> dict[int, list[str]]:
        if kind not in self._words_by_group:
            found: defaultdict[int, list[str]] = defaultdict(list)
            for word in self.by_stem:
                for full in full_forms(word):
                    for group in synonym_groups(full, kind):
                        found[group].append(word)
            self._words_by_group[kind] = dict(found)
        return self._words_by_group[kind]

    def find_synonyms(self, stems: tuple[str, ...], kind: str) -> set[int]:
        """Find the names that are synonyms of a whole name, given by its stems."""
        groups = synonym_groups("".join(stems), kind)
        by_group = self._find_names_by_group(kind) if groups else {}
        return {index for group in groups for index in by_group.get(group, ())}

    def _find_names_by_group(self, kind: str) -> dict[int, list[int]]:
        if kind not in self._names_by_group:
            found: defaultdict[int, list[int]] = defaultdict(list)
            for key, indexes in self.by_stem_key.items():
                for group in synonym_groups(key, kind):
                    found[group].extend(indexes)
            self._names_by_group[kind] = dict(found)
        return self._names_by_group[kind]

    @cached_property
    def _shorts(self) -> dict[str, list[str]]:
        """The short forms of each stem that occur in these names."""
        return _group_words((full, word) for word in self.by_stem for full in full_forms(word)[1:])

    def similar_words(self, word: str, kind: str) -> dict[str, float]:
        """Return the words of these names that `word` may stand for, and how similar each is."""
        known = self._similar.get((word, kind))
        if known is None:
            if len(self._similar) >= _MAX_CACHED:
                self._similar.clear()
            known = self._similar[word, kind] = self._find_similar_words(word, kind)
        return known

    def _find_similar_words(self, word: str, kind: str) -> dict[str, float]:
        found = self._words_with_same_meaning(word, kind)
        if word in self.by_stem:
            return {**found, word: 1.0}
        for other, likeness in self._words_with_similar_spelling(word):
            if likeness > found.get(other, 0.0):
                found[other] = likeness
        for other in self._words_containing(word) if len(word) >= 3 else ():
            found.setdefault(other, 0.5)
        for cut in range(3, len(word) - 1):
            for part in (word[:cut], word[cut:]):
                if len(part) > 2 and part in self.by_stem:
                    found.setdefault(part, 0.5)
        return found

    def _words_with_same_meaning(self, word: str, kind: str) -> dict[str, float]:
        found: dict[str, float] = {}
        by_group = self._find_words_by_group(kind)
        for full in full_forms(word):
            for group in synonym_groups(full, kind):
                for other in by_group.get(group, ()):
                    found[other] = 0.7
            for other in self._shorts.get(full, ()):
                found[other] = 0.95
            if full in self.by_stem:
                found[full] = 0.95
        return found

    def _words_with_similar_spelling(self, word: str) -> Iterator[tuple[str, float]]:
        limit = 1 if len(word) < 4 else 2 if len(word) < 9 else 3
        if len(word) < 3:
            return
        for other, edits, _ in _nearest(word, self._words_near_length(len(word), limit), limit):
            yield other, 0.97 - 0.9 * edits / max(len(word), len(other))

    def has_twin(self, word: str, edits: int) -> bool:
        """Whether another word of these names is as near to this one as the mistake is."""
        near = _nearest(word, self._words_near_length(len(word), edits), edits)
        return any(not other.startswith(word) and not word.startswith(other) for other, _, _ in near)

    def _words_containing(self, part: str) -> list[str]:
        text, at = self._all_words, 0
        found: list[str] = []
        while len(found) < _MAX_NEAR * 16 and (at := text.find(part, at)) >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            found.append(text[start:end])
            at = end
        return sorted(found, key=lambda word: (len(word), word))[: _MAX_NEAR * 2]

    def find_similar_keys(self, key: str, limit: int) -> list[int]:
        """Find the names whose letters, without regard to words, are at most `limit` edits away."""
        keys, indexes = self._keys_near_length(len(key), limit)
        return [indexes[place] for _, _, place in _nearest(key, keys, limit)]

    def find_by_initial(self, letter: str) -> list[int]:
        """Find the names that begin with a letter, shortest first."""
        found = [index for index, key in enumerate(self.keys) if key.startswith(letter)]
        return sorted(found, key=lambda index: (len(self.keys[index]), self.names[index]))

    def find_sharing_words(self, stems: tuple[str, ...], kind: str) -> dict[int, float]:
        """Find the names that share words with these stems, and how much of both names the words cover.

        Rare words add names. Words that many names share only rank the names found so far.
        """
        total: dict[int, float] = {}
        for word in sorted(dict.fromkeys(stems), key=lambda word: len(self.by_stem.get(word, ()))):
            worth_by_name = self._worth_by_name(word, stems, kind, total)
            if not total:
                total = worth_by_name
            else:
                known = total.get
                for index, worth in worth_by_name.items():
                    total[index] = known(index, 0.0) + worth
            if len(total) > _MAX_NAMES:
                best = sorted(total, key=total.__getitem__, reverse=True)
                total = {index: total[index] for index in best[: _MAX_NAMES // 2]}
        load = sum([self.weight(word) for word in stems])
        loads = self.loads
        return {index: worth / (load + loads[index]) for index, worth in total.items()}

    def _worth_by_name(
        self, word: str, stems: tuple[str, ...], kind: str, found: Mapping[int, float]
    ) -> dict[int, float]:
        """Return what the best counterpart of one word is worth in each name that has one."""
        weight = self.weight(word)
        worths = {
            other: likeness * (weight + self.weights[other])
            for other, likeness in self.similar_words(word, kind).items()
        }
        best: dict[int, float] = {}
        for other in sorted(worths, key=worths.__getitem__):  # the worthiest last, so that it overwrites the others
            is_common = bool(found) and len(self.by_stem[other]) > _MANY_NAMES
            names = found.keys() & self._holder_set(other) if is_common else self._holders(other, stems)
            best.update(dict.fromkeys(names, worths[other]))
        return best

    def _holder_set(self, word: str) -> set[int]:
        if word not in self._holder_sets:
            self._holder_sets[word] = set(self.by_stem[word])
        return self._holder_sets[word]

    def _holders(self, word: str, stems: tuple[str, ...]) -> Iterable[int]:
        """Return the names with this word. If there are very many, only those with another of the stems."""
        holders = self.by_stem[word]
        if len(holders) <= _MAX_NAMES:
            return holders
        others = [self.by_stem[other] for other in stems if other != word and other in self.by_stem]
        both = set(holders).intersection(min(others, key=len)) if others else ()
        return sorted(both)[:_MAX_NAMES] if both else holders[:_MAX_NAMES]


@cache
def _extract() -> Callable[..., list[tuple[str, int, int]]]:
    from rapidfuzz import process

    return process.extract


def _nearest(text: str, candidates: list[str], limit: int) -> list[tuple[str, int, int]]:
    """Return the nearest few within `limit` edits: text, edits, position."""
    near = _extract()(text, candidates, scorer=edit_distance(), score_cutoff=limit, limit=_MAX_NEAR * 16)
    near.sort(key=lambda found: (found[1], found[0]))
    return near[:_MAX_NEAR]


T = TypeVar("T")


def _by_length(items: Iterable[tuple[str, T]]) -> dict[int, list[T]]:
    lengths: defaultdict[int, list[T]] = defaultdict(list)
    for text, item in items:
        lengths[len(text)].append(item)
    return dict(lengths)


def _near_length(lengths: Mapping[int, list[T]], length: int, limit: int) -> list[T]:
    return [item for near in range(length - limit, length + limit + 1) for item in lengths.get(near, ())]


def _group(pairs: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for index, key in pairs:
        groups[key].append(index)
    return dict(groups)


def _group_words(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key, word in pairs:
        groups[key].append(word)
    return dict(groups)
