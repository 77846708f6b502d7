"""A `null` that was forwarded and that the server rejects is named, if only one can be the one."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, enrich
from fingerpost.engine.dialects import rejected_null
from fingerpost.engine.model import Path
from fingerpost.engine.tool import Tool

TEXT = {"type": "string"}
ENTRY = {
    "name": "update_contact",
    "inputSchema": {
        "type": "object",
        "properties": {
            "id": TEXT,
            "note": TEXT,
            "age": {"type": "integer"},
            "nick": {"type": ["string", "null"]},
            "address": {"type": "object", "properties": {"zip": TEXT, "city": TEXT}},
        },
        "required": ["id"],
    },
}
CATALOG = Catalog.listed([ENTRY])
TOOL = Tool("update_contact", ENTRY)


def read(text: str, **arguments: Any) -> list[tuple[Path, Any]]:
    found = rejected_null.read(text, Call("update_contact", {"id": "1", **arguments}), TOOL)
    return [(one.at, one.expected) for one in found if one.keyword == "type"]


@pytest.mark.parametrize(
    "text",
    [
        "note cannot be null", "Invalid arguments: note: Expected string, received null", "note must not be None",
        "Invalid arguments: note must be string, got null", 'null value in column "note" violates not-null constraint',
        "Null is not allowed for 'note'", "json: cannot unmarshal null into Go value of type string",
        "Input validation error: None is not of type 'string'", "Expected string, received null",
        "invalid type: null, expected a string", 'null is not of type "string"', "note: null value not allowed",
        "1 validation error for update\nnote\n  Input should be a valid string [type=string_type, input_value=None]",
    ],
)  # fmt: skip
def test_a_rejected_null_is_named(text: str) -> None:
    assert read(text, note=None) == [(("note",), ["string"])]
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    error = enrich(Call("update_contact", {"id": "1", "note": None}), reply, CATALOG)["_meta"][KEY]["error"]
    assert (error["code"], error["message"]) == ("INVALID_TYPE", "Parameter 'note' must be string, got null")
    assert error["details"]["expected"] == "string"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("TypeError: Cannot read properties of null (reading 'length')", {"note": None}),
        ("null value in column 'created_by' violates not-null constraint", {"note": None}),
        ("id cannot be null, please note that", {"note": None}),
        ("note and age cannot be null", {"note": None, "age": None}),
        ("Expected string, received null", {"note": None, "address": {"zip": None}}),
        ("Expected string, received null", {"age": None}),
        ("Expected string, received null", {"nick": None}),
        ("nick cannot be null", {"nick": None}),
        ("note cannot be null", {"note": "x"}),
        ("extra cannot be null", {"extra": None}),
        ("Contact 1 not found", {"note": None}),
    ],
)
def test_nothing_is_read_in_doubt(text: str, arguments: dict[str, Any]) -> None:
    assert read(text, **arguments) == []


def test_of_several_nulls_the_one_that_is_named_or_fits_is_found() -> None:
    assert read("zip cannot be null", note=None, address={"zip": None}) == [(("address", "zip"), ["string"])]
    assert read("Expected integer, received null", note=None, age=None) == [(("age",), ["integer"])]


def test_the_search_for_nulls_is_limited() -> None:
    deep: Any = {"zip": None}
    for _ in range(40):
        deep = {"address": deep}
    assert read("zip cannot be null", **deep) == []
    wide = {f"o{number}": {"zip": None} for number in range(100)}
    assert read("zip cannot be null", **wide) == []
