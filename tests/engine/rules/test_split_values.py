"""One text that belongs to two parameters: a number with its unit, a field with its direction; and negated choices."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit

NUMBER, FLAG = {"type": "number"}, {"type": "boolean"}
LENGTH, CURRENCY = {"enum": ["km", "mile", "metre"]}, {"enum": ["EUR", "USD"]}
FIELD, ORDER = {"enum": ["term", "created"]}, {"enum": ["asc", "desc"]}
CONVERT = {"value": NUMBER, "from_unit": LENGTH, "to_unit": LENGTH}


def find_offer(properties: dict[str, Any], sent: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the arguments of the corrected call, which is never sent."""
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    listed = [{"name": "t", "inputSchema": schema, "annotations": {"readOnlyHint": True}}]
    verdict = admit(Call("t", sent), Catalog.listed(listed))
    assert verdict.action == "refuse"
    corrected = verdict.report.corrected
    return corrected.arguments if corrected else {}


@pytest.mark.parametrize(
    ("properties", "sent", "required", "wrong"),
    [
        (CONVERT, {"value": "5 kg", "to_unit": "mile"}, ("value", "from_unit"), {"value": 5}),
        (CONVERT, {"value": "5 km", "from_unit": "mile"}, ("value", "to_unit"), {"value": 5}),
        (CONVERT, {"value": "5 m", "to_unit": "mile"}, ("value", "from_unit"), {"value": 5}),
        (CONVERT, {"value": "5 back", "to_unit": "mile"}, ("value", "from_unit"), {"value": 5}),
        (CONVERT, {"value": ["5 km"], "to_unit": "mile"}, ("value", "from_unit"), {"from_unit": "km"}),
        ({"height": NUMBER, "width": NUMBER, "unit": LENGTH}, {"height": "5 km", "width": 3}, ("unit",), {"height": 5}),
        ({"a": NUMBER, "unit": LENGTH, "source_unit": LENGTH}, {"a": "5 km"}, ("unit",), {"unit": "km"}),
        ({"a": NUMBER, "b": NUMBER, "unit": LENGTH}, {"a": "5 km", "b": "5 mile"}, ("unit",), {"unit": "km"}),
        ({"dose_mg": NUMBER, "unit": {"enum": ["g", "mg"]}}, {"dose_mg": "5 g"}, ("unit",), {"dose_mg": 5}),
        ({"amount": NUMBER, "currency": CURRENCY}, {"amount": "$5"}, ("currency",), {"currency": "USD"}),
        ({"power": NUMBER, "unit": {"enum": ["MW", "kW"]}}, {"power": "5 mW"}, ("unit",), {"unit": "MW"}),
        ({"dose_mg": NUMBER}, {"dose": "100 g"}, ("dose_mg",), {"dose_mg": 100}),
        ({"dose_mg": NUMBER}, {"dose": "100"}, ("dose_mg",), {"dose_mg": 100}),
        ({"dose_mg": NUMBER}, {"dose_g": "100 mg"}, ("dose_mg",), {"dose_mg": 100}),
        ({"timeout_s": NUMBER}, {"timeout": "30 ms"}, ("timeout_s",), {"timeout_s": 30}),
    ],
)
def test_a_number_is_not_split_from_a_unit_that_is_not_surely_its_own(
    properties: dict[str, Any], sent: dict[str, Any], required: tuple[str, ...], wrong: dict[str, Any]
) -> None:
    offer = find_offer(properties, sent, required)
    assert not wrong.items() <= offer.items()


@pytest.mark.parametrize(
    ("properties", "sent", "required", "offer"),
    [
        (
            CONVERT, {"value": "5 km", "to_unit": "mile"}, ("value", "from_unit", "to_unit"),
            {"value": 5, "to_unit": "mile", "from_unit": "km"},
        ),
        (
            CONVERT, {"value": "5 kilometres", "to_unit": "mile"}, ("value", "from_unit"),
            {"value": 5, "to_unit": "mile", "from_unit": "km"},
        ),
        ({"height": NUMBER, "unit": {"enum": ["m", "ft"]}}, {"height": "5 ft"}, (), {"height": 5, "unit": "ft"}),
        (
            {"a": NUMBER, "b": NUMBER, "a_unit": LENGTH}, {"a": "5 km", "b": 3}, ("a_unit",),
            {"a": 5, "b": 3, "a_unit": "km"},
        ),
        (
            {"amount": NUMBER, "currency": CURRENCY}, {"amount": "5 EUR"}, ("currency",),
            {"amount": 5, "currency": "EUR"},
        ),
        ({"dose_mg": NUMBER}, {"dose": "100 mg"}, ("dose_mg",), {"dose_mg": 100}),
        ({"timeout_s": NUMBER}, {"timeout": "30 seconds"}, (), {"timeout_s": 30}),
    ],
)  # fmt: skip
def test_a_number_and_its_unit_are_offered_apart(
    properties: dict[str, Any], sent: dict[str, Any], required: tuple[str, ...], offer: dict[str, Any]
) -> None:
    assert find_offer(properties, sent, required) == offer


@pytest.mark.parametrize(
    ("properties", "sent"),
    [
        ({"sort_by": FIELD, "descending": FLAG}, {"sort_by": "-created", "descending": False}),
        ({"sort_by": FIELD, "order": ORDER, "reverse": FLAG}, {"sort_by": "-created"}),
        ({"status": FIELD, "descending": FLAG}, {"status": "-created"}),
        ({"sort_by": FIELD, "reverse_charge": FLAG}, {"sort_by": "-created"}),
        ({"sort_by": FIELD, "archived": FLAG}, {"sort_by": "-created"}),
        ({"sort_by": FIELD, "order": {"enum": ["asc", "desc", "random"]}}, {"sort_by": "-created"}),
        ({"sort_by": FIELD, "descending": FLAG}, {"sort_by": "-usage"}),
        ({"sort_by": FIELD, "descending": FLAG}, {"sort_by": "-" + "x" * 80}),
        ({"sort_by": FIELD}, {"sort_by": "-created"}),
        ({"sort_by": {"type": "array", "items": FIELD}, "descending": FLAG}, {"sort_by": ["-created"]}),
    ],
)
def test_a_sign_is_no_direction_if_no_single_parameter_takes_one(
    properties: dict[str, Any], sent: dict[str, Any]
) -> None:
    offer = find_offer(properties, sent)
    assert "created" not in (offer.get("sort_by"), offer.get("status"), *(offer.get("sort_by") or ()))


@pytest.mark.parametrize(
    ("properties", "sent", "offer"),
    [
        ({"sort_by": FIELD, "descending": FLAG}, "-created", {"sort_by": "created", "descending": True}),
        ({"sort_by": FIELD, "sort_descending": FLAG}, "+Created", {"sort_by": "created", "sort_descending": False}),
        ({"sort_by": FIELD, "ascending": FLAG}, "-term", {"sort_by": "term", "ascending": False}),
        ({"sort_by": FIELD, "sort_order": ORDER}, "-created", {"sort_by": "created", "sort_order": "desc"}),
        ({"sort_by": FIELD, "limit": {"type": "integer"}, "dir": ORDER}, "+term", {"sort_by": "term", "dir": "asc"}),
        ({"sort_by": FIELD, "descending": FLAG}, "created:desc", {"sort_by": "created", "descending": True}),
        ({"sort_by": FIELD, "dir": ORDER}, "ascending term", {"sort_by": "term", "dir": "asc"}),
    ],
)
def test_a_sign_before_the_field_is_offered_as_its_direction(
    properties: dict[str, Any], sent: str, offer: dict[str, Any]
) -> None:
    assert find_offer(properties, {"sort_by": sent}) == offer


@pytest.mark.parametrize(
    ("choices", "sent"),
    [
        (["formal", "informal", "slang"], "not formal"), (["north", "south"], "not north"), (["pos", "neg"], "not neg"),
        (["formal", "informal"], "not slang"), (["formal", "informal"], "-formal"), (["formal", 2], "not formal"),
        (["formal", "informal"], "not " + "formal" * 20),
    ],
)  # fmt: skip
def test_the_negation_of_a_choice_leaves_several_others(choices: list[Any], sent: str) -> None:
    offer = find_offer({"p": {"enum": choices}}, {"p": sent}, ("p",))
    assert offer.get("p") not in choices


@pytest.mark.parametrize(
    ("choices", "sent", "other"),
    [
        (["formal", "informal"], "not formal", "informal"), (["formal", "informal"], "not informal", "formal"),
        (["formal", "informal"], "!formal", "informal"), (["public", "private"], "non-public", "private"),
        (["enabled", "disabled"], "not enabled", "disabled"), (["active", "inactive"], "not_active", "inactive"),
    ],
)  # fmt: skip
def test_the_negation_of_one_of_two_choices_is_offered_as_the_other(choices: list[str], sent: str, other: str) -> None:
    assert find_offer({"p": {"enum": choices}}, {"p": sent}) == {"p": other}
