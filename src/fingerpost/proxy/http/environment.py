"""Read the headers that the proxy adds to requests from `FINGERPOST_HEADERS` and `FINGERPOST_HEADER_TEMPLATES`.

They come from the environment because other users can read a command line. In the second variable, `${NAME}` in a value
stands for the variable of that name: some clients keep a token in a variable and write only its name into their config.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, cast

from fingerpost.proxy.http.http1 import Headers
from fingerpost.proxy.http.sendable import is_header
from fingerpost.terminal.command_error import CommandError

_PER_REQUEST = ("host", "content-length", "transfer-encoding", "connection")
"""Headers that the proxy computes for each request; setting them is an error."""
_SAME_AS_OURS = ("content-type", "accept")
"""Headers that the proxy sets anyway. Client configs often list them, so they are ignored."""


_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)\}", re.ASCII)


def headers_from_environment() -> Headers:
    """Parse both variables; `CommandError` if a header in them cannot be sent."""
    headers = [*_parse("FINGERPOST_HEADERS"), *map(_fill_in, _parse("FINGERPOST_HEADER_TEMPLATES"))]
    return [
        (name.lower().encode(), value.strip().encode("latin-1"))
        for name, value in headers
        if name.lower() not in _SAME_AS_OURS
    ]


def _parse(variable: str) -> list[tuple[str, str]]:
    try:
        payload: Any = json.loads(os.environ.get(variable) or "{}")
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        raise CommandError(f"{variable} is not a JSON object of names and values")
    headers = [(str(name).strip(), value) for name, value in cast("dict[str, Any]", payload).items()]
    for name, value in headers:
        _check(variable, name, value)
    return headers


def _fill_in(header: tuple[str, str]) -> tuple[str, str]:
    """Replace `${NAME}` in a value by the variable. What comes from a variable is not looked into again."""
    name, template = header
    for variable in _REFERENCE.findall(template):
        if not os.environ.get(variable):
            raise CommandError(
                f"FINGERPOST_HEADER_TEMPLATES: the variable {variable} is not set", f"The header {name} needs it."
            )
    value = _REFERENCE.sub(lambda found: os.environ[found[1]], template)
    _check("FINGERPOST_HEADER_TEMPLATES", name, value)
    return name, value


def _check(variable: str, name: str, value: Any) -> None:
    if not isinstance(value, str) or not is_header(name, value):
        raise CommandError(f"{variable}: {name!r} cannot be sent as a header", "Names and values must be plain text.")
    if name.lower() in _PER_REQUEST:
        raise CommandError(f"{variable}: {name} cannot be set", "The proxy computes this header for each request.")
