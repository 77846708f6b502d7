"""Symbols in letters of the wrong case: which one was meant, where only one can be.

`B` and `b` are two letters here, for byte and bit are two units. A symbol of one or two letters is mended only where
everybody writes it, as `KG`: `D`, `Ns` and `CV` stand for more than can be known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from fingerpost.engine.matching.lexicon import is_ordinary
from fingerpost.servers.units.vocabulary import Unit, Vocabulary, takes, vocabulary

_SHORT = 2
_COMMON = 12
"""The highest power of ten that people use: femto and peta are not meant by a slip of the shift key."""
_VOWEL = re.compile("[aeiouy]")


class Cases:
    """All symbols there are, by their letters without regard to case."""

    def __init__(self, known: Vocabulary) -> None:
        self.known = known

    @cached_property
    def every(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        spellings = (*self.known.symbols, *self._scaled(), *self.known.also, *self.known.refused)
        for symbol in dict.fromkeys(spellings):
            found.setdefault(symbol.casefold(), []).append(symbol)
        return found

    def _scaled(self) -> Iterator[str]:
        for symbol, unit in self.known.symbols.items():
            if unit.kind != "words":
                yield from (one + symbol for scale in self.known.scales if takes(unit, scale) for one in scale.symbols)

    def alike(self, word: str) -> list[str]:
        """The symbols in use that are spelt with the same letters, one for each unit."""
        found: dict[Unit, str] = {}
        for symbol in self.every.get(word.casefold(), []):
            if (unit := self.known.find(symbol)) and (is_in_use(unit) or symbol in self.known.everyday):
                found.setdefault(unit, symbol)
        return list(found.values())

    def meant(self, word: str) -> str | None:
        """The one symbol that can be meant."""
        if any(word in scale.symbols for scale in self.known.scales):
            return None
        in_use = self._keeping_bits(word, self.alike(word))
        if len(in_use) == 1 and in_use[0] in self.known.everyday:
            return in_use[0]
        return self._only(word) if len(word) > _SHORT else None

    def _only(self, word: str) -> str | None:
        """The only reading over all symbols, rare ones too; of several, the one that is a single letter away."""
        every, is_mixed = self.every.get(word.casefold(), []), word not in (word.lower(), word.upper())
        if is_mixed:
            every = self._keeping_bits(word, every)
            every = every if self._are_one(every) else [one for one in every if _flipped(one, word) == 1]
        kept = self._keeping_bits(word, every)
        unit = self.known.find(every[0]) if self._are_one(every) and kept == every else None
        is_meant = unit is not None and is_in_use(unit) and (unit.scale is None or not _is_word(word))
        return every[0] if is_meant else None

    def _are_one(self, symbols: Iterable[str]) -> bool:
        return len({self.known.find(symbol) for symbol in symbols}) == 1

    def _keeping_bits(self, word: str, symbols: list[str]) -> list[str]:
        """Those that have `B` where the word has it, and `b` where it has that, if they speak of bits and bytes."""
        kinds = {unit.kind for symbol in symbols if (unit := self.known.find(symbol))}
        return [one for one in symbols if _bits(one) == _bits(word)] if "binary" in kinds else symbols


def is_usual(unit: Unit) -> bool:
    """Whether people write it every day: without a prefix, or with a usual one before a usual unit."""
    return unit.scale is None or (unit.kind in ("*", "binary") and abs(unit.scale.exponent) <= _COMMON)


def is_in_use(unit: Unit) -> bool:
    """Whether its symbol is one that people write in the wrong case; `Hg` is no hectogram."""
    if unit.scale is None or unit.scale.base == 2:
        return True
    return is_usual(unit) and (abs(unit.scale.exponent) > 2 or unit.scale.exponent == -2)


def _flipped(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _bits(text: str) -> list[str]:
    """The letters that tell bits from bytes; in `MBit` the word is written out, and tells it better."""
    return re.findall(r"[bB](?![iI][tT])", text)


def _is_word(text: str) -> bool:
    """Whether it is a word, and not just letters that a dictionary of our time has: `kwh`."""
    return is_ordinary(text.casefold()) and _VOWEL.search(text.casefold()) is not None


@cache
def cases() -> Cases:
    return Cases(vocabulary())
