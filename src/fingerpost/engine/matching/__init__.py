"""Which known names a mistaken name probably meant.

`closest` is the only place in the project that compares names. An index finds who may be meant at all
(`index`), each is laid beside the mistake word by word (`alignment`) and judged (`evidence`, `guards`), the
call around the mistake is heard (`surroundings`), and a table fitted on real mistakes turns that into a
confidence (`calibration`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast, get_args

from fingerpost.engine.matching.alignment import Asked, asked_for
from fingerpost.engine.matching.calibration import confidence
from fingerpost.engine.matching.context import Surroundings
from fingerpost.engine.matching.evidence import Evidence, Tier, compare
from fingerpost.engine.matching.explain import explain_evidence
from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.lexicon import words
from fingerpost.engine.model import CLEAR_LEAD

Kind: TypeAlias = Literal["tool", "parameter", "value"]

SURE, FIRST, LISTED = 0.9, 0.7, 0.4
"""Above the first a match may be a fix, above the second it leads, above the third it is listed at all."""

__all__ = [
    "FIRST",
    "LISTED",
    "SURE",
    "Kind",
    "Match",
    "Names",
    "Reading",
    "closest",
    "explain_evidence",
    "judge_candidates",
    "normal_form",
    "readings",
    "spelling",
]

_KINDS = {"tool": "tool", "parameter": "parameter", "value": "value", "param": "parameter", "enum": "value"}
_MOST = 10
_LONGEST_FOLDED = 1024
_CONTENDERS = 8
_INITIALED = 32
_OVERTAKEN = 0.75
"""What is left of a confidence when a reading of a better tier stands before it: no rival, and no order of its own."""
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[_\-\s.]+(?=[^\W_])|(?<=\d)[_\-\s.]+(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Match:
    """A known name, how probably it was meant, and whether it is the only reading that survives."""

    name: str
    confidence: float
    is_clear: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A match with what speaks for and against it."""

    match: Match
    evidence: Evidence


def closest(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> tuple[Match, ...]:
    """The likeliest readings of `mistake`, best first; empty when nothing is near."""
    return tuple([reading.match for reading in readings(mistake, candidates, kind, context)])


def readings(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> list[Reading]:
    """As `closest`, with the evidence."""
    found = judge_candidates(mistake, candidates, kind, context)
    sort = _kind(kind, context)
    return _ranked([(confidence(evidence, sort), evidence, name) for evidence, name in found], mistake)


def judge_candidates(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> list[tuple[Evidence, str]]:
    """What speaks for and against each name that is worth a close look."""
    known = candidates if isinstance(candidates, Names) else _prepared(tuple(candidates))
    context = _mapping(context)
    asked = asked_for(mistake, _kind(kind, context), str(context.get("server") or ""))
    if not asked.words:
        return []
    found = [(compare(asked, known, index), known.names[index]) for index in _contenders(asked, known)]
    return Surroundings(asked, context).heard(found, known.names) if context else found


def _mapping(context: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", context) if isinstance(context, Mapping) else {}


def _kind(kind: str, context: Any) -> str:
    """The kind beside the context, which says `param` and `enum` where others say `parameter` and `value`."""
    named = str(_mapping(context).get("kind") or kind)
    if named not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {named!r}")
    return _KINDS[named]


def _contenders(asked: Asked, known: Names) -> list[int]:
    """The few names worth a close look."""
    pool = known.sharing(asked.stems, asked.kind)
    for index in known.alike_as_a_whole(asked.stems, asked.kind):
        pool[index] = max(pool.get(index, 0.0), 0.6)
    if len(asked.key) > 3 and max(pool.values(), default=0.0) < 0.8:
        for index in known.spelled_like(asked.key, 1 if len(asked.key) < 6 else 2):
            pool[index] = max(pool.get(index, 0.0), 0.9)
    initialed = known.beginning_with(asked.key[0]) if asked.kind == "value" and len(asked.key) <= 2 else []
    exact = known.by_key.get(asked.key, ())
    least = max(0.2, 0.4 * max(pool.values(), default=0.0))
    best = [(-score, known.names[index], index) for index, score in pool.items() if score >= least]
    best.sort()
    return list(dict.fromkeys([*exact, *[index for *_, index in best[:_CONTENDERS]], *initialed[:_INITIALED]]))


def _ranked(scored: list[tuple[float, Evidence, str]], mistake: str) -> list[Reading]:
    held_back = [evidence for _, evidence, _ in scored if evidence.guards]
    scored = [each for each in scored if each[0] > LISTED]
    scored.sort(key=lambda each: (each[2] != mistake, -each[0], -each[1].strength, each[2]))
    if not scored:
        return []
    first = scored[0][1]
    if scored[0][2] == mistake:
        scored[1:] = [(min(sure, _OVERTAKEN), one, name) for sure, one, name in scored[1:]]
    if first.is_whole and not first.guards:
        rest = [
            (min(sure, _OVERTAKEN) if _is_behind(one, first) else sure, one, name) for sure, one, name in scored[1:]
        ]
        scored[1:] = sorted(rest, key=lambda each: (-each[0], each[1].tier, each[2]))
    lead = scored[0][0] - (scored[1][0] if len(scored) > 1 else 0.0)
    is_clear = scored[0][0] >= SURE and lead >= CLEAR_LEAD - 1e-9 and not first.guards
    is_clear = is_clear and not any(_is_nearer(one, first) for one in held_back)
    return [
        Reading(Match(name, round(sure, 2), is_clear=is_clear and rank == 0), evidence)
        for rank, (sure, evidence, name) in enumerate(scored[:_MOST])
    ]


def _is_nearer(other: Evidence, first: Evidence) -> bool:
    """Whether what a guard holds back is spelled more like the mistake: then it may well have been meant."""
    return other.tier is first.tier and other.strength > first.strength


def _is_behind(other: Evidence, first: Evidence) -> bool:
    """The first tier that answers at all decides; within a tier, clearly fewer slips do."""
    slack = 1.5 if first.tier is Tier.SPELLING else 1.0
    return other.tier > first.tier or other.steps > first.steps * slack


def spelling(name: str) -> str:
    """What is left of a name when case, and separators between its words, carry no meaning; all else stays."""
    if len(name) > _LONGEST_FOLDED:
        return name
    return _BETWEEN_WORDS.sub("", unicodedata.normalize("NFKC", name)).casefold()


def normal_form(name: str) -> str:
    """What is left of a name when case and separators carry no meaning."""
    return "".join(words(name))


@lru_cache(maxsize=8)
def _prepared(names: tuple[str, ...]) -> Names:
    """Callers ask about the same names again: the index is kept for a while."""
    return Names(names)
