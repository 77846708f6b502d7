"""Find keys in the URL of a server: every user of the machine can read the arguments of a process.

A part that may be a key counts as one: an entry that is not wrapped can be wrapped by hand, but a key that was shown
cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from fingerpost.engine.phrases import quote
from fingerpost.engine.safety.redact import is_secret, looks_random
from fingerpost.engine.safety.secret_names import split_humps
from fingerpost.engine.safety.secrets import HIDDEN

WAY_OUT = (
    "every user could read it in the process list; if the server accepts it as a header, move it into the headers of "
    "the entry, which 'wrap' puts into its environment (FINGERPOST_HEADERS)"
)

_SHORT_NAMES = ("k", "code")
"""Names that mean a key in a query, but not as a part of another name, nor in a path."""
_KEY_WORDS = frozenset({
    "cred", "creds", "hash", "hmac", "invite", "key", "keys", "nonce", "pass", "pw", "session", "sessionid", "sid",
    "sig", "signature", "ticket",
})  # fmt: skip
"""Words in names that mean a key in a URL, though not everywhere else."""
_ENDPOINTS = ("mcp", "sse", "api", "rpc", "stream", "message", "messages")
"""What follows the name of a service in a path: `/auth/mcp`."""
_VARIABLE = re.compile(r"\{(?:\w+:)?([^{}:]+)\}")
"""What a client fills in: `${API_KEY}`, `${input:token}`, `{env:TOKEN}`."""

_URL = re.compile(r"(https?://[^\s\"'/?#]*)[^\s\"']*", re.IGNORECASE)


def find_url_secret(url: str) -> str:
    """Say which part of a URL is or may be a key, without its value; empty if none is."""
    try:
        parts = urlsplit(url)
        has_login = "@" in parts.netloc
        pairs = list(_find_pairs(parts))
    except ValueError:
        return "cannot be parsed"
    if has_login:
        return "contains a user name or password"
    segments = [unquote(segment) for segment in parts.path.split("/")]
    if any(map(looks_random, (*segments, *(text for pair in pairs for text in pair)))):
        return "contains what looks like a key"
    names = [name for name, _ in pairs if _names_key(name) or name.lower() in _SHORT_NAMES]
    names += [name for name in _VARIABLE.findall(url) if _names_key(name)]
    names += [name for name, value in pairwise(segments) if value and value not in _ENDPOINTS and _names_key(name)]
    return f"contains a key ({quote(names[0])})" if names else ""


def hide_url_keys(text: str) -> str:
    """Hide all but the host of each URL in a text that contains a key."""
    return _URL.sub(lambda url: f"{url[1]}/{HIDDEN}" if find_url_secret(url[0]) else url[0], text)


def _find_pairs(parts: SplitResult) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the query, the fragment and the parameters of the path (`/mcp;token=…`)."""
    parameters = (segment.partition(";")[2] for segment in parts.path.split("/"))
    for text in (parts.query, parts.fragment, *parameters):
        yield from parse_qsl(text.replace(";", "&"), keep_blank_values=True)


def _names_key(name: str) -> bool:
    return is_secret(name) or not _KEY_WORDS.isdisjoint(re.split(r"[^a-z]+", split_humps(name)))
