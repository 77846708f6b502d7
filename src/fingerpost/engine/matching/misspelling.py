"""When a string may be a misspelling of a word, and when it is more likely something else.

An unknown string may be a misspelling. A known word may not, and a short string is near to everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from fingerpost.engine.matching.evidence import Guard, GuardTable, apply_guards
from fingerpost.engine.matching.lexicon import (
    differ_by_compound_part,
    is_known_word,
    is_near_common_word,
    is_technical_term,
    is_verb,
    is_word_in_own_right,
)
from fingerpost.engine.matching.spelling import count_edits

if TYPE_CHECKING:
    from fingerpost.engine.matching.index import Names


class Misspelling(NamedTuple):
    """A word as sent, and the known word that it may be a misspelling of."""

    known: Names
    sent: str
    sent_stem: str
    word: str
    stem: str
    equal_letters: int
    """Letters in the other words of the name, those that are the same in both names."""
    edits: int
    is_swapped: bool
    """The same letters in another order."""
    is_doubled: bool
    """The same except for doubled letters."""

    @property
    def is_changed(self) -> bool:
        """A letter is replaced by another."""
        return len(self.sent_stem) == len(self.stem) and not self.is_swapped

    @property
    def longest(self) -> int:
        return max(len(self.sent), len(self.word))

    @property
    def shortest(self) -> int:
        return min(len(self.sent), len(self.word))


def find_misspelling_guards(
    known: Names, words: tuple[str, str], stems: tuple[str, str], equal_letters: int
) -> Iterator[Guard]:
    """Guards for a word as sent and the known word that it may be a misspelling of, with their stems."""
    (sent, word), (sent_stem, stem) = words, stems
    slip = Misspelling(
        known=known,
        sent=sent,
        sent_stem=sent_stem,
        word=word,
        stem=stem,
        equal_letters=equal_letters,
        edits=min(count_edits(sent, word, 9), count_edits(sent_stem, stem, 9)),
        is_swapped=sorted(sent_stem) == sorted(stem),
        is_doubled=_without_doubles(sent_stem) == _without_doubles(stem),
    )
    return apply_guards(_MISSPELLING_GUARDS, slip)


def _without_doubles(word: str) -> str:
    return "".join([letter for letter, _ in groupby(word)])


def _is_word_itself(slip: Misspelling) -> bool:
    if slip.sent_stem in slip.known.by_stem or is_verb(slip.sent_stem):
        return True
    return is_word_in_own_right(slip.sent, slip.word) or is_word_in_own_right(slip.sent_stem, slip.stem)


def _is_too_short(slip: Misspelling) -> bool:
    if slip.longest >= 5:
        return False
    if not is_known_word(slip.stem) or (slip.equal_letters < 4 and not slip.is_swapped and not slip.is_doubled):
        return True
    return slip.longest < 4 and (slip.is_changed or is_technical_term(slip.stem))


def _is_too_far(slip: Misspelling) -> bool:
    return slip.edits > (1 if slip.longest < 6 else 2 if slip.longest < 12 else 3)


def _differs_in_initial(slip: Misspelling) -> bool:
    """The first letter of a short word differs, or one was added. A lost one counts less in a longer name."""
    one, other = slip.sent_stem, slip.stem
    lost_first = one == other[1:] and slip.equal_letters > 7 and is_known_word(other)
    has_other_first = one[0] != other[0] and not slip.is_swapped and not lost_first
    return (has_other_first and slip.shortest < 5) or (one[1:] == other and not slip.is_doubled)


def _is_nearer_to_other_word(slip: Misspelling) -> bool:
    if slip.edits > 1 and is_near_common_word(slip.sent):
        return True
    return not slip.is_doubled and differ_by_compound_part(slip.sent_stem, slip.stem)


def _may_be_jargon(slip: Misspelling) -> bool:
    if slip.is_swapped or slip.is_doubled or not (slip.is_changed or slip.edits > 1):
        return False
    return not is_known_word(slip.word) and not is_known_word(slip.stem)


def _has_twins(slip: Misspelling) -> bool:
    if slip.is_swapped or slip.is_doubled or _may_be_jargon(slip):
        return False
    return slip.longest > 4 and slip.known.has_twin(slip.stem, slip.edits)


def _fuses_opposites(slip: Misspelling) -> bool:
    """The words differ by opposites inside them: `hget` and `hset`."""
    return fuse_opposites(slip.sent, slip.word)


def fuse_opposites(one: str, other: str) -> bool:
    """Whether two words differ only by opposites inside them."""
    return any(
        (a in one and one.replace(a, b, 1) == other) or (b in one and one.replace(b, a, 1) == other)
        for a, b in _FUSED_OPPOSITES
    )


_FUSED_OPPOSITES = (
    ("get", "set"), ("add", "del"), ("add", "rem"), ("push", "pop"), ("read", "write"), ("up", "down"), ("in", "out"),
    ("on", "off"), ("max", "min"),
)  # fmt: skip

_MISSPELLING_GUARDS: GuardTable[Misspelling] = (
    (Guard.OPPOSITE, _fuses_opposites),
    (Guard.WORD, _is_word_itself),
    (Guard.SHORT, _is_too_short),
    (Guard.FAR, _is_too_far),
    (Guard.INITIAL, _differs_in_initial),
    (Guard.WORD, _is_nearer_to_other_word),
    (Guard.JARGON, _may_be_jargon),
    (Guard.TWINS, _has_twins),
)
