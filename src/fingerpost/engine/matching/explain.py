"""Put the evidence for and against a match into words, for `fingerpost closest`."""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.matching.evidence import Evidence, Guard, Tier

_FOR = {
    Tier.LETTERS: "the same but for case and separators",
    Tier.WRAPPED: "the same once what clients put around names is taken off",
    Tier.NUMBER: "the same but for singular and plural, or two spellings of one word",
    Tier.ORDER: "the same words in another order",
    Tier.SHORT: "the same but for short forms",
    Tier.NAMESPACE: "the same once the prefix that other names share is taken off",
    Tier.SPELLING: "the same but for a misspelling",
    Tier.PART: "all the words of one are in the other",
    Tier.WORDS: "some words are shared, and each has others",
    Tier.MEANING: "it means alike",
    Tier.SIDE: "the word says which of two, and only a part of the name",
    Tier.DESCRIPTION: "the word is in its description, and in no other",
    Tier.GENERIC: "the name says nothing, and this is the one parameter missing of a tool that only reads",
    Tier.INITIALS: "it begins with the first letter and has the second",
    Tier.INITIAL: "it begins with the same letter",
}
_AGAINST = {
    Guard.PARTIAL: "something of one name answers nothing in the other, or by meaning only",
    Guard.SYMBOLS: "a sign differs (C++ is not C)",
    Guard.NUMBER: "a number differs",
    Guard.LETTER: "a single letter differs (pointA is not pointB)",
    Guard.UNIT: "the unit differs, or only one has one",
    Guard.ENTITY: "they are about different things (the id of a card, the id of a comment)",
    Guard.QUALIFIER: "a word of one makes it another thing (exclude_pattern is no pattern)",
    Guard.EXTRA: "the sent name says more, and the tool may write",
    Guard.SYNONYM: "only the meaning is the same, and the tool may destroy something",
    Guard.OPPOSITE: "the words are opposites",
    Guard.SIBLING: "only what is done, or some small word, differs: names of the same family",
    Guard.WORD: "what would be the misspelling is a word itself",
    Guard.SHORT: "of so few letters any others are near",
    Guard.FAR: "too many letters differ for one word",
    Guard.JARGON: "neither is a word that is known, and a letter is another",
    Guard.TWINS: "other names here differ by as little",
    Guard.INITIAL: "the first letter of a short word differs",
    Guard.DIRECTION: "what stands behind to, from, by or the like differs",
    Guard.PLURAL: "singular and plural have changed places",
    Guard.TYPE: "it does not hold a value of this type",
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
