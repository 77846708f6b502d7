"""From the strength of evidence to a confidence: a small table, fitted on real mistakes (see docs/matching.md)."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias

from fingerpost.engine.matching.evidence import OTHER_THING, Evidence, Tier
from fingerpost.engine.matching.lexicon import read

Curve: TypeAlias = Sequence[tuple[float, float]]

_FAMILIES = {Tier.PART: "part", Tier.WORDS: "words", Tier.MEANING: "meaning"}
_SET = {Tier.SLOT: 0.72, Tier.INITIALS: 0.5, Tier.INITIAL: 0.45}
"""Where no data says: the one open place is enough to lead, an initial to be listed, neither to be a fix."""

BEHIND = 0.45
"""What a name for another thing may reach at most: it is listed, and does not lead."""

CERTAIN = 0.99
"""What any reading may reach at most that is not the same name: only that is 1."""

UNSURE = 0.89
"""What a reading that is no fix may reach at most, whatever the table says."""


def family(evidence: Evidence, kind: str) -> str:
    """Evidence of one family can be compared by strength alone."""
    if evidence.is_whole:
        return "guarded" if evidence.guards else "whole"
    name = _FAMILIES[evidence.tier]
    return f"{name} of a tool" if kind == "tool" else name


def confidence(evidence: Evidence, kind: str) -> float:
    if evidence.tier is Tier.LETTERS and not evidence.guards:
        return 1.0
    if evidence.tier in _SET:
        return _SET[evidence.tier]
    likely = on_curve(curves()[family(evidence, kind)], evidence.strength)
    if not OTHER_THING.isdisjoint(evidence.guards):
        return min(likely, BEHIND)
    return min(likely, UNSURE if evidence.guards else CERTAIN)


@cache
def curves() -> Mapping[str, Curve]:
    table = json.loads(read("confidence.json"))
    return {name: tuple((strength, likely) for strength, likely in curve) for name, curve in table.items()}


def on_curve(curve: Curve, strength: float) -> float:
    """The value at `strength`, on straight lines between the points of a rising curve."""
    place = bisect_right(curve, (strength, 2.0))
    if place == 0:
        return 0.0
    if place == len(curve):
        return curve[-1][1]
    (x0, y0), (x1, y1) = curve[place - 1], curve[place]
    return y0 + (y1 - y0) * (strength - x0) / (x1 - x0)
