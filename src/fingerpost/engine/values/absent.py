"""Values that mean "not given": `null`, `"None"`, `"N/A"`, `""`, an empty list or object.

They are left out if the argument is optional and the schema rejects them. A tool that may write can give `null` a
meaning (clear the field), so there it is only offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.matching.qualifiers import is_restricting
from fingerpost.engine.model import Grade
from fingerpost.engine.values.slot import Candidate, Instead, Slot, likely, lossless

_WORDS = frozenset({
    "", "null", "none", "nil", "undefined", "n/a", "-", "--", "\u2013", "\u2014", "<none>", "(none)", "<null>",
    "unspecified", "not specified", "not provided", "not given", "not applicable", "not set", "unset", "nothing",
})  # fmt: skip

_OFFERED = Candidate(Instead.LEAVE_OUT, Grade.OFFERED, 0.95, is_sure=True)


def is_absent_word(value: Any) -> bool:
    """Whether a text only says that there is no value."""
    return isinstance(value, str) and len(value) <= 16 and value.strip().lower() in _WORDS


def _may_restrict(slot: Slot) -> bool:
    """Whether a tool that may write would do more without the argument: `filter`, `dry_run`."""
    return not slot.is_read_only and is_restricting(slot.name)


def read_absence(slot: Slot) -> Iterator[Candidate]:
    """Yield "leave it out" for a value that means nothing."""
    value = slot.value
    if value is None:
        if slot.is_optional and not _may_restrict(slot):
            yield lossless(Instead.LEAVE_OUT) if slot.is_read_only else _OFFERED
    elif is_absent_word(value) or value in ([], {}) or (isinstance(value, str) and not value.strip()):
        if slot.is_optional and not _may_restrict(slot):
            yield likely(Instead.LEAVE_OUT)
        elif "null" in slot.kinds and isinstance(value, str) and value.strip():
            yield likely(None)
