"""Build one page of results, as text and as data, with next steps, tips and advice at the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fingerpost.engine.model import Call
from fingerpost.engine.phrases import count_noun, format_call
from fingerpost.engine.safety.redact import clean
from fingerpost.servers.code.languages import extension_label

MAX_RESULTS = 1000
_MAX_ARGUMENT = 200
_DEFAULTS = {"filter": None, "max": 50, "offset": 0}


def format_tool_call(tool: str, **arguments: Any) -> str:
    """A call on one line, without arguments that have their default."""
    kept = {name: value for name, value in arguments.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
    is_short = all(len(value) <= _MAX_ARGUMENT for value in kept.values() if isinstance(value, str))
    return format_call(Call(tool, kept), is_vetted=is_short)


def narrower_filter(paths: Iterable[str]) -> str | None:
    """A filter that matches many of these paths but not all: by extension, otherwise by folder."""
    paths = list(paths)
    extensions = Counter(f"*.{file_extension(path)}" for path in paths if file_extension(path))
    folders = Counter(f"{path.partition('/')[0]}/**" for path in paths if "/" in path)
    for counts in (extensions, folders):
        best = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        if 0 < best[1] < len(paths):
            return best[0]
    return None


def file_extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def page_counts(found: list[Any], total: int, arguments: Mapping[str, Any], *, is_truncated: bool) -> dict[str, Any]:
    """Which part of the results this page is."""
    end = arguments["offset"] + len(found)
    counts: dict[str, Any] = {
        "returned": len(found), "offset": arguments["offset"], "total": total, "total_is_at_least": is_truncated,
        "has_more": end < total,
    }  # fmt: skip
    return counts if is_truncated else {name: value for name, value in counts.items() if name != "total_is_at_least"}


def next_steps(tool: str, arguments: Mapping[str, Any], page: Mapping[str, Any], narrow: str | None) -> dict[str, str]:
    """The calls that make sense after this page."""
    steps = dict[str, str]()
    if page["has_more"]:
        steps["get_more"] = format_tool_call(tool, **{**arguments, "offset": page["offset"] + page["returned"]})
    if 0 < page["total"] <= page["offset"]:
        steps["go_back"] = format_tool_call(tool, **{**arguments, "offset": 0})
    if page.get("results"):
        steps["get_details"] = format_tool_call("get_definition", id=page["results"][0]["id"])
    if narrow and arguments["filter"] is None:
        steps["refine_search"] = format_tool_call(tool, **{**arguments, "filter": narrow, "offset": 0})
    return steps


def paging_tips(page: Mapping[str, Any], narrow: str | None) -> dict[str, str]:
    """Tips for results of more than one page."""
    if not page["has_more"]:
        return {}
    tips = {"high_results": _filter_tip(narrow)} if narrow else {}
    if page.get("results"):
        tips["get_details"] = "Use get_definition(id) for full code and documentation"
    return {**tips, "pagination": f"Use offset: {page['offset'] + page['returned']} to see more results"}


def _filter_tip(narrow: str) -> str:
    to = f"{extension_label(narrow[2:])} files" if narrow.startswith("*.") else f"the folder {narrow[:-3]}"
    return f'Use filter: "{narrow}" to narrow to {to}'


def limit_guidance(page: Mapping[str, Any], narrow: str | None, *, is_truncated: bool) -> dict[str, Any]:
    """Guidance if a limit cuts off results."""
    if not is_truncated and not (page["returned"] == MAX_RESULTS and page["has_more"]):
        return {}
    notice = f"Showing maximum {MAX_RESULTS} results"
    if is_truncated:
        notice = f"Stopped after {count_noun(page['total'], 'result')}"
    advice = [f'Add filter to narrow results: filter: "{narrow}"'] if narrow else []
    advice += ["Use more specific pattern", "Results are sorted by relevance, best matches shown first"]
    return {"limit_reached": True, "guidance": {"at_limit": notice, "recommendations": advice}}


def past_end_warnings(total: int, noun: str, arguments: Mapping[str, Any]) -> list[str]:
    """A warning if the page begins after the last result."""
    offset = arguments["offset"]
    return (
        [f"There are only {count_noun(total, noun)}: offset {offset} is past the last"] if 0 < total <= offset else []
    )


def unreadable_warning(paths: list[str]) -> str:
    return f"{count_noun(len(paths), 'path')} could not be read: {', '.join(paths[:3])}"


def format_page(page: Mapping[str, Any], lines: Iterable[str], heading: str) -> str:
    """The page as text: the counts, a line or two for each result, warnings and next steps."""
    limit = page.get("guidance", {})
    notice = [f"{limit['at_limit']}. {'. '.join(limit['recommendations'])}."] if limit else []
    return "\n".join(
        [heading, *lines, *page.get("warnings", ()), *notice, *format_next_steps(page.get("next_steps", {}))]
    )


def format_next_steps(steps: Mapping[str, str]) -> list[str]:
    return [f"{name.replace('_', ' ').capitalize()}: {step}" for name, step in steps.items()]


def format_heading(page: Mapping[str, Any], noun: str, about: str) -> str:
    """`1-50 of 127 results for "User"`."""
    total, at_least = page["total"], "at least " if page.get("total_is_at_least") else ""
    first, last = page["offset"] + 1, page["offset"] + page["returned"]
    part = f"{first:,}-{last:,} of " if page["has_more"] or page["offset"] else ""
    part = part if page["returned"] or not total else "none of "
    return f"{part}{at_least}{count_noun(total, noun)}{about}"


def format_result(result: Mapping[str, Any]) -> str:
    has_enclosing_name = result["kind"] == "match" and result["name"] != result["snippet"]
    enclosing = f" in {clean(result['name'], 120)}" if has_enclosing_name else ""
    kind = f"{result['kind']}{enclosing}"
    heading = f"{clean(result['id'], 400)} (line {result['line']}, {kind}, {result['confidence']})"
    return f"{heading}\n    {clean(result['snippet'], 240)}"
