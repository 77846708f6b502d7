"""From one unit to another, where there is a way that gives one right number."""

from __future__ import annotations

from fractions import Fraction

from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.fix_verification import mended
from fingerpost.servers.units.quantities import Quantity, checked, exact, out_of_range, resolved
from fingerpost.servers.units.suggestions import ConversionError, build_dimension_mismatch_error, build_no_path_error
from fingerpost.servers.units.unit_sizes import from_root, size, to_root
from fingerpost.servers.units.vocabulary import Unit, vocabulary


def converted(value: float, source: str, target: str) -> tuple[Quantity, Quantity]:
    """A value in two units; what is wrong with them is raised."""
    units = {"from_unit": source, "to_unit": target}
    return mended(lambda texts: _converted(value, texts["from_unit"], texts["to_unit"]), units)


def _converted(value: float, source: str, target: str) -> tuple[Quantity, Quantity]:
    start = Quantity(checked(exact(value, "value"), "value"), resolved(source, "from_unit"))
    unit = resolved(target, "to_unit")
    if obstacle := between(start.unit, unit, source, target):
        raise obstacle
    return start, Quantity(checked(_moved(start, unit), "value"), unit)


def between(one: Compound, other: Compound, source: str, target: str) -> ConversionError | None:
    """What stands between two units, if anything does."""
    if one.dimension != other.dimension:
        is_apart = vocabulary().dimensions.is_apart(one.dimension, other.dimension)
        return (build_no_path_error if is_apart else build_dimension_mismatch_error)(source, target)
    kinds = {unit.single.kind for unit in (one, other) if unit.single}
    return build_no_path_error(source, target) if kinds == {"offset", "difference"} else None


def total(unit: Compound) -> Fraction:
    """How large a product of units is, in root units."""
    made = Fraction(1)
    for one, power in unit.terms:
        made *= size(one) ** power
    return made


def _moved(start: Quantity, unit: Compound) -> Fraction:
    source, target = start.unit.single, unit.single
    if source is None or target is None:
        return start.value * total(start.unit) / total(unit)
    is_temperature = source.dimension == vocabulary().dimensions.by_name["temperature"]
    if is_temperature and "difference" not in (source.kind, target.kind):
        _check_floor(start, source)
    try:
        return from_root(to_root(start.value, source), target)
    except ValueError as error:
        message = f"{start.text} has no logarithm, and {target.short} is one"
        raise out_of_range(message, start.number, "more than 0", "value") from error


def _check_floor(start: Quantity, unit: Unit) -> None:
    """No temperature is below absolute zero."""
    if to_root(start.value, unit) < 0:
        least = Quantity(from_root(Fraction(0), unit), start.unit)
        message = f"{start.text} is below absolute zero ({least.text})"
        hint = "For a difference of temperatures write delta_degC or delta_degF"
        raise out_of_range(message, start.number, f"at least {least.number}", "value", hint=hint)
