"""Compare the mistaken name with one known name: the tier of the match, its strength, and the guards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fingerpost.engine.matching.alignment import Alignment, Pair, Query, align, count_leading
from fingerpost.engine.matching.evidence import SAME_WORD, Evidence, Guard, Relation, Tier
from fingerpost.engine.matching.extra_words import is_namespace, is_wrapping
from fingerpost.engine.matching.guards import (
    find_joined_guards,
    find_leftover_guards,
    find_letter_guards,
    find_part_guards,
    find_word_guards,
)
from fingerpost.engine.matching.lexicon import NEGATIONS, are_opposite, is_distinctive, is_verb, synonym_groups
from fingerpost.engine.matching.spelling import count_edits

if TYPE_CHECKING:
    from fingerpost.engine.matching.index import Names

_STRENGTH = {
    Tier.LETTERS: 1.0, Tier.WRAPPED: 0.99, Tier.NUMBER: 0.985, Tier.ORDER: 0.975, Tier.SHORT: 0.97,
    Tier.NAMESPACE: 0.965, Tier.SPELLING: 0.96,
}  # fmt: skip
_SAME_WORD_OR_BEGINNING = SAME_WORD | {Relation.BEGINNING}
_SURE_RELATIONS = (Relation.SAME, Relation.SHORT, Relation.SENSE)
_SIDES = frozenset({"to", "from"})
_TIMES = frozenset({"date", "time", "day", "month", "year", "timestamp", "datetime"})
"""Words for when. A source is not a date, although both are where something comes from."""
_MAX_INITIALS_LENGTH = 6
"""Letters of a value that one or two letters may stand for."""


def compare_names(query: Query, known: Names, index: int) -> Evidence:
    """Return the evidence that the known name at `index` was intended."""
    if query.key == known.keys[index]:
        return Evidence(Tier.LETTERS, 1.0, tuple(find_letter_guards(query.text, known.names[index], query.kind)))
    side = align(query, known, index)
    tier = _find_tier(side)
    if tier is not None:
        return _compare_whole(side, tier, find_word_guards(side))
    if _is_near_as_one_string(side):
        return _compare_whole(side, Tier.SPELLING, find_joined_guards(side))
    return _compare_parts(side)


def _find_tier(side: Alignment) -> Tier | None:
    """Return the tier in which every word of both names is accounted for, if there is one."""
    if "".join(side.ours) == "".join(side.theirs):
        return Tier.NUMBER
    relations = {pair.relation for pair in side.pairs}
    if not relations or relations - SAME_WORD or not _has_only_extra_words(side):
        return None
    if Relation.SPELLING in relations:
        return Tier.SPELLING
    if side.right:
        return Tier.NAMESPACE
    if Relation.SHORT in relations:
        return Tier.SHORT
    if not side.is_in_order:
        return Tier.ORDER
    return Tier.WRAPPED if side.left else Tier.NUMBER


def _has_only_extra_words(side: Alignment) -> bool:
    """Whether the words without a counterpart, if any, are wrapping or a namespace."""
    if side.left and side.right:
        return False
    if side.right:
        return side.is_in_order and is_namespace(side)
    return not side.left or is_wrapping(side)


def _is_near_as_one_string(side: Alignment) -> bool:
    """Whether a slip moved the border between two words: the letters are near although the words are not."""
    key, other = side.query.key, side.key
    if min(len(key), len(other)) < 8 or len(side.ours) == len(side.theirs):
        return False
    return count_edits(key, other, 1) <= 1


def _compare_whole(side: Alignment, tier: Tier, against: Iterable[Guard]) -> Evidence:
    guards = tuple(dict.fromkeys(against))
    edits, steps = _count_slips(side)
    steps += bool(side.left) + bool(side.right)
    strength = _STRENGTH[tier] - 0.005 * steps
    if tier is Tier.SPELLING:
        length = len(side.query.key)
        strength = _weaken_misspelling(0.96 - 0.5 * edits / length - 0.02 * steps, edits, length, guards)
    return Evidence(tier, strength, guards, edits + steps, side.word_pairs)


def _weaken_misspelling(strength: float, edits: int, length: int, guards: tuple[Guard, ...]) -> float:
    """Weaken a misspelling that is a word itself, or that has too few letters to tell."""
    if Guard.WORD in guards:
        strength *= 0.55 if Guard.FAR in guards else 0.8 if edits < 2 else 0.6
    return strength * 0.7 if Guard.SHORT in guards and length < 4 else strength


def _count_slips(side: Alignment) -> tuple[int, int]:
    """Count the wrong letters, and the other slips: another number, a short form, another order."""
    edits = steps = 0
    for i, j, relation, _ in side.pairs:
        if relation is Relation.SPELLING:
            edits += count_edits(side.query.words[i], side.their_words[j], 9)
        elif side.query.words[i] != side.their_words[j]:
            steps += 1
    if not all(pair.relation in SAME_WORD for pair in side.pairs):
        edits += 1
    return edits, steps + (not side.is_in_order)


def _compare_parts(side: Alignment) -> Evidence:
    """Compare names of which only some words correspond."""
    query = side.query
    odd = [(side.ours[i], side.theirs[j]) for i in side.left for j in side.right]
    is_opposite = _is_opposite(side, odd)
    shared_groups = _count_shared_groups(side)
    strength = _strength_of_parts(side, shared_groups, is_opposite=is_opposite)
    if _are_initials(query, side.key):
        tier = Tier.INITIALS if query.key[-1] in side.key[1:] else Tier.INITIAL
        return Evidence(tier, strength, (Guard.PARTIAL,))
    if _names_side(side) and not is_opposite:
        return Evidence(Tier.SIDE, strength, (Guard.PARTIAL,), 0, side.word_pairs)
    if _has_single_letters_on_both_sides(side):
        strength *= 0.6  # `pointC` is a third point, not a misspelled `pointA`
    guards = (Guard.PARTIAL, Guard.OPPOSITE) if is_opposite else (Guard.PARTIAL,)
    guards = (*guards, *find_part_guards(side), *(find_leftover_guards(odd) if odd else ()))
    is_synonym = shared_groups or any(pair.relation is Relation.SENSE for pair in side.pairs)
    tier = Tier.MEANING if is_synonym else Tier.WORDS if side.left and side.right else Tier.PART
    return Evidence(tier, strength, guards, 0, side.word_pairs)


def _names_side(side: Alignment) -> bool:
    """Whether a single word says which of two: `target` for `to_unit` beside `from_unit`."""
    if side.query.kind != "parameter" or len(side.ours) != 1 or len(side.pairs) != 1 or len(side.theirs) == 1:
        return False
    word = side.theirs[side.pairs[0].theirs]
    if word != side.theirs[0]:  # `to_unit` is one of two sides, `reply_to` is something else
        return False
    if word == "from" and not _TIMES.isdisjoint(side.theirs):
        return False
    return side.pairs[0].relation is Relation.SENSE and word in _SIDES


def _are_initials(query: Query, key: str) -> bool:
    """Whether one or two letters may stand for a short value with the same first letter."""
    if query.kind != "value" or len(query.key) > 2:
        return False
    return len(key) <= _MAX_INITIALS_LENGTH and key[:1] == query.key[:1]


def _is_opposite(side: Alignment, odd: list[tuple[str, str]]) -> bool:
    """Whether words that are not certainly the same are opposites, or a word without a counterpart is a negation."""
    uncertain = [(side.ours[i], side.theirs[j]) for i, j, relation, _ in side.pairs if relation not in SAME_WORD]
    spare = [*[side.ours[i] for i in side.left], *[side.theirs[j] for j in side.right]]
    return any(are_opposite(one, other) for one, other in (*odd, *uncertain)) or not NEGATIONS.isdisjoint(spare)


def _count_shared_groups(side: Alignment) -> int:
    """Count the groups of synonyms that both names belong to as a whole."""
    kind = side.query.kind
    return len(synonym_groups("".join(side.ours), kind) & synonym_groups("".join(side.theirs), kind))


def _has_single_letters_on_both_sides(side: Alignment) -> bool:
    has_ours = any(len(side.ours[i]) == 1 for i in side.left)
    return has_ours and any(len(side.theirs[j]) == 1 for j in side.right)


def _strength_of_parts(side: Alignment, shared_groups: int, *, is_opposite: bool) -> float:
    return max(
        0.84 * _share_of_both_names(side) * (0.85 if is_opposite else 1.0),
        0.62 + 0.03 * min(shared_groups, 4) if shared_groups else 0.0,
        _strength_of_unfinished(side.pairs, is_part=bool(side.right)) if not side.left else 0.0,
        _strength_by_letters(side.query.key, side.key),
    )


def _strength_of_unfinished(pairs: Sequence[Pair], *, is_part: bool) -> float:
    """Rate a mistake that is the beginning of the name: `sea` for `search`, `search` for `search_code`."""
    least = 0.8 if is_part else 0.5
    if all(pair.relation in _SAME_WORD_OR_BEGINNING and pair.likeness > least for pair in pairs):
        return 0.44 if is_part else 0.72
    return 0.0


def _strength_by_letters(key: str, other: str) -> float:
    longest = max(len(key), len(other))
    limit = 2 if longest < 12 else 3
    edits = count_edits(key, other, limit) if longest > 5 else limit + 1
    return 0.84 - 1.3 * edits / longest if edits <= limit else 0.0


def _share_of_both_names(side: Alignment) -> float:
    """Return how much of both names corresponds. Rare words weigh more, and distinctive words must correspond."""
    ours, theirs, weight = side.ours, side.theirs, side.known.weight
    worth = sum([likeness * (weight(ours[i]) + weight(theirs[j])) for i, j, _, likeness in side.pairs])
    if not worth:
        return 0.0
    share = worth / _total_weight(side)
    if _has_distinctive_leftovers(side):
        are_distinctive = [is_distinctive(ours[i]) and is_distinctive(theirs[j]) for i, j, _, _ in side.pairs]
        share *= 0.85 if any(are_distinctive) else 0.6
    if (side.left or side.right) and all(map(_is_weak, side.pairs)):
        share *= 0.75
    return share if side.right else 1.1 * share


def _total_weight(side: Alignment) -> float:
    ours, theirs, weight = side.ours, side.theirs, side.known.weight
    total = sum([weight(word) for word in ours]) + side.known.loads[side.place]
    if side.query.kind == "tool":  # a first word that is no verb is probably a namespace, and says little
        total -= 0.5 * weight(ours[0]) if 0 in side.left and not is_verb(ours[0]) else 0.0
        total -= 0.5 * weight(theirs[0]) if 0 in side.right and not is_verb(theirs[0]) else 0.0
    return total


def _has_distinctive_leftovers(side: Alignment) -> bool:
    """Whether both names have a distinctive word without a counterpart, apart from a prefix that names share."""
    if not any(is_distinctive(side.ours[i]) for i in side.left):
        return False
    spare = count_leading(side.right)
    namespace = spare if spare and side.known.prefixes[side.theirs[:spare]] > 1 else 0
    return any(is_distinctive(side.theirs[j]) for j in side.right if j >= namespace)


def _is_weak(pair: Pair) -> bool:
    return pair.relation not in _SURE_RELATIONS and pair.likeness < 0.8
