"""Remember the last pages of tool lists, because an unchanged list is read again and again.

Comparing bytes takes a fiftieth of the time of decoding. The decoded tools of an unchanged page are the same objects as
before, so nothing that is built from them is built again.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from msgspec import Raw

from fingerpost.engine.safety.json_input import as_list
from fingerpost.proxy.protocol.message import fields, splice

_MOST_PAGES = 8
_MOST_BYTES = 32 * 1024 * 1024


class Page:
    """One page of a tool list: its bytes, and what they mean."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.fields = fields(Raw(raw))
        self._completed: tuple[list[Any], bytes] | None = None

    def with_tools(self, tools: list[Any]) -> bytes:
        """Return the page with more tools at its end."""
        if self._completed is None or self._completed[0] != tools:
            completed = {**self.fields, "tools": [*as_list(self.fields["tools"]), *tools]}
            self._completed = tools, splice(self.raw, self.fields, completed)
        return self._completed[1]


class RecentPages:
    """The last few pages, whoever they were for: equal bytes have equal meaning."""

    def __init__(self) -> None:
        self._pages = deque[Page](maxlen=_MOST_PAGES)

    def decode(self, raw: Raw) -> Page:
        data = bytes(raw)
        known = next((page for page in self._pages if page.raw == data), None)
        if known:
            return known
        page = Page(data)
        self._pages.append(page)
        while sum(len(one.raw) for one in self._pages) > _MOST_BYTES:
            self._pages.popleft()
        return page
