"""Choices that are another one of the same kind: `three_times_daily` for `twice_daily`, `gpt-4o-mini` for `gpt-4o`.

What differs in a number is not the same thing misspelt, and neither is a model or a version with a further word.
"""

from __future__ import annotations

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words

_NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "zero", "one once first single", "two twice double dual", "three thrice triple third", "four fourth quad",
            "five fifth", "six sixth", "seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh",
            "twelve twelfth",
        )
    )
    for word in words.split()
}  # fmt: skip
"""Without `second`, which is a unit more often. A text with it has no number, so it is not the first or the third."""
_DIGITS = lazy_pattern(r"[0-9]{1,15}")
_VARIANTS = frozenset({
    "advanced", "air", "alpha", "basic", "beta", "chat", "dev", "enterprise", "extended", "fast", "flash", "free",
    "instruct", "latest", "legacy", "light", "lite", "max", "micro", "mini", "nano", "nightly", "plus", "premium",
    "preview", "pro", "rc", "se", "slim", "turbo", "ultra", "xl",
})  # fmt: skip


def have_other_numbers(value: str, choice: str) -> bool:
    """Whether the numbers of two texts differ, in digits or in words, or only one of them has one."""
    return _find_numbers(value) != _find_numbers(choice)


def _find_numbers(text: str) -> list[int]:
    words = [_NUMBER_WORDS[word] for word in map(str.lower, split_words(text)) if word in _NUMBER_WORDS]
    return sorted([*words, *map(int, _DIGITS.findall(text))])


def is_other_variant(value: str, choice: str) -> bool:
    """Whether a choice is the value with a further word behind it that makes another model or version of it."""
    ours, theirs = ([*map(str.lower, split_words(text))] for text in (value, choice))
    if not ours or len(theirs) <= len(ours) or theirs[: len(ours)] != ours:
        return False
    return _DIGITS.search(value) is not None or theirs[len(ours)] in _VARIANTS
