"""What a name is about: `cardId` identifies a card and `commentId` a comment, although both are ids.

Two names that share only the word for the kind of thing (`id`, `name`, `path`) and each say of what are names of
different things.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from fingerpost.engine.matching.evidence import SAME_WORD, Relation
from fingerpost.engine.matching.lexicon import (
    full_forms,
    is_common,
    is_distinctive,
    is_modifier,
    is_verb,
    plain_weight,
    share_group,
    table_lines,
)
from fingerpost.engine.matching.spelling import stem

if TYPE_CHECKING:
    from fingerpost.engine.matching.alignment import Alignment, Pair

_NO_GROUPS: frozenset[int] = frozenset()
_PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "of", "on", "to", "with"})
_THINGS = frozenset({"admin", "backup", "child", "draft", "guest", "parent", "system", "test", "user"})
"""Modifiers that are things too: the name of a user is not the name of a project."""


@cache
def _table() -> Mapping[str, Mapping[str, frozenset[int]]]:
    """Return, by section, the words as stems, each with the lines it is on."""
    sections: dict[str, defaultdict[str, set[int]]] = {}
    section = ""
    for number, line in enumerate(table_lines("entities.txt")):
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = defaultdict(set)
            continue
        for word in line.split():
            sections[section]["".join(map(stem, word.split("_")))].add(number)
    return {name: {word: frozenset(on) for word, on in words.items()} for name, words in sections.items()}


def is_head(word: str) -> bool:
    """Whether a stem says only what kind of thing is meant."""
    return word in _table()["heads"]


def is_identity(word: str) -> bool:
    """Whether a stem stands for what picks one thing out of many."""
    return word in _table()["identities"]


def is_of_person(stems: Sequence[str]) -> bool:
    """Whether the last thing that a name is about is a person: `search_users_by_city`, but not `list_user_tasks`."""
    things = [word for word in takewhile(lambda each: each not in _PREPOSITIONS, stems) if is_entity(word)]
    return bool(things) and things[-1] in _table()["people"]


def is_entity(word: str) -> bool:
    """Whether a stem may say what a name is about."""
    return is_distinctive(word) and not is_head(word) and (word in _THINGS or not is_modifier(word))


@lru_cache(maxsize=16384)
def are_same_entity(one: str, other: str) -> bool:
    """Whether two stems stand for the same thing, by the strict table."""
    ones, others = full_forms(one), full_forms(other)
    if not set(ones).isdisjoint(others):
        return True
    groups = _table()["same"]
    return any(groups.get(a, _NO_GROUPS) & groups.get(b, _NO_GROUPS) for a in ones for b in others)


def names_other_entity(side: Alignment) -> bool:
    """Whether two parameters are about different things: they share only a head, or are synonyms only loosely."""
    if side.query.kind != "parameter" or not side.pairs:
        return False
    if any(are_other_objects(one, other) for one, other in _words_of_pairs(side)):
        return True
    if share_group("parameters", "".join(side.ours), "".join(side.theirs)):
        return False
    doubtful = [pair for pair in side.pairs if _may_be_other_entity(side, pair)]
    sure = [pair for pair in side.pairs if pair not in doubtful]
    if all(pair.relation is Relation.SENSE for pair in sure) and _says_more(side):
        return True
    if not all(is_head(side.theirs[pair.theirs]) for pair in sure):
        return _has_other_owner(side)
    return bool(doubtful) or _each_says_of_what(side)


def _each_says_of_what(side: Alignment) -> bool:
    """Whether the words without a counterpart say of what, in both names."""
    ours, theirs = (side.ours[i] for i in side.left), (side.theirs[j] for j in side.right)
    return any(map(is_entity, ours)) and any(map(is_entity, theirs))


def _words_of_pairs(side: Alignment) -> list[tuple[str, str]]:
    return [(side.ours[pair.ours], side.theirs[pair.theirs]) for pair in side.pairs]


def are_other_objects(one: str, other: str) -> bool:
    """Whether two stems stand for different parts of databases or file systems: an index is no table."""
    objects = _table()["objects"]
    ones, others = ([form for form in full_forms(word) if form in objects] for word in (one, other))
    return bool(ones and others) and not are_same_entity(one, other)


def have_other_heads(side: Alignment) -> bool:
    """Whether two parameters say different things about the same thing: `run_number` and `run_id`."""
    one, other = side.ours[-1], side.theirs[-1]
    if len(side.ours) < 2 or not (is_head(one) and is_head(other)) or _are_same_heads(one, other):
        return False
    are_identities = is_identity(one) and is_identity(other)
    return are_identities or not share_group("parameters", "".join(side.ours), "".join(side.theirs))


def _are_same_heads(one: str, other: str) -> bool:
    groups = _table()["same_heads"]
    return one == other or not groups.get(one, _NO_GROUPS).isdisjoint(groups.get(other, _NO_GROUPS))


def _says_more(side: Alignment) -> bool:
    """Whether the mistake has words besides the synonyms, or in another order: `display_message` is no `body`."""
    return not side.is_in_order or any(plain_weight(side.ours[i]) >= 0.5 for i in side.left)


def _may_be_other_entity(side: Alignment, pair: Pair) -> bool:
    """Whether two words correspond only loosely: file and folder, which are often confused, or context and content.

    A comment may be a message, but the id of a comment is not the id of a message.
    """
    one, other = side.ours[pair.ours], side.theirs[pair.theirs]
    if pair.relation is Relation.SENSE:
        is_loose = not (is_identity(side.ours[-1]) and is_identity(side.theirs[-1]))
        return not any(
            are_same_entity(a, b) or (is_loose and share_group("parameters", a, b))
            for a in full_forms(one)
            for b in full_forms(other)
        )
    if pair.relation is Relation.SPELLING:
        return is_common(side.query.words[pair.ours])
    return pair.relation not in SAME_WORD and is_entity(one) and is_entity(other) and bool(side.left or side.right)


def _has_other_owner(side: Alignment) -> bool:
    """Whether the same last word belongs to different things: the id of an issue, the id of a comment on an issue."""
    ours, theirs = side.ours, side.theirs
    if min(len(ours), len(theirs)) < 2 or ours[-1] != theirs[-1] or not is_head(ours[-1]):
        return False
    paired = {(pair.ours, pair.theirs) for pair in side.pairs}
    if (len(ours) - 2, len(theirs) - 2) in paired or not (is_entity(ours[-2]) and is_entity(theirs[-2])):
        return False
    return len(theirs) - 2 in side.right or len(ours) - 2 in side.left


def is_about(words: Iterable[str], entities: Iterable[str]) -> bool:
    """Whether any of the words stands for one of the entities, also by a loose synonym or as part of it."""
    known = list(words)
    return any(
        are_same_entity(one, other) or share_group("nouns", one, other) or (len(one) > 3 and one in other)
        for one in entities
        for other in known
    )


def entities_of(words: Sequence[str]) -> list[str]:
    """Return the stems that say what a tool is about: all but its verb, and words that say little."""
    verb = 0 if words and is_verb(words[0]) else len(words) - 1 if words and is_verb(words[-1]) else None
    return [word for place, word in enumerate(words) if place != verb and is_entity(word)]
