"""Which unit was meant by a word that is none. Names are compared by `fingerpost.closest` and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from fingerpost.engine.matching import LISTED, Match, Names, Reading, closest, readings
from fingerpost.engine.matching.evidence import Evidence, Tier
from fingerpost.engine.matching.lexicon import is_ordinary
from fingerpost.servers.units.letter_case import cases, is_usual
from fingerpost.servers.units.vocabulary import Unit, Vocabulary, vocabulary

_MOST = 3
_SHORT = 2


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
    symbols: tuple[str, ...] = ()
    """Those that differ from the word by the case of their letters alone, if that is what is wrong with it."""


def guessed(word: str) -> Guesses:
    """What a word that is no unit probably stands for."""
    if vocabulary().refusal(word) or vocabulary().find(word):
        return Guesses()
    return _of_other_case(word) or _of_dimension(word) or _lexicon().misspelt(word)


def _of_other_case(word: str) -> Guesses | None:
    symbols = {symbol: unit for symbol in cases().alike(word) if (unit := vocabulary().find(symbol))}
    if (meant := cases().meant(word)) and (unit := vocabulary().find(meant)):
        return Guesses(Guess(unit, meant, closest(word, [meant], "value")[0].confidence), symbols=(meant,))
    return Guesses(possible=tuple(symbols.values()), symbols=tuple(symbols)) if symbols else None


def _of_dimension(word: str) -> Guesses | None:
    """Who names what is measured, `time`, has still to say in which unit."""
    units = vocabulary().units.get(vocabulary().dimensions.meant(word), [])
    return Guesses(possible=tuple(units[:_MOST])) if units else None


class _Lexicon:
    """The names and symbols that a word is held against."""

    def __init__(self, known: Vocabulary) -> None:
        self.known = known
        self.bases = [units[0] for name, units in known.units.items() if name in known.dimensions.bases and units]

    @cached_property
    def every(self) -> dict[str, Unit]:
        return {**self.known.words, **self.known.named}

    @cached_property
    def pools(self) -> tuple[Names, Names, Names]:
        """All names; those in everyday use; the other words for units."""
        usual = [unit.name for unit in self.known.named.values() if is_usual(unit)]
        return Names(tuple(self.every)), Names(tuple(usual)), Names(tuple(self.known.words))

    def misspelt(self, word: str) -> Guesses:
        """A name in letters that are nearly right. What is a word of English is no misspelling of a unit."""
        if len(word) <= _SHORT:
            return Guesses(possible=self._begun(word))
        every, usual, others = (readings(word, pool, "value") for pool in self.pools)
        for found in (every, usual, others):
            if found and found[0].match.is_clear and not is_ordinary(word.casefold()) and self._leads(found[0], every):
                match = found[0].match
                return Guesses(Guess(self.every[match.name], match.name, match.confidence))
        return Guesses(possible=self._units(one.match for one in (*usual, *every) if _is_near(one.evidence)))

    def _begun(self, word: str) -> tuple[Unit, ...]:
        """The base units that a short word may stand for, if one of them is written with its letters in their order."""
        near = self._units(closest(word, [unit.name for unit in self.bases], "value"))
        return near if any(_is_within(word.casefold(), unit.name) for unit in near) else ()

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


def _is_near(evidence: Evidence) -> bool:
    """Whether it is the letters that are alike, from an end of the word on: `time` is no `centimeter`, and no day."""
    is_inside = any(kind == "inside" for _, _, kind in evidence.pairs)
    return evidence.tier is not Tier.MEANING and "far" not in evidence.guards and not is_inside


def _is_within(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


@cache
def _lexicon() -> _Lexicon:
    return _Lexicon(vocabulary())
