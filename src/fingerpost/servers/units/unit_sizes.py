"""Sizes of units, from pint, as exact fractions where possible."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

from fingerpost.servers.units.vocabulary import Unit

_MAX_EXPONENT = 400


def to_root_units(value: Fraction, unit: Unit) -> Fraction:
    """Convert a value from a unit to the root unit of its dimension."""
    if unit.kind == "offset":
        return _registry().convert(value, unit.definition, "kelvin")
    if unit.kind == "log":
        return _power_of_ten(value / 10) * unit_size(unit)
    return value * unit_size(unit)


def from_root_units(value: Fraction, unit: Unit) -> Fraction:
    """The inverse of `to_root_units`; `ValueError` if there is no logarithm."""
    if unit.kind == "offset":
        return _registry().convert(value, "kelvin", unit.definition)
    if unit.kind == "log":
        return 10 * _logarithm(value / unit_size(unit))
    return value / unit_size(unit)


def _power_of_ten(exponent: Fraction) -> Fraction:
    """Ten to a power, clamped outside the range of floats so that it stays different from 0."""
    whole, rest = divmod(exponent, 1)
    return Fraction(10) ** max(-_MAX_EXPONENT, min(whole, _MAX_EXPONENT)) * Fraction(str(10 ** float(rest)))


def _logarithm(value: Fraction) -> Fraction:
    return Fraction(str(math.log10(value.numerator) - math.log10(value.denominator)))


@cache
def unit_size(unit: Unit) -> Fraction:
    """The size of a unit in the root units of its dimension."""
    factor, _ = _registry().get_root_units(_pint_name(unit))
    return Fraction(factor) * (Fraction(unit.scale.base) ** unit.scale.exponent if unit.scale else 1)


def _pint_name(unit: Unit) -> str:
    """The name of a unit in pint, which is defined first if the definition is ours."""
    if unit.definition.isidentifier():
        return unit.definition
    name = f"{unit.definition} = {unit.name}".translate(_TO_IDENTIFIER)
    _registry().define(f"{name} = {unit.definition}")
    return name


_TO_IDENTIFIER = {ord(character): "_" for character in " =*/.-+"} | {
    ord(str(digit)): chr(97 + digit) for digit in range(10)
}


@cache
def _registry() -> Any:
    """The pint registry. Importing pint takes more than half a second, so it is imported on first use."""
    import pint

    registry: Any = pint.UnitRegistry
    return registry(non_int_type=Fraction)
