"""A typing slip in a short word, where only one required parameter is missing: `chanel` for `channel`.

By its letters alone such a word may be something else (`card` and `cart`, `tea` and `team`), so words that people use
are no slips. A doubled letter is the weakest difference; any other letter counts only in a word of the tool's own name.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from fingerpost.engine.matching.lexicon import is_common, is_commonest
from fingerpost.engine.matching.spelling import count_edits, split_words, stem

_MIN_LETTERS = 3


def is_slip(stray: str, name: str, tool_name: str) -> bool:
    """Whether an undeclared name differs from a declared one by one slip in one word."""
    sent, known = split_words(stray), split_words(name)
    if len(sent) != len(known):
        return False
    odd = [(one, other) for one, other in zip(sent, known, strict=True) if one != other]
    return len(odd) == 1 and _is_slip(*odd[0], {stem(word) for word in split_words(tool_name)})


def _is_slip(one: str, other: str, tool: Collection[str]) -> bool:
    if min(len(one), len(other)) < _MIN_LETTERS or stem(one) == stem(other) or stem(one) in tool:
        return False
    if _without_doubles(one) == _without_doubles(other):
        return not is_commonest(one)
    return stem(other) in tool and not is_common(one) and one[0] == other[0] and count_edits(one, other, 1) == 1


def _without_doubles(word: str) -> str:
    return "".join(letter for letter, _ in groupby(word))
