"""Chains of factors: each takes units of what stands before it away, as in dimensional analysis on paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fingerpost.servers.units.conversion import total
from fingerpost.servers.units.dimensions import NONE
from fingerpost.servers.units.expressions import HIGHEST, Compound
from fingerpost.servers.units.fix_verification import mended
from fingerpost.servers.units.quantities import Quantity, checked, exact, out_of_range, resolved
from fingerpost.servers.units.suggestions import ConversionError, build_lone_unit_error
from fingerpost.servers.units.vocabulary import Unit, vocabulary


@dataclass(frozen=True, slots=True)
class Factor:
    """So many of the numerator for one of the denominator."""

    value: float
    numerator: str
    denominator: str


def computed(value: float, unit: str, factors: Sequence[Factor]) -> list[Quantity]:
    """What is reached from a quantity, factor by factor, the quantity itself first."""
    units = {"initial_unit": unit}
    for step, one in enumerate(factors):
        units |= {f"factors[{step}].numerator": one.numerator, f"factors[{step}].denominator": one.denominator}
    return mended(lambda texts: list(_computed(value, texts, factors)), units)


def _computed(value: float, units: Mapping[str, str], factors: Sequence[Factor]) -> Iterator[Quantity]:
    start = checked(exact(value, "initial_value"), "initial_value")
    reached = Quantity(start, _multipliable(units["initial_unit"], "initial_unit"))
    yield reached
    for step, factor in enumerate(factors):
        at = f"factors[{step}]"
        reached = _multiplied(reached, Factor(factor.value, units[f"{at}.numerator"], units[f"{at}.denominator"]), step)
        yield reached


def _multiplied(before: Quantity, factor: Factor, step: int) -> Quantity:
    at = f"factors[{step}]"
    value = checked(exact(factor.value, f"{at}.value", step), f"{at}.value", step)
    above = _multipliable(factor.numerator, f"{at}.numerator", step)
    below = _multipliable(factor.denominator, f"{at}.denominator", step)
    if value == 0:
        raise out_of_range("A factor of 0 relates no units", 0, "a number other than 0", f"{at}.value", step)
    if not _cancels(before.unit, above, below):
        raise _uncancelled(before.unit, below, factor, step)
    unit, number = _simplified(_product(_compound(_product(before.unit, above)), below, -1))
    if any(abs(power) > HIGHEST for _, power in unit.terms):
        message = f"The unit reaches a power higher than {HIGHEST}"
        raise out_of_range(message, unit.symbol, "units that cancel", f"{at}.numerator", step)
    return Quantity(checked(before.value * value * number, f"{at}.value", step), unit)


def _multipliable(text: str, parameter: str, step: int | None = None) -> Compound:
    unit = resolved(text, parameter, step)
    if unit.single and not unit.single.is_plain:
        raise build_lone_unit_error(text, unit.single, parameter, step)
    return unit


def _cancels(before: Compound, above: Compound, below: Compound) -> bool:
    """Whether a factor takes something away from what stands before it. Plain numbers may be multiplied by all."""
    one, more, less = before.dimension, above.dimension, below.dimension
    is_number = NONE in (one, more / less)
    return is_number or (one / less).size < one.size + less.size or (one * more).size < one.size + more.size


def _uncancelled(before: Compound, below: Compound, factor: Factor, step: int) -> ConversionError:
    called = vocabulary().dimensions.called
    have, want = called(below.dimension), called(before.dimension)
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


def _simplified(powers: dict[Unit, int]) -> tuple[Compound, Fraction]:
    """Units without those that cancel but for their size (kg and g), and the number which that leaves."""
    before = _compound(powers)
    for one in powers:
        for other in powers:
            if one.dimension == other.dimension and powers[one] > 0 > powers[other]:
                count = min(powers[one], -powers[other])
                powers[one] -= count
                powers[other] += count
    left = _compound(powers)
    if len(left.terms) > 1:  # what is only a number is multiplied in: 50 % of 200 kg is 100 kg
        left = _compound({unit: power for unit, power in left.terms if unit.dimension != NONE})
        left = left if left.dimension != NONE else Compound()
    return left, total(before) / total(left) if left != before else Fraction(1)


def _product(one: Compound, other: Compound, sign: int = 1) -> dict[Unit, int]:
    powers = dict(one.terms)
    for unit, power in other.terms:
        powers[unit] = powers.get(unit, 0) + sign * power
    return powers


def _compound(powers: Mapping[Unit, int]) -> Compound:
    return Compound(tuple((unit, power) for unit, power in powers.items() if power))
