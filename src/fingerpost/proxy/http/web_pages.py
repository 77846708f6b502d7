"""Which web pages may send requests, and the headers that tell a browser so (CORS).

A page of any site or local port can make a browser send requests to this machine. The browser names the page in
`Origin`. Only pages of the proxy's own origin and of those that the user allows are answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.terminal.command_error import CommandError

METHODS = b"GET, POST, DELETE, OPTIONS"
JSON_TYPE = b"application/json"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_REQUEST_HEADERS = (
    b"content-type, accept, authorization, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id"
)
_HEADER_NAMES = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z, ]*")


def read_origin(text: str) -> str | None:
    """Return an origin as browsers write it: lower case, without a default port; none if `text` is not an origin."""
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        return None
    if not url.scheme or not host or "@" in url.netloc or url.path.strip("/") or url.query or url.fragment:
        return None
    place = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{place}" + ("" if port in (None, _DEFAULT_PORTS.get(url.scheme)) else f":{port}")


def check_origins(texts: Iterable[str]) -> None:
    """Raise `CommandError` for the first value of `--allow-origin` that is not an origin."""
    for text in texts:
        if read_origin(text) is None:
            raise CommandError(f"{text} is not an origin", "For example --allow-origin http://localhost:6274")


class AllowedPages:
    """The origins of pages that may send requests. All of them are exact: a host on another port is another origin."""

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = {read_origin(one) for one in origins} - {None}

    def allow(self, headers: Headers, host: str) -> bool:
        """Whether the sender of a request to `host` is no page, a page of `host` itself, or an allowed one."""
        origins = [value.decode("latin-1") for key, value in headers if key == b"origin"]
        if len(origins) != 1:
            return not origins
        page = read_origin(origins[0])
        return page is not None and (page in self._origins or page == read_origin(f"http://{host}"))

    def response_headers(self, headers: Headers) -> Headers:
        """The headers of a response that let an allowed page read it; none if no page asks."""
        if (origin := header_value(headers, b"origin")) is None:
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", b"mcp-session-id, mcp-protocol-version, www-authenticate"),
            (b"vary", b"Origin"),
        ]


def preflight_headers(headers: Headers) -> Headers:
    """The headers that answer `OPTIONS`: for a browser that asks first, what an allowed page may send."""
    allow: Headers = [(b"allow", METHODS)]
    if header_value(headers, b"access-control-request-method") is None:
        return allow
    wanted = header_value(headers, b"access-control-request-headers") or b""
    more = b", " + wanted if wanted and _HEADER_NAMES.fullmatch(wanted) else b""  # mcp-param-* depend on the server
    return [
        *allow,
        (b"access-control-allow-methods", METHODS),
        (b"access-control-allow-headers", _REQUEST_HEADERS + more),
        (b"access-control-max-age", b"600"),
    ]


def is_json(headers: Headers) -> bool:
    """Whether a body is declared as JSON. Pages can send other types, or none, without asking first."""
    types = [value.partition(b";")[0].strip().lower() for key, value in headers if key == b"content-type"]
    return types == [JSON_TYPE]
