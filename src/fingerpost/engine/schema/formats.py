"""Lenient checks of `format`, close to what servers accept.

JSON Schema does not enforce `format`, and servers that do are lenient: they accept a `date-time` without a time, or a
URL with a space. Whatever almost every server accepts counts as valid.
"""

from __future__ import annotations

from collections.abc import Callable

from fingerpost.engine.lazy_pattern import lazy_pattern

_TIME = r"\d{1,2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,12})?)?\s?(?:[zZ]|[+-]\d{2}(?::?\d{2})?)?"
_DATE = r"\d{4}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])"


def _full_match(pattern: str) -> Callable[[str], bool]:
    compiled = lazy_pattern(pattern)
    return lambda text: compiled.fullmatch(text) is not None


LENIENT_FORMATS: dict[str, Callable[[str], bool]] = {
    "date-time": _full_match(rf"{_DATE}(?:[tT ]{_TIME})?|\d{{1,13}}"),
    "date": _full_match(rf"{_DATE}(?:[tT ]{_TIME})?"),
    "time": _full_match(_TIME),
    "uri": _full_match(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:[^\n]+"),
    "iri": _full_match(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:[^\n]+"),
    "email": _full_match(r"[^@\s]+@[^@\s]+"),
    "uuid": _full_match(r"(?:urn:uuid:)?\{?[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\}?"),
    "ipv6": _full_match(r"[0-9a-fA-F:.]+(?:%\w+)?"),
    "hostname": _full_match(r"[^\s/:@]+"),
    "duration": lambda _: True,
    "regex": lambda _: True,
    "uri-reference": lambda _: True,
    "iri-reference": lambda _: True,
}
"""Checks that replace those of the validator."""
