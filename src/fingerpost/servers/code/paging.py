"""One page of what was found, in words and as data: what comes next, tips, and what to do at the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fingerpost.engine.model import Call
from fingerpost.engine.phrases import count_noun, format_call
from fingerpost.engine.safety.redact import clean
from fingerpost.servers.code.languages import label_of

LARGEST = 1000
_LONGEST_PATTERN, _MOST_ENDINGS = 200, 6
_DEFAULTS = {"filter": None, "max": 50, "offset": 0}


def call_of(tool: str, **arguments: Any) -> str:
    """A call in one line, without what is left at its default."""
    kept = {name: value for name, value in arguments.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
    is_short = all(len(value) <= _LONGEST_PATTERN for value in kept.values() if isinstance(value, str))
    return format_call(Call(tool, kept), is_vetted=is_short)


def narrowing(paths: Iterable[str]) -> str | None:
    """A filter that keeps many of these paths, and not all of them: by ending, else by folder."""
    every = list(paths)
    endings = Counter(f"*.{ending_of(path)}" for path in every if ending_of(path))
    folders = Counter(f"{path.partition('/')[0]}/**" for path in every if "/" in path)
    for counts in (endings, folders):
        best = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        if 0 < best[1] < len(every):
            return best[0]
    return None


def ending_of(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def paged(found: list[Any], total: int, asked: Mapping[str, Any], *, is_full: bool) -> dict[str, Any]:
    """How much of it this page is."""
    end = asked["offset"] + len(found)
    whole: dict[str, Any] = {
        "returned": len(found), "offset": asked["offset"], "total": total, "total_is_at_least": is_full,
        "has_more": end < total,
    }  # fmt: skip
    return whole if is_full else {name: value for name, value in whole.items() if name != "total_is_at_least"}


def steps_after(tool: str, asked: Mapping[str, Any], page: Mapping[str, Any], narrow: str | None) -> dict[str, str]:
    """The calls that come next after a page."""
    steps = dict[str, str]()
    if page["has_more"]:
        steps["get_more"] = call_of(tool, **{**asked, "offset": page["offset"] + page["returned"]})
    if 0 < page["total"] <= page["offset"]:
        steps["go_back"] = call_of(tool, **{**asked, "offset": 0})
    if page.get("results"):
        steps["get_details"] = call_of("get_definition", id=page["results"][0]["id"])
    if narrow and asked["filter"] is None:
        steps["refine_search"] = call_of(tool, **{**asked, "filter": narrow, "offset": 0})
    return steps


def tips_for(page: Mapping[str, Any], narrow: str | None) -> dict[str, str]:
    """Tips where there is more than one page of it."""
    if not page["has_more"]:
        return {}
    tips = {"high_results": _narrower(narrow)} if narrow else {}
    if page.get("results"):
        tips["get_details"] = "Use get_definition(id) for full code and documentation"
    return {**tips, "pagination": f"Use offset: {page['offset'] + page['returned']} to see more results"}


def _narrower(narrow: str) -> str:
    to = f"{label_of(narrow[2:])} files" if narrow.startswith("*.") else f"the folder {narrow[:-3]}"
    return f'Use filter: "{narrow}" to narrow to {to}'


def at_limit(page: Mapping[str, Any], narrow: str | None, *, is_full: bool) -> dict[str, Any]:
    """What is said where no more can be had at once."""
    if not is_full and not (page["returned"] == LARGEST and page["has_more"]):
        return {}
    shown = f"Stopped after {count_noun(page['total'], 'result')}" if is_full else f"Showing maximum {LARGEST} results"
    advised = [f'Add filter to narrow results: filter: "{narrow}"'] if narrow else []
    advised += ["Use more specific pattern", "Results are sorted by relevance, best matches shown first"]
    return {"limit_reached": True, "guidance": {"at_limit": shown, "recommendations": advised}}


def past_end(total: int, noun: str, asked: Mapping[str, Any]) -> list[str]:
    """The warning where a page begins after the last that there is."""
    is_past = 0 < total <= asked["offset"]
    return [f"There are only {count_noun(total, noun)}: offset {asked['offset']} is past the last"] if is_past else []


def unread(paths: list[str]) -> str:
    return f"{count_noun(len(paths), 'path')} could not be read: {', '.join(paths[:3])}"


def words_for(page: Mapping[str, Any], lines: Iterable[str], head: str) -> str:
    """The page for a reader: how much there is, a line or two for each, then what may come next."""
    steps = [f"{name.replace('_', ' ').capitalize()}: {step}" for name, step in page.get("next_steps", {}).items()]
    limit = page.get("guidance", {})
    said = [f"{limit['at_limit']}. {'. '.join(limit['recommendations'])}."] if limit else []
    return "\n".join([head, *lines, *page.get("warnings", ()), *said, *steps])


def head_of(page: Mapping[str, Any], noun: str, about: str) -> str:
    """`1-50 of 127 results for "User"`."""
    total, at_least = page["total"], "at least " if page.get("total_is_at_least") else ""
    first, last = page["offset"] + 1, page["offset"] + page["returned"]
    part = f"{first:,}-{last:,} of " if page["has_more"] or page["offset"] else ""
    part = part if page["returned"] or not total else "none of "
    return f"{part}{at_least}{count_noun(total, noun)}{about}"


def line_of(result: Mapping[str, Any]) -> str:
    is_inside = result["kind"] == "match" and result["name"] != result["snippet"]
    inside = f" in {clean(result['name'], 120)}" if is_inside else ""
    what = f"{result['kind']}{inside}"
    where = f"{clean(result['id'], 400)} (line {result['line']}, {what}, {result['confidence']})"
    return f"{where}\n    {clean(result['snippet'], 240)}"
