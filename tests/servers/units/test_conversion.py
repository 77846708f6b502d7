"""Conversions: exact results, isolated pseudo-dimensions, and values that are refused."""

# pyright: basic
from __future__ import annotations

import math

import pytest

from tests.support.units_server import (
    conversion_error,
    convert_number,
    unit_error,
)


def test_integers_and_decimals_stay_exact() -> None:
    assert convert_number(9007199254740993, "mm", "µm") == 9007199254740993000
    assert convert_number(0.1, "in", "cm") == 0.254
    assert convert_number(12, "in", "ft") == 1 and type(convert_number(12, "in", "ft")) is int
    assert (
        convert_number(20, "degC", "degF"),
        convert_number(-40, "degF", "degC"),
        convert_number(0, "K", "degC"),
    ) == (68, -40, -273.15)
    assert convert_number(180, "degree", "rad") == math.pi
    assert convert_number(1e300, "km", "m") == 1e303


def test_logarithms_convert_correctly_or_not_at_all() -> None:
    assert (convert_number(20, "dBm", "W"), convert_number(0.1, "W", "dBm"), convert_number(30, "dBm", "dBW")) == (
        0.1,
        20,
        0,
    )
    assert convert_number(1, "Np", "dB") == pytest.approx(20 / math.log(10), rel=1e-15)
    assert convert_number(1, "dB/km", "Np/km") == pytest.approx(math.log(10) / 20, rel=1e-15)
    assert conversion_error(0, "W", "dBm").error == "0 W has no logarithm, and dBm is one"
    assert conversion_error(1e9, "dBm", "W").error == "The result is too large for a number"
    assert conversion_error(-1e9, "dBm", "W").error.startswith("The result is too small")
    assert convert_number(5e-324, "nW", "dBm") == pytest.approx(-3293.06, rel=1e-4)
    error = conversion_error(3, "dB", "ratio")
    assert error.error_type == "no_conversion_path" and "10^(x/10)" in error.hints[2]
    assert "logarithm" in unit_error("dBm/Hz").hints[0]
    assert "picohenry" in " ".join(conversion_error(7, "pH", "mol/L").hints)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rpm", "Hz"), ("rad", "1"), ("bit", "percent"), ("each", "ratio"), ("Bq", "Hz"), ("Gy", "Sv"), ("lm", "cd"),
        ("sr", "rad"), ("bps", "Hz"), ("dB", "rad"), ("rad/s", "1/s"), ("degC", "delta_degC"), ("delta_degF", "degF"),
    ],
)  # fmt: skip
def test_pseudo_dimensions_do_not_convert(one: str, other: str) -> None:
    error = conversion_error(1, one, other)
    assert error.error_type == "no_conversion_path" and error.got != error.expected, error.as_dict()
    assert any("cannot interconvert" in hint for hint in error.hints)


def test_temperature_differences_convert_among_themselves() -> None:
    assert (
        convert_number(5, "delta_degC", "delta_degF"),
        convert_number(-5, "delta_degC", "K"),
        convert_number(9, "K", "Δ°F"),
    ) == (
        9,
        -5,
        16.2,
    )
    assert convert_number(1, "W/(m2*delta_degF)", "W/(m2*K)") == 1.8


def test_bytes_and_bits_per_second_differ() -> None:
    assert (
        convert_number(100, "MBps", "MB/s"),
        convert_number(1, "KiBps", "B/s"),
        convert_number(1, "GBps", "Gbps"),
    ) == (100, 1024, 8)
    assert (convert_number(1, "Ns", "kg*m/s"), convert_number(1, "kg-f", "kgf"), convert_number(1, "Mib", "Kib")) == (
        1,
        1,
        1024,
    )


def test_a_temperature_below_absolute_zero_is_refused() -> None:
    for value, unit in ((-300, "degC"), (-460, "degF"), (-0.1, "K"), (-1, "degR"), (-5, "mK")):
        error = conversion_error(value, unit, "K")
        assert (error.error_type, error.parameter) == ("out_of_range", "value")
        assert "is below absolute zero" in error.error and "delta_degC" in error.hints[0]
    assert convert_number(-273.15, "degC", "K") == 0


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_infinity_and_nan_are_refused(value: float) -> None:
    error = conversion_error(value, "m", "ft")
    assert (error.error_type, error.got) == ("out_of_range", str(value))


def test_a_result_outside_the_range_of_floats_is_refused() -> None:
    assert conversion_error(1e308, "km", "mm").error == "The result is too large for a number"
    assert conversion_error(10**400, "m", "m").error == "The result is too large for a number"
    assert conversion_error(1e-320, "mm", "km").error == "The result is too small for a number, and would be shown as 0"
    assert conversion_error(1, "Qm^30", "m^30").error_type == "out_of_range"
    assert convert_number(0, "mm", "km") == 0
