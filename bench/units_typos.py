"""How misspelt units are read by the units server: how many are repaired, how many of those rightly, at what cost."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from functools import cache
from random import Random
from string import ascii_lowercase

from fingerpost.matching import lexicon
from fingerpost.servers.units.conversion import converted
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.guesses import is_usual
from fingerpost.servers.units.suggestions import ConversionError, resolve_unit
from fingerpost.servers.units.vocabulary import vocabulary

Row = tuple[str, str, str]

_SEED, _EACH, _GARBAGE = 7, 6, 2_000
_KEYS = dict(zip("abcdefghijklmnopqrstuvwxyz", "snvfrdgjokpljbpqwtdyicxztx", strict=True))
_AROUND = ("{}", "m/{}", "kg*{}^2", "{}/s", "J/({}*K)", "W/(m²·{})", "1/{}")


def rows() -> list[Row]:
    tried = list(typos(every=False))
    all_tried = list(typos(every=True))
    return [
        *_judged("everyday units", tried),
        *_judged("all units", all_tried),
        ("words of English with a fix", f"{sum(_has_fix(word) for word in _words())} of {len(_words()):,}", "0"),
        ("strings without meaning with a fix", f"{sum(map(_has_fix, _garbage()))} of {_GARBAGE:,}", "0"),
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


def _fix(text: str) -> dict[str, str] | None:
    error = resolve_unit(text)
    return error.likely_fix if isinstance(error, ConversionError) else None


def _has_fix(word: str) -> bool:
    return _fix(word) is not None


def typos(*, every: bool, seed: int = _SEED, each: int = _EACH) -> Iterator[tuple[str, str]]:
    """Texts with one slip in the name of a unit, alone and inside compounds, that are no unit any more."""
    random = Random(seed)
    for name, unit in vocabulary().named.items():
        if not unit.is_plain or len(name) < 4 or not (every or is_usual(unit)):
            continue
        for _ in range(each):
            around = random.choice(_AROUND)
            text = around.format(slipped(name, random))
            if not isinstance(resolve_unit(text), Compound):
                yield text, around.format(name)


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
    tiers = lexicon.read("words.z")
    import zlib

    return tuple(sorted(zlib.decompress(tiers).decode().split())[::15])


def _garbage() -> Iterator[str]:
    random = Random(_SEED)
    for _ in range(_GARBAGE):
        yield "".join(random.choices(ascii_lowercase, k=random.randint(5, 9)))


def _taken(source: str, target: str) -> float:
    times: list[float] = []
    for number in range(300):
        start = time.perf_counter()
        try:
            converted(number, source, target)
        except ConversionError:
            pass
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    for row in rows():
        print(f"{row[0]:45} {row[1]:>20}   {row[2]}")
