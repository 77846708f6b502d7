"""How much is lost by what the name of a tool asks for: what is put away, deleted, or destroyed for good.

Whoever asks to put something in the trash must not be led to a tool that deletes it, and whoever asks to delete it not
to one that leaves nothing behind.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from fingerpost.engine.matching.actions import Danger, danger_of, in_section, read_action
from fingerpost.engine.matching.spelling import split_words, stem

_TO = frozenset({"to", "into"})
_FOR_GOOD = frozenset({"forced", "force", "forever", "hard", "irrevocably", "permanent", "permanently"})


class Loss(IntEnum):
    """What is lost, least first."""

    NOTHING = 0
    PUT_AWAY = 1
    DELETED = 2
    FOR_GOOD = 3


@lru_cache(maxsize=4096)
def loss_of(name: str) -> Loss:
    """Return what is lost by the name of a tool: `move_to_trash`, `soft_delete_user`, `delete_user`, `erase_user`."""
    verb, words = read_action(name).verb, split_words(name)
    behind_to = [stem(word) for to, word in pairwise(words) if to in _TO]
    if any(in_section("put_away", word) for word in (verb, *behind_to)):
        return Loss.PUT_AWAY
    if not verb or danger_of(verb) is not Danger.DESTROYS:
        return Loss.NOTHING
    if "soft" in words:
        return Loss.PUT_AWAY
    is_for_good = in_section("for_good", verb) or not _FOR_GOOD.isdisjoint(words)
    return Loss.FOR_GOOD if is_for_good else Loss.DELETED


def loses_more(name: str, asked: str) -> bool:
    """Whether a tool destroys more thoroughly than what was asked for, which already puts something away or deletes."""
    return Loss.NOTHING < loss_of(asked) < loss_of(name)
