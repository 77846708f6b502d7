"""A fix is offered only if the whole call works with it."""

# pyright: basic
from __future__ import annotations

import pytest

from fingerpost.servers import units
from fingerpost.servers.units import tools
from fingerpost.servers.units.suggestions import (
    ConversionError,
)
from tests.support.units_server import (
    call_server,
    chain_error,
    conversion_error,
    convert_call,
)


def test_all_invalid_units_are_reported_at_once_without_a_fix() -> None:
    error = conversion_error(1, "kilgoram", "metr")
    assert (error.parameter, error.likely_fix) == ("from_unit", None)
    assert error.hint == "Correct all of these in one call: from_unit, to_unit"
    assert error.hints == ("from_unit: write kilogram (kg)", "to_unit: write meter (m)")
    assert conversion_error(1, "mt", "km/huor").hints == (
        "from_unit: Unknown unit: 'mt'. Did you mean meter (m) or mole (mol)?",
        "to_unit: write km/hour",
    )
    assert conversion_error(1, "W/(m", "mil").hints[1].startswith("to_unit: Unknown unit: 'mil'. Write thou")
    error = chain_error(1, "kg", (1, "lb", "kilgoram"), (2, "secnd", "lb"))
    assert (error.parameter, error.step, error.likely_fix) == ("factors[0].denominator", 0, None)
    assert error.hints[1] == "factors[1].numerator: write second (s)"
    with pytest.raises(ConversionError) as raised:
        tools.check_dimensions("kilgoram", "metr")
    assert raised.value.hints[1] == "b: write meter (m)"


def test_a_fix_that_does_not_repair_the_call_is_only_a_hint() -> None:
    error = conversion_error(1, "kilgoram", "m")
    assert (error.error, error.likely_fix) == ("Unknown unit: 'kilgoram'", None)
    assert error.hints[0] == "kilogram (kg)" and "mass is not compatible with length" in error.hints[1]
    assert conversion_error(1, "KM/H", "kg").likely_fix is None
    assert conversion_error(-300, "celcius", "K").likely_fix is None
    assert chain_error(1, "kg", (1, "lb", "metr")).likely_fix is None
    assert chain_error(1, "kg", (1, "lb", "kilgoram")).likely_fix["value"] == "kilogram"
    assert conversion_error(1, "KM/H", "m/s").likely_fix["value"] == "km/h"
    assert len(chain_error(1, "kilgoram", *[(1, "kilgoram", "metr")] * 50).hints) == 4
    (reply,) = call_server(units.create_server().on_sdk(), [convert_call(1, "kilgoram", "metr")])
    assert reply.is_error and "Corrected call" not in reply.text and "to_unit: write meter" in reply.text
