"""Correct the case of an expression of several units as a whole.

Whoever writes `KM/H` holds the shift key down. So the `H` is as doubtful as the `KM`, although it is a unit by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product

from fingerpost.servers.units.expressions import Compound, parse_expression
from fingerpost.servers.units.letter_case import symbol_cases
from fingerpost.servers.units.misspellings import Guesses
from fingerpost.servers.units.tokens import ParseError, Token, replace_tokens, tokenize
from fingerpost.servers.units.vocabulary import vocabulary

_MAX_COMBINATIONS = 64


def case_readings(text: str, guesses: Mapping[Token, Guesses]) -> list[str]:
    """The expressions that a text may mean, one for each meaning; if some have a named dimension, only those."""
    options = {token: _spellings(one) for token, one in guesses.items()}
    mistakes = [(token.text, one.symbols[0]) for token, one in guesses.items() if one.symbols]
    if all(options.values()):
        options |= {token: _apply_same_mistake(token.text, mistakes) for token in _other_words(text, guesses)}
    if math.prod(map(len, options.values())) > _MAX_COMBINATIONS:
        return []
    readings: dict[Compound, str] = {}
    for choice in product(*options.values()):
        expression = replace_tokens(text, dict(zip(options, choice, strict=True)))
        with suppress(ParseError):  # `M^20*m^20` becomes m^40, which is above the limit
            readings.setdefault(parse_expression(expression)[0], expression)
    named = [one for unit, one in readings.items() if vocabulary().dimensions.common_name(unit.dimension)]
    return named or list(readings.values())


def _spellings(guesses: Guesses) -> list[str]:
    return [guesses.sure.value] if guesses.sure else list(guesses.symbols)


def _other_words(text: str, unknown: Iterable[Token]) -> Iterator[Token]:
    for token in tokenize(text):
        is_apart = all(token.end <= one.start or one.end <= token.start for one in unknown)
        if token.kind == "word" and is_apart:
            yield token


def _apply_same_mistake(word: str, mistakes: Iterable[tuple[str, str]]) -> list[str]:
    """A known word, and what it may mean if its case is wrong in the same way as that of the other words."""
    for wrong, symbol in mistakes:
        has_extra_capitals = _count_capitals(wrong) > _count_capitals(symbol)
        if (has_extra_capitals and _count_capitals(word)) or (not has_extra_capitals and word.islower()):
            return list(dict.fromkeys([word, *symbol_cases().same_letters(word)]))
    return [word]


def _count_capitals(text: str) -> int:
    return sum(letter.isupper() for letter in text)
