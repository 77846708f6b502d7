"""What speaks for and against a reading, in words."""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.matching.evidence import Evidence, Tier

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
    Tier.SLOT: "it is the one required parameter left for the one argument left over",
    Tier.INITIALS: "it begins with the first letter and has the second",
    Tier.INITIAL: "it begins with the same letter",
}
_AGAINST = {
    "partial": "something of one name answers nothing in the other, or by meaning only",
    "symbols": "a sign differs (C++ is not C)",
    "number": "a number differs",
    "letter": "a single letter differs (pointA is not pointB)",
    "unit": "the unit differs",
    "opposite": "the words are opposites",
    "sibling": "only what is done, or some small word, differs: names of the same family",
    "word": "what would be the misspelling is a word itself",
    "short": "of so few letters any others are near",
    "far": "too many letters differ for one word",
    "jargon": "neither is a word that is known, and a letter is another",
    "twins": "other names here differ by as little",
    "initial": "the first letter of a short word differs",
    "direction": "what stands behind to, from, by or the like differs",
    "plural": "singular and plural have changed places",
    "type": "it does not hold a value of this type",
    "given": "the call sets it already",
}
_PAIRS = {"same": "=", "short": "short for", "spelling": "spelled like", "sense": "means", "beginning": "begins"}


def explain_evidence(evidence: Evidence) -> Iterator[str]:
    """One line for what speaks for it, one for each pair of words, one for each thing that speaks against."""
    yield f"for: {_FOR[evidence.tier]} (strength {evidence.strength:.2f})"
    for one, other, how in evidence.pairs:
        yield f"  {one} {_PAIRS.get(how, 'occurs in')} {other}"
    for guard in evidence.guards:
        yield f"against: {_AGAINST[guard]}"
