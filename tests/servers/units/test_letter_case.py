"""Symbols in the wrong case, alone and in compounds."""

# pyright: basic
from __future__ import annotations

import pytest

import bench.units_typos as typos
from tests.support.units_server import (
    convert_number,
    unit_error,
)


def test_units_that_differ_only_in_case_are_distinct() -> None:
    assert convert_number(1, "Mm", "mm") == 10**9
    assert convert_number(1, "MW", "mW") == 10**9
    assert convert_number(1, "Gal", "m/s^2") == 0.01 and convert_number(1, "gal", "L") == 3.785411784
    assert convert_number(1, "MB", "Mb") == 8


def test_wrong_case_is_never_fixed_to_another_unit() -> None:
    tried = [(text, intended, unit_error(text).likely_fix) for text, intended in typos.case_mistakes()]
    fixed = [(text, intended, fix["value"]) for text, intended, fix in tried if fix]
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
def test_wrong_case_is_fixed_together_with_the_units_beside_it(text: str, fix: str) -> None:
    likely = unit_error(text).likely_fix
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
def test_wrong_case_with_two_readings_has_no_fix(text: str, among: set[str]) -> None:
    error = unit_error(text)
    assert error.likely_fix is None and among <= set(error.hints), (error.likely_fix, error.hints)
