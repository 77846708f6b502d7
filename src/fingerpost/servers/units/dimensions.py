"""Dimensions: products of base dimensions, with the names that people use for them.

Pseudo-dimensions (angle, information, count …) are dimensionless in physics. They are kept apart here, so that an
angle does not convert to a ratio, nor revolutions per minute to hertz.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_SYNONYMS = {
    "speed": "velocity", "distance": "length", "height": "length", "width": "length", "weight": "mass",
    "duration": "time", "torque": "energy", "work": "energy", "heat": "energy", "data": "information",
    "storage": "information", "bandwidth": "data rate", "bitrate": "data rate", "amount of substance": "substance",
    "electric current": "current", "electric charge": "charge", "luminous intensity": "luminosity",
    "rotational speed": "angular velocity", "viscosity": "dynamic viscosity", "flow": "volumetric flow",
    "flow rate": "volumetric flow", "fuel economy": "distance per volume", "dimensionless": "ratio",
    "stress": "pressure", "potential": "voltage", "activity": "radioactivity",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dimension:
    """Base dimensions and their powers, without zero powers."""

    powers: frozenset[tuple[str, int]] = frozenset()

    def __mul__(self, other: Dimension) -> Dimension:
        sums = dict(self.powers)
        for base, power in other.powers:
            sums[base] = sums.get(base, 0) + power
        return Dimension(frozenset((base, power) for base, power in sums.items() if power))

    def __pow__(self, power: int) -> Dimension:
        return Dimension(frozenset((base, one * power) for base, one in self.powers if power))

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    @property
    def size(self) -> int:
        """The number of base dimensions, counted with their powers."""
        return sum(abs(power) for _, power in self.powers)


DIMENSIONLESS = Dimension()


@dataclass(slots=True)
class Dimensions:
    """All dimensions that have a name."""

    by_name: dict[str, Dimension] = field(default_factory=dict[str, Dimension])
    bases: list[str] = field(default_factory=list[str])
    pseudo: set[str] = field(default_factory=set[str])

    def define(self, heading: str) -> str:
        """Add the dimension of one heading (`mass`, `angle ~`, `velocity = length time^-1`) and return its name."""
        name, is_derived, factors = (part.strip() for part in heading.partition("="))
        if not is_derived:
            name, is_pseudo, _ = (part.strip() for part in name.partition("~"))
            self.bases.append(name)
            self.pseudo |= {name} if is_pseudo else set()
            self.by_name[name] = Dimension(frozenset({(name, 1)}))
        else:
            self.by_name[name] = self._parse_product(factors.split())
        return name

    def _parse_product(self, factors: Iterable[str]) -> Dimension:
        product = DIMENSIONLESS
        for factor in factors:
            name, _, power = factor.partition("^")
            product *= self.by_name[name.replace("_", " ")] ** int(power or 1)
        return product

    def common_name(self, dimension: Dimension) -> str:
        """The everyday name of a dimension, such as `force`; empty if it has none."""
        return next((name for name, one in self.by_name.items() if one == dimension), "")

    def canonical_name(self, name: str) -> str:
        """The name used here for a synonym: `velocity` for `Speed`. Other names are returned in lower case."""
        plain = " ".join(name.replace("_", " ").casefold().split())
        return _SYNONYMS.get(plain, plain)

    def formula(self, dimension: Dimension) -> str:
        """A dimension in terms of base dimensions: `mass·length/time²`."""
        return format_quotient({base: dict(dimension.powers).get(base, 0) for base in self.bases}) or "1"

    def display_name(self, dimension: Dimension) -> str:
        return self.common_name(dimension) or self.formula(dimension)

    def differ_only_in_pseudo(self, one: Dimension, other: Dimension) -> bool:
        return {base for base, _ in (one / other).powers} <= self.pseudo

    def pseudo_difference(self, one: Dimension, other: Dimension) -> list[str]:
        """The pseudo-dimensions in which the two differ."""
        difference = {base for base, _ in (one / other).powers}
        return [base for base in self.bases if base in difference & self.pseudo]


def format_quotient(powers: Mapping[str, int]) -> str:
    """Format names and powers as people write them: `kg·m/s²`, `W/(m²·K)`, `1/s`. The result can be parsed again."""
    if list(powers.values()) == [1]:
        return next(iter(powers))
    above = [_format_power(name, power) for name, power in powers.items() if power > 0]
    below = [_format_power(name, -power) for name, power in powers.items() if power < 0]
    if not below:
        return "·".join(above)
    return f"{'·'.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + '·'.join(below) + ')'}"


def _format_power(name: str, power: int) -> str:
    base = name if all(one.isalpha() or one in "°%‰" for one in name) else f"({name})"
    return base if power == 1 else base + str(power).translate(_SUPERSCRIPTS)
