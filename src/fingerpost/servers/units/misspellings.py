"""Guess which unit an unknown word means. Names are compared only by `fingerpost.closest`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from fingerpost.engine.matching import LIST_THRESHOLD, Match, Names, Reading, closest, find_readings
from fingerpost.engine.matching.evidence import Evidence, Tier
from fingerpost.engine.matching.lexicon import is_known_word
from fingerpost.servers.units.letter_case import is_common, symbol_cases
from fingerpost.servers.units.vocabulary import Unit, Vocabulary, vocabulary

_MAX_GUESSES = 3
_SHORT = 2


@dataclass(frozen=True, slots=True)
class Guess:
    """A unit that the caller may have meant, and how to write it."""

    unit: Unit
    value: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Guesses:
    """What an unknown word may mean: one certain unit, or several to choose from."""

    sure: Guess | None = None
    possible: tuple[Unit, ...] = ()
    symbols: tuple[str, ...] = ()
    """Symbols that differ from the word only in case, if case is the mistake."""


def guess_units(word: str) -> Guesses:
    """What a word that is not a unit probably means."""
    if vocabulary().refusal(word) or vocabulary().find(word):
        return Guesses()
    return _guess_by_case(word) or _guess_by_dimension(word) or _matcher().guess(word)


def _guess_by_case(word: str) -> Guesses | None:
    symbols = {symbol: unit for symbol in symbol_cases().same_letters(word) if (unit := vocabulary().find(symbol))}
    if (symbol := symbol_cases().correct(word)) and (unit := vocabulary().find(symbol)):
        return Guesses(Guess(unit, symbol, closest(word, [symbol], "value")[0].confidence), symbols=(symbol,))
    return Guesses(possible=tuple(symbols.values()), symbols=tuple(symbols)) if symbols else None


def _guess_by_dimension(word: str) -> Guesses | None:
    """The units of a dimension, for a caller who wrote `time` instead of a unit of time."""
    units = vocabulary().units.get(vocabulary().dimensions.canonical_name(word), [])
    return Guesses(possible=tuple(units[:_MAX_GUESSES])) if units else None


class _NameMatcher:
    """Compares a word with the names of all units."""

    def __init__(self, known: Vocabulary) -> None:
        self.known = known
        self.bases = [units[0] for name, units in known.units.items() if name in known.dimensions.bases and units]

    @cached_property
    def units(self) -> dict[str, Unit]:
        return {**self.known.words, **self.known.by_name}

    @cached_property
    def pools(self) -> tuple[Names, Names, Names]:
        """All names; names in everyday use; other words for units."""
        common = [unit.name for unit in self.known.by_name.values() if is_common(unit)]
        return Names(tuple(self.units)), Names(tuple(common)), Names(tuple(self.known.words))

    def guess(self, word: str) -> Guesses:
        """The unit whose name is almost spelled like this. An English word is not a misspelled unit."""
        if len(word) <= _SHORT:
            return Guesses(possible=self._expand_abbreviation(word))
        every, common, others = (find_readings(word, pool, "value") for pool in self.pools)
        for found in (every, common, others):
            if (
                found
                and found[0].match.is_clear
                and not is_known_word(word.casefold())
                and not self._has_rival(found[0], every)
            ):
                match = found[0].match
                return Guesses(Guess(self.units[match.name], match.name, match.confidence))
        return Guesses(possible=self._units(one.match for one in (*common, *every) if _is_near(one.evidence)))

    def _expand_abbreviation(self, word: str) -> tuple[Unit, ...]:
        """The base units that a short word may abbreviate, if one of them contains its letters in order."""
        near = self._units(closest(word, [unit.name for unit in self.bases], "value"))
        return near if any(_is_subsequence(word.casefold(), unit.name) for unit in near) else ()

    def _has_rival(self, first: Reading, others: Iterable[Reading]) -> bool:
        """Whether another unit is spelled as similarly. Readings that guards speak against count as rivals too."""
        unit = self.units[first.match.name]
        rivals = [(self.units[one.match.name], one.evidence.strength) for one in others]
        return any(
            strength > first.evidence.strength or (strength == first.evidence.strength and is_common(other))
            for other, strength in rivals
            if other != unit
        )

    def _units(self, matches: Iterable[Match]) -> tuple[Unit, ...]:
        near = {
            unit.name: unit
            for match in matches
            if match.confidence > LIST_THRESHOLD
            for unit in [self.units[match.name]]
        }
        return tuple(near.values())[:_MAX_GUESSES]


def _is_near(evidence: Evidence) -> bool:
    """Whether the letters match from one end of the word: `time` is near to neither `centimeter` nor `day`."""
    is_inside = any(kind == "inside" for _, _, kind in evidence.pairs)
    return evidence.tier is not Tier.MEANING and "far" not in evidence.guards and not is_inside


def _is_subsequence(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


@cache
def _matcher() -> _NameMatcher:
    return _NameMatcher(vocabulary())
