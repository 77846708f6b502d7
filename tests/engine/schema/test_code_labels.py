"""Which words a schema assigns to the numbers that stand for choices."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.schema.code_labels import find_labels

ROLES = {"0": "Owner", "1": "Admin"}


@pytest.mark.parametrize(
    "text",
    [
        "Role (0: Owner, 1: Admin)", "0 = Owner, 1 = Admin", "0=Owner/1=Admin", "Owner (0), Admin (1)",
        "Owner (0) or Admin (1).", "Role: Owner = 0, Admin = 1", "0 - Owner\n1 - Admin", "- 0: Owner\n- 1: Admin",
        "`0`: Owner, `1`: Admin (all rights)", "0: Owner 1: Admin", "0 -> Owner; 1 -> Admin", "0 (Owner), 1 (Admin)",
        "0 means Owner, 1 means Admin", "0: Owner - may do anything, 1: Admin. Default is 1.",
        "0:\n  Owner,\n\n1: Admin", "**0** \u2013 Owner | **1** \u2013 Admin",
    ],
)  # fmt: skip
def test_a_description_explains_codes_in_the_usual_forms(text: str) -> None:
    assert find_labels({}, {"type": "integer", "description": text}) == ROLES
    assert find_labels({}, {"enum": [0, 1], "description": text}) == ROLES
    assert find_labels({}, {"enum": ["0", "1"], "description": text}) == ROLES


@pytest.mark.parametrize(
    "text",
    [
        "Page size (20), max (100)", "Timeout in seconds (default 30, max 60)", "Ratio 16:9 or 4:3", "1-5 stars",
        "1 (default), 5 (max)", "Rows (10), pages (5)", "Owner (0)", "0: A, 0: B", "0: A, 1: A", "", "no number",
        "v1.2: the version", "0: something that is much too long to be a label of one choice",
        "0: a b c d e f, 1: a b c d e g",
    ],
)  # fmt: skip
def test_a_number_that_is_no_code_has_no_label(text: str) -> None:
    assert find_labels({}, {"type": "integer", "description": text}) == {}


def test_a_code_without_choices_may_be_explained_alone() -> None:
    text = "Kind, 0 to 15; 1: Master"
    assert find_labels({}, {"type": "integer", "description": text}) == {"1": "Master"}
    assert find_labels({}, {"enum": [1, 2], "description": text}) == {"1": "Master"}


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"const": 0, "title": "Owner"}, {"const": 1, "description": "Admin"}]},
        {"anyOf": [{"type": "integer", "enum": [0, 1], "description": "0: Owner, 1: Admin"}, {"type": "null"}]},
        {"enum": [0, 1], "enumNames": ["Owner", "Admin"]},
        {"enum": [0, 1], "x-enum-varnames": ["Owner", "Admin"]},
        {"$ref": "#/$defs/Role"},
        {"enum": [0, 1], "description": "0: Owner, 1: Admin, 2: Guest"},
    ],
)
def test_codes_are_explained_beside_them_too(schema: dict[str, Any]) -> None:
    root = {"$defs": {"Role": {"enum": [0, 1], "description": "0: Owner, 1: Admin"}}}
    assert find_labels(root, schema) == ROLES


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": [0, 1], "enumNames": ["Owner"]},
        {"enum": [0, 1], "enumNames": [7, "\u202eAdmin"]},
        {"enum": ["low", 1], "description": "0: Owner, 1: Admin"},
        {"enum": [0.5, 1], "description": "0: Owner, 1: Admin"},
        {"const": 0},
        {"enum": [0, 1], "description": "0: Owner, 1: Admin", "writeOnly": True},
        {"enum": [0, 1], "description": 7},
    ],
)
def test_what_is_no_list_of_codes_and_labels_explains_nothing(schema: dict[str, Any]) -> None:
    assert find_labels({}, schema) == {}
