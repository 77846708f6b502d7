"""Find keys in the URL of a server: every user of the machine can read the arguments of a process."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

from fingerpost.engine.phrases import quote
from fingerpost.engine.safety.redact import is_secret, looks_random

WAY_OUT = (
    "every user could read it in the process list; if the server accepts it as a header, move it into the headers of "
    "the entry, which 'wrap' puts into its environment (FINGERPOST_HEADERS)"
)

_SHORT_NAMES = ("key", "k", "sig", "signature", "code")
"""Names that mean a key in a URL, though not everywhere else."""


def find_url_secret(url: str) -> str:
    """Say which part of a URL is or may be a key, without its value; empty if none is."""
    try:
        parts = urlsplit(url)
        has_login = "@" in parts.netloc
        query = [*parse_qsl(parts.query, keep_blank_values=True), *parse_qsl(parts.fragment)]
    except ValueError:
        return "cannot be parsed"
    if has_login:
        return "contains a user name or password"
    for name, value in query:
        if looks_random(name) or looks_random(value):
            return "contains what looks like a key"
        if is_secret(name) or name.lower() in _SHORT_NAMES:
            return f"contains a key ({quote(name)})"
    return "contains what looks like a key" if looks_random(unquote(parts.path)) else ""
