"""Lenient checks of `format`, close to what servers accept.

JSON Schema does not enforce `format`, and servers that do are lenient: they accept a `date-time` without a time or
without a zone, or a URL with a space. Whatever almost every server accepts counts as valid. A date that is not in the
calendar does not, and neither does a notation that some servers read as something else: to pydantic, the date
`20260105` is a number of seconds in 1970.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fingerpost.engine.lazy_pattern import lazy_pattern

_LEAP_YEAR = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = (
    r"(?:\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    rf"|{_LEAP_YEAR}-02-29)"
)
"""A date in the calendar: every month has its own number of days."""
_ZONE = r"(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,12})?)?"
_LOCAL_TIME = r"(?:[01]?\d|2[0-3]):?[0-5]\d(?::?(?:[0-5]\d|60)(?:[.,]\d{1,12})?)?|24:00(?::00)?"
"""A time without a zone. Nobody but the caller knows which one is meant, so its spelling does not matter either."""
_LENIENT_ZONE = r"\s?(?:[zZ]|[+-]\d{2}(?::?\d{2})?)"


def _full_match(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[str], bool]:
    compiled = lazy_pattern(pattern, flags)
    return lambda text: compiled.fullmatch(text) is not None


LENIENT_FORMATS: dict[str, Callable[[str], bool]] = {
    "date-time": _full_match(rf"{_DATE}(?:[tT]{_TIME}{_ZONE}|[tT ](?:{_LOCAL_TIME}))?|\d{{1,13}}", re.ASCII),
    "date": _full_match(_DATE, re.ASCII),
    "time": _full_match(rf"(?:{_LOCAL_TIME})(?:{_LENIENT_ZONE})?", re.ASCII),
    "uri": _full_match(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:[^\n]+"),
    "iri": _full_match(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:[^\n]+"),
    "email": _full_match(r"(?!(?i:mailto):)[^@\s]+@[^@\s]+"),
    "uuid": _full_match(r"(?:urn:uuid:)?\{?[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\}?"),
    "ipv6": _full_match(r"[0-9a-fA-F:.]+(?:%\w+)?"),
    "hostname": _full_match(r"[^\s/:@]+"),
    "duration": lambda _: True,
    "regex": lambda _: True,
    "uri-reference": lambda _: True,
    "iri-reference": lambda _: True,
}
"""Checks that replace those of the validator."""
