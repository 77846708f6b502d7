"""The results of the tools, called as functions."""

# pyright: basic
from __future__ import annotations

import pytest

from fingerpost.errors import UnknownValue
from fingerpost.servers.units import tools
from fingerpost.servers.units.suggestions import (
    ConversionError,
)
from fingerpost.servers.units.vocabulary import vocabulary
from tests.support.units_server import (
    parse_unit,
    unit_error,
)


def test_check_dimensions_compares_by_name_and_formula() -> None:
    reply = tools.check_dimensions("N", "kg*m/s^2").data
    assert reply["compatible"] and reply["a"] == {
        "unit": "newton (N)", "dimension": "force", "formula": "mass·length/time²"
    }  # fmt: skip
    reply = tools.check_dimensions("m/s", "J")
    assert reply.text == "m/s and J are not compatible: m/s is velocity, J is energy."
    assert reply.data["why_not"]["error_type"] == "dimension_mismatch"
    assert tools.check_dimensions("1", "%").data["b"] == {"unit": "percent (%)", "dimension": "ratio", "formula": "1"}
    assert tools.check_dimensions("rad", "%").data["why_not"]["error_type"] == "no_conversion_path"
    with pytest.raises(ConversionError) as raised:
        tools.check_dimensions("kg", "metr")
    assert (raised.value.parameter, raised.value.likely_fix["value"]) == ("b", "meter")


def test_check_dimensions_distinguishes_temperatures_from_differences() -> None:
    reply = tools.check_dimensions("degC", "delta_degC").text
    assert reply.endswith("degC is a temperature, delta_degC is a difference of temperatures.")


def test_list_units_groups_units_by_dimension() -> None:
    every = tools.list_units()["units"]
    assert every["mass"][:3] == ["gram (g)", "kilogram (kg)", "pound (lb)"]
    assert "each (ea)" in every["count"] and all(every.values())
    listed = tools.list_units("Mass")["units"]["mass"]
    assert set(every["mass"]) < set(listed) and all(
        parse_unit(label).dimension == parse_unit("kg").dimension for label in listed
    )
    assert tools.list_units("data_rate")["scalable"] == ["bit per second (bps)", "byte per second (Bps)"]
    with pytest.raises(UnknownValue) as raised:
        tools.list_units("presure")
    assert raised.value.readings[0].value == "pressure"


def test_dimensions_have_synonyms() -> None:
    assert "velocity" in tools.list_units("Speed")["units"] and "mass" in tools.list_units("weight")["units"]
    known = vocabulary().dimensions
    assert all(
        vocabulary().units[known.canonical_name(name)] for name in ("flow_rate", "torque", "bandwidth", "viscosity")
    )
    assert unit_error("time").hints == ("second (s)", "minute (min)", "hour (h)")
    assert "meter per second (m/s)" in unit_error("speed").hints


def test_list_scales_gives_factors() -> None:
    reply = tools.list_scales()
    assert {"name": "kilo", "symbol": "k", "factor": 1000, "power": "10^3"} in reply["decimal"]
    assert {"name": "kibi", "symbol": "Ki", "factor": 1024, "power": "2^10"} in reply["binary"]


def test_a_plain_number_is_shown_without_a_unit() -> None:
    assert tools.convert(1, "1", "%").text == "1 = 100 %"
    one = tools.FactorGiven(value=1, numerator="1", denominator="J")
    assert tools.compute(3, "N*m", [one]).text.endswith("1 1 per J = 3")
