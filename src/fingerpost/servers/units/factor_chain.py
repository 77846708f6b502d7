"""Multiply a quantity by a chain of factors, each of which must cancel units, as in dimensional analysis on paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fingerpost.servers.units.conversion import compound_size
from fingerpost.servers.units.dimensions import DIMENSIONLESS
from fingerpost.servers.units.expressions import MAX_POWER, Compound
from fingerpost.servers.units.fix_verification import run_with_verified_fix
from fingerpost.servers.units.quantities import (
    Quantity,
    build_out_of_range_error,
    check_representable,
    require_unit,
    to_fraction,
)
from fingerpost.servers.units.suggestions import ConversionError, build_lone_unit_error
from fingerpost.servers.units.vocabulary import Unit, vocabulary


@dataclass(frozen=True, slots=True)
class Factor:
    """How many of the numerator there are for one of the denominator."""

    value: float
    numerator: str
    denominator: str


def multiply_by_factors(value: float, unit: str, factors: Sequence[Factor]) -> list[Quantity]:
    """The initial quantity, and the quantity after each factor; raises `ConversionError`."""
    units = {"initial_unit": unit}
    for step, one in enumerate(factors):
        units |= {f"factors[{step}].numerator": one.numerator, f"factors[{step}].denominator": one.denominator}
    return run_with_verified_fix(lambda texts: list(_multiply_all(value, texts, factors)), units)


def _multiply_all(value: float, units: Mapping[str, str], factors: Sequence[Factor]) -> Iterator[Quantity]:
    start = check_representable(to_fraction(value, "initial_value"), "initial_value")
    current = Quantity(start, _require_multipliable(units["initial_unit"], "initial_unit"))
    yield current
    for step, factor in enumerate(factors):
        at = f"factors[{step}]"
        current = _multiply(current, Factor(factor.value, units[f"{at}.numerator"], units[f"{at}.denominator"]), step)
        yield current


def _multiply(before: Quantity, factor: Factor, step: int) -> Quantity:
    at = f"factors[{step}]"
    value = check_representable(to_fraction(factor.value, f"{at}.value", step), f"{at}.value", step)
    above = _require_multipliable(factor.numerator, f"{at}.numerator", step)
    below = _require_multipliable(factor.denominator, f"{at}.denominator", step)
    if value == 0:
        message = "A factor of 0 relates no units"
        raise build_out_of_range_error(message, 0, "a number other than 0", f"{at}.value", step)
    if not _cancels(before.unit, above, below):
        raise _no_cancellation_error(before.unit, below, factor, step)
    unit, number = _simplify(_product(_to_compound(_product(before.unit, above)), below, -1))
    if any(abs(power) > MAX_POWER for _, power in unit.terms):
        message = f"The unit reaches a power higher than {MAX_POWER}"
        raise build_out_of_range_error(message, unit.symbol, "units that cancel", f"{at}.numerator", step)
    return Quantity(check_representable(before.value * value * number, f"{at}.value", step), unit)


def _require_multipliable(text: str, parameter: str, step: int | None = None) -> Compound:
    unit = require_unit(text, parameter, step)
    if unit.single and not unit.single.is_plain:
        raise build_lone_unit_error(text, unit.single, parameter, step)
    return unit


def _cancels(before: Compound, above: Compound, below: Compound) -> bool:
    """Whether a factor cancels some of the units before it. Plain numbers can be multiplied by anything."""
    one, more, less = before.dimension, above.dimension, below.dimension
    is_number = DIMENSIONLESS in (one, more / less)
    return is_number or (one / less).size < one.size + less.size or (one * more).size < one.size + more.size


def _no_cancellation_error(before: Compound, below: Compound, factor: Factor, step: int) -> ConversionError:
    dimensions = vocabulary().dimensions
    have, want = dimensions.display_name(below.dimension), dimensions.display_name(before.dimension)
    return ConversionError(
        f"Step {step} does not cancel '{before.symbol}': {want} is not compatible with {have}",
        "dimension_mismatch",
        got=have,
        expected=want,
        parameter=f"factors[{step}].denominator",
        step=step,
        hints=[
            f"Before step {step} the unit is {before.symbol}; the denominator is {factor.denominator}",
            "The denominator of a factor cancels units of what stands before it",
        ],
    )


def _simplify(powers: dict[Unit, int]) -> tuple[Compound, Fraction]:
    """Cancel units of the same dimension (kg and g), and return the number that remains."""
    before = _to_compound(powers)
    for one in powers:
        for other in powers:
            if one.dimension == other.dimension and powers[one] > 0 > powers[other]:
                count = min(powers[one], -powers[other])
                powers[one] -= count
                powers[other] += count
    left = _to_compound(powers)
    if len(left.terms) > 1:  # multiply in dimensionless units: 50 % of 200 kg is 100 kg
        left = _to_compound({unit: power for unit, power in left.terms if unit.dimension != DIMENSIONLESS})
        left = left if left.dimension != DIMENSIONLESS else Compound()
    return left, compound_size(before) / compound_size(left) if left != before else Fraction(1)


def _product(one: Compound, other: Compound, sign: int = 1) -> dict[Unit, int]:
    powers = dict(one.terms)
    for unit, power in other.terms:
        powers[unit] = powers.get(unit, 0) + sign * power
    return powers


def _to_compound(powers: Mapping[Unit, int]) -> Compound:
    return Compound(tuple((unit, power) for unit, power in powers.items() if power))
