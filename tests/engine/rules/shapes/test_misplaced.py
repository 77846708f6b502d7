"""Fields of an object that are one level too high or too low."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render

TEXT, FLAG = {"type": "string"}, {"type": "boolean"}


def strict(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


ADDRESS = strict({"street": TEXT, "city": TEXT, "postal_code": TEXT, "email": TEXT}, "street")
EMPLOYER = strict({"trade": TEXT, "email": TEXT, "employer_name": TEXT})
DONOR = strict({"full_name": TEXT, "birthday": TEXT, "address": ADDRESS, "employer": EMPLOYER}, "full_name")
REGISTER: dict[str, Any] = {
    "name": "register_donor",
    "inputSchema": strict(
        {"donor": DONOR, "consent": FLAG, "id": TEXT, "tags": {"type": "array", "items": DONOR}}, "donor", "consent"
    ),
}


def register(donor: dict[str, Any], **others: Any) -> Verdict:
    arguments = {"donor": {"full_name": "Eva", **donor}, **others}
    return admit(Call("register_donor", arguments), Catalog.listed([REGISTER]))


def correct(donor: dict[str, Any], **others: Any) -> dict[str, Any]:
    found = register(donor, **others)
    assert found.action == "refuse"
    return found.report.corrected.arguments if found.report.corrected else {}


@pytest.mark.parametrize(
    "donor",
    [
        {"email": "a@example.com"},
        {"trade": "baker"},
        {"street": "Main 1", "address": {"street": "Elm 2"}},
        {"street": "Main 1", "address": "Elm 2"},
        {"pet": {"street": "Main 1"}},
    ],
)
def test_a_field_stays_if_its_place_is_not_certain(donor: dict[str, Any]) -> None:
    offered = correct(donor, consent=True)
    assert "employer" not in offered.get("donor", {})
    assert offered.get("donor", {}).get("address") in (None, donor.get("address"))


def test_a_name_that_everything_has_does_not_leave_its_object() -> None:
    schema = strict({"donor": DONOR, "id": TEXT}, "donor", "id")
    tool = {"name": "register_donor", "inputSchema": schema}
    found = admit(Call("register_donor", {"donor": {"full_name": "Eva", "id": "D1"}}), Catalog.listed([tool]))
    assert found.action == "refuse"
    assert "D1" not in (found.report.corrected.arguments if found.report.corrected else {}).values()


def test_fields_of_items_of_a_list_are_left_alone() -> None:
    found = register({}, consent=True, tags=[{"full_name": "Bo", "street": "Main 1", "city": "Bonn"}])
    assert found.action == "refuse"
    assert "belong" not in render(found.report).text


@pytest.mark.parametrize(
    ("donor", "address"),
    [
        ({"street": "Main 1", "city": "Bonn"}, {"street": "Main 1", "city": "Bonn"}),
        ({"address_street": "Main 1"}, {"street": "Main 1"}),
        ({"addressStreet": "Main 1", "addressPostalcode": "1"}, {"street": "Main 1", "postal_code": "1"}),
        ({"street": "Main 1", "city_name": "Bonn"}, {"street": "Main 1", "city": "Bonn"}),
    ],
)
def test_fields_go_into_the_object_below(donor: dict[str, Any], address: dict[str, Any]) -> None:
    assert correct(donor, consent=True) == {"donor": {"full_name": "Eva", "address": address}, "consent": True}


def test_two_fields_for_one_place_are_not_moved() -> None:
    assert "address" not in correct({"street": "Main 1", "city_name": "a", "name_of_city": "b"}, consent=True)


def test_a_required_parameter_leaves_the_object_that_it_was_put_into() -> None:
    assert correct({"consent": True}) == {"donor": {"full_name": "Eva"}, "consent": True}
    assert "'donor.consent' belongs at the top level" in render(register({"consent": True}).report).text


def test_fields_for_two_objects_go_into_both() -> None:
    donor = {"address_street": "Main 1", "employer_trade": "baker"}
    assert correct(donor, consent=True) == {
        "donor": {"full_name": "Eva", "address": {"street": "Main 1"}, "employer": {"trade": "baker"}},
        "consent": True,
    }


def test_names_that_an_open_object_silently_drops_are_moved_too() -> None:
    address = {"type": "object", "properties": {"street": TEXT, "city": TEXT}}
    donor = {"type": "object", "properties": {"full_name": TEXT, "address": address}, "required": ["full_name"]}
    tool = {"name": "register_donor", "inputSchema": strict({"donor": donor, "consent": FLAG}, "donor", "consent")}
    arguments = {"donor": {"full_name": "Eva", "street": "Main 1", "city": "Bonn"}, "consent": "yes"}
    found = admit(Call("register_donor", arguments), Catalog.listed([tool]))
    assert found.report.corrected
    assert found.report.corrected.arguments["donor"]["address"] == {"street": "Main 1", "city": "Bonn"}


def test_a_field_in_another_style_stays_although_its_object_below_has_one_of_the_same_name() -> None:
    amount = {"type": "object", "properties": {"amount": TEXT}, "required": ["amount"]}
    account = {"type": "object", "properties": {"amount": amount}, "required": ["amount"]}
    schema = {"type": "object", "properties": {"account": account}}
    catalog = Catalog.listed([{"name": "book", "inputSchema": schema}])
    verdict = admit(Call("book", {"account": {"Amount": {"amount": "1"}}}), catalog)
    assert (verdict.action, verdict.call.arguments) == ("repair", {"account": {"amount": {"amount": "1"}}})
