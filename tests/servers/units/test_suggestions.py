"""Errors with suggestions: misspelled, ambiguous, incompatible and unparsable units, with and without MCP."""

# pyright: basic
from __future__ import annotations

import re
import subprocess
import sys

import pytest

from fingerpost.errors import ToolOperationError
from fingerpost.servers.units.suggestions import (
    build_dimension_mismatch_error,
    build_no_path_error,
    build_parse_error,
    build_unknown_unit_error,
)
from tests.support.units_server import (
    README,
    conversion_error,
    convert_number,
    unit_error,
)


def test_a_misspelled_unit_has_a_fix_that_converts() -> None:
    assert conversion_error(1, "kilgoram", "kg").as_dict() == {
        "error": "Unknown unit: 'kilgoram'",
        "error_type": "unknown_unit",
        "parameter": "from_unit",
        "step": None,
        "got": "kilgoram",
        "expected": "the name or symbol of a unit",
        "likely_fix": {"value": "kilogram", "label": "kilogram (kg)", "confidence": 0.99},
        "hints": ["For scaled variants: g, mg (see list_scales)"],
    }
    assert convert_number(1, "kilogram", "kg") == 1


def test_a_dimension_mismatch_names_units_that_do_convert() -> None:
    error = conversion_error(1, "kg", "m")
    assert error.error == "Cannot convert 'kg' to 'm': mass is not compatible with length"
    assert (error.error_type, error.parameter, error.got, error.expected) == (
        "dimension_mismatch", "to_unit", "length", "mass",
    )  # fmt: skip
    first, compatible, last = error.hints
    assert first == "kg is mass; m is length"
    assert last == "Use check_dimensions() to verify compatibility"
    names = compatible.removeprefix("Compatible mass units: ").split(", ")
    assert {"kg", "lb", "g", "oz"} <= set(names)
    assert all(convert_number(1, "kg", name) > 0 for name in names)


def test_angle_does_not_convert_to_ratio() -> None:
    error = conversion_error(1, "radian", "percent")
    assert error.error == "No conversion path from 'radian' to 'percent'"
    assert (error.error_type, error.got, error.expected) == ("no_conversion_path", "ratio", "angle")
    assert error.hints[:3] == (
        "radian is angle; percent is ratio",
        "angle and ratio are isolated pseudo-dimensions — they cannot interconvert",
        "To express an angle as a fraction, compute angle/(2*pi) explicitly",
    )


def test_a_parse_error_gives_the_position_of_an_open_parenthesis() -> None:
    error = conversion_error(1, "W/(m²*K", "BTU/h")
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


def test_an_ambiguous_unit_has_possible_readings_but_no_fix() -> None:
    error = conversion_error(1, "mt", "kg")
    assert (error.likely_fix, error.hints) == (None, ("meter (m)", "mole (mol)"))
    assert error.hint == "Did you mean meter (m) or mole (mol)?"


def test_a_word_like_no_unit_points_to_list_units() -> None:
    error = conversion_error(1, "xyzzy", "kg")
    assert (error.likely_fix, error.hint) == (None, None)
    assert error.hints == ("No similar units found", "Use list_units() to see all available units")


@pytest.mark.parametrize("text", ["kg*degC", "degC/W", "°F^2", "m/celsius"])
def test_a_temperature_with_a_zero_point_cannot_be_part_of_a_product(text: str) -> None:
    error = unit_error(text)
    assert error.error_type == "no_conversion_path" and "delta_deg" in error.hints[0]
    if error.likely_fix:
        assert error.likely_fix["value"] == "m/delta_degC"


@pytest.mark.parametrize(
    ("one", "other", "advice"),
    [
        ("C", "degC", "for a temperature write degC"), ("lb", "N", "For a force write lbf"),
        ("oz", "mL", "For a volume write fl oz"), ("mpg", "L/km", "They are reciprocal"),
        ("kg/m^2", "Pa", "For a force write kgf"), ("m", "degrees", "Compatible length units"),
    ],
)  # fmt: skip
def test_a_mismatch_suggests_the_probable_unit(one: str, other: str, advice: str) -> None:
    assert any(advice in hint for hint in conversion_error(1, one, other).hints)


def test_a_mismatch_of_an_unnamed_dimension_lists_no_units() -> None:
    assert conversion_error(1, "kg*m^7", "s").expected == "mass·length⁷"
    assert not any("Compatible" in hint for hint in conversion_error(1, "kg*m^7", "s").hints)


def test_each_builder_returns_an_error_that_can_be_raised() -> None:
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


WITHOUT_MCP = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "fastmcp", "pydantic"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
from fingerpost.servers.units.suggestions import (
    build_dimension_mismatch_error, build_no_path_error, build_parse_error, build_unknown_unit_error, resolve_unit)
from fingerpost.servers.units.conversion import convert_value
assert resolve_unit("kg").label == "kilogram (kg)"
assert build_unknown_unit_error("kilgoram").likely_fix["value"] == "kilogram"
assert build_dimension_mismatch_error("kg", "m").got == "length"
assert build_no_path_error("radian", "percent").error_type == "no_conversion_path"
assert build_parse_error("W/(m", "unbalanced parentheses").hints[0] == "Parse error: unbalanced parentheses"
print(convert_value(1, "kg", "g")[1].text)
from fingerpost.cli.main import main
print(main(["serve", "units"]))
"""


def test_suggestions_work_without_mcp_installed() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_MCP], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("1000 g"), done.stderr
    assert "the units server needs mcp" in done.stderr and "pip install 'fingerpost[units]'" in done.stderr


def test_the_python_example_of_the_readme_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(block, {})
