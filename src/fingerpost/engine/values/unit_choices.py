"""Units among choices in another form: `m` for `metre`, `kilometres` for `km`, and the number of `"120 l"` for `120`.

All choices have to be units, so that a short one means nothing else. Case distinguishes symbols (`mW`, `MW`; `b`, `B`),
so a symbol counts only as it is usually written.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.values.slot import Candidate, Slot
from fingerpost.engine.values.units import name_unit, read_in_unit

_MAX_LENGTH = 24
_MOST_CHOICES = 100
_LONGEST_SYMBOL = 3
_SYMBOLS = frozenset({"KB", "MB", "GB", "TB", "C", "F", "K", "Hz", "kHz", "MHz", "GHz", "kW", "kWh"})
"""Symbols with a capital letter that mean one unit."""
_UNCLEAR = {
    "m": frozenset({"minute", "month", "million"}), "min": frozenset({"minimum"}), "b": frozenset({"bit", "byte"}),
    "ton": frozenset({"tonne"}), "tonne": frozenset({"ton"}), "tons": frozenset({"tonne"}),
    "tonnes": frozenset({"ton"}), "t": frozenset({"ton", "tonne", "terabyte"}),
}  # fmt: skip
"""Forms that may stand for another unit, if one of these is a choice."""


def read_unit_choice(slot: Slot) -> Iterator[Candidate]:
    """Yield the choice that is the same unit, or the same number in the unit of the parameter."""
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH or not 2 <= len(slot.choices) <= _MOST_CHOICES:
        return
    text = slot.value.strip()
    same = _find_same_unit(text, slot) if text.isalpha() else _find_same_number(slot)
    if len(same) == 1:
        yield Candidate(same[0], confidence=0.85)


def _find_same_unit(text: str, slot: Slot) -> list[str]:
    wanted = name_unit(text) if _is_clear(text) else None
    if wanted is None:
        return []
    units = {choice: name_unit(choice) for choice in slot.choices if isinstance(choice, str)}
    if len(units) < len(slot.choices) or not all(units.values()):
        return []
    unclear = _UNCLEAR.get(text.lower(), frozenset())
    if any(choice.lower() in unclear or units[choice] in unclear for choice in units):
        return []
    return [choice for choice, unit in units.items() if unit == wanted and _is_clear(choice)]


def _is_clear(text: str) -> bool:
    """Whether a text is the name of a unit, or a symbol in its usual case."""
    return len(text) > _LONGEST_SYMBOL or text.islower() or text in _SYMBOLS


def _find_same_number(slot: Slot) -> list[str]:
    """Return the choices that are the number of a text, if its unit is the one that the parameter is named after."""
    number = read_in_unit(slot._replace(kinds=("number",)))
    return [] if number is None else [choice for choice in slot.choices if choice == str(number)]
