"""The values that a rejected value may stand for. One file for each kind of value.

Each reader looks at a `Slot` (the value and what the schema wants) and yields candidates with a grade. Readers know
nothing of the rest of the call, and the validator has the last word on every candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.values.absent import read_absence
from fingerpost.engine.values.booleans import read_boolean
from fingerpost.engine.values.choices import read_choice
from fingerpost.engine.values.containers import read_container
from fingerpost.engine.values.dates import is_epoch, read_date
from fingerpost.engine.values.details import read_details
from fingerpost.engine.values.fields import read_only_field
from fingerpost.engine.values.initials import read_initial
from fingerpost.engine.values.known_codes import read_known_code
from fingerpost.engine.values.labels import read_label
from fingerpost.engine.values.lists import read_list, unwrap_only_item
from fingerpost.engine.values.no_limit import read_no_limit
from fingerpost.engine.values.numbers import read_number
from fingerpost.engine.values.pairs import read_pairs
from fingerpost.engine.values.patterns import read_pattern
from fingerpost.engine.values.periods import read_period
from fingerpost.engine.values.slot import Candidate, Instead, Slot
from fingerpost.engine.values.sort_orders import read_sort_order
from fingerpost.engine.values.unit_choices import read_unit_choice
from fingerpost.engine.values.units import read_quantity
from fingerpost.engine.values.uuids import read_uuid

__all__ = ["Candidate", "Instead", "Slot", "find_candidates"]


def find_candidates(slot: Slot) -> Iterator[Candidate]:
    """Yield what the value may stand for, surest first. A label or a member of a known set has one meaning."""
    if known := [*read_known_code(slot), *read_label(slot)]:
        yield from known
        return
    for read in _READERS:
        yield from read(slot)


def _write_number(slot: Slot) -> Iterator[Candidate]:
    """Yield a number as text. It may be an id, whose spelling as a number lost something."""
    if is_number(slot.value) and abs(slot.value) < 10**20 and "string" in slot.kinds and not is_epoch(slot):
        yield Candidate(str(slot.value), confidence=0.95, is_sure=True)


_READERS: tuple[Callable[[Slot], Iterator[Candidate]], ...] = (
    read_choice,
    read_sort_order,
    read_unit_choice,
    read_initial,
    read_period,
    read_container,
    read_number,
    read_boolean,
    read_absence,
    read_no_limit,
    read_date,
    read_quantity,
    read_details,
    read_pattern,
    read_uuid,
    read_list,
    _write_number,
    read_only_field,
    read_pairs,
    unwrap_only_item,
)
