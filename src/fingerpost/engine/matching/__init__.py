"""Find the known names that a mistaken name was probably meant to be.

`closest` is the only place in the project that compares names. An index selects the candidates (`index`). Each is
aligned with the mistake word by word (`alignment`) and compared (`compare`, `guards`). The call around the mistake is
weighed (`context`), and a table fitted on real mistakes gives the confidence (`calibration`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from fingerpost.engine.matching.alignment import Query, parse_query
from fingerpost.engine.matching.calibration import confidence
from fingerpost.engine.matching.compare import compare_names
from fingerpost.engine.matching.context import CallContext
from fingerpost.engine.matching.evidence import Evidence, Tier
from fingerpost.engine.matching.index import Names
from fingerpost.engine.model import MIN_CLEAR_LEAD

Kind: TypeAlias = Literal["tool", "parameter", "value"]

FIX_THRESHOLD = 0.9
"""From this confidence on, a match may be a fix."""
OFFER_THRESHOLD = 0.7
"""Above this confidence, the first match is offered as the likely intention ("did you mean")."""
LIST_THRESHOLD = 0.4
"""Above this confidence, a match is listed at all."""

__all__ = [
    "FIX_THRESHOLD",
    "LIST_THRESHOLD",
    "OFFER_THRESHOLD",
    "Kind",
    "Match",
    "Names",
    "Reading",
    "closest",
    "find_readings",
    "judge_candidates",
]

_KINDS = {"tool": "tool", "parameter": "parameter", "value": "value", "param": "parameter", "enum": "value"}
_MAX_READINGS = 10
_MAX_CANDIDATES = 8
_MAX_BY_INITIAL = 32
_MAX_BEHIND = 0.75
"""The most for a reading behind one of a better tier: it is no rival, and keeps no order of its own."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Match:
    """A known name, how probably it was intended, and whether it is the only plausible one."""

    name: str
    confidence: float
    is_clear: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A match with the evidence for and against it."""

    match: Match
    evidence: Evidence


class _Scored(NamedTuple):
    confidence: float
    evidence: Evidence
    name: str


def closest(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> tuple[Match, ...]:
    """Return the names that `mistake` probably means, best first; empty when nothing is near."""
    return tuple([reading.match for reading in find_readings(mistake, candidates, kind, context)])


def find_readings(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> list[Reading]:
    """Do the same as `closest`, and return the evidence too."""
    found = judge_candidates(mistake, candidates, kind, context)
    actual_kind = _actual_kind(kind, context)
    return _rank([_Scored(confidence(evidence, actual_kind), evidence, name) for evidence, name in found], mistake)


def judge_candidates(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> list[tuple[Evidence, str]]:
    """Return the evidence for each name that is near enough to be compared."""
    known = candidates if isinstance(candidates, Names) else _index_names(tuple(candidates))
    context = _as_mapping(context)
    query = parse_query(mistake, _actual_kind(kind, context), str(context.get("server") or ""))
    if not query.words:
        return []
    found = [(compare_names(query, known, index), known.names[index]) for index in _select_candidates(query, known)]
    return CallContext(query, context).weigh(found, known.names) if context else found


@lru_cache(maxsize=8)
def _index_names(names: tuple[str, ...]) -> Names:
    """Index names. Callers often ask about the same ones again, so the last few indexes are cached."""
    return Names(names)


def _as_mapping(context: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", context) if isinstance(context, Mapping) else {}


def _actual_kind(kind: str, context: Any) -> str:
    """Return the kind, which the context may override and may abbreviate as `param` or `enum`."""
    name = str(_as_mapping(context).get("kind") or kind)
    if name not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {name!r}")
    return _KINDS[name]


def _select_candidates(query: Query, known: Names) -> list[int]:
    """Select the few names worth comparing."""
    pool = known.find_sharing_words(query.stems, query.kind)
    for index in known.find_synonyms(query.stems, query.kind):
        pool[index] = max(pool.get(index, 0.0), 0.6)
    if len(query.key) > 3 and max(pool.values(), default=0.0) < 0.8:
        for index in known.find_similar_keys(query.key, 1 if len(query.key) < 6 else 2):
            pool[index] = max(pool.get(index, 0.0), 0.9)
    by_initial = known.find_by_initial(query.key[0]) if query.kind == "value" and len(query.key) <= 2 else []
    exact = known.by_key.get(query.key, ())
    least = max(0.2, 0.4 * max(pool.values(), default=0.0))
    best = [(-score, known.names[index], index) for index, score in pool.items() if score >= least]
    best.sort()
    return list(
        dict.fromkeys([*exact, *[index for *_, index in best[:_MAX_CANDIDATES]], *by_initial[:_MAX_BY_INITIAL]])
    )


def _rank(scored: list[_Scored], mistake: str) -> list[Reading]:
    """Sort the candidates, best first, and decide whether the first is clear."""
    ranked = [each for each in scored if each.confidence > LIST_THRESHOLD]
    ranked.sort(key=lambda each: (each.name != mistake, -each.confidence, -each.evidence.strength, each.name))
    if not ranked:
        return []
    ranked = _lower_those_behind(ranked, mistake)
    is_clear = _is_first_clear(ranked, [each.evidence for each in scored if each.evidence.guards])
    return [
        Reading(Match(each.name, round(each.confidence, 2), is_clear=is_clear and rank == 0), each.evidence)
        for rank, each in enumerate(ranked[:_MAX_READINGS])
    ]


def _lower_those_behind(ranked: list[_Scored], mistake: str) -> list[_Scored]:
    """Lower the confidence of names that are no rivals of the first."""
    first, rest = ranked[0], ranked[1:]
    if first.name == mistake:
        rest = [each._replace(confidence=min(each.confidence, _MAX_BEHIND)) for each in rest]
    if first.evidence.is_whole and not first.evidence.guards:
        rest = [
            each._replace(confidence=min(each.confidence, _MAX_BEHIND))
            if _is_behind(each.evidence, first.evidence)
            else each
            for each in rest
        ]
        rest.sort(key=lambda each: (-each.confidence, each.evidence.tier, each.name))
    return [first, *rest]


def _is_first_clear(ranked: list[_Scored], guarded: list[Evidence]) -> bool:
    """Whether the first is certain, well ahead of the second, and no guarded name is nearer."""
    first = ranked[0]
    lead = first.confidence - (ranked[1].confidence if len(ranked) > 1 else 0.0)
    if first.confidence < FIX_THRESHOLD or lead < MIN_CLEAR_LEAD - _ROUNDING or first.evidence.guards:
        return False
    return not any(_is_nearer(evidence, first.evidence) for evidence in guarded)


def _is_nearer(other: Evidence, first: Evidence) -> bool:
    """Whether a guarded name is spelled more like the mistake, so that it may be the intended one."""
    return other.tier is first.tier and other.strength > first.strength


def _is_behind(other: Evidence, first: Evidence) -> bool:
    """Whether another name has a worse tier, or clearly more slips in the same one."""
    slack = 1.5 if first.tier is Tier.SPELLING else 1.0
    return other.tier > first.tier or other.steps > first.steps * slack
