"""Put the evidence for and against a match into words, for `fingerpost closest`."""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.matching.evidence import Evidence, Guard, Tier

_FOR = {
    Tier.LETTERS: "the same except for case and separators",
    Tier.WRAPPED: "the same without what clients put around names",
    Tier.NUMBER: "the same except for singular and plural, or two spellings of one word",
    Tier.ORDER: "the same words in another order",
    Tier.SHORT: "the same except for short forms",
    Tier.NAMESPACE: "the same without the prefix that other names share",
    Tier.SPELLING: "the same except for a misspelling",
    Tier.PART: "all the words of one are in the other",
    Tier.WORDS: "some words are shared, and each has others",
    Tier.MEANING: "the words are synonyms",
    Tier.SIDE: "the word says which of two is meant, and is only a part of the name",
    Tier.DESCRIPTION: "the word is in its description, and in no other",
    Tier.GENERIC: "the name is generic, and this is the only missing parameter of a read-only tool",
    Tier.INITIALS: "it begins with the first letter and has the second",
    Tier.INITIAL: "it begins with the same letter",
}
_AGAINST = {
    Guard.PARTIAL: "a word of one name has no counterpart in the other, or only a synonym",
    Guard.SYMBOLS: "a sign differs (C++ is not C)",
    Guard.NUMBER: "a number differs",
    Guard.LETTER: "a single letter differs (pointA is not pointB)",
    Guard.UNIT: "the unit differs, or only one has one",
    Guard.ENTITY: "they are about different things (the id of a card, the id of a comment)",
    Guard.QUALIFIER: "a word of one makes it another thing (exclude_pattern is no pattern)",
    Guard.EXTRA: "the sent name says more, and the tool may write",
    Guard.SYNONYM: "only the meaning is the same, and the tool may destroy something",
    Guard.OPPOSITE: "the words are opposites",
    Guard.SIBLING: "only the verb or a small word differs: names of the same family",
    Guard.WORD: "the supposed misspelling is a word itself",
    Guard.SHORT: "so short that many names are similar",
    Guard.FAR: "too many letters differ for one word",
    Guard.JARGON: "both words are unknown, and a letter differs",
    Guard.TWINS: "other names here differ by as little",
    Guard.INITIAL: "the first letter of a short word differs",
    Guard.DIRECTION: "the word after to, from, by or the like differs",
    Guard.PLURAL: "singular and plural have changed places",
    Guard.TYPE: "the parameter does not take a value of this type",
    Guard.GIVEN: "the call sets it already",
}
_PAIRS = {"same": "=", "short": "short for", "spelling": "spelled like", "sense": "means", "beginning": "begins"}


def explain_evidence(evidence: Evidence) -> Iterator[str]:
    """Yield one line for the tier, one for each pair of words, and one for each guard."""
    yield f"for: {_FOR[evidence.tier]} (strength {evidence.strength:.2f})"
    for one, other, relation in evidence.pairs:
        yield f"  {one} {_PAIRS.get(relation, 'occurs in')} {other}"
    for guard in evidence.guards:
        yield f"against: {_AGAINST[guard]}"
