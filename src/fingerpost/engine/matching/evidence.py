"""How one name compares with another: by what they are the same, how strong that is, and what speaks against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from fingerpost.engine.matching.alignment import (
    BEGINNING,
    EXACT,
    SAME,
    SENSE,
    SHORT,
    SPELLING,
    Alignment,
    Asked,
    Pair,
    aligned,
    edits_between,
    leading,
)
from fingerpost.engine.matching.extra_words import is_namespace, is_wrapping
from fingerpost.engine.matching.guards import against_leftovers, against_letters, against_one_word, against_words
from fingerpost.engine.matching.index import Names, is_telling
from fingerpost.engine.matching.lexicon import NO, are_opposite, is_verb, senses


class Tier(IntEnum):
    """By what one name answers another, surest first. Up to `SPELLING` nothing of either is left unexplained."""

    LETTERS = 0
    """The same but for case and separators."""
    WRAPPED = 1
    """The same once the client's wrapping (`functions.`, `mcp__server__`, `--`, `params.`) is off."""
    NUMBER = 2
    """The same but for singular and plural, or British and American."""
    ORDER = 3
    """The same words in another order."""
    SHORT = 4
    """The same but for short forms (`repo`, `cfg`)."""
    NAMESPACE = 5
    """The same once the prefix that many of the known names share is off."""
    SPELLING = 6
    """The same but for a misspelling."""
    PART = 7
    """All the words of one are words of the other."""
    WORDS = 8
    """Some words are shared or alike, and each has others."""
    MEANING = 9
    """Some words, or the whole names, mean alike."""
    SLOT = 10
    """It is the one place left open for the one argument left over."""
    INITIALS = 11
    """Two letters that occur in it, the first at its beginning."""
    INITIAL = 12
    """It begins with the same letter."""


OTHER_THING = frozenset({"symbols", "number", "unit", "opposite", "sibling"})
"""Guards that say: this names another thing. It may be listed, and never leads."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against one name being meant by another."""

    tier: Tier
    strength: float
    guards: tuple[str, ...] = ()
    """Why this may be listed and yet is no fix."""
    steps: int = 0
    """How many separate slips it takes to get from one to the other."""
    pairs: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.tier <= Tier.SPELLING


_STRENGTH = {
    Tier.LETTERS: 1.0, Tier.WRAPPED: 0.99, Tier.NUMBER: 0.985, Tier.ORDER: 0.975, Tier.SHORT: 0.97,
    Tier.NAMESPACE: 0.965, Tier.SPELLING: 0.96,
}  # fmt: skip
_BEGUN = EXACT | {BEGINNING}
_PARTIAL = ("partial",)
_INITIALED = 6
"""Letters of a value that one or two letters may stand for."""


def compare(asked: Asked, known: Names, index: int) -> Evidence:
    """What speaks for the known name at `index` being meant."""
    if asked.key == known.keys[index]:
        return Evidence(Tier.LETTERS, 1.0, tuple(against_letters(asked.text, known.names[index], asked.kind)))
    side = aligned(asked, known, index)
    tier = _tier(side)
    if tier is not None:
        return _whole(side, tier, against_words(side))
    if _is_near_as_one_word(side):
        return _whole(side, Tier.SPELLING, against_one_word(side))
    return _partial(side)


def _tier(side: Alignment) -> Tier | None:
    """The tier in which nothing of either name is left unexplained, word by word, if there is one."""
    if "".join(side.ours) == "".join(side.theirs):
        return Tier.NUMBER
    hows = {pair.how for pair in side.pairs}
    if not hows or hows - EXACT or (side.left and side.right) or (side.right and not side.is_in_order):
        return None
    if (side.left and not is_wrapping(side)) or (side.right and not is_namespace(side)):
        return None
    if SPELLING in hows:
        return Tier.SPELLING
    if side.right:
        return Tier.NAMESPACE
    if SHORT in hows:
        return Tier.SHORT
    if not side.is_in_order:
        return Tier.ORDER
    return Tier.WRAPPED if side.left else Tier.NUMBER


def _is_near_as_one_word(side: Alignment) -> bool:
    """A slip that moved a border between words: the letters are near though the words are not."""
    key, other = side.asked.key, side.key
    if min(len(key), len(other)) < 8 or len(side.ours) == len(side.theirs):
        return False
    return edits_between(key, other, 1) <= 1


def _whole(side: Alignment, tier: Tier, against: Iterable[str]) -> Evidence:
    guards = tuple(dict.fromkeys(against))
    edits, steps = _slips(side)
    steps += bool(side.left) + bool(side.right)
    strength = _STRENGTH[tier] - 0.005 * steps
    if tier is Tier.SPELLING:
        length = len(side.asked.key)
        strength = _of_spelling(0.96 - 0.5 * edits / length - 0.02 * steps, edits, length, guards)
    return Evidence(tier, strength, guards, edits + steps, side.shown)


def _of_spelling(strength: float, edits: int, length: int, guards: tuple[str, ...]) -> float:
    """A word is seldom a misspelling of another word, and of three letters any three are near."""
    if "word" in guards:
        strength *= 0.55 if "far" in guards else 0.8 if edits < 2 else 0.6
    return strength * 0.7 if "short" in guards and length < 4 else strength


def _slips(side: Alignment) -> tuple[int, int]:
    """Letters that are wrong, and other slips: another number, a short form, another order."""
    edits = steps = 0
    for i, j, how, _ in side.pairs:
        if how == SPELLING:
            edits += edits_between(side.asked.words[i], side.their_words[j], 9)
        elif side.asked.words[i] != side.their_words[j]:
            steps += 1
    if not all(pair.how in EXACT for pair in side.pairs):
        edits += 1
    return edits, steps + (not side.is_in_order)


def _partial(side: Alignment) -> Evidence:
    """Some of the words answer each other: how much of both names that covers, telling words first."""
    asked, ours, theirs, key = side.asked, side.ours, side.theirs, side.key
    odd = [(ours[i], theirs[j]) for i in side.left for j in side.right]
    is_opposite = _is_opposite(side, odd)
    whole = len(senses("".join(ours), asked.kind) & senses("".join(theirs), asked.kind))
    strength = max(
        0.84 * _share(side) * (0.85 if is_opposite else 1.0),
        0.62 + 0.03 * min(whole, 4) if whole else 0.0,
        _as_far_as_it_goes(side.pairs, is_part=bool(side.right)) if not side.left else 0.0,
        _by_letters(asked.key, key),
    )
    if asked.kind == "value" and len(asked.key) <= 2 and len(key) <= _INITIALED and key[:1] == asked.key[:1]:
        return Evidence(Tier.INITIALS if asked.key[-1] in key[1:] else Tier.INITIAL, strength, _PARTIAL)
    if any(len(ours[i]) == 1 for i in side.left) and any(len(theirs[j]) == 1 for j in side.right):
        strength *= 0.6  # `pointC` is a third point, not a slip for `pointA`
    guards = (*_PARTIAL, "opposite") if is_opposite else _PARTIAL
    if odd:
        guards = (*guards, *against_leftovers(odd))
    means_alike = whole or any(pair.how == SENSE for pair in side.pairs)
    tier = Tier.MEANING if means_alike else Tier.WORDS if side.left and side.right else Tier.PART
    return Evidence(tier, strength, guards, 0, side.shown)


def _is_opposite(side: Alignment, odd: list[tuple[str, str]]) -> bool:
    """Whether words that do not surely answer each other are opposites, or a word too many is a no."""
    loose = [(side.ours[i], side.theirs[j]) for i, j, how, _ in side.pairs if how not in EXACT]
    spare = [*[side.ours[i] for i in side.left], *[side.theirs[j] for j in side.right]]
    return any(are_opposite(one, other) for one, other in (*odd, *loose)) or not NO.isdisjoint(spare)


def _as_far_as_it_goes(pairs: Sequence[Pair], *, is_part: bool) -> float:
    """A name that is all there, and only not all that was meant: `sea` for `search`, `search` for `search_code`."""
    if all(pair.how in _BEGUN and pair.likeness > (0.8 if is_part else 0.5) for pair in pairs):
        return 0.44 if is_part else 0.72
    return 0.0


def _by_letters(key: str, other: str) -> float:
    longest = max(len(key), len(other))
    most = 2 if longest < 12 else 3
    edits = edits_between(key, other, most) if longest > 5 else most + 1
    return 0.84 - 1.3 * edits / longest if edits <= most else 0.0


def _share(side: Alignment) -> float:
    """How much of both names is answered, the rarer words for more."""
    ours, theirs, left, right, weight = side.ours, side.theirs, side.left, side.right, side.known.weight
    worth = sum([likeness * (weight(ours[i]) + weight(theirs[j])) for i, j, _, likeness in side.pairs])
    if not worth:
        return 0.0
    load = sum([weight(word) for word in ours]) + side.known.loads[side.at]
    if side.asked.kind == "tool":  # a first word that is no verb is some namespace, and says little
        load -= 0.5 * weight(ours[0]) if 0 in left and not is_verb(ours[0]) else 0.0
        load -= 0.5 * weight(theirs[0]) if 0 in right and not is_verb(theirs[0]) else 0.0
    share = worth / load
    spare = leading(right)
    named = spare if spare and side.known.prefixes[theirs[:spare]] > 1 else 0
    if any(is_telling(ours[i]) for i in left) and any(is_telling(theirs[j]) for j in right if j >= named):
        share *= 0.85 if any(is_telling(ours[i]) and is_telling(theirs[j]) for i, j, _, _ in side.pairs) else 0.6
    if (left or right) and all(pair.how not in (SAME, SHORT, SENSE) and pair.likeness < 0.8 for pair in side.pairs):
        share *= 0.75
    return share if right else 1.1 * share
