"""The tools of the server: what they take, and what they answer."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from fingerpost.errors import UnknownValue
from fingerpost.servers.served import Answer
from fingerpost.servers.units.conversion import between, converted
from fingerpost.servers.units.dimensions import Dimension
from fingerpost.servers.units.factor_chain import Factor, computed
from fingerpost.servers.units.fix_verification import mended
from fingerpost.servers.units.quantities import Quantity, resolved
from fingerpost.servers.units.vocabulary import Scale, Unit, takes, vocabulary

_USUAL = ("giga", "mega", "kilo", "centi", "milli", "micro", "nano", "kibi", "mebi", "gibi")
_UNITS = ["kg", "m/s", "W/(m²·K)", "square feet"]


def _number(description: str, *examples: float) -> WithJsonSchema:
    """A number whose digits are all kept: a float would lose those after the sixteenth."""
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
    start, end = converted(value, from_unit, to_unit)
    data = {
        "quantity": end.number,
        "unit": end.unit.symbol,
        "dimension": vocabulary().dimensions.called(end.unit.dimension),
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
    start, *reached = computed(initial_value, initial_unit, given)
    steps = [
        {"step": step, "factor": f"{one.value} {one.numerator} per {one.denominator}", **_shown(after)}
        for step, (one, after) in enumerate(zip(given, reached, strict=True))
    ]
    dimension = vocabulary().dimensions.called(reached[-1].unit.dimension)
    lines = [
        start.text,
        *(f"\u00d7 {one['factor']} = {after.text}" for one, after in zip(steps, reached, strict=True)),
    ]
    return Answer("\n".join(lines), {**_shown(reached[-1]), "dimension": dimension, "steps": steps})


def check_dimensions(
    a: Annotated[str, Field(description="A unit", examples=_UNITS)],
    b: Annotated[str, Field(description="Another unit", examples=_UNITS)],
) -> Answer:
    """Tell whether two units measure the same, what each measures, and why they do not convert if so."""
    units = mended(lambda texts: {name: resolved(text, name) for name, text in texts.items()}, {"a": a, "b": b})
    obstacle = between(units["a"], units["b"], a, b)
    data: dict[str, Any] = {"compatible": obstacle is None}
    data |= {name: {"unit": unit.label, **_measured(unit.dimension)} for name, unit in units.items()}
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
    wanted = vocabulary().dimensions.meant(dimension)
    if wanted not in known:
        raise UnknownValue("dimension", dimension, list(known))
    scalable = [unit.label for unit in known[wanted] if any(takes(unit, scale) for scale in vocabulary().scales)]
    return {"units": {wanted: _labels(known[wanted], _USUAL)}, "scalable": scalable}


def list_scales() -> dict[str, Any]:
    """List the prefixes that units take, decimal and binary, with their factors."""
    scales = vocabulary().scales
    return {
        "decimal": [_described(scale) for scale in scales if scale.base == 10],
        "binary": [_described(scale) for scale in scales if scale.base == 2],
        "note": "Decimal prefixes go with SI units (kilogram, kg); binary ones with bit and byte (kibibyte, KiB).",
    }


def _shown(quantity: Quantity) -> dict[str, Any]:
    return {"quantity": quantity.number, "unit": quantity.unit.symbol}


def _measured(dimension: Dimension) -> dict[str, str]:
    dimensions = vocabulary().dimensions
    return {"dimension": dimensions.called(dimension), "formula": dimensions.formula(dimension)}


def _labels(units: Iterable[Unit], prefixes: Container[str]) -> list[str]:
    known = vocabulary()
    scales = [scale for scale in known.scales if scale.names[0] in prefixes]
    scaled = ((unit, *(known.scaled(unit, scale) for scale in scales if takes(unit, scale))) for unit in units)
    return [unit.label for family in scaled for unit in family]


def _described(scale: Scale) -> dict[str, Any]:
    factor = scale.base**scale.exponent
    return {
        "name": scale.names[0],
        "symbol": scale.symbols[0],
        "factor": factor,
        "power": f"{scale.base}^{scale.exponent}",
    }
