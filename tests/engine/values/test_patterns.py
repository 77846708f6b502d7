"""Texts that a pattern rejects only for their case, separators or missing beginning."""

from __future__ import annotations

import pytest

from tests.engine.values.readings import judge_value, likely, offered, readings

ORDER, ISSUE, REGION = r"^gid://shopify/Order/\d+$", r"^[A-Z]+-\d+$", r"^[a-z]+-[a-z]+-\d$"


@pytest.mark.parametrize(
    ("pattern", "sent", "fitting"),
    [
        ("^[A-Z]{3}$", "ber", "BER"), ("^[A-Z]{3}$", " Ber", "BER"), ("^[a-f0-9]{7}$", "ABC1234", "abc1234"),
        (ISSUE, "abc-123", "ABC-123"), (ISSUE, "#abc-123", "ABC-123"), (r"^(ORD|INV)-\d+$", "inv-7", "INV-7"),
        (REGION, "us east 1", "us-east-1"), (REGION, "us_east_1", "us-east-1"), (REGION, "US East 1", "us-east-1"),
        (r"^\d{3}-\d{4}$", "555 0100", "555-0100"), (r"^[a-z]+(_[a-z]+)*$", "release notes", "release_notes"),
    ],
)  # fmt: skip
def test_the_only_case_and_separator_that_fit_are_likely(pattern: str, sent: str, fitting: str) -> None:
    schema = {"type": "string", "pattern": pattern}
    assert readings(sent, schema) == likely(fitting)
    assert judge_value(sent, schema).action == "refuse"
    assert judge_value(sent, schema, read_only=True).call.arguments == {"p": fitting}


@pytest.mark.parametrize(
    ("pattern", "sent", "fitting"),
    [
        (r"^\+\d{8,15}$", "+1 (555) 010-9999", "+15550109999"), (r"^[A-Z]{2}\d+$", "de 12 3", "DE123"),
        (ORDER, "123", "gid://shopify/Order/123"), (ORDER, "#123", "gid://shopify/Order/123"),
        (ORDER, "Order/123", "gid://shopify/Order/123"), (r"^user:\d+$", "12", "user:12"),
        (r"^cus_\w+$", "Nffr2", "cus_Nffr2"), (r"^#[0-9a-f]{6}$", "FF0000", "#ff0000"), (r"^@\w+$", "ada", "@ada"),
        (r"^refs\/heads\/.+$", "main", "refs/heads/main"), (r"^v\d+$", "12", "v12"),
    ],
)  # fmt: skip
def test_the_only_beginning_that_fits_is_offered(pattern: str, sent: str, fitting: str) -> None:
    schema = {"type": "string", "pattern": pattern}
    assert readings(sent, schema) == offered(fitting)
    assert judge_value(sent, schema, read_only=True).call.arguments == {"p": sent}


@pytest.mark.parametrize(
    ("pattern", "sent"),
    [
        ("^[A-Z]{3}$", "berl"), ("^[A-Z]{3}$", "b-r"), (ORDER, "gid://shopify/Product/123"), (ORDER, "Product/123"),
        (ORDER, "123abc"), (r"^cus_\w+$", "sub_123"), (r"^-\d+$", "5"), (r"^\$\d+$", "5"), (r"^EUR \d+$", "12"),
        (r"^not-\w+$", "a"), (r"^(ORD|INV)-\d+$", "123"), (r"^ORD-\d+|INV-\d+$", "123"), (r"^PROJ-?\d+$", "x12"),
        ("^[A-Za-z0-9_-]+$", "us east 1"), (r"^C[A-Z0-9]+$", "GENERAL"), (r"\d+-\d+", "x"), (ISSUE, " "),
        (r"^\+\d{8,15}$", "0170 1234567"), ("^[A-Z]{3}$" + "|x" * 300, "ber"), ("^[A-Z]+$", "a" * 200),
        (r"^[0-9]{2}x$", "+1 2"), (r"^INV-20\d\d-[A-Z]\d$", "25-B7"),
    ],
)  # fmt: skip
def test_a_change_of_meaning_and_one_of_several_are_not_offered(pattern: str, sent: str) -> None:
    assert readings(sent, {"type": "string", "pattern": pattern}, required=True) == []


def test_several_patterns_are_not_combined() -> None:
    either = {"anyOf": [{"type": "string", "pattern": r"^a:\d+$"}, {"type": "string", "pattern": r"^b:\d+$"}]}
    assert readings("12", either) == []


@pytest.mark.parametrize(
    ("pattern", "sent"),
    [
        (r"^[0-9]:[0-9]$", "1.5"), (r"^[0-9]\.[0-9]$", "15"), (r"^[0-9]\.[0-9]$", "1/5"), (r"^v[0-9]+-[0-9]+$", "v12"),
        (r"^\w+-\w+$", "abcdef"), (r"^[0-9]{1,3}-[0-9]{1,3}$", "1234"), (r"^[0-9]{2}:[0-9]{2}$", "9:5"),
        (r"^[0-9]{2}:[0-9]{2}$", "930"), (r"^[0-9]{16}$", "123456789012345"), (r"^[0-9]{3}$", "12"),
        (r"^[0-9]+\.[0-9]{2}$", "5.1"), (r"^-[0-9]$", "5"), (r"^[A-Z]{20}-[0-9]{20}$", "A" * 20 + "1" * 20),
        (r"^[0-9]{2}-[0-9]{2}$", "\u0661\u0662\u0663\u0664"),
    ],
)  # fmt: skip
def test_a_separator_or_a_zero_that_may_change_the_value_is_not_added(pattern: str, sent: str) -> None:
    assert readings(sent, {"type": "string", "pattern": pattern}, required=True) == []


@pytest.mark.parametrize(
    ("pattern", "sent", "fitting"),
    [
        ("^[A-Z]{2}-[0-9]{4}$", "AB1234", "AB-1234"), ("^[A-Z]{2}-[0-9]{4}$", "ab1234", "AB-1234"),
        ("^[A-Z]{2}-[0-9]{4}$", "AB/1234", "AB-1234"), ("^[A-Z]+-[0-9]+$", "AB12", "AB-12"),
        ("^[0-9]{3}-[0-9]{3}-[0-9]{4}$", "5551234567", "555-123-4567"), ("^[0-9]{2}:[0-9]{2}$", "0930", "09:30"),
        ("^[0-9]:[0-9]$", "1/1", "1:1"), ("^[0-9]{2}:[0-9]{2}$", "9:30", "09:30"), ("^[0-9]{2}$", "7", "07"),
        ("^H-[0-9]{3}$", "H-12", "H-012"), ("^[0-9]{4}-[0-9]{2}$", "2024-1", "2024-01"),
        ("^[0-9]{4}-[0-9]{2}$", "2024/01", "2024-01"),
    ],
)  # fmt: skip
def test_the_only_separators_or_the_only_zero_that_fit_are_offered(pattern: str, sent: str, fitting: str) -> None:
    schema = {"type": "string", "pattern": pattern}
    assert readings(sent, schema) == offered(fitting)
    assert judge_value(sent, schema, read_only=True).call.arguments == {"p": sent}


UUID = "3f2b8f0e-6c1e-4d27-9b9d-0a6f0d1c2b3a"
HEX = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


@pytest.mark.parametrize("sent", ["{" + UUID + "}", f"urn:uuid:{UUID}", UUID.replace("-", "")])
def test_a_uuid_in_another_notation_is_offered_as_the_pattern_wants_it(sent: str) -> None:
    assert readings(sent, {"type": "string", "pattern": HEX}) == offered(UUID)


@pytest.mark.parametrize("sent", [UUID[:-1], UUID.replace("-", "", 1), f"x{UUID}", UUID * 2])
def test_a_text_that_is_no_whole_uuid_is_not_completed(sent: str) -> None:
    assert readings(sent, {"type": "string", "pattern": HEX}, required=True) == []


PLACE = r"^-?\d+(\.\d+)?,-?\d+(\.\d+)?$"


@pytest.mark.parametrize(
    ("pattern", "sent"),
    [
        (r"^\d+$", "-5"), (r"^\d+$", "1.5"), (r"^\d+(\.\d{2})?$", "12.5"), (r"^\d+(\.\d{2})?$", "-12.50"),
        (r"^\d+$", "+5"), (r"^\d:\d$", "1 -5"), (r"^\d{3}-\d{4}$", "555.1234"),
    ],
)  # fmt: skip
def test_a_sign_or_a_point_of_a_number_is_no_separator(pattern: str, sent: str) -> None:
    assert readings(sent, {"type": "string", "pattern": pattern}) == []


@pytest.mark.parametrize("sent", ["-33.9, 151.2", " -33.9 ,151.2", "-33.9 , 151.2"])
def test_blanks_between_numbers_are_left_out(sent: str) -> None:
    assert readings(sent, {"type": "string", "pattern": PLACE}) == offered("-33.9,151.2")
