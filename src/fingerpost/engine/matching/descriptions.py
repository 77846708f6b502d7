"""Words of a description that say what a parameter holds: `glob` in "A glob for the files".

Only the first phrase counts. What follows a preposition, a verb or a comma is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.lexicon import is_distinctive
from fingerpost.engine.matching.spelling import split_words, stem

_MAX_LENGTH = 160
_MAX_WORDS = 6
_END_OF_PHRASE = lazy_pattern(
    r"[.,;:()\[\]\n]|\s(?:[-\u2013\u2014]|of|for|to|in|on|at|by|from|with|within|into|that|which|who|whose|where|when|if|is|"
    r"are|was|will|must|should|can|may|used|using|e\.g|and|or|not|as|under|over|between|per|about|against|after|before)\s",
    re.IGNORECASE,
)
_ARTICLES = frozenset({"a", "an", "the", "optional", "required", "your", "new", "one", "exact", "full", "valid"})
_PERSONS = frozenset({
    "user", "caller", "agent", "assistant", "customer", "client", "owner", "author", "person", "human", "model",
    "server", "tool", "system", "member", "account",
})  # fmt: skip
"""Words for who acts. In a description they say whose a value is, not what it is ("User query")."""


def is_person(word: str) -> bool:
    """Whether a stem stands for somebody who acts."""
    return word in _PERSONS


_END_OF_SENTENCE = lazy_pattern(r"[.;(\n]")
_NEGATION = lazy_pattern(
    r"\b(?:not|no|never|off|without|except|unless|instead|un(?:less|set|safe|do)|non\w*|hid(?:e|es|den|ing)|"
    r"(?:disabl|exclud|skip|prevent|avoid|suppress|omit|ignor|remov|stop|block|bypass|forbid|den[iy])\w*)\b",
    re.IGNORECASE,
)
"""Words that turn the meaning of a description around: "Not visible to the customer"."""


def mentions(description: Any, words: Collection[str]) -> bool:
    """Whether a description contains one of the stems that say something, anywhere."""
    text = description[:_MAX_LENGTH] if isinstance(description, str) else ""
    return any(word in words and is_distinctive(word) for word in map(stem, split_words(text)))


def is_described_by(description: Any, words: Collection[str]) -> bool:
    """Whether the first phrase of a description contains the stems that say something, or consists of these stems."""
    text = description[:_MAX_LENGTH] if isinstance(description, str) else ""
    if _NEGATION.search(_END_OF_SENTENCE.split(text, maxsplit=1)[0]):
        return False
    phrase = _first_phrase(text)
    distinctive = {word for word in words if is_distinctive(word)}
    return distinctive <= phrase if distinctive else bool(words) and phrase == frozenset(words)


@lru_cache(maxsize=4096)
def _first_phrase(description: str) -> frozenset[str]:
    phrase = _END_OF_PHRASE.split(f"{description.strip()} ", maxsplit=1)[0]
    words = [word for word in split_words(phrase) if word not in _ARTICLES][:_MAX_WORDS]
    return frozenset(map(stem, words))
