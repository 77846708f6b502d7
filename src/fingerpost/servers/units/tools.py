"""The tools of the units server: parameters and results. Their docstrings are the descriptions that clients see."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from fingerpost.errors import UnknownValue
from fingerpost.servers.answer import Answer
from fingerpost.servers.units.conversion import convert_value, find_obstacle
from fingerpost.servers.units.dimensions import Dimension
from fingerpost.servers.units.factor_chain import Factor, multiply_by_factors
from fingerpost.servers.units.fix_verification import run_with_verified_fix
from fingerpost.servers.units.quantities import Quantity, require_unit
from fingerpost.servers.units.vocabulary import Scale, Unit, accepts_prefix, vocabulary

_COMMON_PREFIXES = ("giga", "mega", "kilo", "centi", "milli", "micro", "nano", "kibi", "mebi", "gibi")
_UNITS = ["kg", "m/s", "W/(m²·K)", "square feet"]


def _number(description: str, *examples: float) -> WithJsonSchema:
    """Declare a number without coercing it: a float would lose digits after the sixteenth."""
    return WithJsonSchema({"type": "number", "description": description, "examples": list(examples)})


class FactorGiven(BaseModel):
    """So many of the numerator for one of the denominator: 2.20462 lb per kg."""

    value: Annotated[int | float, _number("How many of the numerator there are for one of the denominator", 2.20462)]
    numerator: Annotated[str, Field(description="The unit to go to", examples=["lb"])]
    denominator: Annotated[str, Field(description="The unit to cancel; 1 for none", examples=["kg"])]


def convert(
    value: Annotated[int | float, _number("The number to convert", 1, 98.6)],
    from_unit: Annotated[str, Field(description="The unit that the number is in", examples=_UNITS)],
    to_unit: Annotated[str, Field(description="The unit to convert to", examples=_UNITS)],
) -> Answer:
    """Convert a number from one unit to another."""
    start, end = convert_value(value, from_unit, to_unit)
    data = {
        "quantity": end.number,
        "unit": end.unit.symbol,
        "dimension": vocabulary().dimensions.display_name(end.unit.dimension),
        "read_as": {"from_unit": start.unit.label, "to_unit": end.unit.label},
    }
    return Answer(f"{start.text} = {end.text}", data)


def compute(
    initial_value: Annotated[int | float, _number("The number to begin with", 154)],
    initial_unit: Annotated[str, Field(description="Its unit", examples=["lb"])],
    factors: Annotated[
        list[FactorGiven],
        Field(
            description="The factors to multiply by, in order; each cancels units of what stands before it",
            examples=[[{"value": 0.45359237, "numerator": "kg", "denominator": "lb"}]],
            min_length=1,
            max_length=50,
        ),
    ],
) -> Answer:
    """Multiply a quantity by a chain of conversion factors, and check that the units cancel."""
    given = [Factor(one.value, one.numerator, one.denominator) for one in factors]
    start, *reached = multiply_by_factors(initial_value, initial_unit, given)
    steps = [
        {"step": step, "factor": f"{one.value} {one.numerator} per {one.denominator}", **_quantity_data(after)}
        for step, (one, after) in enumerate(zip(given, reached, strict=True))
    ]
    dimension = vocabulary().dimensions.display_name(reached[-1].unit.dimension)
    lines = [
        start.text,
        *(f"\u00d7 {one['factor']} = {after.text}" for one, after in zip(steps, reached, strict=True)),
    ]
    return Answer("\n".join(lines), {**_quantity_data(reached[-1]), "dimension": dimension, "steps": steps})


def check_dimensions(
    a: Annotated[str, Field(description="A unit", examples=_UNITS)],
    b: Annotated[str, Field(description="Another unit", examples=_UNITS)],
) -> Answer:
    """Tell whether two units measure the same, what each measures, and why they do not convert if so."""
    units = run_with_verified_fix(
        lambda texts: {name: require_unit(text, name) for name, text in texts.items()}, {"a": a, "b": b}
    )
    obstacle = find_obstacle(units["a"], units["b"], a, b)
    data: dict[str, Any] = {"compatible": obstacle is None}
    data |= {name: {"unit": unit.label, **_dimension_data(unit.dimension)} for name, unit in units.items()}
    if obstacle is None:
        return Answer(f"{a} and {b} are compatible: both are {data['a']['dimension']}.", data)
    data["why_not"] = {"error_type": obstacle.error_type, "hints": list(obstacle.hints)}
    return Answer(f"{a} and {b} are not compatible: {a} is {obstacle.expected}, {b} is {obstacle.got}.", data)


def list_units(
    dimension: Annotated[
        str | None, Field(description="What they measure; without it, all", examples=["mass", "pressure"])
    ] = None,
) -> dict[str, Any]:
    """List the units by what they measure; of one dimension, also those with the usual prefixes."""
    known = {name: units for name, units in vocabulary().units.items() if units}
    if dimension is None:
        return {"units": {name: _labels(units, ("kilo",)) for name, units in known.items()}}
    wanted = vocabulary().dimensions.canonical_name(dimension)
    if wanted not in known:
        raise UnknownValue("dimension", dimension, list(known))
    scalable = [
        unit.label for unit in known[wanted] if any(accepts_prefix(unit, scale) for scale in vocabulary().scales)
    ]
    return {"units": {wanted: _labels(known[wanted], _COMMON_PREFIXES)}, "scalable": scalable}


def list_scales() -> dict[str, Any]:
    """List the prefixes that units take, decimal and binary, with their factors."""
    scales = vocabulary().scales
    return {
        "decimal": [_scale_data(scale) for scale in scales if scale.base == 10],
        "binary": [_scale_data(scale) for scale in scales if scale.base == 2],
        "note": "Decimal prefixes go with SI units (kilogram, kg); binary ones with bit and byte (kibibyte, KiB).",
    }


def _quantity_data(quantity: Quantity) -> dict[str, Any]:
    return {"quantity": quantity.number, "unit": quantity.unit.symbol}


def _dimension_data(dimension: Dimension) -> dict[str, str]:
    dimensions = vocabulary().dimensions
    return {"dimension": dimensions.display_name(dimension), "formula": dimensions.formula(dimension)}


def _labels(units: Iterable[Unit], prefixes: Container[str]) -> list[str]:
    known = vocabulary()
    scales = [scale for scale in known.scales if scale.names[0] in prefixes]
    families = (
        (unit, *(known.add_prefix(unit, scale) for scale in scales if accepts_prefix(unit, scale))) for unit in units
    )
    return [unit.label for family in families for unit in family]


def _scale_data(scale: Scale) -> dict[str, Any]:
    factor = scale.base**scale.exponent
    return {
        "name": scale.names[0],
        "symbol": scale.symbols[0],
        "factor": factor,
        "power": f"{scale.base}^{scale.exponent}",
    }
