"""A word for what a code means: `"User"` for `2`, where the description says `0: Owner, 1: Admin, 2: User`.

The word has to be the label but for case, separators and the noun for its class. The code is offered, never applied:
the author wrote the label for readers.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.values.choices import read_choice
from fingerpost.engine.values.exact import parse_exact
from fingerpost.engine.values.slot import Candidate, Slot


def read_label(slot: Slot) -> Iterator[Candidate]:
    """Yield the code whose label the value is."""
    if not slot.labels or not isinstance(slot.value, str):
        return
    codes = {label: code for code, label in slot.labels.items()}
    for found in read_choice(slot._replace(choices=tuple(codes), labels={})):
        code = codes[found.value]
        number = parse_exact(code, slot.kinds or ("integer",))
        yield Candidate(code if number is None else number, confidence=0.85)
