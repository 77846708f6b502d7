"""`search`: all hits ranked by their words, the best of them judged by what their files define, and one page of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fingerpost.engine.phrases import encode_json, quote
from fingerpost.servers.code.errors import NothingFound, no_files, too_slow
from fingerpost.servers.code.folder import Tree, sayable
from fingerpost.servers.code.outline import Definition, enclosing
from fingerpost.servers.code.paging import (
    at_limit,
    call_of,
    head_of,
    line_of,
    narrowing,
    paged,
    past_end,
    steps_after,
    tips_for,
    unread,
    words_for,
)
from fingerpost.servers.code.ranking import by_line, defined_by, guessed, judged
from fingerpost.servers.code.ripgrep import Hit, Outcome
from fingerpost.servers.code.suggestions import Neighbourhood
from fingerpost.servers.served import Answer

_MOST_JUDGED = 100
"""Files that are parsed to rank a search; beyond them the words of a line decide."""

_MOST_NAMED = 300
"""Files that are parsed to name the hits of one page."""

_LONGEST_SNIPPET, _BEFORE = 200, 80


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit, and how well it answers."""

    hit: Hit
    score: float


def ranked(hits: list[Hit], pattern: str, tree: Tree) -> list[Ranked]:
    """The hits, best first; alike ones by path and line."""
    rough = sorted((Ranked(hit, guessed(hit, pattern)) for hit in hits), key=_order)
    lines = {path: by_line(found) for path, found in _outlines(rough, _MOST_JUDGED, tree).items() if found}
    return sorted((_judged(one, pattern, lines.get(one.hit.path)) for one in rough), key=_order)


def answer(hits: list[Hit], outcome: Outcome, asked: Mapping[str, Any], tree: Tree) -> Answer:
    """The page that was asked for."""
    every = ranked(hits, asked["pattern"], tree)
    shown, unreadable = _read(every[asked["offset"] : asked["offset"] + asked["max"]], tree)
    outcome.unreadable += unreadable
    results = _results(shown, tree)
    narrow = narrowing(sayable(hit.path) for hit in hits)
    page: dict[str, Any] = {"results": results, **paged(results, len(hits), asked, is_full=outcome.is_full)}
    page |= at_limit(page, narrow if asked["filter"] is None else None, is_full=outcome.is_full)
    page |= _partly(outcome, asked, hits)
    steps = {**steps_after("search", asked, page, narrow), **page.pop("next_steps", {})}
    page |= {name: value for name, value in (("next_steps", steps), ("tips", tips_for(page, narrow))) if value}
    head = head_of(page, "result", f" for {encode_json(asked['pattern'][:_LONGEST_SNIPPET])}")
    return Answer(words_for(page, map(line_of, results), head), page)


def nothing(outcome: Outcome, asked: Mapping[str, Any], near: Neighbourhood, seconds: float) -> Exception:
    """What is said where there is not one hit: each call that is offered finds something."""
    pattern, glob = asked["pattern"], asked["filter"]
    if outcome.is_late:
        return too_slow(seconds, call_of("search", pattern=pattern, filter="src/**"))
    if glob is not None and not near.has_files(glob):
        return _no_files(pattern, glob, near)
    elsewhere = [call_of("search", pattern=pattern)] if glob is not None and near.has(pattern) else []
    readings = () if elsewhere else near.names(pattern, glob)
    parts = [one.value for one in readings] or near.parts(pattern, glob)
    where = f" in {encode_json(glob)}" if glob is not None else ""
    skipped = f"; {unread(outcome.unreadable)}" if outcome.unreadable else ""
    alternatives = [*elsewhere, *(call_of("search", pattern=part, filter=glob) for part in parts), "list_files()"]
    return NothingFound(
        f"No results found for pattern {quote(pattern)}{where}{skipped}",
        "pattern",
        readings,
        details={"got": pattern},
        hint=None if readings else _first(alternatives),
        next_steps={
            "alternatives": alternatives,
            "broaden_search": "Try a simpler pattern" + ("" if glob is None else ", or leave out the filter"),
            "check_scope": "Use list_files() to see which files there are",
        },
    )


def _no_files(pattern: str, glob: str, near: Neighbourhood) -> Exception:
    meant, there = near.glob_meant(glob), near.endings()
    found = [one for one in ([meant] if meant else there) if near.has(pattern, one)]
    return no_files(glob, meant, there, [call_of("search", pattern=pattern, filter=one) for one in found])


def _first(calls: list[str]) -> str:
    return f"Try: {calls[0]}" if len(calls) > 1 else "Try a simpler pattern"


def _order(one: Ranked) -> tuple[float, str, int]:
    return -one.score, one.hit.path, one.hit.line


def _outlines(found: list[Ranked], most: int, tree: Tree) -> dict[str, tuple[Definition, ...]]:
    """What the first so many files define."""
    return {path: tree.definitions(path) for path in list(dict.fromkeys(one.hit.path for one in found))[:most]}


def _judged(one: Ranked, pattern: str, lines: Mapping[int, list[Definition]] | None) -> Ranked:
    return one if lines is None else Ranked(one.hit, judged(one.hit, defined_by(one.hit, lines), pattern))


def _read(page: list[Ranked], tree: Tree) -> tuple[list[Ranked], list[str]]:
    """The hits with their lines as the folder holds them, and the files of which none can be read."""
    read, unreadable = dict[tuple[str, int], Hit](), list[str]()
    for path, hits in groupby(sorted((one.hit for one in page), key=_path), _path):
        try:
            lines = tree.source(path).split(b"\n")
        except OSError:
            lines = list[bytes]()
            unreadable.append(sayable(path))
        read |= {(path, hit.line): hit.read_in(b"".join(lines[hit.line - 1 : hit.line])) for hit in hits}
    return [Ranked(read[one.hit.path, one.hit.line], one.score) for one in page], unreadable


def _path(hit: Hit) -> str:
    return hit.path


def _results(page: list[Ranked], tree: Tree) -> list[dict[str, Any]]:
    outlines = _outlines(page, _MOST_NAMED, tree)
    lines = {path: by_line(definitions) for path, definitions in outlines.items()}
    return [_result(one, outlines.get(one.hit.path, ()), lines.get(one.hit.path, {})) for one in page]


def _result(one: Ranked, definitions: tuple[Definition, ...], lines: Mapping[int, list[Definition]]) -> dict[str, Any]:
    hit, path = one.hit, sayable(one.hit.path)
    defined, shown = defined_by(hit, lines), snippet(hit)
    around = defined or enclosing(definitions, hit.line)
    return {
        "id": f"{path}:{defined.qualified}" if defined else f"{path}:L{hit.line}",
        "name": around.qualified if around else shown,
        "kind": "definition" if defined else "match",
        "path": path,
        "line": hit.line,
        "snippet": shown,
        "confidence": one.score,
    }


def snippet(hit: Hit) -> str:
    """The line, or the part of a long one that is around the match."""
    if len(hit.text) <= _LONGEST_SNIPPET:
        return hit.text.strip()
    first = hit.spans[0][0] if hit.spans else 0
    at = len(hit.text.encode("utf-8", "replace")[:first].decode("utf-8", "replace"))
    start = max(at - _BEFORE, 0)
    cut = hit.text[start : start + _LONGEST_SNIPPET]
    return ("…" if start else "") + cut.strip() + ("…" if start + _LONGEST_SNIPPET < len(hit.text) else "")


def _partly(outcome: Outcome, asked: Mapping[str, Any], hits: list[Hit]) -> dict[str, Any]:
    """What is said where not all that was asked for could be searched, or more than that."""
    warnings = [unread(outcome.unreadable)] if outcome.unreadable else []
    if outcome.is_late:
        warnings.append("The search was stopped for taking too long: there may be more")
    said: dict[str, Any] = {}
    if warnings:
        said = {"partial": True, "failed": outcome.unreadable[:10], "next_steps": _anyway(outcome, asked)}
    if any(start == end for start, end in hits[0].spans):
        warnings.append("The pattern matches the empty string, which is in every line")
    warnings += past_end(len(hits), "result", asked)
    return {**said, **({"warnings": warnings} if warnings else {})}


def _anyway(outcome: Outcome, asked: Mapping[str, Any]) -> dict[str, str]:
    narrower = {**asked, "filter": asked["filter"] or "src/**"} if outcome.is_late else asked
    steps = {"retry_failed": call_of("search", **narrower)}
    if outcome.unreadable:
        steps["check_permissions"] = f"Ask the user whether the server may read {outcome.unreadable[0]}"
    return {**steps, "proceed_anyway": "Results shown are valid, continue with get_definition(id)"}
