"""Check whether the proxy can send a header or a request to a URL over HTTP."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_HEADER = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\x20-\x7e\xa0-\xff\t]*")
_UNSENDABLE = re.compile(r"[^\x21-\x7e]")


def is_header(name: str, value: str) -> bool:
    """Whether the proxy can send a header."""
    return _HEADER.fullmatch(name.strip()) is not None and _VALUE.fullmatch(value.strip()) is not None


def is_sendable(url: str) -> bool:
    """Whether a URL has only characters that can be sent unescaped."""
    return _UNSENDABLE.search(url) is None


def is_url(text: str) -> bool:
    """Whether a text is an HTTP URL that the proxy can send requests to."""
    try:
        url = urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0 and is_sendable(text)
    except ValueError:
        return False
