"""Which requests may be sent here: those to an expected host name, and not by a page of another site.

A page of another site can get at a local port under a name of its own (DNS rebinding), so the name is checked too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.http.web_pages import AllowedPages

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class AllowedSenders:
    """The host names that requests may be sent to besides loopback, and the origins of pages that may send them."""

    def __init__(self, names: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._names = _LOOPBACK | {name.lower().strip("[]") for name in names}
        self.pages = AllowedPages(origins)

    def find_problem(self, target: str, headers: Headers) -> str | None:
        """Say why a request may not be sent here; none if it may. A target that is a URL names a host too."""
        host = (header_value(headers, b"host") or b"").decode("latin-1")
        is_expected = target.startswith("/") or "://" not in target or _host_name(target) in self._names
        if _host_name(f"//{host}") not in self._names or not is_expected:
            return "This name is not expected here; see --allow-host"
        if not self.pages.allow(headers, host):
            return "Web pages of this origin may not send requests; see --allow-origin"
        return None


@lru_cache(maxsize=16)
def _host_name(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
