"""Words for no limit where a value is wanted: `all`, `any`, `*` for a filter, `never` for a date.

On a read-only tool, a filter for everything is offered to be left out, unless the tool has a default for it. A date
that never comes is null, if the schema takes null. Otherwise the caller reads that the parameter is optional or may be
null: what a tool that may write does without it, only the caller can know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.absent import WIDENS
from fingerpost.engine.values.everything import says_everything
from fingerpost.engine.values.slot import Candidate, Instead, Slot

_NEVER = frozenset({
    "never", "forever", "indefinite", "indefinitely", "infinite", "infinity", "no end", "no expiration", "no expiry",
    "no limit", "permanent", "permanently", "unlimited",
})  # fmt: skip
_DATES = ("date", "date-time")
_DEFAULT = lazy_pattern(r"\bdefaults?\b", re.IGNORECASE)
_FORMS = frozenset({
    "currency", "direction", "encoding", "format", "granularity", "interval", "lang", "language", "locale", "method",
    "mode", "order", "output", "resolution", "sort", "unit", "view",
})  # fmt: skip
"""What says how a result looks. Without it there is one form, not every form."""


def read_no_limit(slot: Slot) -> Iterator[Candidate]:
    """Yield "leave it out" or null for a word that sets no limit, or say that this is possible."""
    word = slot.value.strip().lower() if isinstance(slot.value, str) else ""
    if says_everything(word):
        yield from _read_everything(slot)
    elif word in _NEVER and not _is_choice(slot):
        yield from _read_never(slot)


def _read_never(slot: Slot) -> Iterator[Candidate]:
    """Without an argument that is no date, the tool probably takes a number of its own."""
    is_date, is_nullable = slot.form in _DATES, "null" in slot.kinds
    if is_date and is_nullable:
        yield Candidate(None, confidence=0.85)
    elif is_nullable or (is_date and not _has_default(slot)):
        yield from _say_optional(slot)


def _read_everything(slot: Slot) -> Iterator[Candidate]:
    is_filter = _is_choice(slot) or slot.form in _DATES
    if not is_filter or any(map(says_everything, slot.choices)) or _has_default(slot):
        return
    is_form = not _FORMS.isdisjoint(map(stem, split_words(slot.name)))
    if slot.is_read_only and slot.is_optional and _is_choice(slot) and not is_form:
        yield Candidate(Instead.LEAVE_OUT, confidence=0.85, hint=f"{slot.label} is optional, so it can be left out")
    else:
        yield from _say_optional(slot)


def _say_optional(slot: Slot) -> Iterator[Candidate]:
    if "null" in slot.kinds:
        yield Candidate(Instead.FILL_IN, hint=f"{slot.label} may be null")
    elif slot.is_optional:
        yield Candidate(Instead.FILL_IN, hint=f"{slot.label} is optional")


def _is_choice(slot: Slot) -> bool:
    return bool(slot.choices) or "boolean" in slot.kinds


def _has_default(slot: Slot) -> bool:
    """Whether a tool takes another value than everything without the argument, as far as its schema says."""
    is_declared = any(layer.get("default") is not None for layer in slot.layers)
    text = slot.description
    return is_declared or (_DEFAULT.search(text) is not None and not WIDENS.search(text))
