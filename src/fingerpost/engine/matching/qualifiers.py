"""Words that make a name stand for something else: `exclude_pattern`, `parent_id`, `max_amount`, `content_type`.

A word of the sent name that the parameter's name lacks is a reason to doubt, unless it only repeats what the tool is
about or adds nothing. `qualifiers.txt` lists the words that always make it another thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from fingerpost.engine.matching.entities import are_same_entity, have_other_heads, is_entity, is_head
from fingerpost.engine.matching.lexicon import share_group, table_lines
from fingerpost.engine.matching.spelling import split_words, stem

if TYPE_CHECKING:
    from fingerpost.engine.matching.alignment import Alignment

_SECTIONS = ("negators", "roles", "comparators", "deltas", "kinds")
_LABELS = frozenset({"id", "name"})
"""What may stand behind a thing without making it another: `user_id` for `user`."""


@cache
def _table() -> Mapping[str, frozenset[str]]:
    sections: dict[str, set[str]] = {}
    section: set[str] = set()
    for line in table_lines("qualifiers.txt"):
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), set())
        else:
            section.update("".join(map(stem, word.split("_"))) for word in line.split())
    return {name: frozenset(words) for name, words in sections.items()}


@cache
def _qualifiers() -> frozenset[str]:
    return frozenset(word for name in _SECTIONS for word in _table()[name])


def has_qualifier(side: Alignment) -> bool:
    """Whether a word that only one of two parameters has makes it another thing."""
    if side.query.kind != "parameter" or not side.pairs:
        return False
    if have_other_heads(side) or _splits_compound(side):
        return True
    if _are_synonyms(side):
        return False
    table = _table()
    rest = [side.theirs[j] for j in side.right]
    if not table["negators"].isdisjoint(rest) or (not side.left and not table["measures"].isdisjoint(rest)):
        return True
    return not _qualifiers().isdisjoint(_extra_words(side))


def _splits_compound(side: Alignment) -> bool:
    """Whether the sent name has two words that are one thing, and the known one only the second: `api_key`, `key`."""
    ours = side.ours
    return any(
        one + other in _table()["compounds"] and other in side.theirs and one not in side.theirs
        for one, other in pairwise(ours)
    )


def has_extra_word(side: Alignment) -> bool:
    """Whether the sent name of a parameter says more than the known one, for a tool that may write."""
    if not (side.query.may_write and side.pairs) or _are_synonyms(side):
        return False
    return not all(map(is_filler, _extra_words(side)))


def is_filler(word: str) -> bool:
    """Whether a word, as a stem, adds nothing to a name."""
    return word in _table()["fillers"]


def is_qualified(name: str) -> bool:
    """Whether a word of a name says which of several things is meant, what to leave out, or from where to where."""
    return is_restricting(name) or not _table()["roles"].isdisjoint(map(stem, split_words(name)))


def is_restricting(name: str) -> bool:
    """Whether an argument of this name says what to leave out, or from where to where: without it, more is returned."""
    stems = [stem(word) for word in split_words(name)]
    return not _restrictions().isdisjoint(stems) or share_group("parameters", "".join(stems), "dryrun")


@cache
def _restrictions() -> frozenset[str]:
    return _table()["negators"] | _table()["comparators"] | _table()["operators"]


def _are_synonyms(side: Alignment) -> bool:
    return share_group("parameters", "".join(side.ours), "".join(side.theirs))


def _extra_words(side: Alignment) -> list[str]:
    """Return the words of the sent name that the other lacks, except those that repeat what the tool is about."""
    return [side.ours[i] for i in side.left if not _is_redundant(side, i)]


def _is_redundant(side: Alignment, place: int) -> bool:
    word = side.ours[place]
    if any(word == other or are_same_entity(word, other) for other in side.query.tool):
        return True
    return word in _LABELS and place == len(side.ours) - 1 and _names_entity(side)


def _names_entity(side: Alignment) -> bool:
    """Whether the parameter is named after a thing, so that it may hold its id or name."""
    return is_entity(side.theirs[-1]) and not is_head(side.theirs[-1])
