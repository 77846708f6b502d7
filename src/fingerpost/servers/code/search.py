"""`search`: rank all hits by their words, re-rank the best by the definitions in their files, and build one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from fingerpost.engine.phrases import encode_json, quote
from fingerpost.servers.answer import Answer
from fingerpost.servers.code.errors import NothingFound, no_files_error, timeout_error
from fingerpost.servers.code.folder import ServedFolder, printable_path
from fingerpost.servers.code.outline import Definition, innermost_definition
from fingerpost.servers.code.paging import (
    format_heading,
    format_page,
    format_result,
    format_tool_call,
    limit_guidance,
    narrower_filter,
    next_steps,
    page_counts,
    paging_tips,
    past_end_warnings,
    unreadable_warning,
)
from fingerpost.servers.code.ranking import group_by_line, matching_definition, score_by_definition, score_by_words
from fingerpost.servers.code.ripgrep import Hit, Outcome
from fingerpost.servers.code.suggestions import Suggester

_MAX_FILES_RANKED = 100
"""Files that are parsed to rank a search; hits in other files are ranked by their words."""

_MAX_FILES_NAMED = 300
"""Files that are parsed to name the hits of one page."""

_MAX_SNIPPET, _SNIPPET_LEAD = 200, 80


@dataclass(frozen=True, slots=True)
class RankedHit:
    hit: Hit
    score: float


def rank_hits(hits: list[Hit], pattern: str, folder: ServedFolder) -> list[RankedHit]:
    """The hits, best first; equal ones by path and line."""
    rough = sorted((RankedHit(hit, score_by_words(hit, pattern)) for hit in hits), key=_sort_key)
    definitions = _definitions_by_path(rough, _MAX_FILES_RANKED, folder)
    lines = {path: group_by_line(found) for path, found in definitions.items() if found}
    return sorted((_rescore(one, pattern, lines.get(one.hit.path)) for one in rough), key=_sort_key)


def build_page(hits: list[Hit], outcome: Outcome, arguments: Mapping[str, Any], folder: ServedFolder) -> Answer:
    """The requested page of the hits."""
    ranked = rank_hits(hits, arguments["pattern"], folder)
    chosen = ranked[arguments["offset"] : arguments["offset"] + arguments["max"]]
    current, unreadable = _read_lines(chosen, folder)
    outcome = replace(outcome, unreadable=[*outcome.unreadable, *unreadable])
    results = _build_results(current, folder)
    narrow = narrower_filter(printable_path(hit.path) for hit in hits)
    counts = page_counts(results, len(hits), arguments, is_truncated=outcome.is_truncated)
    page: dict[str, Any] = {"results": results, **counts}
    page |= limit_guidance(page, narrow if arguments["filter"] is None else None, is_truncated=outcome.is_truncated)
    page |= _partial_results(outcome, arguments, hits)
    steps = {**next_steps("search", arguments, page, narrow), **page.pop("next_steps", {})}
    page |= {name: value for name, value in (("next_steps", steps), ("tips", paging_tips(page, narrow))) if value}
    heading = format_heading(page, "result", f" for {encode_json(arguments['pattern'][:_MAX_SNIPPET])}")
    return Answer(format_page(page, map(format_result, results), heading), page)


def no_hits_error(outcome: Outcome, arguments: Mapping[str, Any], suggester: Suggester, seconds: float) -> Exception:
    """The error for a search without hits. Each call that it suggests finds something."""
    pattern, glob = arguments["pattern"], arguments["filter"]
    if outcome.is_timed_out:
        return timeout_error(seconds, format_tool_call("search", pattern=pattern, filter="src/**"))
    if glob is not None and not suggester.has_files(glob):
        return _no_matching_files_error(pattern, glob, suggester)
    has_hits_elsewhere = glob is not None and suggester.finds_something(pattern)
    elsewhere = [format_tool_call("search", pattern=pattern)] if has_hits_elsewhere else []
    readings = () if elsewhere else suggester.similar_names(pattern, glob)
    parts = [one.value for one in readings] or suggester.matching_parts(pattern, glob)
    where = f" in {encode_json(glob)}" if glob is not None else ""
    skipped = f"; {unreadable_warning(outcome.unreadable)}" if outcome.unreadable else ""
    searches = (format_tool_call("search", pattern=part, filter=glob) for part in parts)
    alternatives = [*elsewhere, *searches, "list_files()"]
    return NothingFound(
        f"No results found for pattern {quote(pattern)}{where}{skipped}",
        "pattern",
        readings,
        details={"got": pattern},
        hint=None if readings else _hint_from(alternatives),
        next_steps={
            "alternatives": alternatives,
            "broaden_search": "Try a simpler pattern" + ("" if glob is None else ", or leave out the filter"),
            "check_scope": "Use list_files() to see which files there are",
        },
    )


def _no_matching_files_error(pattern: str, glob: str, suggester: Suggester) -> Exception:
    suggestion, existing = suggester.suggest_glob(glob), suggester.common_globs()
    globs = [one for one in ([suggestion] if suggestion else existing) if suggester.finds_something(pattern, one)]
    calls = [format_tool_call("search", pattern=pattern, filter=one) for one in globs]
    return no_files_error(glob, suggestion, existing, calls)


def _hint_from(calls: list[str]) -> str:
    return f"Try: {calls[0]}" if len(calls) > 1 else "Try a simpler pattern"


def _sort_key(one: RankedHit) -> tuple[float, str, int]:
    return -one.score, one.hit.path, one.hit.line


def _definitions_by_path(
    ranked: list[RankedHit], max_files: int, folder: ServedFolder
) -> dict[str, tuple[Definition, ...]]:
    """The definitions in the files of the best hits."""
    paths = list(dict.fromkeys(one.hit.path for one in ranked))[:max_files]
    return {path: folder.definitions(path) for path in paths}


def _rescore(one: RankedHit, pattern: str, lines: Mapping[int, list[Definition]] | None) -> RankedHit:
    if lines is None:
        return one
    return RankedHit(one.hit, score_by_definition(one.hit, matching_definition(one.hit, lines), pattern))


def _read_lines(page: list[RankedHit], folder: ServedFolder) -> tuple[list[RankedHit], list[str]]:
    """The hits with the current text of their lines, and the files that cannot be read."""
    current, unreadable = dict[tuple[str, int], Hit](), list[str]()
    for path, hits in groupby(sorted((one.hit for one in page), key=_path), _path):
        try:
            lines = folder.source(path).split(b"\n")
        except OSError:
            lines = list[bytes]()
            unreadable.append(printable_path(path))
        current |= {(path, hit.line): hit.with_line(b"".join(lines[hit.line - 1 : hit.line])) for hit in hits}
    return [RankedHit(current[one.hit.path, one.hit.line], one.score) for one in page], unreadable


def _path(hit: Hit) -> str:
    return hit.path


def _build_results(page: list[RankedHit], folder: ServedFolder) -> list[dict[str, Any]]:
    definitions = _definitions_by_path(page, _MAX_FILES_NAMED, folder)
    lines = {path: group_by_line(found) for path, found in definitions.items()}
    return [_build_result(one, definitions.get(one.hit.path, ()), lines.get(one.hit.path, {})) for one in page]


def _build_result(
    one: RankedHit, definitions: tuple[Definition, ...], lines: Mapping[int, list[Definition]]
) -> dict[str, Any]:
    hit, path = one.hit, printable_path(one.hit.path)
    definition, text = matching_definition(hit, lines), snippet(hit)
    enclosing = definition or innermost_definition(definitions, hit.line)
    return {
        "id": f"{path}:{definition.qualified}" if definition else f"{path}:L{hit.line}",
        "name": enclosing.qualified if enclosing else text,
        "kind": "definition" if definition else "match",
        "path": path,
        "line": hit.line,
        "snippet": text,
        "confidence": one.score,
    }


def snippet(hit: Hit) -> str:
    """The line; if it is long, the part around the match."""
    if len(hit.text) <= _MAX_SNIPPET:
        return hit.text.strip()
    first = hit.spans[0][0] if hit.spans else 0
    at = len(hit.text.encode("utf-8", "replace")[:first].decode("utf-8", "replace"))
    start = max(at - _SNIPPET_LEAD, 0)
    part = hit.text[start : start + _MAX_SNIPPET]
    return ("…" if start else "") + part.strip() + ("…" if start + _MAX_SNIPPET < len(hit.text) else "")


def _partial_results(outcome: Outcome, arguments: Mapping[str, Any], hits: list[Hit]) -> dict[str, Any]:
    """Warnings and next steps if some files could not be searched, or if the pattern or offset is questionable."""
    warnings = [unreadable_warning(outcome.unreadable)] if outcome.unreadable else []
    if outcome.is_timed_out:
        warnings.append("The search was stopped for taking too long: there may be more")
    fields: dict[str, Any] = {}
    if warnings:
        steps = _steps_after_partial(outcome, arguments)
        fields = {"partial": True, "failed": outcome.unreadable[:10], "next_steps": steps}
    if any(start == end for start, end in hits[0].spans):
        warnings.append("The pattern matches the empty string, which is in every line")
    warnings += past_end_warnings(len(hits), "result", arguments)
    return {**fields, **({"warnings": warnings} if warnings else {})}


def _steps_after_partial(outcome: Outcome, arguments: Mapping[str, Any]) -> dict[str, str]:
    retry = {**arguments, "filter": arguments["filter"] or "src/**"} if outcome.is_timed_out else arguments
    steps = {"retry_failed": format_tool_call("search", **retry)}
    if outcome.unreadable:
        steps["check_permissions"] = f"Ask the user whether the server may read {outcome.unreadable[0]}"
    return {**steps, "proceed_anyway": "Results shown are valid, continue with get_definition(id)"}
