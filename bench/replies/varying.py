"""What differs between two runs of the same code, and is masked in recordings."""

from __future__ import annotations

import re

_TIMES = [
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"), "<time>"),
    (re.compile(r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4} \([^)]*\)"), "<time>"),
    (re.compile(r"\b\d{1,2}:\d\d:\d\d\s[AP]M\b"), "<time>"),
]
_IDS = [
    (re.compile(r'"id": "fingerpost-[0-9a-f]{12}-'), '"id": "fingerpost-<token>-'),
    (re.compile(r'"id": "(\d+)-[0-9a-f]{8}"'), r'"id": "\1-<token>"'),
]


def mask_times(text: str) -> str:
    """Mask the times at which a published server read the clock, or a file was made."""
    return _mask(text, _TIMES)


def mask_ids(text: str) -> str:
    """Mask the random part of the ids that the proxy gives to its own requests; their number is kept."""
    return _mask(text, _IDS)


def _mask(text: str, patterns: list[tuple[re.Pattern[str], str]]) -> str:
    for pattern, name in patterns:
        text = pattern.sub(name, text)
    return text
