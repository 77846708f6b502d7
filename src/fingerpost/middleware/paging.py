"""Read every page of a list: the one pagination loop, for tools, prompts and resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from fingerpost.engine.safety.json_input import as_list

_MOST_PAGES = 200


class Pages(NamedTuple):
    """The entries of a list, and its last page."""

    entries: list[Any]
    last: Mapping[str, Any]
    is_complete: bool
    """Whether every page was read: none was malformed, and there were not too many."""


async def read_all_pages(
    read_page: Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]], key: str, meta: Mapping[str, Any]
) -> Pages:
    """Read pages until one names no next cursor. `meta` is the `_meta` of the request on whose behalf we read.

    Its progress token is left out: progress on our list is not progress on the caller's request.
    """
    own_meta = {name: one for name, one in meta.items() if name != "progressToken"}
    params: dict[str, Any] = {"_meta": own_meta} if own_meta else {}
    entries, page, cursor = list[Any](), dict[str, Any](), None
    for _ in range(_MOST_PAGES):
        page = await read_page({**params, **({"cursor": cursor} if cursor else {})})
        if not isinstance(page.get(key), list):
            return Pages(entries, page, is_complete=False)
        entries += as_list(page[key])
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            return Pages(entries, page, is_complete=True)
    return Pages(entries, page, is_complete=False)
