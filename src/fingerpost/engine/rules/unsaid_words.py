"""A word that a name may leave unsaid: `decision` for `decision_no`, `nozzle_temp_c` for `nozzle_c`.

A number that identifies something is often called by the thing alone. A unit says which quantity is meant, if it
measures only one: degrees are a temperature, but metres are a length, a height or a distance.
"""

from __future__ import annotations

from typing import Any

from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.matching.units import last_unit

_NUMBERS = frozenset({"no", "nr", "num", "number"})
_QUANTITIES = {
    form: frozenset(words.split())
    for forms, words in (
        ("c celsius f fahrenheit k kelvin", "temp temperature"),
        ("mg g gram kg kilogram lb pound oz ounce", "weight mass"),
        ("ml milliliter l liter gal gallon", "volume"),
        ("hz hertz khz mhz ghz", "frequency"),
        ("v volt kv mv", "voltage"),
        ("w watt kw mw", "power"),
    )
    for form in forms.split()
}  # fmt: skip


def leaves_word_unsaid(stray: str, name: str, value: Any) -> bool:
    """Whether two names differ only by a word that goes without saying, for this value."""
    sent, known = split_words(stray), split_words(name)
    if known[:-1] == sent and known[-1] in _NUMBERS:
        return isinstance(value, str) and any(map(str.isdigit, value)) and len(value.split()) == 1
    unit = last_unit(stray)
    if unit is None or unit != last_unit(name) or len(sent) < 3:
        return False
    unsaid = _QUANTITIES.get(stem(sent[-1]), frozenset())
    return sent[-2] in unsaid and (*sent[:-2], sent[-1]) == known
