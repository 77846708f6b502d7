"""Sizes of units, compared with their definitions and with pint."""

# pyright: basic
from __future__ import annotations

from fractions import Fraction
from typing import Any

import pint
import pytest

from fingerpost.servers.units.unit_sizes import unit_size
from fingerpost.servers.units.vocabulary import vocabulary
from tests.support.unit_definitions import DEFINITIONS
from tests.support.units_server import (
    convert_number,
)


@pytest.mark.parametrize("line", DEFINITIONS.strip().splitlines())
def test_units_have_the_size_of_their_definition(line: str) -> None:
    one, rest = line.split(" = ")
    count, other = rest.split(" ", 1)
    assert convert_number(1, one, other) == float(count)


def test_survey_units_have_names_of_their_own() -> None:
    assert convert_number(3937, "survey foot", "m") == 1200 and convert_number(1, "US survey acre", "acre") != 1


def test_every_unit_has_the_size_and_dimension_that_pint_gives_it() -> None:
    registry: Any = pint.UnitRegistry()
    pseudo = vocabulary().dimensions.pseudo
    names = {"[mass]": "mass", "[length]": "length", "[time]": "time", "[current]": "current",
             "[temperature]": "temperature", "[substance]": "substance", "[luminosity]": "luminosity"}  # fmt: skip
    for unit in (unit for listed in vocabulary().units.values() for unit in listed):
        if not unit.is_plain:
            continue
        theirs = registry.Quantity(registry.parse_expression(unit.definition))
        powers = {names[base]: int(power) for base, power in theirs.dimensionality.items() if base in names}
        ours = {base: power for base, power in unit.dimension.powers if base not in pseudo}
        assert powers == ours, unit.name
        assert float(unit_size(unit)) == pytest.approx(theirs.to_root_units().magnitude, rel=1e-12), unit.name


def test_prefixes_have_their_si_values() -> None:
    registry: Any = pint.UnitRegistry()
    for scale in vocabulary().scales:
        base = "bit" if scale.base == 2 else "meter"
        theirs = registry.Quantity(1, scale.names[0] + base).to(base).magnitude
        assert float(Fraction(scale.base) ** scale.exponent) == pytest.approx(theirs)
