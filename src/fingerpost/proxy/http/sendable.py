"""Check whether a header and an address can be sent over HTTP as they are spelled."""

from __future__ import annotations

import re

_HEADER = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\x20-\x7e\xa0-\xff\t]*")
_UNSENDABLE = re.compile(r"[^\x21-\x7e]")


def is_header(name: str, value: str) -> bool:
    """Whether the proxy can send a header."""
    return _HEADER.fullmatch(name.strip()) is not None and _VALUE.fullmatch(value.strip()) is not None


def is_sendable(url: str) -> bool:
    """Whether an address can be sent as it is spelled."""
    return _UNSENDABLE.search(url) is None
