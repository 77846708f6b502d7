"""What a successful reply leaves the caller wanting: more of it, less of it, or one thing in detail.

Read from the reply itself (`has_more`, `nextCursor`, `total`, `truncated`, as many results as were
asked for) and answered with calls of the caller's own tools. A reply that brings its own tips or next
steps keeps the word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import Call, Replace
from fingerpost.engine.phrases import Placeholder, count_noun, format_call
from fingerpost.engine.render.corrected_call import present_call
from fingerpost.engine.safety.json_input import as_list, as_object, is_number, parse_json
from fingerpost.engine.safety.redact import clean, is_clean, is_harmless
from fingerpost.engine.schema import excerpt as disclosure

_LARGEST_READ = 256 * 1024
_MANY = 25
_OWN_WORDS = frozenset({"tips", "next_steps", "nextSteps", "guidance", "hint", "hints"})
_MORE = (
    "has_more",
    "hasMore",
    "truncated",
    "is_truncated",
    "isTruncated",
    "limit_reached",
    "limitReached",
    "incomplete_results",
)
_AT_LIMIT = ("limit_reached", "limitReached")
_CURSOR = ("nextCursor", "next_cursor", "next_page_token", "nextPageToken", "next_token", "nextToken", "cursor")
_TOTAL = ("total", "total_count", "totalCount", "total_results", "totalResults", "count_total")
_OFFSET = re.compile(r"offset|skip|start(?:_?index|_?at)?", re.IGNORECASE)
_PAGE = re.compile(r"page(?:_?number)?", re.IGNORECASE)
_CURSOR_PARAM = re.compile(r"(?:next_?)?(?:cursor|page_?token|after|continuation(?:_?token)?)", re.IGNORECASE)
_LIMIT = re.compile(r"limit|max(?:_?results|_?items)?|page_?size|per_?page|top|num_?results", re.IGNORECASE)
_NARROWING = re.compile(r"filter|glob|include|type|path|scope|language|since|label", re.IGNORECASE)
PARTIAL = frozenset({"partial", "partial_results", "partialResults", "is_partial"})
_FAILED = ("failed", "errors", "failures", "skipped", "inaccessible")


@dataclass(frozen=True, slots=True)
class Advice:
    """Tips and next steps for one successful reply; empty when there is nothing to add."""

    tips: Mapping[str, Any] = field(default_factory=dict[str, Any])
    next_steps: Mapping[str, str] = field(default_factory=dict[str, str])
    lines: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tips or self.next_steps)


NO_ADVICE = Advice()


def advice(call: Call, payload: Mapping[str, Any], catalog: Catalog) -> Advice:
    """What to do next, judging by what came back."""
    tool = catalog.get(call.tool)
    if tool is None or not isinstance(call.arguments, dict) or not _OWN_WORDS.isdisjoint(payload):
        return NO_ADVICE
    if not PARTIAL.isdisjoint(payload) and any(payload.get(word) is True for word in PARTIAL):
        return _partial(call, tool, payload)
    return _paged(call, tool, payload, catalog)


def payload_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The object a result holds: its structure, or the JSON that its text is."""
    if structured := as_object(result.get("structuredContent")):
        return structured
    text = _only_text(result)
    return as_object(parse_json(text)) if len(text) <= _LARGEST_READ else {}


def _only_text(result: Mapping[str, Any]) -> str:
    texts = [as_object(block).get("text") for block in as_list(result.get("content"))]
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else ""


def _partial(call: Call, tool: Tool, payload: Mapping[str, Any]) -> Advice:
    failed = [part for word in _FAILED for part in as_list(payload.get(word))]
    told = f"{count_noun(len(failed), 'part')} failed" if failed else "Some parts failed"
    steps = {
        "retry_failed": f"{clean(present_call(call, call, tool.secret_names).text, 240)} for the parts that failed",
        "check_permissions": "Check that the parts that failed may be accessed",
        "proceed_anyway": "The results shown are valid: go on with them",
    }
    return Advice({"partial": told}, steps, (f"The result is partial: {told[0].lower()}{told[1:]}.",))


def _paged(call: Call, tool: Tool, payload: Mapping[str, Any], catalog: Catalog) -> Advice:
    if not tool.is_read_only or (items := _items(payload)) is None or _is_the_end(payload):
        return NO_ADVICE
    more = _more(call, tool, payload, len(items))
    is_at_limit = any(payload.get(word) is True for word in _AT_LIMIT) or _is_full(call, tool, items, payload)
    says_more = any(payload.get(word) is True for word in _MORE) or _cursor(payload) is not None
    is_limited = more is not None or any(_LIMIT.fullmatch(name) for name in tool.params)
    if not (says_more or is_at_limit or (is_limited and _is_short(call, tool, payload, len(items)))):
        return NO_ADVICE
    total = _total(payload)
    is_all = total is not None and total <= len(items)
    steps = _kept(
        get_more=None if is_all else more,
        get_details=_details(items, tool, catalog),
        refine_search=_refined(call, tool),
    )
    return Advice(_tips(steps, len(items), total, is_at_limit=is_at_limit), steps, tuple(_lines(steps)))


def _is_the_end(payload: Mapping[str, Any]) -> bool:
    """Whether the reply itself says that there is no more."""
    if any(payload.get(word) is False for word in _MORE if word not in _AT_LIMIT):
        return True
    page, pages = payload.get("page"), payload.get("total_pages", payload.get("totalPages"))
    if is_number(page) and is_number(pages) and page >= pages:
        return True
    cursors = [payload[word] for word in _CURSOR if word in payload]
    return bool(cursors) and not any(cursors)


def _is_full(call: Call, tool: Tool, items: list[Any], payload: Mapping[str, Any]) -> bool:
    """As many results as were asked for, of a reply that does not count them: there may be more."""
    limit = _limit(call, tool)
    return limit is not None and len(items) == limit and _total(payload) is None


def _is_short(call: Call, tool: Tool, payload: Mapping[str, Any], returned: int) -> bool:
    """Fewer results so far than the reply says there are."""
    total = _total(payload)
    if total is None:
        return False
    asked = [call.arguments.get(name) for name in tool.params if _OFFSET.fullmatch(name)]
    offset = next(filter(is_number, [payload.get("offset"), *asked]), 0)
    page = next((name for name in tool.params if _PAGE.fullmatch(name)), None)
    before = (_page(call, tool, page) - _first_page(tool, page)) * (_limit(call, tool) or returned) if page else 0
    return offset + before + returned < total


def _total(payload: Mapping[str, Any]) -> int | None:
    return next((payload[word] for word in _TOTAL if isinstance(payload.get(word), int)), None)


def _cursor(payload: Mapping[str, Any]) -> str | None:
    return next((value for word in _CURSOR if isinstance(value := payload.get(word), str) and value), None)


def _tips(steps: Mapping[str, str], returned: int, total: int | None, *, is_at_limit: bool) -> dict[str, Any]:
    tips: dict[str, Any] = {}
    if is_at_limit:
        advised = (
            [f"Narrow it: {steps['refine_search']}"]
            if "refine_search" in steps
            else ["Ask for something more specific"]
        )
        tips["limit_reached"] = {
            "at_limit": f"Showing maximum {count_noun(returned, 'result')}",
            "recommendations": advised,
        }
    elif "refine_search" in steps and (total or returned) >= _MANY:
        tips["high_results"] = f"Narrow it: {steps['refine_search']}"
    if "get_more" in steps:
        tips["pagination"] = f"See more: {steps['get_more']}"
    if "get_details" in steps:
        tips["get_details"] = f"See one: {steps['get_details']}"
    return tips


def _lines(steps: Mapping[str, str]) -> list[str]:
    if "get_more" in steps:
        return [f"More results: {steps['get_more']}"]
    return [f"There may be more; narrow it: {steps['refine_search']}"] if "refine_search" in steps else []


def _items(payload: Mapping[str, Any]) -> list[Any] | None:
    """The list that the reply is about: the one named so, or the only one there is."""
    lists = {key: cast("list[Any]", value) for key, value in payload.items() if isinstance(value, list)}
    named = next(
        (lists[key] for key in ("results", "items", "data", "entries", "matches", "files") if key in lists), None
    )
    return named if named is not None else next(iter(lists.values())) if len(lists) == 1 else None


def _limit(call: Call, tool: Tool) -> int | None:
    """The limit in force: the one sent, or the schema's default."""
    for name in tool.params:
        if _LIMIT.fullmatch(name):
            value = call.arguments.get(name, disclosure.default_value(tool.schema, tool.params[name]))
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None


def _more(call: Call, tool: Tool, payload: Mapping[str, Any], returned: int) -> str | None:
    """The caller's own call, moved on by one page."""
    cursor = _cursor(payload)
    if cursor and not any(_CURSOR_PARAM.fullmatch(name) for name in tool.params):
        return None
    for name in tool.params:
        if _CURSOR_PARAM.fullmatch(name) and cursor and cursor != call.arguments.get(name):
            shown = cursor if is_clean(cursor) and is_harmless(cursor) else Placeholder("<the cursor of this reply>")
            return _with(call, tool, name, shown)
        before = payload.get("offset", call.arguments.get(name, 0))
        if _OFFSET.fullmatch(name) and isinstance(before, int) and returned:
            return _with(call, tool, name, before + returned)
        if _PAGE.fullmatch(name):
            return _with(call, tool, name, _page(call, tool, name) + 1)
    return None


def _page(call: Call, tool: Tool, name: str) -> int:
    page = call.arguments.get(name)
    return page if isinstance(page, int) else _first_page(tool, name)


def _first_page(tool: Tool, name: str) -> int:
    first = disclosure.default_value(tool.schema, tool.params[name])
    return first if first == 0 else 1


def _details(items: list[Any] | None, tool: Tool, catalog: Catalog) -> str | None:
    """One result in full, by a tool of the list that needs nothing but an id."""
    first = as_object(items[0]) if items else {}
    for name in ("id", "key", "uid", "slug"):
        if isinstance(value := first.get(name), str | int) and is_harmless(value, name) and is_clean(str(value)):
            getter = next(
                (t for t in catalog if t.required == (name,) and t.is_read_only and t.name != tool.name), None
            )
            return format_call(Call(getter.name, {name: value})) if getter else None
    return None


def _refined(call: Call, tool: Tool) -> str | None:
    name = next((name for name in tool.params if _NARROWING.fullmatch(name) and name not in call.arguments), None)
    if name is None:
        return None
    examples = disclosure.quote_schema(tool.schema, tool.params[name]).get("examples")
    return _with(call, tool, name, examples[0] if examples else disclosure.placeholder(tool.schema, tool.params[name]))


def _with(call: Call, tool: Tool, name: str, value: Any) -> str:
    return clean(present_call(Replace((name,), value).applied_to(call), call, tool.secret_names).text, 240)


def _kept(**steps: str | None) -> dict[str, str]:
    return {name: step for name, step in steps.items() if step}
