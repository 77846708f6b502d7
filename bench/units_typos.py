"""Measure how the units server reads misspelled units: how many it fixes, how many correctly, and how fast."""

from __future__ import annotations

import re
import statistics
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from random import Random
from string import ascii_lowercase

from fingerpost.engine.matching import lexicon
from fingerpost.servers.units.conversion import convert_value
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.letter_case import has_common_symbol, is_common
from fingerpost.servers.units.suggestions import ConversionError, resolve_unit
from fingerpost.servers.units.vocabulary import vocabulary

Row = tuple[str, str, str]

_SEED, _EACH, _GARBAGE = 7, 6, 2_000
_KEYS = dict(zip("abcdefghijklmnopqrstuvwxyz", "snvfrdgjokpljbpqwtdyicxztx", strict=True))
_COMPOUNDS = re.split(
    r"\s+",
    """km/h m/s km/s ft/s mi/h ft/min kg/m3 g/mL ng/mL mg/mL mg/dL mmol/L kW/m2 W/m2 W/(m2*K) J/(kg*K) kJ/kg kWh/d MB/s
    Mb/s kB/s MHz/s N/mm2 kN/m2 kg*m/s2 lb/ft3 mi/gal L/min Pa*s uF/cm mV/s mA/cm2 kV/mm g/mol mg/kg ug/L""",
)
_AROUND = ("{}", "m/{}", "kg*{}^2", "{}/s", "J/({}*K)", "W/(m²·{})", "1/{}")


def rows(each: int = _EACH, step: int = 1) -> list[Row]:
    """The measurements, with `each` typos per unit, of every `step`th unit and word."""
    words, garbage = _words()[::step], list(_garbage())[::step]
    return [
        *_typo_rows("everyday units", list(typos(every=False, each=each, step=step))),
        *_typo_rows("all units", list(typos(every=True, each=each, step=step))),
        *_case_rows(list(case_mistakes(step=step))),
        ("words of English with a fix", f"{sum(map(_has_fix, words))} of {len(words):,}", "0"),
        ("strings without meaning with a fix", f"{sum(map(_has_fix, garbage))} of {len(garbage):,}", "at most 0.2 %"),
        ("right conversion", f"{_median_time('km/h', 'mph') * 1e6:.0f} µs", "under 200 µs"),
        ("misspelled unit", f"{_median_time('km/huor', 'mph') * 1e3:.1f} ms", "under 10 ms"),
    ]


def _typo_rows(name: str, tried: list[tuple[str, str]]) -> Iterator[Row]:
    """Rows for pairs of a misspelled text and the text that it was made from."""
    fixed = [(resolve_unit(fix["value"]), resolve_unit(intended)) for text, intended in tried if (fix := _fix(text))]
    right = sum(one == other for one, other in fixed)
    broken = sum(isinstance(one, ConversionError) for one, _ in fixed)
    yield f"typos of {name} with a fix", f"{len(fixed) / len(tried):.1%} of {len(tried):,}", "at least 70 %"
    yield "  of those the unit that was meant", f"{right / len(fixed):.2%}", "at least 99 %"
    yield "  of those not understood when sent back", f"{broken}", "0"


def _case_rows(tried: list[tuple[str, str]]) -> Iterator[Row]:
    fixed = [(fix["value"], intended) for text, intended in tried if (fix := _fix(text))]
    wrong = sum(not is_same(value, intended) for value, intended in fixed)
    yield "slips of case with a fix", f"{len(fixed) / len(tried):.1%} of {len(tried):,}", "at least 25 %"
    yield "  of those another unit than was meant", f"{wrong}", "0"


def is_same(one: str, other: str) -> bool:
    """Whether two texts mean the same unit, as `sq ft` and `ft²` do."""
    try:
        return resolve_unit(one) == resolve_unit(other) or convert_value(1, one, other)[1].number == 1
    except ConversionError:
        return False


def _fix(text: str) -> dict[str, str] | None:
    error = resolve_unit(text)
    return error.likely_fix if isinstance(error, ConversionError) else None


def _has_fix(word: str) -> bool:
    return _fix(word) is not None


def typos(*, every: bool, seed: int = _SEED, each: int = _EACH, step: int = 1) -> Iterator[tuple[str, str]]:
    """Texts with one typo in the name of a unit, alone and inside compounds, that are no longer units."""
    random = Random(seed)
    for name, unit in list(vocabulary().by_name.items())[::step]:
        if not unit.is_plain or len(name) < 4 or not (every or is_common(unit)):
            continue
        for _ in range(each):
            around = random.choice(_AROUND)
            text = around.format(add_typo(name, random))
            if not isinstance(resolve_unit(text), Compound):
                yield text, around.format(name)


def case_mistakes(*, step: int = 1) -> Iterator[tuple[str, str]]:
    """Symbols and compounds in upper case, in lower case, or with one letter in the wrong case, that are not units.

    `B` and `b` stay as they are: exchanging them gives another valid unit.
    """
    symbols = [symbol for unit in vocabulary().by_name.values() if (symbol := unit.symbol) and has_common_symbol(unit)]
    for intended in dict.fromkeys([*_COMPOUNDS, *vocabulary().symbols, *vocabulary().everyday, *symbols[::step]]):
        flipped = (intended[:at] + intended[at].swapcase() + intended[at + 1 :] for at in range(len(intended)))
        for text in dict.fromkeys([_change_case(intended, str.upper), _change_case(intended, str.lower), *flipped]):
            has_kept = text.count("b") == intended.count("b") or "b" not in intended.casefold()
            if (
                has_kept
                and isinstance(resolve_unit(intended), Compound)
                and not isinstance(resolve_unit(text), Compound)
            ):
                yield text, intended


def _change_case(text: str, case: Callable[[str], str]) -> str:
    return "".join(letter if letter in "bB" else case(letter) for letter in text)


def add_typo(name: str, random: Random) -> str:
    """Drop, double, swap or insert one letter of a name, or replace it by a neighbouring key."""
    places = [at for at in range(1, len(name)) if name[at] in ascii_lowercase and name[at - 1] in ascii_lowercase]
    at = random.choice(places)
    return {
        "drop": name[:at] + name[at + 1 :],
        "double": name[:at] + name[at] + name[at:],
        "swap": name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :],
        "insert": name[:at] + random.choice(ascii_lowercase) + name[at:],
        "key": name[:at] + _KEYS[name[at]] + name[at + 1 :],
    }[random.choice(["drop", "double", "swap", "insert", "key"])]


@cache
def _words() -> tuple[str, ...]:
    """Every fifteenth word of the dictionary that matching uses."""
    return tuple(sorted(zlib.decompress(lexicon.read_table("words.z")).decode().split())[::15])


def _garbage() -> Iterator[str]:
    random = Random(_SEED)
    for _ in range(_GARBAGE):
        yield "".join(random.choices(ascii_lowercase, k=random.randint(5, 9)))


def _median_time(source: str, target: str) -> float:
    times: list[float] = []
    for number in range(300):
        start = time.perf_counter()
        with suppress(ConversionError):
            convert_value(number, source, target)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    for row in rows():
        print(f"{row[0]:45} {row[1]:>20}   {row[2]}")
