"""What is measured: products of base dimensions, by the names that people give them.

Pseudo-dimensions (angle, information, count …) have no dimension in physics. They are kept apart all the same: an
angle is no ratio, and a revolution per minute is no hertz.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_ALSO_CALLED = {
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
    """Base dimensions and their powers, none of them 0."""

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
        """How many base dimensions it takes, counted by their powers."""
        return sum(abs(power) for _, power in self.powers)


NONE = Dimension()


@dataclass(slots=True)
class Dimensions:
    """All dimensions that have a name."""

    by_name: dict[str, Dimension] = field(default_factory=dict[str, Dimension])
    bases: list[str] = field(default_factory=list[str])
    pseudo: set[str] = field(default_factory=set[str])

    def define(self, heading: str) -> str:
        """Take in one heading: `mass`, `angle ~`, `velocity = length time^-1`. Gives its name."""
        name, is_derived, parts = (part.strip() for part in heading.partition("="))
        if not is_derived:
            name, is_pseudo, _ = (part.strip() for part in name.partition("~"))
            self.bases.append(name)
            self.pseudo |= {name} if is_pseudo else set()
            self.by_name[name] = Dimension(frozenset({(name, 1)}))
        else:
            self.by_name[name] = self._made_of(parts.split())
        return name

    def _made_of(self, parts: Iterable[str]) -> Dimension:
        made = NONE
        for part in parts:
            name, _, power = part.partition("^")
            made *= self.by_name[name.replace("_", " ")] ** int(power or 1)
        return made

    def usual_name(self, dimension: Dimension) -> str:
        """What people call it: `force`; nothing where they have no word for it."""
        return next((name for name, one in self.by_name.items() if one == dimension), "")

    def meant(self, name: str) -> str:
        """The name that a dimension has here: `velocity` for `Speed`; that name itself where there is no other."""
        plain = " ".join(name.replace("_", " ").casefold().split())
        return _ALSO_CALLED.get(plain, plain)

    def formula(self, dimension: Dimension) -> str:
        """What it is made of: `mass·length/time²`."""
        return quotient({base: dict(dimension.powers).get(base, 0) for base in self.bases}) or "1"

    def called(self, dimension: Dimension) -> str:
        return self.usual_name(dimension) or self.formula(dimension)

    def is_apart(self, one: Dimension, other: Dimension) -> bool:
        """Whether only pseudo-dimensions stand between the two."""
        return {base for base, _ in (one / other).powers} <= self.pseudo

    def apart(self, one: Dimension, other: Dimension) -> list[str]:
        """The pseudo-dimensions that stand between the two."""
        between = {base for base, _ in (one / other).powers}
        return [base for base in self.bases if base in between & self.pseudo]


def quotient(powers: Mapping[str, int]) -> str:
    """Names and their powers as people write them: `kg·m/s²`, `W/(m²·K)`, `1/s`. It can be read back."""
    if list(powers.values()) == [1]:
        return next(iter(powers))
    above = [_raised(name, power) for name, power in powers.items() if power > 0]
    below = [_raised(name, -power) for name, power in powers.items() if power < 0]
    if not below:
        return "·".join(above)
    return f"{'·'.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + '·'.join(below) + ')'}"


def _raised(name: str, power: int) -> str:
    whole = name if all(one.isalpha() or one in "°%‰" for one in name) else f"({name})"
    return whole if power == 1 else whole + str(power).translate(_RAISED)
