"""Read the headers that the proxy adds to requests from `FINGERPOST_HEADERS`.

They come from the environment because other users can read a command line.
"""

from __future__ import annotations

import json
import os
from typing import Any, cast

from fingerpost.proxy.http.http1 import Headers
from fingerpost.proxy.http.sendable import is_header
from fingerpost.terminal.command_error import CommandError

_PER_REQUEST = ("host", "content-length", "transfer-encoding", "connection")
"""Headers that the proxy computes for each request; setting them is an error."""
_SAME_AS_OURS = ("content-type", "accept")
"""Headers that the proxy sets anyway. Client configs often list them, so they are ignored."""


def headers_from_environment() -> Headers:
    """Parse `FINGERPOST_HEADERS`; `CommandError` if a header in it cannot be sent."""
    try:
        payload: Any = json.loads(os.environ.get("FINGERPOST_HEADERS") or "{}")
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        raise CommandError("FINGERPOST_HEADERS is not a JSON object of names and values")
    headers = [(str(name).strip(), value) for name, value in cast("dict[str, Any]", payload).items()]
    for name, value in headers:
        _check(name, value)
    return [
        (name.lower().encode(), value.strip().encode("latin-1"))
        for name, value in headers
        if name.lower() not in _SAME_AS_OURS
    ]


def _check(name: str, value: Any) -> None:
    if not isinstance(value, str) or not is_header(name, value):
        raise CommandError(
            f"FINGERPOST_HEADERS: {name!r} cannot be sent as a header", "Names and values must be plain text."
        )
    if name.lower() in _PER_REQUEST:
        raise CommandError(
            f"FINGERPOST_HEADERS: {name} cannot be set", "The proxy computes this header for each request."
        )
