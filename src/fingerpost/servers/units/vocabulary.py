"""Which units there are, and under which spellings.

The list is kept by hand: a registry that takes every prefix before every unit reads `mt` as a millitonne.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from fingerpost.servers.units.dimensions import Dimension, Dimensions

_DATA = Path(__file__).parent / "data"
_IRREGULAR = {"foot": "feet", "inch": "inches", "century": "centuries", "henry": "henries", "millennium": "millennia"}
_WORD = 4
_INVARIANT = ("s", "x", "z")
_SEPARATORS = re.compile(r"[\s_\-]+")


@dataclass(frozen=True, slots=True)
class Scale:
    """A prefix: `kilo (k)`, 10³."""

    names: tuple[str, ...]
    symbols: tuple[str, ...]
    base: int
    exponent: int


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of the list, or one of those with a prefix."""

    name: str
    symbol: str
    dimension: Dimension
    kind: str
    definition: str
    scale: Scale | None = None

    @property
    def label(self) -> str:
        """How a person reads it: `kilogram (kg)`."""
        return f"{self.name} ({self.symbol})" if self.symbol not in ("", self.name) else self.name

    @property
    def short(self) -> str:
        return self.symbol or self.name

    @property
    def is_plain(self) -> bool:
        """Whether it can be part of a product: it has no zero of its own, and is no logarithm."""
        return self.kind not in ("offset", "log")


class Remark(NamedTuple):
    """What to say of some spellings to those who want one of some dimensions."""

    spellings: tuple[str, ...]
    dimensions: tuple[str, ...]
    said: str


class Vocabulary:
    """All units and spellings, read once."""

    def __init__(self) -> None:
        self.scales = list(_scales())
        self.dimensions = Dimensions()
        self.units: dict[str, list[Unit]] = {}
        self.symbols: dict[str, Unit] = {}
        self.words: dict[str, Unit] = {}
        for title, lines in _sections("units.txt"):
            dimension = self.dimensions.define(title)
            self.units[dimension] = [self._taken_in(line, self.dimensions.by_name[dimension]) for line in lines]
        also, refused, read_as, everyday = (lines for _, lines in _sections("spellings.txt"))
        self.also = {_folded(spelling): said for spelling, _, said in (line.partition(" = ") for line in also)}
        self.refused = {spelling: said for spelling, _, said in (line.partition(": ") for line in refused)}
        self.read_as = [_remark(line) for line in read_as]
        self.everyday = {symbol for line in everyday for symbol in _listed(line)}

    def _taken_in(self, line: str, dimension: Dimension) -> Unit:
        columns = [column.strip() for column in line.split("|")] + [""] * 5
        name, kind, definition = columns[0], columns[3], columns[4]
        symbols, others = _listed(columns[1]), _listed(columns[2])
        unit = Unit(name, symbols[0] if symbols else "", dimension, kind, definition or name.replace(" ", "_"))
        self.symbols.update((_folded(symbol), unit) for symbol in symbols)
        self.words.update((form.casefold(), unit) for word in (name, *others) for form in _forms(word))
        return unit

    def find(self, spelling: str) -> Unit | None:
        """The unit that is spelt so; `None` where there is none, or more than one that it may be."""
        if self.refusal(spelling):
            return None
        spelling = _folded(spelling)
        spelling = self.also.get(spelling, spelling)
        known = self.symbols.get(spelling) or self.words.get(spelling.casefold())
        return known or next(self._scaled(spelling), None)

    def refusal(self, spelling: str) -> str:
        """What to write instead of a spelling that many use for more than one thing: words in any case."""
        spelling = _folded(spelling)
        in_any_case = self.refused.get(spelling.casefold(), "") if len(spelling) >= _WORD else ""
        return self.refused.get(spelling, in_any_case)

    def _scaled(self, spelling: str) -> Iterator[Unit]:
        word = spelling.casefold()
        for scale in self.scales:
            for symbol in scale.symbols:
                unit = self.symbols.get(spelling.removeprefix(symbol)) if spelling.startswith(symbol) else None
                if unit and unit.kind != "words" and takes(unit, scale):
                    yield self.scaled(unit, scale)
            for name in scale.names:
                unit = self.words.get(word.removeprefix(name)) if word.startswith(name) else None
                if unit and takes(unit, scale):
                    yield self.scaled(unit, scale)

    def scaled(self, unit: Unit, scale: Scale) -> Unit:
        """A unit with a prefix before it; without a symbol where that would be read as something else."""
        symbol = scale.symbols[0] + unit.symbol if unit.symbol and unit.kind != "words" else ""
        if any(symbol in taken for taken in (self.refused, self.symbols, self.also)):
            symbol = ""
        return Unit(scale.names[0] + unit.name, symbol, unit.dimension, unit.kind, unit.definition, scale)

    @cached_property
    def named(self) -> dict[str, Unit]:
        """Every unit by its name, those with prefixes too: what may have been meant by a misspelling."""
        every = [unit for units in self.units.values() for unit in units]
        more = (self.scaled(unit, scale) for unit, scale in product(every, self.scales) if takes(unit, scale))
        return {unit.name: unit for unit in (*every, *more)}


def takes(unit: Unit, scale: Scale) -> bool:
    """Whether a prefix may stand before a unit."""
    if scale.base == 2 or unit.kind == "binary":
        return unit.kind == "binary" and scale.exponent > 2
    return unit.kind in ("*", "+", "words")


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary()


def _sections(file: str) -> Iterator[tuple[str, list[str]]]:
    text = (_DATA / file).read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, *lines = section.strip().splitlines()
        yield title, [line for line in lines if line]


def _scales() -> Iterator[Scale]:
    for base, lines in _sections("scales.txt"):
        for line in lines:
            names, symbols, exponent = line.split("|")
            yield Scale(_listed(names), _listed(symbols), int(base), int(exponent))


def _remark(line: str) -> Remark:
    spellings, dimensions, said = line.split(" | ")
    return Remark(_listed(spellings), _listed(dimensions), said)


def _listed(column: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in column.split(",") if part.strip())


def _folded(spelling: str) -> str:
    """A spelling in the characters that are compared, several words with one space between them."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", spelling)).strip()


def _forms(name: str) -> Iterator[str]:
    """A name in the singular and in the plural: `degrees Celsius`, `nautical miles`, `feet`."""
    first, *rest = name.split()
    *before, last = name.split()
    yield from (name, " ".join([_plural(first), *rest]), " ".join([*before, _plural(last)]))


def _plural(word: str) -> str:
    return _IRREGULAR.get(word) or (word if word.endswith(_INVARIANT) else f"{word}s")
