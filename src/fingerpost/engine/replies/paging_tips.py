"""Suggest what to do after a successful reply: get more results, narrow the search, or look at one result.

The tips are derived from the reply (`has_more`, `nextCursor`, `total`, `truncated`, as many results as requested) and
name calls of the caller's own tools. A reply that has tips or next steps of its own gets none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple, cast

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Call, Replace
from fingerpost.engine.phrases import Placeholder, count_noun, format_call
from fingerpost.engine.render.corrected_call import SentCall, present_call
from fingerpost.engine.replies.payload import CURSORS, OWN_ADVICE, PARTIAL, count_total, next_cursor
from fingerpost.engine.safety.json_input import as_list, as_object, is_number
from fingerpost.engine.safety.redact import clean, is_clean, is_harmless
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.tool import Tool

_MANY = 25
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
_OFFSET = lazy_pattern(r"offset|skip|start(?:_?index|_?at)?", re.IGNORECASE)
_PAGE = lazy_pattern(r"page(?:_?number)?", re.IGNORECASE)
_CURSOR_PARAM = lazy_pattern(r"(?:next_?)?(?:cursor|page_?token|after|continuation(?:_?token)?)", re.IGNORECASE)
_LIMIT = lazy_pattern(r"limit|max(?:_?results|_?items)?|page_?size|per_?page|top|num_?results", re.IGNORECASE)
_NARROWING = lazy_pattern(r"filter|glob|include|type|path|scope|language|since|label", re.IGNORECASE)
_FAILED = ("failed", "errors", "failures", "skipped", "inaccessible")


class Advice(NamedTuple):
    """Tips and next steps for one successful reply."""

    tips: Mapping[str, Any] = {}
    next_steps: Mapping[str, Any] = {}
    lines: tuple[str, ...] = ()


NO_ADVICE = Advice()


def advise(call: Call, payload: Mapping[str, Any], catalog: Catalog) -> Advice:
    """Suggest what to do next, based on the reply."""
    tool = catalog.get(call.tool)
    if tool is None or not isinstance(call.arguments, dict) or not OWN_ADVICE.isdisjoint(payload):
        return NO_ADVICE
    if _is_any_true(payload, PARTIAL):
        return _partial_advice(call, tool, payload)
    return _paging_advice(call, tool, payload, catalog)


def _partial_advice(call: Call, tool: Tool, payload: Mapping[str, Any]) -> Advice:
    failed = [part for word in _FAILED for part in as_list(payload.get(word))]
    count = count_noun(len(failed), "part") if failed else ""
    steps = {
        "retry_failed": _retry_of_parts(call, tool, failed) or "Call again for the parts that failed only",
        "check_permissions": "Check that the parts that failed may be accessed",
        "proceed_anyway": "The results shown are valid: go on with them",
    }
    return Advice(
        {"partial": f"{count or 'Some parts'} failed"},
        steps,
        (f"The result is partial: {count or 'some parts'} failed.",),
    )


def _retry_of_parts(call: Call, tool: Tool, failed: list[Any]) -> str | None:
    """Return a call that differs from the one that was sent: with the errors, or for the parts that failed only."""
    if "include_errors" in tool.params and call.arguments.get("include_errors") is not True:
        return _call_with(call, tool, "include_errors", True)
    named = {str(name) for part in failed for name in (part, *islice(as_object(part).values(), 8))}
    for name, value in call.arguments.items():
        items = as_list(value)
        left = [item for item in items if str(item) in named]
        if name in tool.params and left and len(left) < len(items):
            return _call_with(call, tool, name, left)
    return None


def _paging_advice(call: Call, tool: Tool, payload: Mapping[str, Any], catalog: Catalog) -> Advice:
    if not tool.is_read_only or (items := _items(payload)) is None or _says_end(payload):
        return NO_ADVICE
    next_page = _next_page_call(call, tool, payload, len(items))
    is_at_limit = _is_any_true(payload, _AT_LIMIT) or _is_full(call, tool, items, payload)
    if not is_at_limit and not _has_more(call, tool, payload, len(items), can_page=next_page is not None):
        return NO_ADVICE
    total = count_total(payload)
    is_all = total is not None and total <= len(items)
    steps = _without_absent(
        get_more=None if is_all else next_page,
        get_details=_details_call(items, tool, catalog),
        refine_search=_narrower_call(call, tool),
    )
    tips = _tips(steps, len(items), total, is_at_limit=is_at_limit)
    return Advice(tips, steps, tuple(_lines(steps))) if tips or steps else NO_ADVICE


def _has_more(call: Call, tool: Tool, payload: Mapping[str, Any], returned: int, *, can_page: bool) -> bool:
    """Whether the reply says that there are more results, or counts more than were returned so far."""
    if _is_any_true(payload, _MORE) or next_cursor(payload) is not None:
        return True
    is_limited = can_page or any(_LIMIT.fullmatch(name) for name in tool.params)
    return is_limited and _is_short(call, tool, payload, returned)


def _is_any_true(payload: Mapping[str, Any], names: Iterable[str]) -> bool:
    return any(payload.get(name) is True for name in names)


def _says_end(payload: Mapping[str, Any]) -> bool:
    """Whether the reply says that there are no more results."""
    if any(payload.get(word) is False for word in _MORE if word not in _AT_LIMIT):
        return True
    page, pages = payload.get("page"), payload.get("total_pages", payload.get("totalPages"))
    if is_number(page) and is_number(pages) and page >= pages:
        return True
    cursors = [payload[word] for word in CURSORS if word in payload]
    return bool(cursors) and not any(cursors)


def _is_full(call: Call, tool: Tool, items: list[Any], payload: Mapping[str, Any]) -> bool:
    """Whether there are as many results as requested and no total: there may be more."""
    limit = _limit(call, tool)
    return limit is not None and len(items) == limit and count_total(payload) is None


def _is_short(call: Call, tool: Tool, payload: Mapping[str, Any], returned: int) -> bool:
    """Whether fewer results were returned so far than the total."""
    total = count_total(payload)
    if total is None:
        return False
    offset = payload.get("offset")
    before = _pages_before(call, tool) * (_limit(call, tool) or returned)
    return (offset if is_number(offset) else _asked_offset(call, tool)) + before + returned < total


def position_of(call: Call, tool: Tool) -> int | float:
    """Return how many results or pages a call skips; a cursor counts as a page."""
    has_cursor = any(_CURSOR_PARAM.fullmatch(name) and call.arguments.get(name) for name in tool.params)
    return _asked_offset(call, tool) + _pages_before(call, tool) + has_cursor


def _asked_offset(call: Call, tool: Tool) -> int | float:
    asked = [call.arguments.get(name) for name in tool.params if _OFFSET.fullmatch(name)]
    return next(filter(is_number, asked), 0)


def _pages_before(call: Call, tool: Tool) -> int:
    page = next((name for name in tool.params if _PAGE.fullmatch(name)), None)
    return _current_page(call, tool, page) - _first_page(tool, page) if page else 0


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
    """Return the list of results: the one with a usual name, or the only one."""
    lists = {key: cast("list[Any]", value) for key, value in payload.items() if isinstance(value, list)}
    named = next(
        (lists[key] for key in ("results", "items", "data", "entries", "matches", "files") if key in lists), None
    )
    return named if named is not None else next(iter(lists.values())) if len(lists) == 1 else None


def _limit(call: Call, tool: Tool) -> int | None:
    """Return the limit that applies: the one sent, or the schema's default."""
    for name in tool.params:
        if _LIMIT.fullmatch(name):
            value = call.arguments.get(name, disclosure.default_value(tool.schema, tool.params[name]))
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None


def _next_page_call(call: Call, tool: Tool, payload: Mapping[str, Any], returned: int) -> str | None:
    """Return the caller's own call for the next page."""
    cursor = next_cursor(payload)
    if cursor and not any(_CURSOR_PARAM.fullmatch(name) for name in tool.params):
        return None
    for name in tool.params:
        if _CURSOR_PARAM.fullmatch(name) and cursor and cursor != call.arguments.get(name):
            value = cursor if is_clean(cursor) and is_harmless(cursor) else Placeholder("<the cursor of this reply>")
            return _call_with(call, tool, name, value)
        before = payload.get("offset", call.arguments.get(name, 0))
        if _OFFSET.fullmatch(name) and isinstance(before, int) and returned:
            return _call_with(call, tool, name, before + returned)
        if _PAGE.fullmatch(name):
            return _call_with(call, tool, name, _current_page(call, tool, name) + 1)
    return None


def _current_page(call: Call, tool: Tool, name: str) -> int:
    page = call.arguments.get(name)
    return page if isinstance(page, int) else _first_page(tool, name)


def _first_page(tool: Tool, name: str) -> int:
    first = disclosure.default_value(tool.schema, tool.params[name])
    return first if first == 0 else 1


def _details_call(items: list[Any] | None, tool: Tool, catalog: Catalog) -> str | None:
    """Return a call that shows one result, if a tool requires only the id."""
    first = as_object(items[0]) if items else {}
    for name in ("id", "key", "uid", "slug"):
        if isinstance(value := first.get(name), str | int) and is_harmless(value, name) and is_clean(str(value)):
            getter = next(
                (t for t in catalog if t.required == (name,) and t.is_read_only and t.name != tool.name), None
            )
            return format_call(Call(getter.name, {name: value})) if getter else None
    return None


def _narrower_call(call: Call, tool: Tool) -> str | None:
    name = next((name for name in tool.params if _NARROWING.fullmatch(name) and name not in call.arguments), None)
    if name is None:
        return None
    examples = disclosure.quote_schema(tool.schema, tool.params[name]).get("examples")
    return _call_with(
        call, tool, name, examples[0] if examples else disclosure.placeholder(tool.schema, tool.params[name])
    )


def _call_with(call: Call, tool: Tool, name: str, value: Any) -> str:
    return clean(present_call(Replace((name,), value).applied_to(call), SentCall(call, tool.secret_names)).text, 240)


def _without_absent(**steps: str | None) -> dict[str, str]:
    return {name: step for name, step in steps.items() if step}
