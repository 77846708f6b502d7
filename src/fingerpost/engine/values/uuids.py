"""UUIDs in another notation: in braces, behind `urn:uuid:`, or without hyphens.

Offered only if the schema rejects the text as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.values.slot import Candidate, Slot

_LONGEST = 64
_UUID = lazy_pattern(
    r"(?i:urn:uuid:)?\{?([0-9a-fA-F]{8})(-?)([0-9a-fA-F]{4})\2([0-9a-fA-F]{4})\2([0-9a-fA-F]{4})\2([0-9a-fA-F]{12})\}?"
)


def read_uuid(slot: Slot) -> Iterator[Candidate]:
    """Yield the UUID in its usual notation."""
    if not isinstance(slot.value, str) or slot.keyword not in ("format", "pattern") or len(slot.value) > _LONGEST:
        return
    if found := _UUID.fullmatch(slot.value.strip()):
        parts = [part for part in found.groups() if part not in ("", "-")]
        yield Candidate("-".join(parts), confidence=0.9)
