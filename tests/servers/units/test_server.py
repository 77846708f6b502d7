"""The units server over MCP: both frameworks, standard streams, the proxy, and the transcripts of its README."""

# pyright: basic
from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from fingerpost.servers import units
from fingerpost.servers.command import create_server as create_server_by_kind
from fingerpost.terminal.command_error import CommandError
from tests.support.adopted_servers import ERAS
from tests.support.transcripts import matches_transcript, read_transcripts
from tests.support.units_server import (
    FACTORS,
    README,
    call_server,
    convert_call,
)

SERVE = [sys.executable, "-m", "fingerpost", "serve", "units"]


FRAMEWORKS = ("on_sdk", "on_fastmcp")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_tool_works_with_each_framework_and_protocol_version(framework: str, era: str) -> None:
    server = getattr(units.create_server(), framework)()
    good, fixed, chained, checked, listed, scales, bad_chain, missing, null, repaired = call_server(
        server,
        [
            convert_call(12, "inches", "ft"),
            convert_call(1, "kilgoram", "kg"),
            ("compute", {"initial_value": 100, "initial_unit": "kg", "factors": FACTORS[:1]}),
            ("check_dimensions", {"a": "kg", "b": "lb"}),
            ("list_units", {"dimension": "mas"}),
            ("list_scales", {}),
            ("compute", {"initial_value": 100, "initial_unit": "kg", "factors": FACTORS}),
            (
                "compute",
                {"initial_value": 1, "initial_unit": "kg", "factors": [{"numerator": "lb", "denominator": "kg"}]},
            ),
            ("compute", {"initial_value": 1, "initial_unit": "kg", "factors": [{**FACTORS[0], "value": None}]}),
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
    (again,) = call_server(server, [("convert", fixed.structured["corrected_call"]["arguments"])], era)
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


def test_tools_describe_their_parameters_and_are_read_only() -> None:
    async def main() -> list[Any]:
        async with Client(units.create_server().on_sdk()) as client:
            return (await client.list_tools()).tools

    for tool in (one for one in asyncio.run(main()) if one.name != "info"):
        assert tool.annotations.read_only_hint is True and tool.annotations.open_world_hint is False
        assert all(one.get("description") for one in tool.input_schema["properties"].values()), tool.name
        assert all(one.get("examples") for one in tool.input_schema["properties"].values()), tool.name


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_hostile_texts_get_short_errors(framework: str) -> None:
    texts = ["(" * 10_000, "m" * 1_000_000, "m^999999999", "9**9**9", "", "\x00", "__class__", "1e400*m"]
    for reply in call_server(
        getattr(units.create_server(), framework)(), [convert_call(1, text, "m") for text in texts]
    ):
        assert reply.is_error and reply.structured["error_type"] in ("parse_error", "unknown_unit")
        assert len(reply.text) < 1_500
    (big,) = call_server(getattr(units.create_server(), framework)(), [convert_call(10**400, "m", "ft")])
    assert big.is_error and big.structured["error_type"] == "out_of_range"


@pytest.mark.parametrize("era", ERAS)
def test_the_server_runs_on_standard_streams(era: str) -> None:
    command = StdioServerParameters(command=SERVE[0], args=SERVE[1:])
    good, bad = call_server(command, [convert_call(1, "km", "m"), convert_call(1, "kilgoram", "kg")], era)
    assert good.text == "1 km = 1000 m"
    assert bad.structured["likely_fix"]["value"] == "kilogram"


def test_the_proxy_corrects_calls_to_the_bare_server() -> None:
    args = ["-m", "fingerpost", "proxy", "--", *SERVE, "--guidance", "off"]
    command = StdioServerParameters(command=sys.executable, args=args)
    repaired, missing, bad = call_server(
        command,
        [
            ("convert", {"value": "1", "from_unti": "km", "to_unit": "m"}),
            ("convert", {"value": 1, "from_unit": "km"}),
            convert_call(1, "kilgoram", "kg"),
        ],
    )
    assert repaired.texts[0] == "1 km = 1000 m"
    assert missing.is_error and "to_unit" in missing.text
    assert bad.is_error


def test_the_transcripts_of_the_readme_are_real() -> None:
    calls = list(read_transcripts(README))
    replies = call_server(units.create_server().on_sdk(), [(name, arguments) for name, arguments, _ in calls])
    for (name, arguments, expected), one in zip(calls, replies, strict=True):
        assert matches_transcript(one.text, expected), f"{name} {arguments}\n{one.text}"
    assert len(calls) >= 10


def test_a_missing_pint_is_reported_before_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pint", None)
    monkeypatch.delitem(sys.modules, "fingerpost.servers.units")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CommandError, match="needs pint"):
        create_server_by_kind("units")
