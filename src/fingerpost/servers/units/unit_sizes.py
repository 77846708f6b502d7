"""How large units are: what pint knows of them, in exact fractions wherever it can be exact."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

from fingerpost.servers.units.vocabulary import Unit

_BEYOND = 400


def to_root(value: Fraction, unit: Unit) -> Fraction:
    """So much of a unit, in the root unit of its dimension."""
    if unit.kind == "offset":
        return _registry().convert(value, unit.definition, "kelvin")
    if unit.kind == "log":
        return _tenfold(value / 10) * size(unit)
    return value * size(unit)


def from_root(value: Fraction, unit: Unit) -> Fraction:
    """The way back; `ValueError` where there is no logarithm."""
    if unit.kind == "offset":
        return _registry().convert(value, "kelvin", unit.definition)
    if unit.kind == "log":
        return 10 * _logarithm(value / size(unit))
    return value / size(unit)


def _tenfold(power: Fraction) -> Fraction:
    """Ten to some power, held at what is beyond every number, either way, so that it can be told from 0."""
    whole, rest = divmod(power, 1)
    return Fraction(10) ** max(-_BEYOND, min(whole, _BEYOND)) * Fraction(str(10 ** float(rest)))


def _logarithm(value: Fraction) -> Fraction:
    return Fraction(str(math.log10(value.numerator) - math.log10(value.denominator)))


@cache
def size(unit: Unit) -> Fraction:
    """A unit in terms of the root units of its dimension."""
    factor, _ = _registry().get_root_units(_known_as(unit))
    return Fraction(factor) * (Fraction(unit.scale.base) ** unit.scale.exponent if unit.scale else 1)


def _known_as(unit: Unit) -> str:
    """The name by which pint has a unit, given to it first where the definition is ours."""
    if unit.definition.isidentifier():
        return unit.definition
    name = f"{unit.definition} = {unit.name}".translate(_AS_A_NAME)
    _registry().define(f"{name} = {unit.definition}")
    return name


_AS_A_NAME = {ord(character): "_" for character in " =*/.-+"} | {
    ord(str(digit)): chr(97 + digit) for digit in range(10)
}


@cache
def _registry() -> Any:
    """Reading pint and its definitions takes more than half a second, so it is done when first needed."""
    import pint

    registry: Any = pint.UnitRegistry
    return registry(non_int_type=Fraction)
