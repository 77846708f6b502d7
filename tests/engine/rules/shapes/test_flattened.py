"""Fields of an object that are at the top level, with the name of the object in front and another name there."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit

TEXT = {"type": "string"}
BORROWER = {
    "type": "object",
    "properties": {"institution": TEXT, "contact_email": TEXT, "emergency_phone": TEXT, "fax_template": TEXT},
    "required": ["institution", "contact_email", "emergency_phone", "fax_template"],
    "additionalProperties": False,
}
LOAN: dict[str, Any] = {
    "name": "loan_object",
    "inputSchema": {
        "type": "object",
        "properties": {"object": TEXT, "borrower": BORROWER, "borrower_branch_code": TEXT},
        "required": ["object", "borrower"],
        "additionalProperties": False,
    },
}


def correct(**arguments: Any) -> dict[str, Any] | None:
    found = admit(Call("loan_object", {"object": "vase", **arguments}), Catalog.listed([LOAN]))
    assert found.action == "refuse"
    return found.report.corrected.arguments.get("borrower") if found.report.corrected else None


@pytest.mark.parametrize(
    "arguments",
    [
        {"borrower_name": "Ann"},
        {"borrower_id": "B1"},
        {"borrower_phone": "1"},
        {"borrower_fax": "1"},
        {"lender_email": "a@example.com"},
        {"object_email": "a@example.com"},
        {"borrower_branch": "a@example.com"},
        {"borrower_email": "a@example.com", "borrower_emails": "b@example.com"},
    ],
)
def test_a_field_without_one_place_in_its_object_is_not_moved(arguments: dict[str, Any]) -> None:
    offered: dict[str, Any] = correct(borrower_institution="V&A", **arguments) or {}
    assert not any(value in arguments.values() for value in offered.values())


OTHERS = {"emergency_phone": "1", "fax_template": "a"}


def test_a_field_that_has_another_name_in_its_object_is_offered() -> None:
    others = {f"borrower_{name}": value for name, value in OTHERS.items()}
    found = correct(borrower_institution="V&A", borrower_email="a@example.com", **others)
    assert found == {"institution": "V&A", "contact_email": "a@example.com", **OTHERS}


def test_a_field_in_other_words_joins_the_given_object() -> None:
    found = correct(borrower={"institution": "V&A", **OTHERS}, borrower_email="a@example.com")
    assert found == {"institution": "V&A", "contact_email": "a@example.com", **OTHERS}


@pytest.mark.parametrize(
    ("sent", "corrected"),
    [
        ({"layer_hieght": 0.2, "infill": 20}, {"settings": {"layer_height": 0.2, "infill": 20}}),
        ({"layer_height": 0.2, "infil": 20}, {"settings": {"layer_height": 0.2, "infill": 20}}),
        ({"layer_height": 0.2, "pritner": "p1"}, {"settings": {"layer_height": 0.2}, "printer": "p1"}),
        ({"layer_height": 0.2, "infil": 20, "infilll": 30}, None),
    ],
)
def test_a_misspelled_field_goes_where_the_others_go(sent: dict[str, Any], corrected: dict[str, Any] | None) -> None:
    fields = {"layer_height": {"type": "number"}, "infill": {"type": "integer"}}
    declared = {"printer": TEXT, "settings": {"type": "object", "properties": fields}}
    schema = {"type": "object", "properties": declared, "required": ["settings"]}
    verdict = admit(Call("submit", sent), Catalog.listed([{"name": "submit", "inputSchema": schema}]))
    assert verdict.action == "refuse"
    assert (verdict.report.corrected.arguments if verdict.report.corrected else None) == corrected
