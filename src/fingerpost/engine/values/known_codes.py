"""Choices of a well-known set in another form: `polish` for `pl`, `Thursdays` for `thu`, `N` for `north`.

The choices have to show the set: at least two of them belong to it. For languages all of them do, because most of
their codes are codes of countries too (`ar`, `ca`, `uk`). A single choice can then be offered; a member of the set that
is no choice stands for none of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.lexicon import table_lines
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.slot import Candidate, Slot

_MAX_LENGTH = 24
_MOST_CHOICES = 200
_LONGEST_CODE = 3
_BETWEEN = lazy_pattern(r"[\s_-]")
_LANGUAGES = "languages"
_COUNTRY_WORDS = frozenset({"country", "nation", "nationality", "region", "market", "territory", "state", "currency"})
_BESIDE_LANGUAGES = frozenset({"all", "any", "auto", "detect", "default", "mixed", "multi", "none", "other", "unknown"})
_ORDINARY_WORDS = frozenset({"he", "hi", "id", "is", "it", "no"})
"""Codes that a caller means as a word."""


class _Match(NamedTuple):
    """The choices that are the same member of a set as a value; there may be none."""

    choices: tuple[str, ...]


def read_known_code(slot: Slot) -> Iterator[Candidate]:
    """Yield the choice that is the same member of a well-known set as the value."""
    match = _find_match(slot)
    if match and len(match.choices) == 1:
        yield Candidate(match.choices[0], confidence=0.9)


def is_member(value: Any, choices: Sequence[Any], names: Sequence[str] = ()) -> bool:
    """Whether a value belongs to the well-known set that the choices show, so that it is none of the others."""
    return _find_match(Slot(value, (), choices=tuple(choices), name="".join(names))) is not None


def show_known_set(choices: Sequence[str]) -> bool:
    """Whether at least two choices belong to the same well-known set."""
    some = choices[:_MOST_CHOICES]
    return any(len({_member(choice, forms) for choice in some} - {None}) > 1 for forms in _systems().values())


def _find_match(slot: Slot) -> _Match | None:
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH or len(slot.choices) > _MOST_CHOICES:
        return None
    choices = [choice for choice in slot.choices if isinstance(choice, str)]
    if slot.value in choices:
        return None
    for system, forms in _systems().items():
        if not (wanted := _member(slot.value, forms)):
            continue
        members = {choice: member for choice in choices if (member := _member(choice, forms))}
        if len({*members.values()}) > 1 and (system != _LANGUAGES or _are_languages(slot, choices, members)):
            same = (choice for choice, member in members.items() if member == wanted)
            return _Match(tuple(choice for choice in same if system != _LANGUAGES or _has_name(slot.value, choice)))
    return None


def _has_name(value: str, choice: str) -> bool:
    """Whether one of two languages is written out. Two codes of different length may be of countries."""
    return max(len(value.strip()), len(choice)) > _LONGEST_CODE


def _are_languages(slot: Slot, choices: list[str], members: Mapping[str, str]) -> bool:
    """Whether the choices are languages, not countries, and the value is no word of the sentence."""
    rest = {choice.lower() for choice in choices} - {choice.lower() for choice in members}
    is_country = not _COUNTRY_WORDS.isdisjoint(map(stem, split_words(slot.name)))
    return rest <= _BESIDE_LANGUAGES and not is_country and slot.value.strip().lower() not in _ORDINARY_WORDS


def _member(text: str, forms: Mapping[str, str]) -> str | None:
    """Return the first form of what a text names; the plural counts for words (`Mondays`)."""
    bare = text.strip().casefold()
    joined = _BETWEEN.sub("", bare) if bare[:1].isalpha() else bare
    return forms.get(joined) or (forms.get(joined[:-1]) if len(joined) > 4 and joined.endswith("s") else None)


@cache
def _systems() -> Mapping[str, Mapping[str, str]]:
    systems: dict[str, dict[str, str]] = {}
    forms: dict[str, str] = {}
    for line in table_lines("known_codes.txt"):
        if line.startswith("["):
            forms = systems.setdefault(line.strip("[]"), {})
            continue
        words = line.split()
        forms |= dict.fromkeys(words, words[0])
    return systems
