"""Call the units server, its conversions and its parser in tests."""

# pyright: basic
from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from fingerpost.servers import units
from fingerpost.servers.units.conversion import convert_value
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.factor_chain import Factor, multiply_by_factors
from fingerpost.servers.units.suggestions import (
    ConversionError,
    resolve_unit,
)
from tests.support.adopted_servers import ERAS, Said, called

README = Path(units.__file__).parent / "README.md"
FACTORS = [
    {"value": 2.20462, "numerator": "lb", "denominator": "kg"},
    {"value": 1, "numerator": "foo", "denominator": "lb"},
]


def call_server(target: Any, calls: Iterable[tuple[str, dict[str, Any]]], era: str = ERAS[1]) -> list[Said]:
    async def main() -> list[Said]:
        mode = "legacy" if era == ERAS[0] else "auto"
        async with Client(getattr(target, "_mcp_server", target), mode=mode) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(main())


def convert_call(value: Any, from_unit: str, to_unit: str) -> tuple[str, dict[str, Any]]:
    return "convert", {"value": value, "from_unit": from_unit, "to_unit": to_unit}


def convert_number(value: float, source: str, target: str) -> int | float:
    return convert_value(value, source, target)[1].number


def conversion_error(value: float, source: str, target: str) -> ConversionError:
    with pytest.raises(ConversionError) as raised:
        convert_value(value, source, target)
    return raised.value


def unit_error(text: str) -> ConversionError:
    error = resolve_unit(text)
    assert isinstance(error, ConversionError), text
    return error


def parse_unit(text: str) -> Compound:
    unit = resolve_unit(text)
    assert isinstance(unit, Compound), (text, unit)
    return unit


def multiply(value: float, unit: str, *factors: tuple[float, str, str]) -> str:
    return [*multiply_by_factors(value, unit, [Factor(*one) for one in factors])][-1].text


def chain_error(value: float, unit: str, *factors: tuple[float, str, str]) -> ConversionError:
    with pytest.raises(ConversionError) as raised:
        multiply(value, unit, *factors)
    return raised.value
