"""Which unit was meant by a word that is none. Names are compared by `fingerpost.closest` and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from fingerpost.matching import LISTED, Match, Names, Reading, closest, readings
from fingerpost.matching.lexicon import is_ordinary
from fingerpost.servers.units.vocabulary import Unit, Vocabulary, vocabulary

_MOST = 3
_SHORT = 2
_COMMON = 12
"""The highest power of ten that people use: femto and peta are not meant by a slip of the shift key."""
_VOWEL = re.compile("[aeiouy]")
_SLIPS_OF_CASE = ("kb", "Mb", "Gb", "Tb")


@dataclass(frozen=True, slots=True)
class Guess:
    """A unit that may have been meant, as it would be sent."""

    unit: Unit
    value: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Guesses:
    """What may have been meant: one unit for sure, or some to reason about."""

    sure: Guess | None = None
    possible: tuple[Unit, ...] = ()


def guessed(word: str) -> Guesses:
    """What a word that is no unit probably stands for."""
    if word in vocabulary().refused or vocabulary().find(word):
        return Guesses()
    return _lexicon().other_case(word) or _lexicon().misspelt(word)


class _Lexicon:
    """The names and symbols that a word is held against."""

    def __init__(self, known: Vocabulary) -> None:
        self.known = known
        self.bases = [units[0] for name, units in known.units.items() if name in known.dimensions.bases and units]

    @cached_property
    def every(self) -> dict[str, Unit]:
        return {**self.known.words, **self.known.named}

    @cached_property
    def symbols(self) -> dict[str, list[str]]:
        """The symbols in use, by their letters without regard to case."""
        usual = [unit.symbol for unit in self.known.named.values() if unit.symbol and _is_in_use(unit)]
        found: dict[str, list[str]] = {}
        for symbol in dict.fromkeys([*self.known.symbols, *usual, *_SLIPS_OF_CASE]):
            found.setdefault(symbol.casefold(), []).append(symbol)
        return found

    @cached_property
    def pools(self) -> tuple[Names, Names, Names]:
        """All names; those in everyday use; the other words for units."""
        usual = [unit.name for unit in self.known.named.values() if is_usual(unit)]
        return Names(tuple(self.every)), Names(tuple(usual)), Names(tuple(self.known.words))

    def other_case(self, word: str) -> Guesses | None:
        """A symbol in letters of the wrong case: the only one of its kind, or one that keeps its first letter."""
        alike = self.symbols.get(word.casefold(), [])
        first = [symbol for symbol in alike if symbol[0] == word[0]]
        is_mixed = len(word) > _SHORT and word not in (word.lower(), word.upper())
        if len(alike) > 1 and len(first) == 1 and is_mixed:
            alike = first
        units = {symbol: unit for symbol in alike if (unit := self.known.find(symbol))}
        if len(units) == 1:
            symbol, unit = next(iter(units.items()))
            if unit.scale is None or not _is_word(word):
                return Guesses(Guess(unit, symbol, closest(word, [symbol], "value")[0].confidence))
        return Guesses(possible=tuple(units.values())) if units else None

    def misspelt(self, word: str) -> Guesses:
        """A name in letters that are nearly right. What is a word of English is no misspelling of a unit."""
        if len(word) <= _SHORT:
            return Guesses(possible=self._units(closest(word, [unit.name for unit in self.bases], "value")))
        every, usual, others = (readings(word, pool, "value") for pool in self.pools)
        for found in (every, usual, others):
            if found and found[0].match.is_clear and not is_ordinary(word.casefold()) and self._leads(found[0], every):
                match = found[0].match
                return Guesses(Guess(self.every[match.name], match.name, match.confidence))
        return Guesses(possible=self._units(one.match for one in (*usual, *every)))

    def _leads(self, first: Reading, others: Iterable[Reading]) -> bool:
        """Whether no other unit is spelt as much like it: the nearest, too, may be one that guards speak against."""
        unit = self.every[first.match.name]
        rivals = [(self.every[one.match.name], one.evidence.strength) for one in others]
        return not any(
            strength > first.evidence.strength or (strength == first.evidence.strength and is_usual(other))
            for other, strength in rivals
            if other != unit
        )

    def _units(self, matches: Iterable[Match]) -> tuple[Unit, ...]:
        near = {unit.name: unit for match in matches if match.confidence > LISTED for unit in [self.every[match.name]]}
        return tuple(near.values())[:_MOST]


def is_usual(unit: Unit) -> bool:
    """Whether people write it every day: without a prefix, or with a usual one before a usual unit."""
    return unit.scale is None or (unit.kind in ("*", "binary") and abs(unit.scale.exponent) <= _COMMON)


def _is_in_use(unit: Unit) -> bool:
    """Whether its symbol is one that people write in the wrong case; `Hg` is no hectogram."""
    return is_usual(unit) and (unit.scale is None or abs(unit.scale.exponent) > 2 or unit.scale.exponent == -2)


def _is_word(text: str) -> bool:
    """Whether it is a word, and not just letters that a dictionary of our time has: `kwh`."""
    return is_ordinary(text.casefold()) and _VOWEL.search(text.casefold()) is not None


@cache
def _lexicon() -> _Lexicon:
    return _Lexicon(vocabulary())
