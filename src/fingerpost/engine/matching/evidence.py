"""The values that a comparison of two names yields: the tier of the match, its strength, and the guards against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum, StrEnum
from typing import NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class Relation(StrEnum):
    """How a word of one name corresponds to a word of the other."""

    SAME = "same"
    SHORT = "short"
    """One is a short form of the other."""
    SPELLING = "spelling"
    """One may be a misspelling of the other."""
    SENSE = "sense"
    """They are synonyms."""
    BEGINNING = "beginning"
    """One begins with the other."""
    ENDING = "ending"
    INSIDE = "inside"


SAME_WORD = frozenset({Relation.SAME, Relation.SHORT, Relation.SPELLING})
"""Relations in which both stand for one word, whatever it means."""


class Tier(IntEnum):
    """In what way two names match, most certain first. Up to `SPELLING` every word of both is accounted for."""

    LETTERS = 0
    """The same except for case and separators."""
    WRAPPED = 1
    """The same without what clients put around names (`functions.`, `mcp__server__`, `--`, `params.`)."""
    NUMBER = 2
    """The same except for singular and plural, or British and American spelling."""
    ORDER = 3
    """The same words in another order."""
    SHORT = 4
    """The same except for short forms (`repo`, `cfg`)."""
    NAMESPACE = 5
    """The same without the prefix that many of the known names share."""
    SPELLING = 6
    """The same except for a misspelling."""
    PART = 7
    """All words of one name are in the other."""
    WORDS = 8
    """Some words are shared or similar, and each name has others."""
    MEANING = 9
    """Some words, or the whole names, are synonyms."""
    SIDE = 10
    """One word that says which of two: `target` for `to_unit` beside `from_unit`."""
    DESCRIPTION = 11
    """The description of no other parameter begins with this word."""
    GENERIC = 12
    """A name that says nothing (`input`, `arg0`), for the only missing parameter of a read-only tool."""
    INITIALS = 13
    """Two letters that both occur in the name, the first at its beginning."""
    INITIAL = 14
    """The name begins with the same letter."""


class Guard(StrEnum):
    """A reason why a similar name may still be a different thing. A match with a guard is never a fix.

    `guards.py` and `misspelling.py` say when each applies, `explain.py` puts each into words.
    """

    PARTIAL = "partial"
    """A word of one name has no counterpart in the other, or only a synonym."""
    SYMBOLS = "symbols"
    """A sign differs: `C++` and `C`, `-1` and `1`."""
    NUMBER = "number"
    """A number differs: `v1` and `v2`."""
    LETTER = "letter"
    """A single letter differs: `pointA` and `pointB`."""
    UNIT = "unit"
    """The unit differs, or only one name has one: `timeout_ms` and `timeout_s`, `price` and `price_usd`."""
    ENTITY = "entity"
    """The names are about different things: `cardId` and `commentId`."""
    QUALIFIER = "qualifier"
    """A word of one name makes it another thing: `exclude_pattern` and `pattern`, `run_number` and `run_id`."""
    EXTRA = "extra"
    """The sent name says more, and the tool may write: `work_email` and `email`."""
    SYNONYM = "synonym"
    """Only the meaning is the same, and the tool may destroy something."""
    OPPOSITE = "opposite"
    """The words are opposites: `lock` and `unlock`."""
    SIBLING = "sibling"
    """Only verbs or small words differ: `get_user` and `delete_user`."""
    WORD = "word"
    """The supposed misspelling is a word itself, is nearer to another word, or is a different compound."""
    SHORT = "short"
    """Too few letters, or a short form that usually stands for something else."""
    FAR = "far"
    """Too many letters differ."""
    JARGON = "jargon"
    """A letter differs and neither string is a known word, so both may be technical terms."""
    TWINS = "twins"
    """Other known names differ from this one by as few letters as the mistake does."""
    INITIAL = "initial"
    """The first letter of a short word differs."""
    DIRECTION = "direction"
    """The words after `to`, `from`, `by` and the like differ: `pdf_to_word` and `word_to_pdf`."""
    PLURAL = "plural"
    """Singular and plural have changed places: `gem_owners` and `owner_gems`."""
    TYPE = "type"
    """The parameter cannot hold a value of this type."""
    GIVEN = "given"
    """The call sets the parameter already."""


OTHER_THING = frozenset({
    Guard.SYMBOLS, Guard.NUMBER, Guard.UNIT, Guard.ENTITY, Guard.QUALIFIER, Guard.OPPOSITE, Guard.SIBLING,
})  # fmt: skip
"""Guards that mark a different thing. Such a name may be listed, but never first."""
RISKY = frozenset({Guard.EXTRA, Guard.SYNONYM})
"""Guards that mark a guess that may do harm. Such a name may be listed first, but is never offered."""


GuardTable: TypeAlias = tuple[tuple[Guard, Callable[[T], bool]], ...]
"""Guards, each with the predicate that says when it applies."""


def apply_guards(table: GuardTable[T], subject: T) -> Iterator[Guard]:
    """Yield the guards of a table that apply to what was compared."""
    return (guard for guard, applies in table if applies(subject))


class Evidence(NamedTuple):
    """How well a known name matches the mistake, and what speaks against it."""

    tier: Tier
    strength: float
    guards: tuple[Guard, ...] = ()
    steps: int = 0
    """How many separate slips turn one name into the other."""
    pairs: tuple[tuple[str, str, str], ...] = ()
    """The words that correspond, and their relation."""

    @property
    def is_whole(self) -> bool:
        """Whether every word of both names is accounted for."""
        return self.tier <= Tier.SPELLING

    @property
    def is_strong(self) -> bool:
        """Whether the names themselves say so much that a description or an empty place adds nothing."""
        return self.is_whole or self.strength > 0.5
