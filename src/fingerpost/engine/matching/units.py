"""Units, currencies and time zones in the names of parameters: `timeout_ms`, `price_usd`, `time_utc`.

A value without its unit means nothing, so names with different units are different things, and so is a name without
one beside a name with one.
"""

from __future__ import annotations

from functools import lru_cache

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.lexicon import full_forms, is_common_word
from fingerpost.engine.matching.spelling import split_words, stem

_UNITS = {
    form: unit
    for unit in (
        "s sec second", "ms msec millisecond milli millis", "us usec microsecond micro", "ns nanosecond nano",
        "minute min", "h hr hour", "day", "week", "month", "year", "b byte", "kb kilobyte", "mb megabyte",
        "gb gigabyte", "tb terabyte", "kib", "mib", "gib", "tib", "bit", "kbit", "mbit", "gbit", "px pixel", "pt", "em",
        "rem", "mm millimeter", "cm centimeter", "m meter", "km kilometer", "inch in", "sqm", "sqft", "sqkm",
        "sqmi", "ft foot", "yd yard", "mi mile",
        "nm", "g gram", "mg milligram", "mcg ug microgram", "ng nanogram", "iu", "meq", "grain",
        "fps", "rpm", "bpm", "dpi", "ppm", "kg kilogram kilo", "lb pound", "oz ounce", "ton tonne", "ml milliliter",
        "l liter", "gal gallon", "c celsius", "f fahrenheit", "k kelvin", "hz hertz", "khz", "mhz", "ghz", "w watt",
        "kw", "mw", "wh", "kwh", "mwh", "v volt", "kv", "mv", "a amp", "ma", "j joule", "kj", "ev", "kev", "mev", "pa",
        "kpa", "bar", "psi", "mol", "mmol", "cent", "percent pct percentage", "bps", "kbps", "mbps", "gbps", "mps",
        "kmh kph", "mph", "deg degree", "rad radian", "acre", "hectare", "calorie", "kcal",
        "db decibel", "dbm", "lufs", "hpa", "mbar", "nit", "lumen", "lux", "knot", "fathom", "rps", "qps", "lpm", "gpm",
        "usd dollar", "eur euro", "gbp", "jpy yen", "cny rmb yuan", "inr rupee", "chf", "aud", "cad", "nzd", "sek",
        "nok", "dkk", "pln", "brl", "mxn", "krw", "zar", "btc bitcoin", "eth", "satoshi sat", "wei", "gwei",
        "utc gmt", "cet", "cest", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "jst", "ist", "bst", "aest",
    )
    for form in unit.split()
}  # fmt: skip
_PREFIXED_UNIT = lazy_pattern(
    r"(?:quecto|femto|pico|nano|micro|milli|centi|deci|kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi)"
    r"(?:meter|metre|liter|litre|gram|byte|bit|watt|volt|hertz|second|pascal|joule|ampere|mole|newton|ohm)s?$"
)
_OTHER_MEANINGS = frozenset({
    "a", "amp", "b", "in", "bar", "bit", "bst", "c", "cad", "calorie", "cst", "db", "deg", "degree", "em", "est", "eth",
    "f", "foot", "g", "h", "ist", "j", "k", "kilo", "l", "m", "ma", "mi", "micro", "milli", "min", "mol", "mst", "nano",
    "nm", "nok", "pa", "pt", "rad", "rem", "s", "sat", "sek", "us", "v", "w", "wei",
})  # fmt: skip
"""Forms that mean something else more often. They count only against another unit, or behind a quantity."""
_LONGEST_SYMBOL = 5
_LAST_LETTERS = frozenset("cfghklmsvw")
"""Single letters that are a unit at the end of a name: `fade_s`, `nozzle_c`."""
_WHICH_ONE = frozenset({"second", "minute", "hour", "day", "week", "month", "year"})
"""In the singular these say which one (`birth_year`), in the plural how many (`max_days`)."""
_QUANTITIES = frozenset({
    "acceleration", "age", "altitude", "amount", "angle", "area", "bandwidth", "bearing", "brightness", "consumption",
    "current", "depth", "diameter", "displacement", "dosage", "dose", "elevation", "energy", "flow", "force", "gain",
    "heading", "humidity", "level", "load", "mileage", "perimeter", "power", "precipitation", "pressure", "range",
    "resistance", "rotation", "span", "spread", "thickness", "threshold", "throughput", "torque", "velocity",
    "attenuation", "density", "intensity", "loudness", "luminosity", "noise", "pace", "visibility", "voltage",
    "wattage", "wavelength", "yield", "at",
    "balance", "budget", "capacity", "cooldown", "cost", "date", "deadline", "delay", "distance",
    "duration", "elapsed", "end", "expiry", "fee", "frequency", "height", "income", "interval", "latency", "length",
    "limit", "mass", "memory", "offset", "period", "price", "radius", "rate", "retention", "revenue", "salary", "size",
    "sleep", "speed", "start", "temp", "temperature", "time", "timeout", "timestamp", "total", "ttl", "value", "volume",
    "wait", "weight", "width", "window",
})  # fmt: skip
"""Words for what is measured. Behind them, even a single letter is a unit (`timeout_s`)."""
_NO_UNITS = frozenset({
    "after", "at", "average", "before", "begin", "bound", "cap", "code", "count", "date", "default", "end", "eq",
    "factor", "field", "first", "floor", "from", "ge", "gt", "gte", "high", "id", "index", "key", "kind", "last", "le",
    "level", "limit", "low", "lower", "lt", "lte", "max", "maximum", "min", "minimum", "mode", "name", "nr", "number",
    "offset", "range", "ratio", "scale", "since", "start", "step", "target", "to", "total", "type", "unit", "until",
    "upper", "value",
})  # fmt: skip
"""What may follow a quantity and says which value it is, not in which unit: `price_max`."""
_LENGTHS_OF_TIME = frozenset({
    "cooldown", "delay", "downtime", "duration", "elapsed", "expiry", "interval", "lifetime", "period", "retention",
    "runtime", "sleep", "span", "time", "timeout", "ttl", "uptime", "wait", "window",
})  # fmt: skip
"""What is measured in minutes. Behind any other word, `min` is the smallest value (`price_min`)."""


def unit_of(word: str) -> str | None:
    """Return the unit that a word names, in one spelling: `secs` and `seconds` are equal, `ms` and `s` are not."""
    unit = _UNITS.get(word) or _UNITS.get(stem(word))
    return unit or (stem(word) if _PREFIXED_UNIT.match(word) else None)


def have_other_units(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether two names, given by their words, have different units, or only one of them has one."""
    return _units_in(ours) != _units_in(theirs)


def has_unit(name: str) -> bool:
    """Whether a name says in which unit its value is."""
    return bool(_units_in(split_words(name)))


def last_unit(name: str) -> str | None:
    """Return the unit that a name ends with, in one spelling."""
    words = split_words(name)
    return _unit_at(words, len(words) - 1) if len(words) > 1 else None


def differ_only_by_unit(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether two names are the same except for the unit: `timeout` and `timeout_ms`."""
    rest, other = _without_units(ours), _without_units(theirs)
    if not rest or len(rest) != len(other) or not have_other_units(ours, theirs):
        return False
    return all(not {*full_forms(a)}.isdisjoint(full_forms(b)) for a, b in zip(rest, other, strict=True))


def may_differ_by_unit(one: str, other: str) -> bool:
    """Whether two names are the same except for a word that may be a unit: `flow_lpm`, `flow_gph` and `flow`.

    No list of units is complete, so a short word that is no ordinary word counts as one, and so does any word behind a
    quantity (`length_beats`) that does not say which value it is (`length_max`).
    """
    ours, theirs = sorted((split_words(one), split_words(other)), key=len)
    if ours and theirs[:-1] == ours:
        return _may_be_unit_behind(theirs[-1], ours[-1])
    places = [place for place, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]]
    if len(ours) != len(theirs) or len(places) != 1 or not places[0]:
        return False
    behind, units = ours[places[0] + 1 :], (ours[places[0]], theirs[places[0]])
    is_same = unit_of(units[0]) is not None and unit_of(units[0]) == unit_of(units[1])
    return not is_same and all(map(str.isdigit, behind)) and all(map(_may_be_unit, units))


def unknown_unit(name: str) -> str | None:
    """Return the last word of a name, if it is short, no word, and no known unit: `lph`."""
    words = split_words(name)
    if len(words) < 2 or unit_of(words[-1]) or not _may_be_unit(words[-1]):
        return None
    return words[-1]


def _may_be_unit(word: str) -> bool:
    if unit_of(word):
        return True
    return 1 < len(word) <= _LONGEST_SYMBOL and len(full_forms(word)) == 1 and not is_common_word(word)


def _may_be_unit_behind(word: str, before: str) -> bool:
    if {word, stem(word)} & _NO_UNITS or not word.isalpha():
        return False
    return _may_be_unit(word) or stem(before) in _QUANTITIES


@lru_cache(maxsize=4096)
def _units_in(words: tuple[str, ...]) -> frozenset[str]:
    found = (_unit_at(words, place) for place in range(len(words)))
    return frozenset(unit for unit in found if unit)


def _without_units(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems of a name except its unit, and `in` in front of that."""
    places = [place for place in range(len(words)) if not _unit_at(words, place)]
    return tuple([stem(words[place]) for place in places if words[place] != "in" or place + 1 in places])


def _unit_at(words: tuple[str, ...], place: int) -> str | None:
    """Return the unit that a word of a name stands for, if it does in this place."""
    word, is_last = words[place], place == len(words) - 1
    unit = unit_of(word)
    if unit is None or (word == "in" and not is_last):
        return None
    before = stem(words[place - 1]) if place else ""
    if before and is_last and word in _LAST_LETTERS:
        return unit
    if word == "min" and before != "in":
        return unit if before in _LENGTHS_OF_TIME and words[:place] != ("time",) else None
    is_clear = before in _QUANTITIES or before == "in"
    return unit if is_clear or not _has_other_meaning(word) else None


def _has_other_meaning(word: str) -> bool:
    return word in _WHICH_ONE or not _OTHER_MEANINGS.isdisjoint((word, stem(word)))
