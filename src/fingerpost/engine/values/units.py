"""Numbers with a unit in text: `"10 items"`, `"10px"`, `"5 minutes"`, `"21 °C"`, `"$5"`, `"50%"`.

A number is never converted. It is offered with a hint that names the unit. If the name or the description of the
parameter, or an argument beside it (`currency`, `unit`), names another unit, the caller has to fill in the number. So
it is with a factor (`10k`), and with money and rates (`50 EUR`, `50 per month`) that neither of them names. A
percentage is only a number for a parameter that takes percentages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.matching.units import last_unit, unit_of, unknown_unit
from fingerpost.engine.phrases import encode_json, parameter_label
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.values.exact import parse_exact, parse_thousands
from fingerpost.engine.values.id_names import names_id
from fingerpost.engine.values.money import MONEY_SIGNS, is_currency, is_minor_unit, is_rate, says_unit
from fingerpost.engine.values.slot import Candidate, Instead, Slot

_MAX_LENGTH = 40
_LONGEST_SYMBOL = 3
_DEGREES = "\u00b0\u00ba"
_WORD = r"[^\W\d_]+"
_QUANTITY = lazy_pattern(
    rf"\+?(-?[0-9][0-9.]*)\s*({_WORD}(?:/{_WORD})?|[{_DEGREES}]\s?[CFKcfk]?|[%\u2103\u2109\u00a2{MONEY_SIGNS}])"
    rf"(?:[\s-]({_WORD}))?\.?"
)
_PREFIXED = lazy_pattern(rf"([A-Z]{{0,3}}[{MONEY_SIGNS}]|[A-Z]{{3}})\s?(-?[0-9][0-9.]*)")
_SYMBOLS = {
    "$": "usd",
    "US$": "usd",
    "\u20ac": "eur",
    "\u00a3": "gbp",
    "\u00a5": "jpy",
    "\u20b9": "inr",
    "\u20a9": "krw",
    "\u20bf": "btc",
    "\u00a2": "cent",
    "%": "percent",
    "\u00b0": "degree",
    "\u2103": "celsius",
    "\u2109": "fahrenheit",
    "km/h": "kmh",
    "m/s": "mps",
}
SOURCE_WORDS = frozenset({"from", "source", "src", "input", "original", "of", "the"})
_ANY_QUANTITY = frozenset({"amount", "measurement", "number", "quantity", "size", "value"})
_UNIT_NAMES = frozenset({"unit", "uom"})
_CURRENCY_NAMES = frozenset({"currency", "ccy", "unit", "asset", "coin"})
_MONEY = lazy_pattern(rf"[A-Z]{{0,3}}[{MONEY_SIGNS}]|[A-Z]{{3,5}}")
_PERCENT = "percentage"
_NEAR_MINUTES = frozenset({"millisecond", "second", "hour", "day"})
"""Units that a caller converts to minutes: `min` may be the unit or the smallest value, so their number is not it."""
_FACTORS = frozenset({
    "k", "m", "b", "g", "t", "bn", "mn", "mio", "thousand", "million", "billion", "trillion", "hundred", "dozen",
    "score", "lakh", "crore",
})  # fmt: skip
"""What multiplies a number: the number alone would be another one."""
_DIRECTIONS = frozenset({
    "above", "after", "ago", "back", "backward", "before", "below", "down", "forward", "left", "less", "more", "off",
    "out", "right", "short", "up",
})  # fmt: skip
"""What says where a number goes, so that the number alone means something else."""
_COMPASS = frozenset({"north", "south", "east", "west"})
_COMPASS_LETTERS = frozenset("nsewo")
_COORDINATES = frozenset({"coord", "coordinate", "lat", "latitude", "lng", "lon", "long", "longitude"})
_PARTS_OF_NUMBERS = frozenset({"e", "x", "st", "nd", "rd", "th"})
_LETTERS_OF_QUANTITIES = {"K": frozenset({"temp", "temperature"}), "g": frozenset({"weight", "mass", "dose", "dosage"})}
"""Factors that are a unit behind the name of a quantity."""
_TEMPERATURES = frozenset({"celsius", "fahrenheit", "kelvin"})
_IN_DEGREES = lazy_pattern(rf"\b(celsius|fahrenheit|kelvin)\b|[{_DEGREES}]\s?([CFK])\b", re.IGNORECASE)
_UNITS_OF_ONE_LETTER = frozenset({"s", "h", "d"})
_SAME_UNITS = {
    "ct": "cent", "d": "day", "feet": "foot", "metre": "meter", "litre": "liter", "kilometre": "kilometer",
    "kilowatt": "kw", "kilohertz": "khz", "megahertz": "mhz", "gigahertz": "ghz",
}  # fmt: skip
_IN_DESCRIPTION = lazy_pattern(r"(?:\b(?:in|as|of)\s+|[(\[]\s*(?:in\s+)?)([^\W\d_]{1,20})\b")
_RATE = lazy_pattern(r"[^\W\d_]{2,20}\s+per\s+[^\W\d_]{2,20}", re.IGNORECASE)
_PLURALS = {
    "percentage": "percent", "celsius": "degrees Celsius", "fahrenheit": "degrees Fahrenheit", "kelvin": "kelvin",
    "hertz": "hertz", "inch": "inches", "foot": "feet", "day": "days", "bit": "bits", "amp": "amps",
}  # fmt: skip
_PLURAL = lazy_pattern(r"\b([^\W\d_]{4,20}s|percent(?:age)?)\b", re.IGNORECASE)
_PERCENT_SIGN = lazy_pattern(r"[0-9]\s?%|[(\[]%|\bin %")


def read_quantity(slot: Slot) -> Iterator[Candidate]:
    """Yield the number in front of a unit, or a request to fill in the number in the right unit."""
    if not isinstance(slot.value, str) or not {"integer", "number"} & {*slot.kinds}:
        return
    found = _find_quantity(slot.value, slot)
    if found is None:
        return
    unit = found.unit
    wanted, quoted = find_units(slot), encode_json(clean(unit))
    if _says_direction(unit, slot):
        yield Candidate(Instead.FILL_IN, hint=f"{slot.label} takes a number: it cannot say {quoted}")
    elif _is_factor(unit, slot):
        hint = f"{slot.label} takes a number in digits: write out what {quoted} stands for"
        yield Candidate(Instead.FILL_IN, hint=hint)
    elif contradiction := _find_contradiction(slot, unit, wanted):
        yield Candidate(Instead.FILL_IN, hint=contradiction)
    else:
        is_wanted = _canonical(unit) in wanted
        hint = "" if is_wanted else f"{slot.label} takes a number without a unit: check that it counts in {quoted}"
        yield Candidate(found.number, confidence=0.85 if is_wanted else 0.8, hint=hint)
        if found.thousands is not None:
            yield Candidate(found.thousands, confidence=0.8, hint=hint)


class Quantity(NamedTuple):
    """A number and its unit, as they are written."""

    number: int | float
    unit: str
    thousands: int | None = None
    """The other number, if the point may group thousands."""


def find_quantity(slot: Slot) -> Quantity | None:
    """Return a number with one reading and its unit in letters, which neither multiplies it nor says where it goes."""
    if not isinstance(slot.value, str) or not {"integer", "number"} & {*slot.kinds}:
        return None
    found = _find_quantity(slot.value, slot)
    if found is None or found.thousands is not None or not found.unit.isalpha():
        return None
    return None if _says_direction(found.unit, slot) or _is_factor(found.unit, slot) else found


def read_in_unit(slot: Slot) -> int | float | None:
    """Return the number of a text whose unit is the one that the parameter is named after."""
    quantity = find_quantity(slot) if last_unit(slot.name) else None
    return quantity.number if quantity and _canonical(quantity.unit) in find_units(slot) else None


def takes_unit(name: str, unit: str) -> bool:
    """Whether a parameter takes the kind of unit that was sent: a currency, or another one."""
    words = split_words(name)
    is_money = _MONEY.fullmatch(unit) is not None or is_currency(unit, "amount")
    return bool(words) and stem(words[-1]) in (_CURRENCY_NAMES if is_money else _UNIT_NAMES)


def is_same_unit(one: str, other: str) -> bool:
    """Whether two texts name the same unit. Symbols have to be equal, because case distinguishes them (`mW`, `MW`)."""
    is_long = max(len(one), len(other)) > _LONGEST_SYMBOL and min(len(one), len(other)) > 1
    return one == other or (is_long and name_unit(one) is not None and name_unit(one) == name_unit(other))


def _find_contradiction(slot: Slot, unit: str, wanted: list[str]) -> str:
    """Say why the number of a text is not the one that the parameter takes; empty if it may be."""
    quoted, named = encode_json(clean(unit)), _canonical(unit)
    if wanted:
        is_same = _is_wanted(unit, wanted)
        return "" if is_same else f"{slot.label} takes a number in {plural(wanted[0])}, {quoted} is another unit"
    own = unknown_unit(slot.name)
    if own and named != own and not slot.name.lower().endswith("id"):
        return f"{slot.label} takes a number in {own}, {quoted} is another unit"
    if named == _PERCENT and not _counts_to_hundred(slot):
        return f"{slot.label} takes a number, not a percentage"
    if named in _NEAR_MINUTES and split_words(slot.name)[-1:] == ("min",):
        return f"{slot.label} takes a number, and does not say that it counts in {quoted}"
    return "" if says_unit(unit, slot.name, slot.description) else _compare_with_siblings(slot, unit, named)


def _is_wanted(unit: str, wanted: list[str]) -> bool:
    """Whether a unit is one that the parameter counts in: degrees are those of any temperature, and `c` is a cent."""
    named = _canonical(unit)
    if named in wanted or (named in _TEMPERATURES and wanted == ["degree"]):
        return True
    return wanted == ["cent"] and unit.lower() == "c"


def _compare_with_siblings(slot: Slot, unit: str, named: str) -> str:
    """Say which argument beside this one names another unit, or should name this one."""
    quoted = encode_json(clean(unit))
    beside = {name: value for name, value in slot.siblings.items() if takes_unit(name, unit) and _is_for(name, slot)}
    given = {name: _canonical(value) for name, value in beside.items() if isinstance(value, str)}
    if named in given.values():
        return ""
    if given:
        return f"{slot.label} says {quoted}, but {parameter_label((next(iter(given)),))} names another unit"
    if is_rate(unit):
        return f"{slot.label} takes a number: it cannot say {quoted}"
    free = [name for name in beside if _is_choice(unit, slot.choices_beside.get(name, ()))]
    if free:
        return f"Give the unit {quoted} in {parameter_label((free[0],))}"
    if is_minor_unit(unit, slot.name) or is_currency(unit, slot.name):
        return f"{slot.label} takes a number, and does not say that it counts in {quoted}"
    return ""


def _is_for(name: str, slot: Slot) -> bool:
    """Whether a parameter for a unit is about this value: `temperature_unit` is not about `longitude`."""
    about, own = ({*map(stem, words)} for words in (split_words(name)[:-1], split_words(slot.name)))
    return about <= own | SOURCE_WORDS or own <= _ANY_QUANTITY


def _is_choice(unit: str, choices: Sequence[Any]) -> bool:
    """Whether a parameter with these choices takes the unit; without choices it takes any but a part of a currency."""
    if not choices:
        return not is_minor_unit(unit)
    return any(isinstance(choice, str) and is_same_unit(choice, unit) for choice in choices)


def _canonical(unit: str) -> str:
    bare = unit.strip()
    return name_unit(bare) or name_unit(bare.lstrip(_DEGREES + " ")) or bare.lower()


def _counts_to_hundred(slot: Slot) -> bool:
    """Whether a parameter has the range of a percentage."""
    return any(layer.get("minimum") == 0 and layer.get("maximum") == 100 for layer in slot.layers)


def _says_direction(unit: str, slot: Slot) -> bool:
    """Whether a word says where a number goes; behind a coordinate, a letter does."""
    last = unit.split()[-1].lower()
    if unit.lower() in _DIRECTIONS or last in _COMPASS:
        return True
    return last in _COMPASS_LETTERS and not _COORDINATES.isdisjoint(map(stem, split_words(slot.name)))


def _find_quantity(text: str, slot: Slot) -> Quantity | None:
    """Return the number and the unit of a text such as `10 px` or `$5`."""
    if len(text) > _MAX_LENGTH or names_id(slot.name):
        return None
    bare = text.strip()
    if found := _PREFIXED.fullmatch(bare):
        digits, unit = found[2], found[1]
    elif found := _QUANTITY.fullmatch(bare):
        digits, unit = found[1], " ".join(filter(None, found.groups()[1:]))
    else:
        return None
    number = parse_exact(digits, slot.kinds)
    is_wanted = last_unit(slot.name) is not None and unit_of(unit.lower()) == last_unit(slot.name)
    is_unit = is_wanted or _is_factor(unit, slot) or _is_unit(unit, bare, slot)
    return Quantity(number, unit, parse_thousands(digits)) if number is not None and is_unit else None


def _is_factor(unit: str, slot: Slot) -> bool:
    """Whether a word behind a number multiplies it, unless the parameter counts in the unit of that name."""
    word = unit.split()[0].lower()
    last = split_words(slot.name)[-1:]
    if word not in _FACTORS or {*last} & _LETTERS_OF_QUANTITIES.get(unit, frozenset()):
        return False
    return _canonical(unit) not in find_units(slot)


def _is_unit(unit: str, text: str, slot: Slot) -> bool:
    """Whether a word behind a number can be a unit. A letter, or a word without a space, may be a part of an id."""
    word = unit.split()[0].lower()
    if word in _PARTS_OF_NUMBERS:
        return False
    if unit in _SYMBOLS or word in _UNITS_OF_ONE_LETTER or unit[0] in _DEGREES or _MONEY.fullmatch(unit):
        return True
    if len(word) == 1:  # `temp: "210C"`: behind the name of a quantity, a letter is a unit
        return last_unit("_".join((*split_words(slot.name)[-1:], word))) is not None
    return name_unit(unit) is not None or " " in text


def name_unit(word: str) -> str | None:
    """Return the longest name of a unit: `ms`, `msec` and `milliseconds` are all `millisecond`."""
    single = _SYMBOLS.get(word) or stem(word.lower())
    unit = unit_of(_SAME_UNITS.get(single, single))
    return _longest_name(unit) if unit else None


def _longest_name(unit: str) -> str:
    return max(unit.split(), key=len)


def find_units(slot: Slot) -> list[str]:
    """Return the units that the name or the description of a parameter names."""
    named = "" if _is_lower_bound(slot) else _find_unit_of_name(slot.name)
    return [named] if named else _find_described_units(slot.description[:500])


def _find_unit_of_name(name: str) -> str:
    words = split_words(name)
    last = words[-1] if words else ""
    if unit := last_unit(name):
        return _longest_name(unit)
    is_named = (len(last) > 1 and last != "min") or (last in ("s", "h") and len(words) > 1)
    return (name_unit(last) if is_named else None) or ""


def _is_lower_bound(slot: Slot) -> bool:
    """Whether `min` at the end of a name stands for the smallest value, as a parameter for the largest one shows."""
    words = split_words(slot.name)
    return words[-1:] == ("min",) and any(split_words(name) == (*words[:-1], "max") for name in slot.siblings)


def _find_described_units(text: str) -> list[str]:
    if _RATE.search(text):
        return []  # neither of its two units is that of the number
    if degrees := [unit for found in _IN_DEGREES.finditer(text) if (unit := name_unit(found[1] or found[2]))]:
        return list(dict.fromkeys(degrees))
    candidates = [*_IN_DESCRIPTION.findall(text), *_PLURAL.findall(text)]
    found = [unit for word in candidates if len(word) > 1 and (unit := name_unit(word))]
    found += [_PERCENT] if _PERCENT_SIGN.search(text) else []
    return list(dict.fromkeys(found))


def plural(unit: str) -> str:
    return _PLURALS.get(unit) or (f"{unit}s" if len(unit) > 3 and not unit.endswith("s") else unit)
