"""Which unit an unknown word means: fixes, suggestions, and words that are not units at all."""

# pyright: basic
from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench.units_typos as typos
from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.suggestions import (
    ConversionError,
    resolve_unit,
)
from fingerpost.servers.units.vocabulary import vocabulary
from tests.support.english_words import NAMES_OF_UNITS, OTHER_WORDS, SYMBOLS_OF_UNITS
from tests.support.units_server import (
    parse_unit,
    unit_error,
)


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
def test_a_typo_with_one_reading_is_fixed_in_place(text: str, fix: str) -> None:
    likely = unit_error(text).likely_fix
    assert likely is not None and likely["value"] == fix and likely["confidence"] >= 0.9
    parse_unit(fix)


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
def test_a_typo_with_several_readings_has_no_fix(text: str, among: set[str]) -> None:
    error = unit_error(text)
    assert error.likely_fix is None and among <= set(error.hints), error.hints


@pytest.mark.parametrize(
    "text",
    ["mil", "gr", "kt", "bbl", "BBL", "barrels", "Cal", "Calories", "as", "USD", "$", "'", "b", "ppt", "NM", "sqm"],
)
def test_an_ambiguous_spelling_is_refused_with_advice(text: str) -> None:
    error = unit_error(text)
    assert error.error_type == "unknown_unit" and error.likely_fix is None
    assert error.hints == (vocabulary().refusals[text],)


def test_ambiguous_words_are_refused_in_any_case() -> None:
    assert unit_error("Barrel").hints == unit_error("BARRELS").hints == (vocabulary().refusals["bbl"],)


def test_english_words_are_neither_units_nor_misspelled_units() -> None:
    taken = {word: resolve_unit(word) for word in OTHER_WORDS}
    assert [word for word, unit in taken.items() if isinstance(unit, Compound)] == []
    assert [word for word, error in taken.items() if isinstance(error, ConversionError) and error.likely_fix] == []
    assert all(isinstance(resolve_unit(word), Compound) for word in (*NAMES_OF_UNITS, *SYMBOLS_OF_UNITS))
    assert len(OTHER_WORDS) > 300


@pytest.mark.parametrize(
    "text", ["Hg", "foo", "baz", "qux", "asdf", "lorem", "zzzz", "__class__", "import os", "exec", "日本", "🙂a"]
)
def test_nonsense_gets_no_fix(text: str) -> None:
    assert unit_error(text).likely_fix is None


@pytest.mark.parametrize("text", ["pb", "KT", "xtime"])
def test_dissimilar_units_are_not_suggested(text: str) -> None:
    assert unit_error(text).hints[0] == "No similar units found"


@given(
    st.sampled_from(sorted(vocabulary().by_name)), st.integers(0, 2**32), st.sampled_from(["{}", "m/{}", "J/({}*K)"])
)
def test_a_fix_can_always_be_parsed(name: str, seed: int, around: str) -> None:
    if len(name) >= 4 and isinstance(
        error := resolve_unit(around.format(typos.add_typo(name, Random(seed)))), ConversionError
    ):
        assert (
            error.likely_fix is None
            or not isinstance(again := resolve_unit(error.likely_fix["value"]), ConversionError)
            or (again.error_type != "unknown_unit")
        )


@pytest.mark.no_cover
def test_most_misspelled_units_are_fixed_correctly() -> None:
    tried = [
        (unit_error(text).likely_fix, parse_unit(intended))
        for text, intended in typos.typos(every=False, seed=3, each=1)
    ]
    fixed = [(resolve_unit(fix["value"]), intended) for fix, intended in tried if fix]
    assert len(fixed) >= 0.7 * len(tried)
    assert sum(one == intended for one, intended in fixed) >= 0.99 * len(fixed)


def test_the_benchmark_runs() -> None:
    names = [name for name, _, _ in typos.rows(each=1, step=50)]
    assert "words of English with a fix" in names and len(names) == 12
    assert not typos.is_same("km", "s")
