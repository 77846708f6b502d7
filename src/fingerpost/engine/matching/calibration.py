"""Turn the strength of evidence into a confidence, by a small table fitted on real mistakes (see docs/matching.md)."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias

from fingerpost.engine.matching.evidence import OTHER_THING, RISKY, Evidence, Guard, Tier
from fingerpost.engine.matching.lexicon import read_table

Curve: TypeAlias = Sequence[tuple[float, float]]

_FAMILIES = {Tier.PART: "part", Tier.WORDS: "words", Tier.MEANING: "meaning"}
_FIXED_CONFIDENCE = {
    Tier.SIDE: 0.6, Tier.DESCRIPTION: 0.72, Tier.GENERIC: 0.72, Tier.INITIALS: 0.5, Tier.INITIAL: 0.45,
}  # fmt: skip
"""Tiers without data. A description or a generic name is enough to be offered, an initial to be listed."""

MAX_OTHER_THING = 0.45
"""The most for a name of a different thing: it is listed, but not first."""

MAX_RISKY = 0.7
"""The most for a guess that may do harm: it is listed, but not offered."""

_MAX_GUARDED = 0.89
"""The most for a match with a guard, whatever the table says: it is no fix."""

_MAX_NOT_EQUAL = 0.99
"""The most for any match except the same name, which has 1."""


def family(evidence: Evidence, kind: str) -> str:
    """Return the family of the evidence. Within a family, strengths can be compared."""
    if evidence.is_whole:
        return "guarded" if evidence.guards else "whole"
    name = _FAMILIES[evidence.tier]
    return f"{name} of a tool" if kind == "tool" else name


def confidence(evidence: Evidence, kind: str) -> float:
    """Return how probable it is that this name was intended."""
    if evidence.tier is Tier.LETTERS and not evidence.guards:
        return 1.0
    if evidence.tier in _FIXED_CONFIDENCE:
        return min(_FIXED_CONFIDENCE[evidence.tier], _most(evidence))
    return min(interpolate(curves()[family(evidence, kind)], evidence.strength), _most(evidence))


def _most(evidence: Evidence) -> float:
    """Return the most that the confidence may be with these guards, whatever the table says."""
    tier, guards = evidence.tier, evidence.guards
    if Guard.GIVEN in guards and tier in _FIXED_CONFIDENCE:
        return 0.0
    if not OTHER_THING.isdisjoint(guards):
        return MAX_OTHER_THING
    if not RISKY.isdisjoint(guards):
        return MAX_RISKY
    return _MAX_GUARDED if guards else _MAX_NOT_EQUAL


@cache
def curves() -> Mapping[str, Curve]:
    """Read the fitted curve of each family."""
    table = json.loads(read_table("confidence.json"))
    return {name: tuple((strength, likely) for strength, likely in curve) for name, curve in table.items()}


def interpolate(curve: Curve, strength: float) -> float:
    """Return the value at `strength`, by linear interpolation between the points of a rising curve."""
    place = bisect_right(curve, (strength, 2.0))
    if place == 0:
        return 0.0
    if place == len(curve):
        return curve[-1][1]
    (x0, y0), (x1, y1) = curve[place - 1], curve[place]
    return y0 + (y1 - y0) * (strength - x0) / (x1 - x0)
