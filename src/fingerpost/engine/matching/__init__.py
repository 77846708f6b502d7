"""Find the known names that a mistaken name was probably meant to be.

`closest` is the only place in the project that compares names. An index selects the candidates (`index`). Each is
aligned with the mistake word by word (`alignment`) and compared (`compare`, `guards`). The call around the mistake is
weighed (`context`), and a table fitted on real mistakes gives the confidence (`calibration`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from fingerpost.engine.matching.alignment import Query, parse_query
from fingerpost.engine.matching.calibration import MAX_OTHER_THING, confidence
from fingerpost.engine.matching.compare import compare_names
from fingerpost.engine.matching.context import CallContext
from fingerpost.engine.matching.evidence import OTHER_THING, SAME_WORD, Evidence, Guard, Tier
from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.lexicon import (
    are_opposite,
    commentary_words,
    find_commentary_head,
    is_commentary,
    is_generic,
    is_verb,
)
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.matching.units import differ_only_by_unit
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
    differs_by_unit: bool = False
    """Whether it is the same name but for a unit (`timeout` and `timeout_ms`), so that the value must be converted."""
    is_other_thing: bool = False
    """Whether it is certainly a different thing: an opposite, another entity, number or unit."""
    is_related: bool = False
    """Whether the two names have a word in common, or all words of the known one have a counterpart."""


class Reading(NamedTuple):
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
    scored = [_score(evidence, name, mistake, actual_kind) for evidence, name in found]
    return _rank(_level_sides(scored, mistake) if actual_kind == "parameter" else scored, mistake)


def _level_sides(scored: list[_Scored], mistake: str) -> list[_Scored]:
    """Level names of which the mistake leaves open which one is meant: `time` with `time_min` and `time_max`.

    Beside a maximum, `min` is no unit.
    """
    parts = [each for each in scored if each.evidence.tier is Tier.PART]
    level = {
        each.name: max(one.confidence, other.confidence)
        for one, other in combinations(parts, 2)
        if _are_sides(one, other, mistake)
        for each in (one, other)
    }
    return [_level(each, level[each.name]) if each.name in level else each for each in scored]


def _level(scored: _Scored, confidence: float) -> _Scored:
    guards = tuple([guard for guard in scored.evidence.guards if guard is not Guard.UNIT])
    return _Scored(confidence, scored.evidence._replace(guards=guards), scored.name)


def _are_sides(one: _Scored, other: _Scored, mistake: str) -> bool:
    """Whether two names differ only by opposites, and the mistake has neither of them."""
    sent, ours, theirs = ({stem(word) for word in split_words(name)} for name in (mistake, one.name, other.name))
    if len(ours - theirs) != 1 or len(theirs - ours) != 1 or not sent.isdisjoint(ours ^ theirs):
        return False
    return are_opposite(*(ours ^ theirs))


def _score(evidence: Evidence, name: str, mistake: str, kind: str) -> _Scored:
    """Score a name. One that differs only by its unit is always listed, because a converted value may fit."""
    likely = confidence(evidence, kind)
    if Guard.UNIT in evidence.guards and differ_only_by_unit(split_words(mistake), split_words(name)):
        likely = MAX_OTHER_THING
    return _Scored(likely, evidence, name)


def judge_candidates(
    mistake: str, candidates: Iterable[str] | Names, kind: Kind = "tool", context: Mapping[str, Any] | None = None
) -> list[tuple[Evidence, str]]:
    """Return the evidence for each name that is near enough to be compared."""
    known = candidates if isinstance(candidates, Names) else _index_names(tuple(candidates))
    context = _as_mapping(context)
    server, tool = (str(context.get(key) or "") for key in ("server", "tool"))
    query = parse_query(mistake, _actual_kind(kind, context), server, tool, reads_only=context.get("read_only") is True)
    if not query.words:
        return []
    found = [(compare_names(query, known, index), known.names[index]) for index in _select_candidates(query, known)]
    if query.kind == "parameter":
        found = _without_commentary(query, found)
    return CallContext(query, context).weigh(found, known.names) if context else found


def _without_commentary(query: Query, found: list[tuple[Evidence, str]]) -> list[tuple[Evidence, str]]:
    """Remove names that commentary resembles only by part or meaning: an explanation fills no other parameter.

    What the tool is about is no commentary: `run_id` in `get_run`, `goal_text` in `create_goal`.
    """
    about = query.tool[1:] if query.tool and is_verb(query.tool[0]) else query.tool
    if any(word in about for word in commentary_words(query.stems)):
        return found
    is_private = query.text.startswith("_") and not is_generic(query.words)
    if is_private or is_commentary(query.text):
        return [each for each in found if each[0].tier < (Tier.PART if is_private else Tier.NAMESPACE)]
    word = find_commentary_head(query.words)
    if word is None:
        return found
    return [each for each in found if each[0].is_whole or _keeps_word(each[0], word)]


def _keeps_word(evidence: Evidence, word: str) -> bool:
    return any(one == word and relation in SAME_WORD for one, _, relation in evidence.pairs)


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
    ranked = _prefer_shared_words(ranked)
    if not ranked:
        return []
    ranked = _lower_those_behind(ranked, mistake)
    is_clear = _is_first_clear(ranked, [each.evidence for each in scored if each.evidence.guards])
    return [
        Reading(_match(each, mistake, is_clear=is_clear and rank == 0), each.evidence)
        for rank, each in enumerate(ranked[:_MAX_READINGS])
    ]


def _prefer_shared_words(ranked: list[_Scored]) -> list[_Scored]:
    """Put a name that has a word of the mistake before one that has only a synonym, if both are as probable."""
    tied = [each for each in ranked if each.confidence >= ranked[0].confidence - _ROUNDING] if ranked else []
    if len(tied) < 2 or tied[0].evidence.is_whole:
        return ranked
    return [*sorted(tied, key=lambda each: not _shares_word(each.evidence)), *ranked[len(tied) :]]


def _shares_word(evidence: Evidence) -> bool:
    return any(relation in SAME_WORD for *_, relation in evidence.pairs)


def _match(scored: _Scored, mistake: str, *, is_clear: bool) -> Match:
    by_unit = Guard.UNIT in scored.evidence.guards and differ_only_by_unit(
        split_words(mistake), split_words(scored.name)
    )
    return Match(
        scored.name,
        round(scored.confidence, 2),
        is_clear=is_clear,
        differs_by_unit=by_unit,
        is_other_thing=not OTHER_THING.isdisjoint(scored.evidence.guards),
        is_related=_shares_word(scored.evidence) or len(scored.evidence.pairs) >= len(split_words(scored.name)),
    )


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
