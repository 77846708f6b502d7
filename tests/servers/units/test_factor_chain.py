"""Chains of factors: cancellation, and errors at their step."""

# pyright: basic
from __future__ import annotations

import math

import pytest

from fingerpost.servers.units.factor_chain import Factor, multiply_by_factors
from fingerpost.servers.units.suggestions import (
    ConversionError,
)
from tests.support.units_server import (
    FACTORS,
    chain_error,
    multiply,
)


def test_factors_cancel_as_on_paper() -> None:
    assert multiply(100, "kg", (2.20462, "lb", "kg")) == "220.462 lb"
    assert multiply(60, "mi/h", (1609.344, "m", "mi"), (0.25, "h", "min"), (4, "min", "h")) == "96560.64 m/h"
    assert multiply(154, "lb", (15, "mg", "kg*day")) == "1047.7983747 mg/d"
    assert multiply(5, "kg", (2, "lb", "g")) == "10000 lb"
    assert multiply(50, "%", (200, "kg", "1")) == "100 kg"
    assert multiply(10, "each", (3, "kg", "each")) == "30 kg"
    assert multiply(3, "N*m", (1, "1", "J")) == "3"
    assert multiply(5, "m/s", (2, "s", "1")) == "10 m"
    assert multiply(50, "%", (0.5, "1", "1")) == "25 %"
    assert multiply(2, "km", (3, "m", "km")) == "6 m"


def test_a_step_that_cancels_nothing_is_reported() -> None:
    error = chain_error(100, "kg", (2.2, "lb", "kg"), (3, "s", "ft"))
    assert (error.error_type, error.step, error.parameter) == ("dimension_mismatch", 1, "factors[1].denominator")
    assert (error.got, error.expected) == ("length", "mass")


def test_a_step_that_cannot_be_a_factor_is_reported() -> None:
    assert chain_error(1, "kg", (0, "lb", "kg")).error == "A factor of 0 relates no units"
    assert chain_error(1, "kg", (math.inf, "lb", "kg")).parameter == "factors[0].value"
    error = chain_error(1e300, "kg", (1, "lb", "kg"), (1e300, "oz", "lb"))
    assert (error.error_type, error.step, error.parameter) == ("out_of_range", 1, "factors[1].value")
    assert chain_error(1, "kg", (1, "degC", "kg")).parameter == "factors[0].numerator"
    assert chain_error(20, "degC", (1, "K", "degC")).parameter == "initial_unit"
    assert chain_error(math.nan, "kg", (1, "lb", "kg")).parameter == "initial_value"
    error = chain_error(1, "m^29", (1, "m^3", "m"))
    assert (error.step, error.parameter) == (0, "factors[0].numerator")
    error = chain_error(1, "kg", (1, "lb/secnd", "kg"))
    assert (error.parameter, error.likely_fix["value"]) == ("factors[0].numerator", "lb/second")


def test_an_unknown_unit_is_reported_at_its_step() -> None:
    with pytest.raises(ConversionError) as raised:
        list(multiply_by_factors(100, "kg", [Factor(**one) for one in FACTORS]))
    error = raised.value
    assert (error.error, error.step, error.parameter) == ("Unknown unit: 'foo'", 1, "factors[1].numerator")
    assert error.likely_fix is None
