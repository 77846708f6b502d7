"""The units server: the examples of its source document, what it understands, what it refuses, every door to it."""

# pyright: basic
from __future__ import annotations

import asyncio
import json
import math
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

import bench.units_typos as typos
from fingerpost.errors import ToolOperationError, UnknownValue
from fingerpost.servers import units
from fingerpost.servers.command import served as served_by_command
from fingerpost.servers.units import tools
from fingerpost.servers.units.conversion import converted
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.factor_chain import Factor, computed
from fingerpost.servers.units.suggestions import (
    ConversionError,
    build_dimension_mismatch_error,
    build_no_path_error,
    build_parse_error,
    build_unknown_unit_error,
    resolve_unit,
)
from fingerpost.servers.units.unit_sizes import size
from fingerpost.servers.units.vocabulary import vocabulary
from fingerpost.terminal.command_error import CommandError
from tests.support.adopted_servers import ERAS, Said, called
from tests.support.english_words import NAMES_OF_UNITS, OTHER_WORDS, SYMBOLS_OF_UNITS
from tests.support.transcripts import is_as_shown, turns
from tests.support.unit_definitions import SIZES

README = Path(units.__file__).parent / "README.md"
SERVE = [sys.executable, "-m", "fingerpost", "serve", "units"]
FRAMEWORKS = ("on_sdk", "on_fastmcp")
CHAIN = [
    {"value": 2.20462, "numerator": "lb", "denominator": "kg"},
    {"value": 1, "numerator": "foo", "denominator": "lb"},
]


def asked(target: Any, calls: Iterable[tuple[str, dict[str, Any]]], era: str = ERAS[1]) -> list[Said]:
    async def main() -> list[Said]:
        mode = "legacy" if era == ERAS[0] else "auto"
        async with Client(getattr(target, "_mcp_server", target), mode=mode) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(main())


def convert(value: Any, from_unit: str, to_unit: str) -> tuple[str, dict[str, Any]]:
    return "convert", {"value": value, "from_unit": from_unit, "to_unit": to_unit}


def result(value: float, source: str, target: str) -> int | float:
    return converted(value, source, target)[1].number


def failure(value: float, source: str, target: str) -> ConversionError:
    with pytest.raises(ConversionError) as raised:
        converted(value, source, target)
    return raised.value


def unread(text: str) -> ConversionError:
    error = resolve_unit(text)
    assert isinstance(error, ConversionError), text
    return error


def read(text: str) -> Compound:
    unit = resolve_unit(text)
    assert isinstance(unit, Compound), (text, unit)
    return unit


# ── the examples of the source document ──────────────────────────────────────────────────────────────────────────────


def test_a_misspelt_unit_has_a_fix_that_can_be_sent_as_it_stands() -> None:
    assert failure(1, "kilgoram", "kg").as_dict() == {
        "error": "Unknown unit: 'kilgoram'",
        "error_type": "unknown_unit",
        "parameter": "from_unit",
        "step": None,
        "got": "kilgoram",
        "expected": "the name or symbol of a unit",
        "likely_fix": {"value": "kilogram", "label": "kilogram (kg)", "confidence": 0.99},
        "hints": ["For scaled variants: g, mg (see list_scales)"],
    }
    assert result(1, "kilogram", "kg") == 1


def test_mass_does_not_become_length_and_the_units_named_instead_really_convert() -> None:
    error = failure(1, "kg", "m")
    assert error.error == "Cannot convert 'kg' to 'm': mass is not compatible with length"
    assert (error.error_type, error.parameter, error.got, error.expected) == (
        "dimension_mismatch", "to_unit", "length", "mass",
    )  # fmt: skip
    first, compatible, last = error.hints
    assert first == "kg is mass; m is length"
    assert last == "Use check_dimensions() to verify compatibility"
    names = compatible.removeprefix("Compatible mass units: ").split(", ")
    assert {"kg", "lb", "g", "oz"} <= set(names)
    assert all(result(1, "kg", name) > 0 for name in names)


def test_angle_and_ratio_stay_apart() -> None:
    error = failure(1, "radian", "percent")
    assert error.error == "No conversion path from 'radian' to 'percent'"
    assert (error.error_type, error.got, error.expected) == ("no_conversion_path", "ratio", "angle")
    assert error.hints[:3] == (
        "radian is angle; percent is ratio",
        "angle and ratio are isolated pseudo-dimensions — they cannot interconvert",
        "To express an angle as a fraction, compute angle/(2*pi) explicitly",
    )


def test_an_open_parenthesis_is_located() -> None:
    error = failure(1, "W/(m²*K", "BTU/h")
    assert error.error == "Cannot parse unit expression: 'W/(m²*K'"
    assert (error.error_type, error.got, error.expected) == (
        "parse_error", "'(' at character 3", "a closing parenthesis",
    )  # fmt: skip
    assert error.hints == (
        "Parse error: unbalanced parentheses",
        "'(' at character 3 is never closed",
        "Check for unbalanced parentheses or invalid characters",
        "Valid syntax: m/s, kg*m/s^2, W/(m²·K)",
    )


def test_what_is_ambiguous_has_no_fix_but_readings_to_ask_about() -> None:
    error = failure(1, "mt", "kg")
    assert (error.likely_fix, error.hints) == (None, ("meter (m)", "mole (mol)"))
    assert error.hint == "Did you mean meter (m) or mole (mol)?"


def test_garbage_is_answered_with_the_way_to_the_list() -> None:
    error = failure(1, "xyzzy", "kg")
    assert (error.likely_fix, error.hint) == (None, None)
    assert error.hints == ("No similar units found", "Use list_units() to see all available units")


def test_a_bad_unit_in_a_chain_is_found_at_its_step() -> None:
    with pytest.raises(ConversionError) as raised:
        list(computed(100, "kg", [Factor(**one) for one in CHAIN]))
    error = raised.value
    assert (error.error, error.step, error.parameter) == ("Unknown unit: 'foo'", 1, "factors[1].numerator")
    assert error.likely_fix is None


# ── what is understood ───────────────────────────────────────────────────────────────────────────────────────────────

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
def test_people_write_units_in_many_ways(unit: str) -> None:
    for spelling in SPELLINGS[unit]:
        assert result(7, spelling, unit) == 7, spelling
        assert result(7, unit, spelling) == 7, spelling


@pytest.mark.parametrize("line", SIZES.strip().splitlines())
def test_units_are_as_large_as_they_are_defined_to_be(line: str) -> None:
    one, rest = line.split(" = ")
    count, other = rest.split(" ", 1)
    assert result(1, one, other) == float(count)


def test_units_of_the_survey_are_asked_for_by_name() -> None:
    assert result(3937, "survey foot", "m") == 1200 and result(1, "US survey acre", "acre") != 1


def test_units_that_differ_by_case_alone_are_never_taken_for_each_other() -> None:
    assert result(1, "Mm", "mm") == 10**9
    assert result(1, "MW", "mW") == 10**9
    assert result(1, "Gal", "m/s^2") == 0.01 and result(1, "gal", "L") == 3.785411784
    assert result(1, "MB", "Mb") == 8


def test_integers_and_decimals_stay_exact() -> None:
    assert result(9007199254740993, "mm", "µm") == 9007199254740993000
    assert result(0.1, "in", "cm") == 0.254
    assert result(12, "in", "ft") == 1 and type(result(12, "in", "ft")) is int
    assert (result(20, "degC", "degF"), result(-40, "degF", "degC"), result(0, "K", "degC")) == (68, -40, -273.15)
    assert result(180, "degree", "rad") == math.pi
    assert result(1e300, "km", "m") == 1e303


def test_logarithms_convert_rightly_or_not_at_all() -> None:
    assert (result(20, "dBm", "W"), result(0.1, "W", "dBm"), result(30, "dBm", "dBW")) == (0.1, 20, 0)
    assert result(1, "Np", "dB") == pytest.approx(20 / math.log(10), rel=1e-15)
    assert result(1, "dB/km", "Np/km") == pytest.approx(math.log(10) / 20, rel=1e-15)
    assert failure(0, "W", "dBm").error == "0 W has no logarithm, and dBm is one"
    assert failure(1e9, "dBm", "W").error == "The result is too large for a number"
    assert failure(-1e9, "dBm", "W").error.startswith("The result is too small")
    assert result(5e-324, "nW", "dBm") == pytest.approx(-3293.06, rel=1e-4)
    error = failure(3, "dB", "ratio")
    assert error.error_type == "no_conversion_path" and "10^(x/10)" in error.hints[2]
    assert "logarithm" in unread("dBm/Hz").hints[0]
    assert "picohenry" in " ".join(failure(7, "pH", "mol/L").hints)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rpm", "Hz"), ("rad", "1"), ("bit", "percent"), ("each", "ratio"), ("Bq", "Hz"), ("Gy", "Sv"), ("lm", "cd"),
        ("sr", "rad"), ("bps", "Hz"), ("dB", "rad"), ("rad/s", "1/s"), ("degC", "delta_degC"), ("delta_degF", "degF"),
    ],
)  # fmt: skip
def test_what_only_looks_dimensionless_does_not_convert(one: str, other: str) -> None:
    error = failure(1, one, other)
    assert error.error_type == "no_conversion_path" and error.got != error.expected, error.as_dict()
    assert any("cannot interconvert" in hint for hint in error.hints)


def test_differences_of_temperatures_convert_among_themselves() -> None:
    assert (result(5, "delta_degC", "delta_degF"), result(-5, "delta_degC", "K"), result(9, "K", "Δ°F")) == (
        9,
        -5,
        16.2,
    )
    assert result(1, "W/(m2*delta_degF)", "W/(m2*K)") == 1.8


def test_every_unit_is_the_size_and_of_the_dimension_that_pint_gives_it() -> None:
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
        assert float(size(unit)) == pytest.approx(theirs.to_root_units().magnitude, rel=1e-12), unit.name


def test_every_name_symbol_and_label_is_read_back_as_its_unit() -> None:
    for unit in vocabulary().named.values():
        for text in filter(None, (unit.name, unit.symbol, unit.label)):
            again = read(text)
            assert converted(1, text, unit.name)[1].value == 1 if unit.is_plain else again.single == unit, text


def test_prefixes_are_those_of_the_si() -> None:
    registry: Any = pint.UnitRegistry()
    for scale in vocabulary().scales:
        base = "bit" if scale.base == 2 else "meter"
        theirs = registry.Quantity(1, scale.names[0] + base).to(base).magnitude
        assert float(Fraction(scale.base) ** scale.exponent) == pytest.approx(theirs)


@given(st.sampled_from(sorted(vocabulary().named)), st.sampled_from(sorted(vocabulary().named)), st.integers(-3, 3))
def test_what_is_shown_for_a_unit_can_be_sent_back(one: str, other: str, power: int) -> None:
    unit = resolve_unit(f"({one})^{power}/({other})")
    if isinstance(unit, Compound):
        assert read(unit.symbol).dimension == unit.dimension
        assert converted(1, unit.symbol, f"({one})^{power}/({other})")[1].value == 1


# ── what is suggested, and what is not ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("milimeter", "millimeter"), ("secnd", "second"), ("KM", "km"), ("Mhz", "MHz"), ("KG", "kg"), ("kwh", "kWh"),
        ("m/secnd", "m/second"), ("kg*metr/secnd^2", "kg*meter/second^2"), ("nautcal mile", "nautical mile"),
        ("m/nautcal mile", "m/nautical mile"), ("celcius", "celsius"), ("farenheit", "fahrenheit"), ("PSI", "psi"),
        ("mbps", "Mbps"), ("FT", "ft"), ("kg · metr", "kg · meter"), ("W/(m²·kelvn)", "W/(m²·kelvin)"),
        ("Mpa", "MPa"), ("tonnne", "tonne"), ("km/huor", "km/hour"), ("BTU/(h·ft²·°F)", "BTU/(h·ft²·delta_degF)"),
    ],
)  # fmt: skip
def test_a_slip_with_one_reading_is_repaired_in_its_place(text: str, fix: str) -> None:
    likely = unread(text).likely_fix
    assert likely is not None and likely["value"] == fix and likely["confidence"] >= 0.9
    read(fix)


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("mhz", {"megahertz (MHz)", "millihertz (mHz)"}),
        ("MM", {"megameter (Mm)", "millimeter (mm)"}),
        ("KB", {"kilobyte (kB)", "kilobit (kbit)"}),
        ("mle", {"mile (mi)", "mole (mol)"}),
        ("decmeter", {"decimeter (dm)"}),
        ("GAL", {"gallon (gal)", "galileo (Gal)"}),
        ("metr/xyzzzz", {"No similar units found"}),
        ("nah", {"nanoampere hour (nAh)"}),
    ],
)
def test_a_slip_with_several_readings_is_left_to_the_caller(text: str, among: set[str]) -> None:
    error = unread(text)
    assert error.likely_fix is None and among <= set(error.hints), error.hints


@pytest.mark.parametrize(
    "text",
    ["mil", "gr", "kt", "bbl", "BBL", "barrels", "Cal", "Calories", "as", "USD", "$", "'", "b", "ppt", "NM", "sqm"],
)
def test_what_means_several_things_is_refused_with_what_to_write(text: str) -> None:
    error = unread(text)
    assert error.error_type == "unknown_unit" and error.likely_fix is None
    assert error.hints == (vocabulary().refused[text],)


def test_words_that_mean_several_things_are_refused_in_any_case() -> None:
    assert unread("Barrel").hints == unread("BARRELS").hints == (vocabulary().refused["bbl"],)


def test_words_of_english_are_no_units_and_no_misspelt_ones() -> None:
    taken = {word: resolve_unit(word) for word in OTHER_WORDS}
    assert [word for word, unit in taken.items() if isinstance(unit, Compound)] == []
    assert [word for word, error in taken.items() if isinstance(error, ConversionError) and error.likely_fix] == []
    assert all(isinstance(resolve_unit(word), Compound) for word in (*NAMES_OF_UNITS, *SYMBOLS_OF_UNITS))
    assert len(OTHER_WORDS) > 300


@pytest.mark.parametrize(
    "text", ["Hg", "foo", "baz", "qux", "asdf", "lorem", "zzzz", "__class__", "import os", "exec", "日本", "🙂a"]
)
def test_nonsense_gets_no_fix(text: str) -> None:
    assert unread(text).likely_fix is None


@given(st.sampled_from(sorted(vocabulary().named)), st.integers(0, 2**32), st.sampled_from(["{}", "m/{}", "J/({}*K)"]))
def test_a_fix_is_always_understood_when_it_is_sent_back(name: str, seed: int, around: str) -> None:
    if len(name) >= 4 and isinstance(
        error := resolve_unit(around.format(typos.slipped(name, Random(seed)))), ConversionError
    ):
        assert (
            error.likely_fix is None
            or not isinstance(again := resolve_unit(error.likely_fix["value"]), ConversionError)
            or (again.error_type != "unknown_unit")
        )


@pytest.mark.no_cover
def test_misspelt_units_are_repaired_to_what_was_meant() -> None:
    tried = [(unread(text).likely_fix, read(meant)) for text, meant in typos.typos(every=False, seed=3, each=1)]
    fixed = [(resolve_unit(fix["value"]), meant) for fix, meant in tried if fix]
    assert len(fixed) >= 0.7 * len(tried)
    assert sum(one == meant for one, meant in fixed) >= 0.99 * len(fixed)


def test_the_measurements_can_be_taken() -> None:
    names = [name for name, _, _ in typos.rows(each=1, step=50)]
    assert "words of English with a fix" in names and len(names) == 12
    assert not typos.is_same("km", "s")


def test_no_slip_of_the_shift_key_is_mended_to_another_unit() -> None:
    tried = [(text, meant, unread(text).likely_fix) for text, meant in typos.case_slips()]
    fixed = [(text, meant, fix["value"]) for text, meant, fix in tried if fix]
    assert [one for one in fixed if not typos.is_same(one[1], one[2])] == []
    assert len(tried) > 1_000 and len(fixed) > 0.5 * len(tried)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("KM/H", "km/h"), ("KM/S", "km/s"), ("KG/M3", "kg/m3"), ("Kg/M3", "kg/m3"), ("kw/m2", "kW/m2"),
        ("KBps", "kBps"), ("KiBPs", "KiBps"), ("Kcal", "kcal"), ("hpa", "hPa"), ("btu", "BTU"), ("KVA", "kVA"),
        ("kpa", "kPa"), ("MI", "mi"), ("dbm", "dBm"), ("KOHM", "kohm"), ("MCG", "mcg"), ("FT LB", "ft lb"),
        ("KM/huor", "km/hour"), ("MBit", "Mbit"), ("KiBit", "Kibit"), ("PIB", "PiB"),
        ("Km/h", "km/h"), ("KG*M^20*m^20", "kg*M^20*m^20"),
    ],
)  # fmt: skip
def test_a_slip_of_case_is_mended_together_with_what_stands_beside_it(text: str, fix: str) -> None:
    likely = unread(text).likely_fix
    assert likely is not None and likely["value"] == fix


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("NG/ML", {"ng/mL", "ng/ML"}), ("KM/KN", {"km/kn"}), ("kw/m", {"kW/m", "kW/M"}), ("gs", set()),
        ("MBPS", {"megabyte per second (MBps)", "megabit per second (Mbps)"}), ("CV", set()), ("U", set()),
        ("mib", {"mebibyte (MiB)", "mebibit (Mibit)"}), ("D", set()), ("tn", set()), ("f", {"farad (F)"}),
        ("Mi", {"mile (mi)"}), ("AH", {"ampere hour (Ah)"}), ("CAL", {"calorie (cal)"}),
        ("KM*A*S*M*H*T*K*N*F*G*C*ML*MA*MW*PA", set()), ("KN/xyzzzz", set()), ("pib", {"pebibyte (PiB)"}),
        ("Pib", set()), ("Mps", set()), ("MPS", {"meter per second (m/s)"}),
    ],
)  # fmt: skip
def test_a_slip_of_case_that_may_be_two_units_is_left_to_the_caller(text: str, among: set[str]) -> None:
    error = unread(text)
    assert error.likely_fix is None and among <= set(error.hints), (error.likely_fix, error.hints)


def test_bytes_per_second_are_no_bits_per_second() -> None:
    assert (result(100, "MBps", "MB/s"), result(1, "KiBps", "B/s"), result(1, "GBps", "Gbps")) == (100, 1024, 8)
    assert (result(1, "Ns", "kg*m/s"), result(1, "kg-f", "kgf"), result(1, "Mib", "Kib")) == (1, 1, 1024)


def test_two_bad_units_are_told_at_once_and_neither_fix_is_called_enough() -> None:
    error = failure(1, "kilgoram", "metr")
    assert (error.parameter, error.likely_fix) == ("from_unit", None)
    assert error.hint == "Correct all of these in one call: from_unit, to_unit"
    assert error.hints == ("from_unit: write kilogram (kg)", "to_unit: write meter (m)")
    assert failure(1, "mt", "km/huor").hints == (
        "from_unit: Unknown unit: 'mt'. Did you mean meter (m) or mole (mol)?",
        "to_unit: write km/hour",
    )
    assert failure(1, "W/(m", "mil").hints[1].startswith("to_unit: Unknown unit: 'mil'. Write thou")
    error = stopped(1, "kg", (1, "lb", "kilgoram"), (2, "secnd", "lb"))
    assert (error.parameter, error.step, error.likely_fix) == ("factors[0].denominator", 0, None)
    assert error.hints[1] == "factors[1].numerator: write second (s)"
    with pytest.raises(ConversionError) as raised:
        tools.check_dimensions("kilgoram", "metr")
    assert raised.value.hints[1] == "b: write meter (m)"


def test_a_fix_that_does_not_make_the_call_work_is_not_sure() -> None:
    error = failure(1, "kilgoram", "m")
    assert (error.error, error.likely_fix) == ("Unknown unit: 'kilgoram'", None)
    assert error.hints[0] == "kilogram (kg)" and "mass is not compatible with length" in error.hints[1]
    assert failure(1, "KM/H", "kg").likely_fix is None
    assert failure(-300, "celcius", "K").likely_fix is None
    assert stopped(1, "kg", (1, "lb", "metr")).likely_fix is None
    assert stopped(1, "kg", (1, "lb", "kilgoram")).likely_fix["value"] == "kilogram"
    assert failure(1, "KM/H", "m/s").likely_fix["value"] == "km/h"
    assert len(stopped(1, "kilgoram", *[(1, "kilgoram", "metr")] * 50).hints) == 4
    (said,) = asked(units.served().on_sdk(), [convert(1, "kilgoram", "metr")])
    assert said.is_error and "Corrected call" not in said.text and "to_unit: write meter" in said.text


# ── what would be a wrong number ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["kg*degC", "degC/W", "°F^2", "m/celsius"])
def test_a_temperature_with_a_zero_point_is_no_part_of_a_product(text: str) -> None:
    error = unread(text)
    assert error.error_type == "no_conversion_path" and "delta_deg" in error.hints[0]
    if error.likely_fix:
        assert error.likely_fix["value"] == "m/delta_degC"


def test_nothing_is_colder_than_absolute_zero() -> None:
    for value, unit in ((-300, "degC"), (-460, "degF"), (-0.1, "K"), (-1, "degR"), (-5, "mK")):
        error = failure(value, unit, "K")
        assert (error.error_type, error.parameter) == ("out_of_range", "value")
        assert "is below absolute zero" in error.error and "delta_degC" in error.hints[0]
    assert result(-273.15, "degC", "K") == 0


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    error = failure(value, "m", "ft")
    assert (error.error_type, error.got) == ("out_of_range", str(value))


def test_a_result_that_no_number_can_hold_is_refused() -> None:
    assert failure(1e308, "km", "mm").error == "The result is too large for a number"
    assert failure(10**400, "m", "m").error == "The result is too large for a number"
    assert failure(1e-320, "mm", "km").error == "The result is too small for a number, and would be shown as 0"
    assert failure(1, "Qm^30", "m^30").error_type == "out_of_range"
    assert result(0, "mm", "km") == 0


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
def test_what_is_no_expression_is_told_at_once(text: str, reason: str) -> None:
    start = time.process_time()
    error = unread(text)
    assert time.process_time() - start < 1
    assert (error.error_type, error.hints[0]) == ("parse_error", f"Parse error: {reason}")
    assert len(error.error) < 200 and error.got != error.expected


@given(st.text(max_size=40) | st.text("ms²^*/() 12-.°Ckgper", max_size=30))
def test_any_text_is_a_unit_or_an_error(text: str) -> None:
    unit = resolve_unit(text)
    if isinstance(unit, Compound):
        assert read(unit.symbol).dimension == unit.dimension
    else:
        assert unit.error_type in ("unknown_unit", "parse_error", "no_conversion_path")
        json.dumps(unit.as_dict())


# ── dimensions ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("C", "degC", "for a temperature write degC"), ("lb", "N", "For a force write lbf"),
        ("oz", "mL", "For a volume write fl oz"), ("mpg", "L/km", "They are reciprocal"),
        ("kg/m^2", "Pa", "For a force write kgf"), ("m", "degrees", "Compatible length units"),
    ],
)  # fmt: skip
def test_a_mismatch_says_what_was_probably_meant(one: str, other: str, said: str) -> None:
    assert any(said in hint for hint in failure(1, one, other).hints)


def test_a_mismatch_of_what_no_unit_is_named_for_lists_none() -> None:
    assert failure(1, "kg*m^7", "s").expected == "mass·length⁷"
    assert not any("Compatible" in hint for hint in failure(1, "kg*m^7", "s").hints)


def test_dimensions_are_compared_by_name_and_formula() -> None:
    said = tools.check_dimensions("N", "kg*m/s^2").data
    assert said["compatible"] and said["a"] == {
        "unit": "newton (N)", "dimension": "force", "formula": "mass·length/time²"
    }  # fmt: skip
    said = tools.check_dimensions("m/s", "J")
    assert said.text == "m/s and J are not compatible: m/s is velocity, J is energy."
    assert said.data["why_not"]["error_type"] == "dimension_mismatch"
    assert tools.check_dimensions("1", "%").data["b"] == {"unit": "percent (%)", "dimension": "ratio", "formula": "1"}
    assert tools.check_dimensions("rad", "%").data["why_not"]["error_type"] == "no_conversion_path"
    with pytest.raises(ConversionError) as raised:
        tools.check_dimensions("kg", "metr")
    assert (raised.value.parameter, raised.value.likely_fix["value"]) == ("b", "meter")


def test_units_are_listed_by_what_they_measure() -> None:
    every = tools.list_units()["units"]
    assert every["mass"][:3] == ["gram (g)", "kilogram (kg)", "pound (lb)"]
    assert "each (ea)" in every["count"] and all(every.values())
    listed = tools.list_units("Mass")["units"]["mass"]
    assert set(every["mass"]) < set(listed) and all(read(label).dimension == read("kg").dimension for label in listed)
    assert tools.list_units("data_rate")["scalable"] == ["bit per second (bps)", "byte per second (Bps)"]
    with pytest.raises(UnknownValue) as raised:
        tools.list_units("presure")
    assert raised.value.readings[0].value == "pressure"


def test_prefixes_are_listed_with_their_factors() -> None:
    said = tools.list_scales()
    assert {"name": "kilo", "symbol": "k", "factor": 1000, "power": "10^3"} in said["decimal"]
    assert {"name": "kibi", "symbol": "Ki", "factor": 1024, "power": "2^10"} in said["binary"]


def test_a_plain_number_is_shown_without_a_unit() -> None:
    assert tools.convert(1, "1", "%").text == "1 = 100 %"
    one = tools.FactorGiven(value=1, numerator="1", denominator="J")
    assert tools.compute(3, "N*m", [one]).text.endswith("1 1 per J = 3")


def test_a_temperature_and_a_difference_are_told_apart_by_name() -> None:
    said = tools.check_dimensions("degC", "delta_degC").text
    assert said.endswith("degC is a temperature, delta_degC is a difference of temperatures.")


def test_dimensions_are_found_by_their_other_names() -> None:
    assert "velocity" in tools.list_units("Speed")["units"] and "mass" in tools.list_units("weight")["units"]
    known = vocabulary().dimensions
    assert all(vocabulary().units[known.meant(name)] for name in ("flow_rate", "torque", "bandwidth", "viscosity"))
    assert unread("time").hints == ("second (s)", "minute (min)", "hour (h)")
    assert "meter per second (m/s)" in unread("speed").hints


@pytest.mark.parametrize("text", ["pb", "KT", "xtime"])
def test_what_is_not_near_is_not_hinted_at(text: str) -> None:
    assert unread(text).hints[0] == "No similar units found"


# ── chains ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def chain(value: float, unit: str, *factors: tuple[float, str, str]) -> str:
    return [*computed(value, unit, [Factor(*one) for one in factors])][-1].text


def stopped(value: float, unit: str, *factors: tuple[float, str, str]) -> ConversionError:
    with pytest.raises(ConversionError) as raised:
        chain(value, unit, *factors)
    return raised.value


def test_factors_cancel_as_on_paper() -> None:
    assert chain(100, "kg", (2.20462, "lb", "kg")) == "220.462 lb"
    assert chain(60, "mi/h", (1609.344, "m", "mi"), (0.25, "h", "min"), (4, "min", "h")) == "96560.64 m/h"
    assert chain(154, "lb", (15, "mg", "kg*day")) == "1047.7983747 mg/d"
    assert chain(5, "kg", (2, "lb", "g")) == "10000 lb"
    assert chain(50, "%", (200, "kg", "1")) == "100 kg"
    assert chain(10, "each", (3, "kg", "each")) == "30 kg"
    assert chain(3, "N*m", (1, "1", "J")) == "3"
    assert chain(5, "m/s", (2, "s", "1")) == "10 m"
    assert chain(50, "%", (0.5, "1", "1")) == "25 %"
    assert chain(2, "km", (3, "m", "km")) == "6 m"


def test_a_step_that_cancels_nothing_is_named() -> None:
    error = stopped(100, "kg", (2.2, "lb", "kg"), (3, "s", "ft"))
    assert (error.error_type, error.step, error.parameter) == ("dimension_mismatch", 1, "factors[1].denominator")
    assert (error.got, error.expected) == ("length", "mass")


def test_a_step_that_cannot_be_a_factor_is_named() -> None:
    assert stopped(1, "kg", (0, "lb", "kg")).error == "A factor of 0 relates no units"
    assert stopped(1, "kg", (math.inf, "lb", "kg")).parameter == "factors[0].value"
    error = stopped(1e300, "kg", (1, "lb", "kg"), (1e300, "oz", "lb"))
    assert (error.error_type, error.step, error.parameter) == ("out_of_range", 1, "factors[1].value")
    assert stopped(1, "kg", (1, "degC", "kg")).parameter == "factors[0].numerator"
    assert stopped(20, "degC", (1, "K", "degC")).parameter == "initial_unit"
    assert stopped(math.nan, "kg", (1, "lb", "kg")).parameter == "initial_value"
    error = stopped(1, "m^29", (1, "m^3", "m"))
    assert (error.step, error.parameter) == (0, "factors[0].numerator")
    error = stopped(1, "kg", (1, "lb/secnd", "kg"))
    assert (error.parameter, error.likely_fix["value"]) == ("factors[0].numerator", "lb/second")


# ── without MCP ──────────────────────────────────────────────────────────────────────────────────────────────────────

ALONE = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "fastmcp", "pydantic"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
from fingerpost.servers.units.suggestions import (
    build_dimension_mismatch_error, build_no_path_error, build_parse_error, build_unknown_unit_error, resolve_unit)
from fingerpost.servers.units.conversion import converted
assert resolve_unit("kg").label == "kilogram (kg)"
assert build_unknown_unit_error("kilgoram").likely_fix["value"] == "kilogram"
assert build_dimension_mismatch_error("kg", "m").got == "length"
assert build_no_path_error("radian", "percent").error_type == "no_conversion_path"
assert build_parse_error("W/(m", "unbalanced parentheses").hints[0] == "Parse error: unbalanced parentheses"
print(converted(1, "kg", "g")[1].text)
from fingerpost.cli.main import main
print(main(["serve", "units"]))
"""


def test_the_suggestions_work_where_mcp_is_not_installed() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("1000 g"), done.stderr
    assert "the units server needs mcp" in done.stderr and "pip install 'fingerpost[units]'" in done.stderr


def test_errors_are_values_that_can_be_raised() -> None:
    errors = [
        build_unknown_unit_error("kilgoram", parameter="from_unit", step=2),
        build_dimension_mismatch_error("kg", "m"),
        build_no_path_error("radian", "percent"),
        build_parse_error("??"),
        build_dimension_mismatch_error("kg", "nonsense"),
    ]
    assert [error.error_type for error in errors] == [
        "unknown_unit", "dimension_mismatch", "no_conversion_path", "parse_error", "dimension_mismatch",
    ]  # fmt: skip
    assert all(isinstance(error, ToolOperationError) and error.code == error.error_type.upper() for error in errors)
    assert (errors[0].parameter, errors[0].step) == ("from_unit", 2)


def test_pint_is_missed_before_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pint", None)
    monkeypatch.delitem(sys.modules, "fingerpost.servers.units")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CommandError, match="needs pint"):
        served_by_command("units")


# ── through every door ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_tool_answers_on_either_framework_and_in_either_era(framework: str, era: str) -> None:
    server = getattr(units.served(), framework)()
    good, fixed, chained, checked, listed, scales, bad_chain, missing, null, repaired = asked(
        server,
        [
            convert(12, "inches", "ft"),
            convert(1, "kilgoram", "kg"),
            ("compute", {"initial_value": 100, "initial_unit": "kg", "factors": CHAIN[:1]}),
            ("check_dimensions", {"a": "kg", "b": "lb"}),
            ("list_units", {"dimension": "mas"}),
            ("list_scales", {}),
            ("compute", {"initial_value": 100, "initial_unit": "kg", "factors": CHAIN}),
            (
                "compute",
                {"initial_value": 1, "initial_unit": "kg", "factors": [{"numerator": "lb", "denominator": "kg"}]},
            ),
            ("compute", {"initial_value": 1, "initial_unit": "kg", "factors": [{**CHAIN[0], "value": None}]}),
            ("convert", {"value": "12", "fromUnit": "inches", "to_unit": "ft"}),
        ],
        era,
    )
    assert good.structured == {
        "quantity": 1, "unit": "ft", "dimension": "length",
        "read_as": {"from_unit": "inch (in)", "to_unit": "foot (ft)"},
    }  # fmt: skip
    assert fixed.is_error and fixed.structured["error_type"] == "unknown_unit"
    assert fixed.structured["likely_fix"] == {"value": "kilogram", "label": "kilogram (kg)", "confidence": 0.99}
    (again,) = asked(server, [("convert", fixed.structured["corrected_call"]["arguments"])], era)
    assert again.structured["quantity"] == 1
    assert chained.structured["steps"] == [
        {"step": 0, "factor": "2.20462 lb per kg", "quantity": 220.462, "unit": "lb"}
    ]  # fmt: skip
    assert checked.structured["compatible"] is True
    assert listed.is_error and "mass" in listed.text
    assert len(scales.structured["decimal"]) == 24
    assert (bad_chain.structured["step"], bad_chain.structured["parameter"]) == (1, "factors[1].numerator")
    assert missing.structured["error_type"] == "missing_required" and null.structured["error_type"] == "invalid_type"
    assert repaired.structured["quantity"] == 1


def test_the_tools_say_what_they_take_and_that_they_only_read() -> None:
    async def main() -> list[Any]:
        async with Client(units.served().on_sdk()) as client:
            return (await client.list_tools()).tools

    for tool in (one for one in asyncio.run(main()) if one.name != "info"):
        assert tool.annotations.read_only_hint is True and tool.annotations.open_world_hint is False
        assert all(one.get("description") for one in tool.input_schema["properties"].values()), tool.name
        assert all(one.get("examples") for one in tool.input_schema["properties"].values()), tool.name


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_hostile_texts_are_answered_over_the_wire(framework: str) -> None:
    texts = ["(" * 10_000, "m" * 1_000_000, "m^999999999", "9**9**9", "", "\x00", "__class__", "1e400*m"]
    for said in asked(getattr(units.served(), framework)(), [convert(1, text, "m") for text in texts]):
        assert said.is_error and said.structured["error_type"] in ("parse_error", "unknown_unit")
        assert len(said.text) < 1_500
    (big,) = asked(getattr(units.served(), framework)(), [convert(10**400, "m", "ft")])
    assert big.is_error and big.structured["error_type"] == "out_of_range"


@pytest.mark.parametrize("era", ERAS)
def test_it_is_served_on_standard_streams(era: str) -> None:
    command = StdioServerParameters(command=SERVE[0], args=SERVE[1:])
    good, bad = asked(command, [convert(1, "km", "m"), convert(1, "kilgoram", "kg")], era)
    assert good.text == "1 km = 1000 m"
    assert bad.structured["likely_fix"]["value"] == "kilogram"


def test_behind_the_proxy_the_bare_server_gets_right_calls() -> None:
    args = ["-m", "fingerpost", "proxy", "--", *SERVE, "--guidance", "off"]
    command = StdioServerParameters(command=sys.executable, args=args)
    repaired, missing, bad = asked(
        command,
        [
            ("convert", {"value": "1", "from_unti": "km", "to_unit": "m"}),
            ("convert", {"value": 1, "from_unit": "km"}),
            convert(1, "kilgoram", "kg"),
        ],
    )
    assert repaired.texts[0] == "1 km = 1000 m"
    assert missing.is_error and "to_unit" in missing.text
    assert bad.is_error


def test_the_page_shows_what_the_server_says() -> None:
    shown = list(turns(README))
    said = asked(units.served().on_sdk(), [(name, arguments) for name, arguments, _ in shown])
    for (name, arguments, expected), one in zip(shown, said, strict=True):
        assert is_as_shown(one.text, expected), f"{name} {arguments}\n{one.text}"
    assert len(shown) >= 10


def test_the_page_shows_how_to_use_it_without_mcp() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(block, {})
