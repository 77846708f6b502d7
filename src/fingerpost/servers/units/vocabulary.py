"""The known units, and the spellings under which each is found.

The list is maintained by hand: a registry that accepts every prefix before every unit reads `mt` as a millitonne.
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
_IRREGULAR_PLURALS = {
    "foot": "feet", "inch": "inches", "century": "centuries", "henry": "henries", "millennium": "millennia",
}  # fmt: skip
_SHORTEST_WORD = 4
_INVARIANT_ENDINGS = ("s", "x", "z")
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
    """A unit of the list, with or without a prefix."""

    name: str
    symbol: str
    dimension: Dimension
    kind: str
    definition: str
    scale: Scale | None = None

    @property
    def label(self) -> str:
        """Name and symbol for people: `kilogram (kg)`."""
        return f"{self.name} ({self.symbol})" if self.symbol not in ("", self.name) else self.name

    @property
    def short(self) -> str:
        return self.symbol or self.name

    @property
    def is_plain(self) -> bool:
        """Whether it can be part of a product: it has no zero point of its own and is not a logarithm."""
        return self.kind not in ("offset", "log")


class Remark(NamedTuple):
    """What to tell a caller who used one of these spellings where one of these dimensions was needed."""

    spellings: tuple[str, ...]
    dimensions: tuple[str, ...]
    text: str


class Vocabulary:
    """All units and spellings, loaded once."""

    def __init__(self) -> None:
        self.scales = list(_load_scales())
        self.dimensions = Dimensions()
        self.units: dict[str, list[Unit]] = {}
        self.symbols: dict[str, Unit] = {}
        self.words: dict[str, Unit] = {}
        for title, lines in _load_sections("units.txt"):
            dimension = self.dimensions.define(title)
            self.units[dimension] = [self._add_unit(line, self.dimensions.by_name[dimension]) for line in lines]
        aliases, refusals, remarks, everyday = (lines for _, lines in _load_sections("spellings.txt"))
        self.aliases = {_normalize(alias): name for alias, _, name in (line.partition(" = ") for line in aliases)}
        self.refusals = {spelling: advice for spelling, _, advice in (line.partition(": ") for line in refusals)}
        self.remarks = [_parse_remark(line) for line in remarks]
        self.everyday = {symbol for line in everyday for symbol in _split_list(line)}

    def _add_unit(self, line: str, dimension: Dimension) -> Unit:
        columns = [column.strip() for column in line.split("|")] + [""] * 5
        name, kind, definition = columns[0], columns[3], columns[4]
        symbols, other_words = _split_list(columns[1]), _split_list(columns[2])
        unit = Unit(name, symbols[0] if symbols else "", dimension, kind, definition or name.replace(" ", "_"))
        self.symbols.update((_normalize(symbol), unit) for symbol in symbols)
        self.words.update((form.casefold(), unit) for word in (name, *other_words) for form in _inflections(word))
        return unit

    def find(self, spelling: str) -> Unit | None:
        """The unit with this spelling; `None` if there is none, or if the spelling is ambiguous."""
        if self.refusal(spelling):
            return None
        spelling = _normalize(spelling)
        spelling = self.aliases.get(spelling, spelling)
        known = self.symbols.get(spelling) or self.words.get(spelling.casefold())
        return known or next(self._find_prefixed(spelling), None)

    def refusal(self, spelling: str) -> str:
        """What to write instead of an ambiguous spelling; empty for others. Words are compared in any case."""
        spelling = _normalize(spelling)
        in_any_case = self.refusals.get(spelling.casefold(), "") if len(spelling) >= _SHORTEST_WORD else ""
        return self.refusals.get(spelling, in_any_case)

    def _find_prefixed(self, spelling: str) -> Iterator[Unit]:
        word = spelling.casefold()
        for scale in self.scales:
            for symbol in scale.symbols:
                unit = self.symbols.get(spelling.removeprefix(symbol)) if spelling.startswith(symbol) else None
                if unit and unit.kind != "words" and accepts_prefix(unit, scale):
                    yield self.add_prefix(unit, scale)
            for name in scale.names:
                unit = self.words.get(word.removeprefix(name)) if word.startswith(name) else None
                if unit and accepts_prefix(unit, scale):
                    yield self.add_prefix(unit, scale)

    def add_prefix(self, unit: Unit, scale: Scale) -> Unit:
        """The unit with a prefix; without a symbol if that symbol would mean something else."""
        symbol = scale.symbols[0] + unit.symbol if unit.symbol and unit.kind != "words" else ""
        if any(symbol in spellings for spellings in (self.refusals, self.symbols, self.aliases)):
            symbol = ""
        return Unit(scale.names[0] + unit.name, symbol, unit.dimension, unit.kind, unit.definition, scale)

    @cached_property
    def by_name(self) -> dict[str, Unit]:
        """Every unit by its name, prefixed ones included: the candidates for a misspelling."""
        units = [unit for group in self.units.values() for unit in group]
        pairs = product(units, self.scales)
        prefixed = (self.add_prefix(unit, scale) for unit, scale in pairs if accepts_prefix(unit, scale))
        return {unit.name: unit for unit in (*units, *prefixed)}


def accepts_prefix(unit: Unit, scale: Scale) -> bool:
    if scale.base == 2 or unit.kind == "binary":
        return unit.kind == "binary" and scale.exponent > 2
    return unit.kind in ("*", "+", "words")


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary()


def _load_sections(file: str) -> Iterator[tuple[str, list[str]]]:
    text = (_DATA / file).read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, *lines = section.strip().splitlines()
        yield title, [line for line in lines if line]


def _load_scales() -> Iterator[Scale]:
    for base, lines in _load_sections("scales.txt"):
        for line in lines:
            names, symbols, exponent = line.split("|")
            yield Scale(_split_list(names), _split_list(symbols), int(base), int(exponent))


def _parse_remark(line: str) -> Remark:
    spellings, dimensions, text = line.split(" | ")
    return Remark(_split_list(spellings), _split_list(dimensions), text)


def _split_list(column: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in column.split(",") if part.strip())


def _normalize(spelling: str) -> str:
    """A spelling in NFKC, with one space between words."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", spelling)).strip()


def _inflections(name: str) -> Iterator[str]:
    """A name in the singular and in the plural: `degrees Celsius`, `nautical miles`, `feet`."""
    first, *rest = name.split()
    *before, last = name.split()
    yield from (name, " ".join([_pluralize(first), *rest]), " ".join([*before, _pluralize(last)]))


def _pluralize(word: str) -> str:
    return _IRREGULAR_PLURALS.get(word) or (word if word.endswith(_INVARIANT_ENDINGS) else f"{word}s")
