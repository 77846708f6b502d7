"""Show a URL that somebody typed, valid or not, without what may be a secret in it."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.redact import looks_random
from fingerpost.engine.safety.secrets import HIDDEN

_URL = lazy_pattern(r"[^\s/\"']*//[^\s\"']+|[^\s:@/\"']+:[^\s@\"']+@[^\s\"']+")
"""A word with `//` in it, or a login in front of a host."""
_SCHEME = lazy_pattern(r"(?:[A-Za-z][\w+.\-]*:)?//")
_TAIL = lazy_pattern(r"([?#;]).*", re.DOTALL)


def hide_in_url(url: str) -> str:
    """Return a URL without its login, query, parameters and fragment, and without keys in its path.

    It is not parsed, because it may be no URL at all. What comes before the last `@` counts as a login, wherever that
    is; only a word without `//` must have a colon there too, because `npx server@1.0` has no login.
    """
    scheme = found.group() if (found := _SCHEME.match(url)) else ""
    login, at, rest = url[len(scheme) :].rpartition("@")
    if login and (scheme or ":" in login):
        login = HIDDEN
    path = "/".join(HIDDEN if looks_random(part) else part for part in _TAIL.sub(rf"\1{HIDDEN}", rest).split("/"))
    return f"{scheme}{login}{at}{path}"


def hide_in_urls(text: str) -> str:
    """Do the same with every URL in a text."""
    return _URL.sub(lambda found: hide_in_url(found.group()), text)
