"""How misspelt units are read by the units server: how many are repaired, how many of those rightly, at what cost."""

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
from fingerpost.servers.units.conversion import converted
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.letter_case import is_in_use, is_usual
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
    """What is measured; `each` is how many slips are tried per unit, of every `step`th unit and word."""
    words, garbage = _words()[::step], list(_garbage())[::step]
    return [
        *_judged("everyday units", list(typos(every=False, each=each, step=step))),
        *_judged("all units", list(typos(every=True, each=each, step=step))),
        *_judged_cases(list(case_slips(step=step))),
        ("words of English with a fix", f"{sum(map(_has_fix, words))} of {len(words):,}", "0"),
        ("strings without meaning with a fix", f"{sum(map(_has_fix, garbage))} of {len(garbage):,}", "at most 0.2 %"),
        ("right conversion", f"{_taken('km/h', 'mph') * 1e6:.0f} µs", "under 200 µs"),
        ("misspelt unit", f"{_taken('km/huor', 'mph') * 1e3:.1f} ms", "under 10 ms"),
    ]


def _judged(name: str, tried: list[tuple[str, str]]) -> Iterator[Row]:
    """Each typo is a text that is no unit, beside the text that it was made of."""
    fixed = [(resolve_unit(fix["value"]), resolve_unit(meant)) for text, meant in tried if (fix := _fix(text))]
    right = sum(one == other for one, other in fixed)
    broken = sum(isinstance(one, ConversionError) for one, _ in fixed)
    yield f"typos of {name} with a fix", f"{len(fixed) / len(tried):.1%} of {len(tried):,}", "at least 70 %"
    yield "  of those the unit that was meant", f"{right / len(fixed):.2%}", "at least 99 %"
    yield "  of those not understood when sent back", f"{broken}", "0"


def _judged_cases(tried: list[tuple[str, str]]) -> Iterator[Row]:
    fixed = [(fix["value"], meant) for text, meant in tried if (fix := _fix(text))]
    wrong = sum(not is_same(value, meant) for value, meant in fixed)
    yield "slips of case with a fix", f"{len(fixed) / len(tried):.1%} of {len(tried):,}", "at least 25 %"
    yield "  of those another unit than was meant", f"{wrong}", "0"


def is_same(one: str, other: str) -> bool:
    """Whether two texts stand for one unit: `sq ft` is `ft²`, though it is spelt as another."""
    try:
        return resolve_unit(one) == resolve_unit(other) or converted(1, one, other)[1].number == 1
    except ConversionError:
        return False


def _fix(text: str) -> dict[str, str] | None:
    error = resolve_unit(text)
    return error.likely_fix if isinstance(error, ConversionError) else None


def _has_fix(word: str) -> bool:
    return _fix(word) is not None


def typos(*, every: bool, seed: int = _SEED, each: int = _EACH, step: int = 1) -> Iterator[tuple[str, str]]:
    """Texts with one slip in the name of a unit, alone and inside compounds, that are no unit any more."""
    random = Random(seed)
    for name, unit in list(vocabulary().named.items())[::step]:
        if not unit.is_plain or len(name) < 4 or not (every or is_usual(unit)):
            continue
        for _ in range(each):
            around = random.choice(_AROUND)
            text = around.format(slipped(name, random))
            if not isinstance(resolve_unit(text), Compound):
                yield text, around.format(name)


def case_slips(*, step: int = 1) -> Iterator[tuple[str, str]]:
    """Symbols and compounds with a slip of the shift key that are no unit any more: all letters, none, or one wrong.

    `B` and `b` stay: who writes one for the other names another unit, and no one can tell.
    """
    symbols = [symbol for unit in vocabulary().named.values() if (symbol := unit.symbol) and is_in_use(unit)]
    for meant in dict.fromkeys([*_COMPOUNDS, *vocabulary().symbols, *vocabulary().everyday, *symbols[::step]]):
        flipped = (meant[:at] + meant[at].swapcase() + meant[at + 1 :] for at in range(len(meant)))
        for text in dict.fromkeys([_cased(meant, str.upper), _cased(meant, str.lower), *flipped]):
            has_kept = text.count("b") == meant.count("b") or "b" not in meant.casefold()
            if has_kept and isinstance(resolve_unit(meant), Compound) and not isinstance(resolve_unit(text), Compound):
                yield text, meant


def _cased(text: str, case: Callable[[str], str]) -> str:
    return "".join(letter if letter in "bB" else case(letter) for letter in text)


def slipped(name: str, random: Random) -> str:
    """A name with one letter dropped, doubled, swapped with the next, put in, or hit beside its key."""
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
    """Every fifteenth word of the dictionary that the matching uses."""
    return tuple(sorted(zlib.decompress(lexicon.read("words.z")).decode().split())[::15])


def _garbage() -> Iterator[str]:
    random = Random(_SEED)
    for _ in range(_GARBAGE):
        yield "".join(random.choices(ascii_lowercase, k=random.randint(5, 9)))


def _taken(source: str, target: str) -> float:
    times: list[float] = []
    for number in range(300):
        start = time.perf_counter()
        with suppress(ConversionError):
            converted(number, source, target)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    for row in rows():
        print(f"{row[0]:45} {row[1]:>20}   {row[2]}")
