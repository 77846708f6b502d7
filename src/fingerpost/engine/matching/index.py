"""Known names prepared for being asked about often: who shares which word, and what could be near at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from math import log
from typing import TypeVar

from fingerpost.engine.matching.lexicon import full_forms, senses, stem, words

_LIGHT = frozenset({
    "a", "all", "an", "and", "any", "as", "at", "by", "do", "for", "from", "in", "is", "it", "me", "my", "of", "on",
    "or", "that", "the", "this", "to", "up", "with",
})  # fmt: skip
_FILLERS = frozenset({
    "async", "content", "data", "detail", "info", "item", "list", "name", "new", "object", "param", "result", "str",
    "string", "tool", "value",
})  # fmt: skip
_VERBS = frozenset({
    "add", "check", "create", "delete", "describe", "execute", "fetch", "find", "generate", "get", "list", "make",
    "manage", "query", "read", "remove", "retrieve", "run", "search", "send", "set", "show", "update", "view",
    "write",
})  # fmt: skip
_WEIGHTS = {**dict.fromkeys(_VERBS, 0.5), **dict.fromkeys(_FILLERS, 0.6), **dict.fromkeys(_LIGHT, 0.3)}
_CROWD = 64
_MOST_READ = 1024
_MOST_KEPT = 512
_NEAR_WORDS = 6


def is_telling(word: str) -> bool:
    """Whether sharing this word says what two names are about."""
    return len(word) > 1 and word not in _WEIGHTS and not word.isdigit()


class Names:
    """Candidates and their index. Everything beyond the plain forms is made when first asked for."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        self.words = [words(name) for name in self.names]
        self.stems = [tuple(stem(word) for word in each) for each in self.words]
        self.keys = ["".join(each) for each in self.words]
        self.by_key = _grouped(enumerate(self.keys))
        self._words_near: dict[tuple[int, int], list[str]] = {}
        self._keys_near: dict[tuple[int, int], tuple[list[str], list[int]]] = {}
        self._read: dict[tuple[str, str], dict[str, float]] = {}
        self._senses: dict[str, dict[int, list[str]]] = {}
        self._wholes: dict[str, dict[int, list[int]]] = {}

    @cached_property
    def by_stem(self) -> dict[str, list[int]]:
        return _grouped((index, word) for index, each in enumerate(self.stems) for word in dict.fromkeys(each))

    @cached_property
    def by_stem_key(self) -> dict[str, list[int]]:
        return _grouped((index, "".join(each)) for index, each in enumerate(self.stems))

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much a word says: the more names share it, the less. Independent of names that do not."""
        return {word: _WEIGHTS.get(word, 1.0) / (1.0 + log(len(indexes))) for word, indexes in self.by_stem.items()}

    def weight(self, word: str) -> float:
        known = self.weights.get(word)
        return _WEIGHTS.get(word, 1.0) if known is None else known

    @cached_property
    def loads(self) -> list[float]:
        weights = self.weights
        return [sum([weights[word] for word in each]) for each in self.stems]

    @cached_property
    def prefixes(self) -> Counter[tuple[str, ...]]:
        """How many names begin with the same words: a namespace is shared, a first word is not."""
        return Counter(each[:end] for each in self.stems for end in range(1, min(len(each), 5)))

    @cached_property
    def _words_by_length(self) -> dict[int, list[str]]:
        return _by_length((word, word) for word in self.by_stem)

    @cached_property
    def _keys_by_length(self) -> dict[int, list[tuple[str, int]]]:
        return _by_length((key, (key, index)) for index, key in enumerate(self.keys))

    def _of_length(self, length: int, most: int) -> list[str]:
        """The words that so many edits can reach from one of this length."""
        if (length, most) not in self._words_near:
            self._words_near[length, most] = _within(self._words_by_length, length, most)
        return self._words_near[length, most]

    def _keys_of_length(self, length: int, most: int) -> tuple[list[str], list[int]]:
        if (length, most) not in self._keys_near:
            near = _within(self._keys_by_length, length, most)
            self._keys_near[length, most] = [key for key, _ in near], [index for _, index in near]
        return self._keys_near[length, most]

    @cached_property
    def _all_words(self) -> str:
        return "\n" + "\n".join(self.by_stem) + "\n"

    def _by_sense(self, kind: str) -> dict[int, list[str]]:
        if kind not in self._senses:
            found: defaultdict[int, list[str]] = defaultdict(list)
            for word in self.by_stem:
                for full in full_forms(word):
                    for group in senses(full, kind):
                        found[group].append(word)
            self._senses[kind] = dict(found)
        return self._senses[kind]

    def alike_as_a_whole(self, asked: tuple[str, ...], kind: str) -> set[int]:
        """Names that as a whole mean what the whole of `asked` means."""
        groups = senses("".join(asked), kind)
        by_sense = self.by_whole_sense(kind) if groups else {}
        return {index for group in groups for index in by_sense.get(group, ())}

    def by_whole_sense(self, kind: str) -> dict[int, list[int]]:
        if kind not in self._wholes:
            found: defaultdict[int, list[int]] = defaultdict(list)
            for key, indexes in self.by_stem_key.items():
                for group in senses(key, kind):
                    found[group].extend(indexes)
            self._wholes[kind] = dict(found)
        return self._wholes[kind]

    @cached_property
    def _shorts(self) -> dict[str, list[str]]:
        """Stem to the short forms of it that occur here."""
        return _grouped_words((full, word) for word in self.by_stem for full in full_forms(word)[1:])

    def readings(self, word: str, kind: str) -> dict[str, float]:
        """The words here that `word` may stand for, with how near they are."""
        known = self._read.get((word, kind))
        if known is None:
            if len(self._read) >= _MOST_READ:
                self._read.clear()
            known = self._read[word, kind] = self._readings(word, kind)
        return known

    def _readings(self, word: str, kind: str) -> dict[str, float]:
        found: dict[str, float] = {}
        by_sense = self._by_sense(kind)
        for full in full_forms(word):
            for group in senses(full, kind):
                for other in by_sense.get(group, ()):
                    found[other] = 0.7
            for other in self._shorts.get(full, ()):
                found[other] = 0.95
            if full in self.by_stem:
                found[full] = 0.95
        if word in self.by_stem:
            found[word] = 1.0
        else:
            for other, likeness in self._spelled_like(word):
                if likeness > found.get(other, 0.0):
                    found[other] = likeness
            if len(word) >= 3:
                for other in self._containing(word):
                    found.setdefault(other, 0.5)
            for cut in range(3, len(word) - 1):
                for part in (word[:cut], word[cut:]):
                    if len(part) > 2 and part in self.by_stem:
                        found.setdefault(part, 0.5)
        return found

    def _spelled_like(self, word: str) -> Iterator[tuple[str, float]]:
        most = 1 if len(word) < 4 else 2 if len(word) < 9 else 3
        if len(word) < 3:
            return
        for other, edits, _ in _nearest(word, self._of_length(len(word), most), most):
            yield other, 0.97 - 0.9 * edits / max(len(word), len(other))

    def has_twin(self, word: str, edits: int) -> bool:
        """Whether another word here is as near to this one as the mistake is: then so few letters tell nothing."""
        near = _nearest(word, self._of_length(len(word), edits), edits)
        return any(not other.startswith(word) and not word.startswith(other) for other, _, _ in near)

    def _containing(self, part: str) -> list[str]:
        text, at = self._all_words, 0
        found: list[str] = []
        while len(found) < _NEAR_WORDS * 16 and (at := text.find(part, at)) >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            found.append(text[start:end])
            at = end
        return sorted(found, key=lambda word: (len(word), word))[: _NEAR_WORDS * 2]

    def spelled_like(self, key: str, most: int) -> list[int]:
        """Names whose letters, words ignored, are within so many edits."""
        keys, indexes = self._keys_of_length(len(key), most)
        return [indexes[place] for _, _, place in _nearest(key, keys, most)]

    def beginning_with(self, letter: str) -> list[int]:
        """The names that begin so, shortest first."""
        found = [index for index, key in enumerate(self.keys) if key.startswith(letter)]
        return sorted(found, key=lambda index: (len(self.keys[index]), self.names[index]))

    def sharing(self, asked: tuple[str, ...], kind: str) -> dict[int, float]:
        """Names that share words with `asked`, by sound or sense, and how much of both names that covers.

        Rare words bring names in; words that a crowd shares only tell those names apart.
        """
        total: dict[int, float] = {}
        for word in sorted(dict.fromkeys(asked), key=lambda word: len(self.by_stem.get(word, ()))):
            weight = self.weight(word)
            worths = {
                other: likeness * (weight + self.weights[other])
                for other, likeness in self.readings(word, kind).items()
            }
            crowds = [other for other in worths if len(self.by_stem[other]) > _CROWD] if total else []
            crowd = {other: worths.pop(other) for other in crowds}
            nearest = self._nearest_in(total, crowd) if crowd else {}
            for other, worth in worths.items():
                for index in self._holders(other, asked):
                    if nearest.get(index, 0.0) < worth:
                        nearest[index] = worth
            for index, worth in nearest.items():
                total[index] = total.get(index, 0.0) + worth
            if len(total) > _MOST_KEPT:
                total = dict(sorted(total.items(), key=lambda item: -item[1])[: _MOST_KEPT // 2])
        load = sum([self.weight(word) for word in asked])
        loads = self.loads
        return {index: worth / (load + loads[index]) for index, worth in total.items()}

    def _nearest_in(self, indexes: Iterable[int], worths: Mapping[str, float]) -> dict[int, float]:
        nearest: dict[int, float] = {}
        for index in indexes:
            for word in self.stems[index]:
                worth = worths.get(word)
                if worth is not None and nearest.get(index, 0.0) < worth:
                    nearest[index] = worth
        return nearest

    def _holders(self, word: str, asked: tuple[str, ...]) -> Iterable[int]:
        """The names with this word; of very many, those that have another word of `asked` as well."""
        holders = self.by_stem[word]
        if len(holders) <= _MOST_KEPT:
            return holders
        others = [self.by_stem[other] for other in asked if other != word and other in self.by_stem]
        both = set(holders).intersection(min(others, key=len)) if others else ()
        return sorted(both)[:_MOST_KEPT] if both else holders[:_MOST_KEPT]


@cache
def distance_of_spelling() -> Callable[..., int]:
    """Edits between two strings, a swap counting one. A process in which every name is right need not load it."""
    from rapidfuzz.distance import OSA

    return OSA.distance


@cache
def _extract() -> Callable[..., list[tuple[str, int, int]]]:
    from rapidfuzz import process

    return process.extract


def _nearest(text: str, candidates: list[str], most: int) -> list[tuple[str, int, int]]:
    """The nearest few within so many edits: text, edits, place."""
    near = _extract()(text, candidates, scorer=distance_of_spelling(), score_cutoff=most, limit=_NEAR_WORDS * 16)
    near.sort(key=lambda found: (found[1], found[0]))
    return near[:_NEAR_WORDS]


T = TypeVar("T")


def _by_length(items: Iterable[tuple[str, T]]) -> dict[int, list[T]]:
    lengths: defaultdict[int, list[T]] = defaultdict(list)
    for text, item in items:
        lengths[len(text)].append(item)
    return dict(lengths)


def _within(lengths: Mapping[int, list[T]], length: int, most: int) -> list[T]:
    return [item for near in range(length - most, length + most + 1) for item in lengths.get(near, ())]


def _grouped(pairs: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for index, key in pairs:
        groups[key].append(index)
    return dict(groups)


def _grouped_words(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key, word in pairs:
        groups[key].append(word)
    return dict(groups)
