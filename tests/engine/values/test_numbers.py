"""Numbers in text, with and without a unit."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Applicability, Call, Catalog, Verdict, admit, render
from tests.engine.values.readings import INTEGER, NUMBER, likely, lossless, offered, readings, text


@pytest.mark.parametrize(
    ("sent", "number"),
    [
        ("10", 10), (" 10 ", 10), ("10.0", 10), ("+10", 10), ("#12", 12), ("!12", 12), ("1,000", 1000), ("1_000", 1000),
        ("-1,234,567", -1234567), ("10.00", 10), ("0.0", 0), ("9007199254740992", 2**53),
    ],
)  # fmt: skip
def test_a_text_with_one_reading_is_converted_to_an_integer(sent: str, number: int) -> None:
    assert readings(sent, INTEGER) == lossless(number)


@pytest.mark.parametrize(
    ("sent", "number"),
    [("10", 10), ("1.5", 1.5), (" +1.5 ", 1.5), ("1_000", 1000), ("1.5e3", 1500.0), ("1e-3", 0.001), ("-0.25", -0.25),
     ("0.500", 0.5), ("1.125", 1.125), ("1000.000", 1000.0), ("1.00", 1.0)],
)  # fmt: skip
def test_a_text_with_one_reading_is_converted_to_a_number(sent: str, number: float) -> None:
    assert readings(sent, NUMBER) == lossless(number)


@pytest.mark.parametrize(
    ("sent", "schema", "numbers"),
    [
        ("007", INTEGER, [7]), ("007", NUMBER, [7]), ("1.000", INTEGER, [1, 1000]), ("1,00,000", INTEGER, [100000]),
        ("1 000", INTEGER, [1000]), ("-1.000.000", INTEGER, [-1000000]), ("1,000", NUMBER, [1000, 1.0]),
        ("1,5", NUMBER, [1.5]), ("1,000,000", NUMBER, [1000000]), ("1,234.5", NUMBER, [1234.5]),
        ("1.234,5", NUMBER, [1234.5]), ("1 000", NUMBER, [1000]), ("1.000", NUMBER, [1.0, 1000]),
        ("-12.340", NUMBER, [-12.34, -12340]), ("+60.000", NUMBER, [60.0, 60000]),
        ("52.520", {**NUMBER, "maximum": 90}, [52.52]), ("60.000 px", NUMBER, [60.0, 60000]),
    ],
)  # fmt: skip
def test_a_number_that_may_be_another_one_is_offered(sent: str, schema: Any, numbers: list[float]) -> None:
    assert readings(sent, schema) == offered(*numbers)


@pytest.mark.parametrize(("sent", "number"), [("1e3", 1000), ("12E1", 120), ("1.5e3", 1500), ("-2e+2", -200)])
def test_an_integer_with_an_exponent_is_only_offered(sent: str, number: int) -> None:
    assert readings(sent, INTEGER, read_only=True) == offered(number)
    assert readings(sent, {**INTEGER, "maximum": -1000}) == []


def test_a_number_with_an_exponent_that_looks_like_a_code_is_likely() -> None:
    assert readings("1e3", NUMBER) == likely(1000.0)


@pytest.mark.parametrize("name", ["ticket_id", "bill_ids", "houseNumber", "pin", "zip_code", "build_no", "serial"])
@pytest.mark.parametrize("sent", ["7e2", "12E1", "1.5e3"])
def test_an_id_with_an_e_is_not_multiplied(name: str, sent: str) -> None:
    assert readings(sent, INTEGER, name=name) == readings(sent, NUMBER, name=name, read_only=True) == []
    assert readings(f"{sent}, 8", {"type": "array", "items": NUMBER}, name=name) == []
    assert readings(f"https://x.example/t/{sent}", NUMBER, name=name) == []


def test_the_thing_that_a_tool_is_for_may_be_an_id() -> None:
    assert readings("7e2", INTEGER, name="ticket", tool="close_ticket") == []
    assert readings("7e2", INTEGER, name="limit", tool="list_tickets") == offered(700)


@pytest.mark.parametrize("sent", ["1.2.3e4", "007e2", "1e", "e3"])
def test_a_text_with_an_e_that_is_no_number_gets_none(sent: str) -> None:
    assert readings(sent, INTEGER) == readings(sent, NUMBER) == []


@pytest.mark.parametrize(
    "sent",
    [
        "9007199254740993", "99,999,999,999,999,999", "1.5", "1,5", "1e30", "0x10", "1__0",
        "10,00", "ten", "+", "#", "--1", "1 2", "9" * 100, "9 999 999 999 999 999 999",
    ],
)  # fmt: skip
def test_a_text_that_is_no_exact_integer_gets_no_number(sent: str) -> None:
    assert readings(sent, INTEGER) == []


@pytest.mark.parametrize("sent", ["0.1000000000000000000001", "1e400", "1,23,4", "12,345,678.1234567890123"])
def test_a_text_that_is_no_exact_number_gets_no_number(sent: str) -> None:
    assert readings(sent, NUMBER) == []


def test_both_readings_of_a_comma_are_named() -> None:
    assert "Either t(p: 1000) or t(p: 1.0)." in text("1,000", NUMBER)


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [INTEGER, {"type": "null"}]},
        {"type": ["integer", "null"]},
        {"allOf": [INTEGER]},
        {"oneOf": [{"type": "null"}, INTEGER]},
    ],
)
def test_alternatives_and_null_change_nothing(schema: dict[str, Any]) -> None:
    assert readings("1,000", schema) == lossless(1000)
    assert readings(["7", " 8 "], {"type": "array", "items": schema}) == [*lossless(7), *lossless(8)]
    inner = {"type": "object", "properties": {"n": schema}}
    assert readings({"n": "#12"}, inner) == lossless(12)


@pytest.mark.parametrize(
    ("sent", "number", "unit"),
    [
        ("10 items", 10, "items"), ("10px", 10, "px"), ("5 minutes", 5, "minutes"), ("2GB", 2, "GB"),
        ("-3 open issues", -3, "open issues"), ("90s", 90, "s"),
    ],
)  # fmt: skip
def test_a_number_with_a_unit_is_offered_and_the_unit_named(sent: str, number: int, unit: str) -> None:
    assert readings(sent, INTEGER) == offered(number)
    assert f'check that it counts in "{unit}"' in text(sent, INTEGER)


@pytest.mark.parametrize(
    ("name", "description", "sent", "unit"),
    [
        ("timeout_ms", "", "5 seconds", "milliseconds"), ("wait", "How many seconds to wait", "5 minutes", "seconds"),
        ("timeout", "Timeout (ms)", "5s", "milliseconds"), ("amount_cents", "", "$5", "cents"),
        ("price", "Price in EUR", "$5", "eur"), ("delay_min", "", "90 seconds", "minutes"),
        ("ratio", "A percentage", "5 px", "percent"), ("wait_s", "", "5 minutes", "seconds"),
        ("temperature_f", "", "21\u00b0C", "degrees Fahrenheit"), ("height", "in feet", "180 cm", "feet"),
        ("temp", "In \u00b0C", "72 \u00b0F", "degrees Celsius"),
        ("prep_time_min", "", "90 s", "minutes"), ("walk_min", "In minutes", "2 h", "minutes"),
        ("wait_in_min", "", "90s", "minutes"), ("break_mins", "", "1 h", "minutes"), ("keep_days", "", "3 h", "days"),
    ],
)  # fmt: skip
def test_a_number_in_another_unit_is_never_offered(name: str, description: str, sent: str, unit: str) -> None:
    schema = {"type": "integer", "description": description}
    assert readings(sent, schema, name=name) == []
    assert f"{name} takes a number in {unit}" in text(sent, schema, name=name)


@pytest.mark.parametrize("name", ["birth_year_min", "priceMin", "votes_min", "time_min", "duration_min", "temp_min"])
def test_the_smallest_value_is_not_in_minutes(name: str) -> None:
    beside = {"duration_max": NUMBER}
    assert "minutes" not in text("1800s", NUMBER, name=name, beside=beside)
    assert readings("1800s", NUMBER, name=name, beside=beside) == []
    assert readings("18 years", NUMBER, name=name, beside=beside) == offered(18)


@pytest.mark.parametrize(
    ("name", "description", "sent", "number"),
    [
        ("timeout_ms", "", "5 milliseconds", 5), ("timeout", "In seconds", "5 secs", 5), ("price_usd", "", "$5", 5),
        ("days", "", "3 days", 3), ("weight", "in kg", "4 kilograms", 4), ("min", "", "4 items", 4),
    ],
)  # fmt: skip
def test_a_number_in_the_unit_of_the_parameter_is_offered(name: str, description: str, sent: str, number: int) -> None:
    assert readings(sent, {"type": "integer", "description": description}, name=name) == offered(number)


@pytest.mark.parametrize(
    ("name", "sent", "number", "unit"),
    [
        ("temperature", "21\u00b0C", 21, "\u00b0C"), ("nozzle_temp", "210C", 210, "C"),
        ("temp", "72 \u00b0F", 72, "\u00b0F"), ("temperature", "300K", 300, "K"), ("temp", "21 \u2103", 21, "\u2103"),
        ("weight", "5kg", 5, "kg"), ("weight", "5g", 5, "g"), ("weight", "5 pounds", 5, "pounds"),
        ("games", "3 won", 3, "won"), ("attempts", "10 try", 10, "try"),
        ("voltage", "12V", 12, "V"), ("speed", "60 km/h", 60, "km/h"), ("angle", "45\u00b0", 45, "\u00b0"),
        ("angle", "45\u00ba", 45, "\u00ba"),
    ],
)  # fmt: skip
def test_a_sign_or_letter_of_a_unit_is_named(name: str, sent: str, number: int, unit: str) -> None:
    assert readings(sent, NUMBER, name=name) == offered(number)
    assert f'{name} takes a number without a unit: check that it counts in "{unit}".' in text(sent, NUMBER, name=name)


@pytest.mark.parametrize(
    ("name", "description", "sent", "number"),
    [
        ("temperature_c", "", "21\u00b0C", 21), ("temperature", "In degrees Celsius", "21 \u00b0C", 21),
        ("temp_f", "", "72F", 72), ("speed_kmh", "", "60 km/h", 60), ("length_m", "", "5 m", 5),
        ("target", "Target in \u00b0F", "72\u00b0F", 72),
    ],
)  # fmt: skip
def test_a_sign_of_the_unit_of_the_parameter_needs_no_hint(name: str, description: str, sent: str, number: int) -> None:
    schema = {**NUMBER, "description": description}
    assert readings(sent, schema, name=name) == offered(number)
    assert "unit" not in text(sent, schema, name=name)


def test_degrees_may_be_of_any_temperature() -> None:
    schema = {**NUMBER, "description": "The temperature in degrees"}
    assert readings("21\u00b0C", schema) == offered(21)
    assert 'check that it counts in "\u00b0C"' in text("21\u00b0C", schema)


@pytest.mark.parametrize(
    ("name", "sent", "factor"),
    [("salary", "10 k", "k"), ("limit", "2K", "K"), ("price", "5 M", "M"), ("count", "3 dozen", "dozen"),
     ("size_mb", "5 M", "M"), ("distance", "5m", "m"), ("temperature", "10 k", "k")],
)  # fmt: skip
def test_a_factor_is_for_the_caller_to_write_out(name: str, sent: str, factor: str) -> None:
    assert readings(sent, NUMBER, name=name) == []
    assert f'{name} takes a number in digits: write out what "{factor}" stands for.' in text(sent, NUMBER, name=name)


@pytest.mark.parametrize("sent", ["2K", "5M", "3 million", "12a", "1st", "2 dozen", "1h30m", "10-20", "about 5", "5m"])
def test_a_number_that_a_word_changes_is_not_offered(sent: str) -> None:
    assert readings(sent, INTEGER) == []


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("percent", INTEGER), ("discount_pct", NUMBER), ("share", {"type": "number", "description": "In percent"}),
        ("brightness", {"type": "integer", "minimum": 0, "maximum": 100}),
        ("brightness", {"type": "integer", "description": "Percent"}), ("dim", {**INTEGER, "description": "Level (%)"}),
        ("volume", {"type": "integer", "description": "Volume, 1-100 %"}),
    ],
)  # fmt: skip
def test_a_percentage_is_offered_where_percentages_are_taken(name: str, schema: dict[str, Any]) -> None:
    assert readings("50%", schema, name=name) == offered(50)


@pytest.mark.parametrize("name", ["amount", "rate", "limit", "opacity", "size_gb"])
def test_a_percentage_is_no_number_for_any_other_parameter(name: str) -> None:
    assert readings("50%", NUMBER, name=name) == readings("50 percent", NUMBER, name=name) == []


PAYMENT = {"amount": NUMBER, "currency": {"type": "string"}, "unit": {"type": "string"}}


@pytest.mark.parametrize(
    ("sent", "beside", "hint"),
    [
        ("12 USD", {"currency": "EUR"}, 'amount says "USD", but currency names another unit'),
        ("\u00a312", {"currency": "usd"}, 'amount says "\u00a3", but currency names another unit'),
        ("12 USDT", {"currency": "USD"}, 'amount says "USDT", but currency names another unit'),
        ("5 kg", {"unit": "lb"}, 'amount says "kg", but unit names another unit'),
        ("12 USD", {}, 'Give the unit "USD" in currency'), ("50 yen", {}, 'Give the unit "yen" in currency'),
        ("5 kg", {"currency": "EUR"}, 'Give the unit "kg" in unit'),
    ],
)  # fmt: skip
def test_a_unit_that_another_argument_contradicts_is_not_dropped(sent: str, beside: dict[str, str], hint: str) -> None:
    found = judge_payment({"amount": sent, **beside})
    assert found.report.applicability is Applicability.HAS_PLACEHOLDERS
    assert hint in render(found.report).text


@pytest.mark.parametrize(
    "arguments",
    [
        {"amount": "12 USD", "currency": "usd"}, {"amount": "\u20ac12", "currency": "EUR"},
        {"amount": "12 THB", "unit": "thb"}, {"amount": "12 kg", "unit": "kilograms"},
    ],
)  # fmt: skip
def test_a_unit_that_another_argument_repeats_is_dropped(arguments: dict[str, str]) -> None:
    found = judge_payment(arguments)
    assert found.report.corrected == Call("pay", {**arguments, "amount": 12})


def judge_payment(arguments: dict[str, str]) -> Verdict:
    return admit(
        Call("pay", arguments),
        Catalog.listed([{"name": "pay", "inputSchema": {"type": "object", "properties": PAYMENT}}]),
    )


@pytest.mark.parametrize("sent", ["10.00", "9.99", "1,000.00", "12,50", "10.000", "0.5"])
@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("amount_cents", ""), ("pricePence", ""), ("fee_sats", ""), ("value_wei", ""), ("belopp_\u00f6re", ""),
        ("amount", "Amount in the smallest currency unit"), ("total", "The total in cents"),
    ],
)  # fmt: skip
def test_a_fraction_is_never_read_as_a_number_of_cents(sent: str, name: str, description: str) -> None:
    for kind in ("integer", "number"):
        assert readings(sent, {"type": kind, "description": description}, name=name) == []
    assert readings("1,000", {"type": "integer", "description": description}, name=name) == lossless(1000)


@pytest.mark.parametrize("name", ["p", "amount", "price", "salary", "max_price"])
@pytest.mark.parametrize(
    "sent",
    ["5000 cents", "500 ct", "50 pence", "50 yen", "$5", "\u20ac12", "12 EUR", "EUR 12", "A$5", "50 dollars",
     "1.000 EUR", "50 EUR/month"],
)  # fmt: skip
def test_an_amount_of_money_is_no_number_unless_the_parameter_says_the_currency(name: str, sent: str) -> None:
    assert readings(sent, NUMBER, name=name) == []
    assert f"{name} takes a number, and does not say that it counts in" in text(sent, NUMBER, name=name)


@pytest.mark.parametrize("sent", ["50 each", "50 per month", "50 monthly", "50 a day", "50 apiece"])
def test_a_rate_is_no_number(sent: str) -> None:
    assert readings(sent, NUMBER, name="amount") == []
    assert "amount takes a number: it cannot say" in text(sent, NUMBER, name="amount")


@pytest.mark.parametrize(
    ("name", "description", "sent"),
    [
        ("price_pence", "", "50 pence"), ("fee", "Fee in pence", "50 pence"), ("amount_cents", "", "50 cents"),
        ("price", "Price in EUR", "\u20ac50"), ("price_jpy", "", "50 yen"),
        ("cost", "In THB", "50 THB"),
    ],
)  # fmt: skip
def test_money_in_the_unit_of_the_parameter_is_offered(name: str, description: str, sent: str) -> None:
    assert readings(sent, {"type": "number", "description": description}, name=name) == offered(50)


def test_pounds_are_money_where_an_amount_is_wanted() -> None:
    assert readings("50 pounds", NUMBER, name="amount") == []


@pytest.mark.parametrize("sent", ["13.4 W", "52.5 S", "13.4\u00b0 W", "13.4 West", "52.5 N", "33.9 south"])
def test_a_point_of_the_compass_is_no_unit(sent: str) -> None:
    assert readings(sent, NUMBER, name="longitude") == []


def judge_beside(arguments: dict[str, str], unit_name: str, choices: list[str]) -> str:
    properties: dict[str, Any] = {**dict.fromkeys(arguments, NUMBER), unit_name: {"type": "string"}}
    if choices:
        properties[unit_name] = {"enum": choices}
    listed = {"name": "t", "inputSchema": {"type": "object", "properties": properties}}
    return render(admit(Call("t", arguments), Catalog.listed([listed])).report).text


@pytest.mark.parametrize(
    ("name", "sent", "unit_name", "choices"),
    [
        ("wind", "5 watts", "temperature_unit", []), ("power", "5 watts", "unit", ["celsius", "fahrenheit"]),
        ("amount", "5 cents", "currency", ["EUR", "USD"]), ("amount", "5 cents", "currency", []),
        ("amount", "50 yen", "currency", ["EUR", "USD"]), ("amount", "5 per month", "unit", []),
    ],
)  # fmt: skip
def test_a_unit_goes_only_to_a_parameter_that_takes_it(
    name: str, sent: str, unit_name: str, choices: list[str]
) -> None:
    assert "Give the unit" not in judge_beside({name: sent}, unit_name, choices)


def test_both_numbers_of_a_point_before_thousands_are_named() -> None:
    found = judge_payment({"amount": "60.000 \u20ac", "currency": "EUR"})
    assert "Either pay(amount: 60.0" in (shown := render(found.report).text)
    assert "pay(amount: 60000" in shown
    assert judge_payment({"amount": "1.000"}).action == "refuse"


def test_items_that_may_be_thousands_are_not_split() -> None:
    assert readings("1.000, 2.5", {"type": "array", "items": NUMBER}) == []
    assert readings("1.5, 2.5", {"type": "array", "items": NUMBER}) == offered([1.5, 2.5])


def test_an_id_has_no_unit() -> None:
    assert readings("12 items", INTEGER, name="item_id") == []


def test_a_quantity_that_is_out_of_range_is_not_offered() -> None:
    assert readings("50%", {"type": "number", "maximum": 1}) == []


def test_the_unit_of_a_secret_is_not_shown() -> None:
    assert "seconds" not in text("5 seconds", INTEGER, name="otp_ms")


@pytest.mark.parametrize(
    ("sent", "schema", "name"),
    [
        ("12st", INTEGER, "week"), ("11st", INTEGER, "week"), ("no 12", INTEGER, "week"), ("KW 12", INTEGER, "room"),
        ("floor-3", INTEGER, "floor"), ("minus 3", INTEGER, "week"), ("5\u22123", INTEGER, "week"),
        ("\u2212", INTEGER, "week"), ("\u00b2", INTEGER, "week"), ("\u216b", INTEGER, "week"),
        ("1st", INTEGER, "limit"), ("month 3", INTEGER, "week"),
        ("12th", NUMBER, "week"), ("12th", {"type": ["integer", "string"], "pattern": "x"}, "id"),
    ],
)  # fmt: skip
def test_a_text_that_counts_something_else_gets_no_number(sent: str, schema: dict[str, Any], name: str) -> None:
    assert readings(sent, schema, name=name) == []


@pytest.mark.parametrize(
    ("sent", "schema", "name", "number"),
    [
        ("\u22123", INTEGER, "semitones", -3), ("\uff11\uff12", INTEGER, "p", 12), ("\u0663", NUMBER, "p", 3),
        ("\u22121.5", NUMBER, "p", -1.5), ("12th", INTEGER, "week", 12), ("1st", INTEGER, "page", 1),
        ("13th", INTEGER, "page", 13), ("12.", INTEGER, "week", 12), ("KW 12", INTEGER, "week", 12),
        ("No. 12", INTEGER, "room", 12), ("Room 12", INTEGER, "room_number", 12), ("\u2116 7", INTEGER, "p", 7),
    ],
)  # fmt: skip
def test_digits_of_another_script_and_a_word_for_what_is_counted_are_offered(
    sent: str, schema: dict[str, Any], name: str, number: float
) -> None:
    assert readings(sent, schema, name=name, read_only=True) == offered(number)


@pytest.mark.parametrize(
    ("name", "sent"), [("amount", "50c"), ("refund", "50 C"), ("price", "50\u00a2"), ("fee", "50 cents")]
)
def test_a_number_of_cents_is_not_offered_for_a_sum_that_does_not_say_so(name: str, sent: str) -> None:
    assert readings(sent, NUMBER, name=name) == []
    assert f"{name} takes a number, and does not say that it counts in" in text(sent, NUMBER, name=name)


@pytest.mark.parametrize("sent", ["50c", "50 cents", "50\u00a2"])
def test_a_number_of_cents_is_offered_for_cents(sent: str) -> None:
    assert readings(sent, INTEGER, name="amount_cents") == offered(50)
    assert readings("50 satoshi", INTEGER, name="amount_cents") == []
