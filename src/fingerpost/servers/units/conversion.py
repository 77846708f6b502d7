"""Convert a value from one unit to another, or say why there is no correct result."""

from __future__ import annotations

from fractions import Fraction

from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.fix_verification import run_with_verified_fix
from fingerpost.servers.units.quantities import (
    Quantity,
    build_out_of_range_error,
    check_representable,
    require_unit,
    to_fraction,
)
from fingerpost.servers.units.suggestions import ConversionError, build_dimension_mismatch_error, build_no_path_error
from fingerpost.servers.units.unit_sizes import from_root_units, to_root_units, unit_size
from fingerpost.servers.units.vocabulary import Unit, vocabulary


def convert_value(value: float, source: str, target: str) -> tuple[Quantity, Quantity]:
    """The value in both units; raises `ConversionError`."""
    units = {"from_unit": source, "to_unit": target}
    return run_with_verified_fix(lambda texts: _convert(value, texts["from_unit"], texts["to_unit"]), units)


def _convert(value: float, source: str, target: str) -> tuple[Quantity, Quantity]:
    start = Quantity(check_representable(to_fraction(value, "value"), "value"), require_unit(source, "from_unit"))
    unit = require_unit(target, "to_unit")
    if error := find_obstacle(start.unit, unit, source, target):
        raise error
    return start, Quantity(check_representable(_scale_value(start, unit), "value"), unit)


def find_obstacle(one: Compound, other: Compound, source: str, target: str) -> ConversionError | None:
    """Why two units do not convert; `None` if they do."""
    if one.dimension != other.dimension:
        has_no_path = vocabulary().dimensions.differ_only_in_pseudo(one.dimension, other.dimension)
        return (build_no_path_error if has_no_path else build_dimension_mismatch_error)(source, target)
    kinds = {unit.single.kind for unit in (one, other) if unit.single}
    return build_no_path_error(source, target) if kinds == {"offset", "difference"} else None


def compound_size(unit: Compound) -> Fraction:
    """The size of a product of units in root units."""
    size = Fraction(1)
    for one, power in unit.terms:
        size *= unit_size(one) ** power
    return size


def _scale_value(start: Quantity, unit: Compound) -> Fraction:
    source, target = start.unit.single, unit.single
    if source is None or target is None:
        return start.value * compound_size(start.unit) / compound_size(unit)
    is_temperature = source.dimension == vocabulary().dimensions.by_name["temperature"]
    if is_temperature and "difference" not in (source.kind, target.kind):
        _check_absolute_zero(start, source)
    try:
        return from_root_units(to_root_units(start.value, source), target)
    except ValueError as error:
        message = f"{start.text} has no logarithm, and {target.short} is one"
        raise build_out_of_range_error(message, start.number, "more than 0", "value") from error


def _check_absolute_zero(start: Quantity, unit: Unit) -> None:
    if to_root_units(start.value, unit) < 0:
        least = Quantity(from_root_units(Fraction(0), unit), start.unit)
        message = f"{start.text} is below absolute zero ({least.text})"
        hint = "For a difference of temperatures write delta_degC or delta_degF"
        raise build_out_of_range_error(message, start.number, f"at least {least.number}", "value", hint=hint)
