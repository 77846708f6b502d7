"""The parser of unit expressions: spellings that it accepts, and errors for texts that it does not."""

# pyright: basic
from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.servers.units.conversion import convert_value
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.suggestions import (
    resolve_unit,
)
from fingerpost.servers.units.vocabulary import vocabulary
from tests.support.units_server import (
    convert_number,
    parse_unit,
    unit_error,
)

MICRO, GREEK_MU, WIDE_KG, OHM_SIGN, KELVIN_SIGN = "\u00b5m", "\u03bcm", "\uff4b\uff47", "\u2126", "\u212a"


SPELLINGS = {
    "kg": ["kg", " kg ", "kilograms", "Kilogram", "KILOGRAM", WIDE_KG, "\u338f", "kilogram (kg)", "kilogrammes"],
    "ft": ["feet", "foot", "ft."],
    "in": ["inches", "inch", "in."],
    "m²": [
        "square meter",
        "square meters",
        "sq m",
        "m2",
        "m^2",
        "m**2",
        "m²",
        "m^(2)",
        "m*m",
        "meter squared",
        "square_meter",
        "sq_m",
        "Square_Meters",
        "meter_squared",
        "\u33a1",
    ],
    "ft³": ["cubic feet", "cu ft", "cubic foot", "ft3", "feet cubed"],
    "ft²": ["sq ft", "sqft", "square feet", "sq. ft."],
    "m/s": [
        "meters per second",
        "m/s",
        "m s-1",
        "m·s⁻¹",
        "m*s^-1",
        "metre per second",
        "meters_per_second",
        "m s**-1",
        "m/(s)",
        "mps",
    ],
    "1/s": ["s-1", "1/s", "s^-1", "s⁻¹", "s^(-1)", "Hz", "1 per second"],
    "m/s²": ["meters per second squared", "m/s^2", "m/s/s", "m s-2", "(m/s)/s"],
    "kg·m/s²": ["kg·m/s²", "kg*m/s^2", "kg.m/s2", "kg m/s^2", "kg-m/s^2", "newton"],
    "W/(m²·K)": ["W/(m²·K)", "W/(m2 K)", "W/m^2/K", "watt per square meter per kelvin", f"W/(m²*{KELVIN_SIGN})"],
    "µm": [MICRO, GREEK_MU, "um", "micrometers", "micron"],
    "°C": ["°C", "degC", "celsius", "degrees Celsius", "° C", "deg C", "\u2103", "ºC", "centigrade", "°Celsius"],
    "K": ["K", "°K", "kelvins", KELVIN_SIGN],
    "Ω": ["ohm", "Ω", OHM_SIGN, "ohms"],
    "kΩ": ["kohm", "kiloohm"],
    "turn/min": ["rev/min", "rpm", "revs/min"],
    "kN*m": ["kNm", "kJ"],
    "km/h": ["km/h", "km / h", "kph", "kilometers per hour", "kmh"],
    "mph": ["mph", "miles per hour", "mi/h"],
    "L": ["L", "l", "liter", "litres", "dm^3"],
    "fl oz": ["fl oz", "fl. oz.", "floz", "fl_oz", "fluid ounces"],
    "psi": ["psi", "pounds per square inch", "lbf/in^2", "pound force per square inch"],
    "mmHg": ["mmHg", "mm Hg", "mm-Hg"],
    "Å": ["angstrom", "A\u030angstr\u00f6m", "\u212b"],
    "nmi": ["nautical mile", "nautical_miles", "nautical-mile"],
    "kWh": ["kWh", "kilowatt hours", "kW-h", "kW*h", "kilowatt-hour"],
    "ft lb": ["foot-pounds", "ft lb", "ft-lb", "ft·lbf"],
    "%": ["%", "percent", "per cent", "\uff05"],
    "Δ°C": ["delta_degC", "Δ°C", "\u2206°C", "delta degree Celsius"],
    "kbit": ["kb", "kilobits", "kbit"],
    "g0": ["g0", "standard gravity", "gn"],
}


@pytest.mark.parametrize("unit", SPELLINGS)
def test_units_have_many_spellings(unit: str) -> None:
    for spelling in SPELLINGS[unit]:
        assert convert_number(7, spelling, unit) == 7, spelling
        assert convert_number(7, unit, spelling) == 7, spelling


def test_every_name_symbol_and_label_is_parsed_as_its_unit() -> None:
    for unit in vocabulary().by_name.values():
        for text in filter(None, (unit.name, unit.symbol, unit.label)):
            again = parse_unit(text)
            assert convert_value(1, text, unit.name)[1].value == 1 if unit.is_plain else again.single == unit, text


@given(st.sampled_from(sorted(vocabulary().by_name)), st.sampled_from(sorted(vocabulary().by_name)), st.integers(-3, 3))
def test_the_symbol_of_a_compound_can_be_parsed_again(one: str, other: str, power: int) -> None:
    unit = resolve_unit(f"({one})^{power}/({other})")
    if isinstance(unit, Compound):
        assert parse_unit(unit.symbol).dimension == unit.dimension
        assert convert_value(1, unit.symbol, f"({one})^{power}/({other})")[1].value == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no unit in it"),
        ("   ", "there is no unit in it"),
        ("*", "a unit is missing"),
        ("m*", "a unit is missing"),
        ("m//s", "a unit is missing"),
        ("()", "a unit is missing"),
        ("m)", "unbalanced parentheses"),
        ("((m)", "unbalanced parentheses"),
        ("2 kg", "a number stands in it"),
        ("1 kg", "a number stands in it"),
        ("1e400*m", "a number stands in it"),
        ("9**9**9", "a number stands in it"),
        ("m^999999999", "a power is higher than 30"),
        ("m^100", "a power is higher than 30"),
        ("m^20*m^20", "a power is higher than 30"),
        ("m^2^3", "a power must be a whole number"),
        ("m^0.5", "a power must be a whole number"),
        ("m^", "a power must be a whole number"),
        ("m^s", "a power must be a whole number"),
        ("m^(2", "a power must be a whole number"),
        ("^2", "a power must follow a unit"),
        ("squared m", "a power must follow a unit"),
        ("m²3", "a digit follows a raised one"),
        ("m+s", "it has an invalid character"),
        ("m\u200b", "it has an invalid character"),
        ("m\x00", "it has an invalid character"),
        ("a.__class__;", "it has an invalid character"),
        ("J/kg K", "it can be read in two ways"),
        ("W/m2K", "it can be read in two ways"),
        ("square", "a unit is missing"),
        ("square cubic m", "a unit is missing"),
        ("square (m)", "a unit is missing"),
        ("square / m", "a unit is missing"),
        ("square 1", "a number stands in it"),
        ("per second", "a unit is missing"),
        ("m - 2", "a number stands in it"),
        ("m -", "a unit is missing"),
        ("L/100km", "a number stands in it"),
        ("(" * 10_000 + "m" + ")" * 10_000, "it has 20,001 characters, and at most 200 are read"),
        ("m" * 1_000_000, "it has 1,000,000 characters, and at most 200 are read"),
        ("(" * 100 + "m", "unbalanced parentheses"),
        ("*" * 200, "a power must follow a unit"),
        ("/" * 200, "a unit is missing"),
    ],
)
def test_an_invalid_expression_is_refused_quickly_with_the_reason(text: str, reason: str) -> None:
    start = time.process_time()
    error = unit_error(text)
    assert time.process_time() - start < 1
    assert (error.error_type, error.hints[0]) == ("parse_error", f"Parse error: {reason}")
    assert len(error.error) < 200 and error.got != error.expected


@given(st.text(max_size=40) | st.text("ms²^*/() 12-.°Ckgper", max_size=30))
def test_any_text_gives_a_unit_or_an_error(text: str) -> None:
    unit = resolve_unit(text)
    if isinstance(unit, Compound):
        assert parse_unit(unit.symbol).dimension == unit.dimension
    else:
        assert unit.error_type in ("unknown_unit", "parse_error", "no_conversion_path")
        json.dumps(unit.as_dict())
