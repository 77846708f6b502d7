"""Correct symbols written in the wrong case, if only one unit is possible.

`B` and `b` always differ, because byte and bit are two units. A symbol of one or two letters is corrected only if it
is in everyday use, such as `KG`: `D`, `Ns` and `CV` could mean several units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from fingerpost.engine.matching.lexicon import is_known_word
from fingerpost.servers.units.vocabulary import Unit, Vocabulary, accepts_prefix, vocabulary

_SHORT = 2
_MAX_COMMON_EXPONENT = 12
"""The highest power of ten in common use: nobody means femto or peta by a slip of the shift key."""
_VOWEL = re.compile("[aeiouy]")


class SymbolCases:
    """All symbols, looked up by their letters without regard to case."""

    def __init__(self, known: Vocabulary) -> None:
        self.known = known

    @cached_property
    def by_letters(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        spellings = (*self.known.symbols, *self._symbols_with_prefix(), *self.known.aliases, *self.known.refusals)
        for symbol in dict.fromkeys(spellings):
            groups.setdefault(symbol.casefold(), []).append(symbol)
        return groups

    def _symbols_with_prefix(self) -> Iterator[str]:
        for symbol, unit in self.known.symbols.items():
            if unit.kind != "words":
                scales = [scale for scale in self.known.scales if accepts_prefix(unit, scale)]
                yield from (prefix + symbol for scale in scales for prefix in scale.symbols)

    def same_letters(self, word: str) -> list[str]:
        """The symbols in common use with the same letters as a word, one for each unit."""
        symbols: dict[Unit, str] = {}
        for symbol in self.by_letters.get(word.casefold(), []):
            if (unit := self.known.find(symbol)) and (has_common_symbol(unit) or symbol in self.known.everyday):
                symbols.setdefault(unit, symbol)
        return list(symbols.values())

    def correct(self, word: str) -> str | None:
        """The symbol in the right case, if only one is possible."""
        if any(word in scale.symbols for scale in self.known.scales):
            return None
        common = self._keep_bits_and_bytes(word, self.same_letters(word))
        if len(common) == 1 and common[0] in self.known.everyday:
            return common[0]
        return self._only_reading(word) if len(word) > _SHORT else None

    def _only_reading(self, word: str) -> str | None:
        """The only reading among all symbols, rare ones included; of several, the one that differs in one letter."""
        symbols, is_mixed = self.by_letters.get(word.casefold(), []), word not in (word.lower(), word.upper())
        if is_mixed:
            symbols = self._keep_bits_and_bytes(word, symbols)
            is_one = self._are_same_unit(symbols)
            symbols = symbols if is_one else [one for one in symbols if _count_differences(one, word) == 1]
        kept = self._keep_bits_and_bytes(word, symbols)
        unit = self.known.find(symbols[0]) if self._are_same_unit(symbols) and kept == symbols else None
        is_plausible = unit is not None and has_common_symbol(unit) and (unit.scale is None or not _is_word(word))
        return symbols[0] if is_plausible else None

    def _are_same_unit(self, symbols: Iterable[str]) -> bool:
        return len({self.known.find(symbol) for symbol in symbols}) == 1

    def _keep_bits_and_bytes(self, word: str, symbols: list[str]) -> list[str]:
        """Among symbols for bits and bytes, those with `B` and `b` in the same places as the word."""
        kinds = {unit.kind for symbol in symbols if (unit := self.known.find(symbol))}
        return [one for one in symbols if _bit_letters(one) == _bit_letters(word)] if "binary" in kinds else symbols


def is_common(unit: Unit) -> bool:
    """Whether people use it every day: without a prefix, or a usual unit with a usual prefix."""
    return unit.scale is None or (unit.kind in ("*", "binary") and abs(unit.scale.exponent) <= _MAX_COMMON_EXPONENT)


def has_common_symbol(unit: Unit) -> bool:
    """Whether people write its symbol, so that they may write it in the wrong case; `Hg` is not a hectogram."""
    if unit.scale is None or unit.scale.base == 2:
        return True
    return is_common(unit) and (abs(unit.scale.exponent) > 2 or unit.scale.exponent == -2)


def _count_differences(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _bit_letters(text: str) -> list[str]:
    """The letters that tell bits from bytes; in `MBit` the written-out word does so instead."""
    return re.findall(r"[bB](?![iI][tT])", text)


def _is_word(text: str) -> bool:
    """Whether it is a real word, not just letters such as `kwh` that a modern dictionary lists."""
    return is_known_word(text.casefold()) and _VOWEL.search(text.casefold()) is not None


@cache
def symbol_cases() -> SymbolCases:
    return SymbolCases(vocabulary())
