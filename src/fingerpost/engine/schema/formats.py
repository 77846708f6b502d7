"""Formats as servers read them, not as the standards write them.

`format` is advice in JSON Schema, and servers that enforce it are lenient: a `date-time` without a
time, a URL with a space. What almost any server would take is never called wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TIME = r"\d{1,2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,12})?)?\s?(?:[zZ]|[+-]\d{2}(?::?\d{2})?)?"
_DATE = r"\d{4}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])"


def _matching(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


LENIENT_FORMATS: dict[str, Callable[[str], bool]] = {
    "date-time": _matching(rf"{_DATE}(?:[tT ]{_TIME})?|\d{{1,13}}"),
    "date": _matching(rf"{_DATE}(?:[tT ]{_TIME})?"),
    "time": _matching(_TIME),
    "uri": _matching(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:[^\n]+"),
    "iri": _matching(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:[^\n]+"),
    "email": _matching(r"[^@\s]+@[^@\s]+"),
    "uuid": _matching(r"(?:urn:uuid:)?\{?[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\}?"),
    "ipv6": _matching(r"[0-9a-fA-F:.]+(?:%\w+)?"),
    "hostname": _matching(r"[^\s/:@]+"),
    "duration": lambda _: True,
    "regex": lambda _: True,
    "uri-reference": lambda _: True,
    "iri-reference": lambda _: True,
}
"""Checks that take the place of the validator's own."""
