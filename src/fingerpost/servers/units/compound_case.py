"""Texts of several units with a slip of case in them, mended as a whole.

Who writes `KM/H` holds the shift key down, so the `H` is as doubtful as the `KM`, though it is a unit by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product

from fingerpost.servers.units.expressions import Compound, parsed
from fingerpost.servers.units.letter_case import cases
from fingerpost.servers.units.misspellings import Guesses
from fingerpost.servers.units.tokens import Token, Unparsable, tokens_of
from fingerpost.servers.units.vocabulary import vocabulary

_MOST_TRIED = 64


def wholes(text: str, found: Mapping[Token, Guesses]) -> list[str]:
    """What a text may have been meant for, each with another meaning; only those that measure something, if any do."""
    options = {token: _mended(guesses) for token, guesses in found.items()}
    slips = [(token.text, guesses.symbols[0]) for token, guesses in found.items() if guesses.symbols]
    if all(options.values()):
        options |= {token: _doubted(token.text, slips) for token in _others(text, found)}
    if math.prod(map(len, options.values())) > _MOST_TRIED:
        return []
    made: dict[Compound, str] = {}
    for choice in product(*options.values()):
        whole = replaced(text, dict(zip(options, choice, strict=True)))
        with suppress(Unparsable):  # `M^20*m^20` is m^40 when mended, which is more than is read
            made.setdefault(parsed(whole)[0], whole)
    named = [whole for unit, whole in made.items() if vocabulary().dimensions.usual_name(unit.dimension)]
    return named or list(made.values())


def replaced(text: str, words: Mapping[Token, str]) -> str:
    """A text with nothing but some words replaced."""
    for token, word in sorted(words.items(), key=lambda pair: -pair[0].start):
        text = text[: token.start] + word + text[token.end :]
    return text


def _mended(guesses: Guesses) -> list[str]:
    return [guesses.sure.value] if guesses.sure else list(guesses.symbols)


def _others(text: str, found: Iterable[Token]) -> Iterator[Token]:
    for token in tokens_of(text):
        is_apart = all(token.end <= one.start or one.end <= token.start for one in found)
        if token.kind == "word" and is_apart:
            yield token


def _doubted(word: str, slips: Iterable[tuple[str, str]]) -> list[str]:
    """A word that is right as it stands, and what it may be if it was written with the same slip as others."""
    for slip, symbol in slips:
        is_loud = _capitals(slip) > _capitals(symbol)
        if (is_loud and _capitals(word)) or (not is_loud and word.islower()):
            return list(dict.fromkeys([word, *cases().alike(word)]))
    return [word]


def _capitals(text: str) -> int:
    return sum(letter.isupper() for letter in text)
