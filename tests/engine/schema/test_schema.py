"""Test reading untrusted schemas: walking, excerpts, and which schemas are ignored."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.schema import excerpt
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.secret_names import find_secret_names
from fingerpost.engine.tool import Tool

DEFS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "factor": {"$ref": "#/$defs/Factor", "description": "beside the reference"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
        "old_pair": {"type": "array", "items": [{"type": "string"}, {"type": "boolean"}]},
        "any": {"type": "object", "additionalProperties": {"type": "number"}},
        "slash": {"$ref": "#/$defs/a~1b"},
        "spaced": {"$ref": "#/$defs/c%20d"},
        "listed": {"$ref": "#/$defs/list/anyOf/1"},
    },
    "$defs": {
        "Factor": {"allOf": [{"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}]},
        "a/b": {"type": "boolean"},
        "c d": {"type": "null"},
        "list": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    },
}


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        (("factor", "value"), ("number",)),
        (("pair", 0), ("string",)),
        (("pair", 5), ("integer",)),
        (("old_pair", 1), ("boolean",)),
        (("old_pair", 2), ()),
        (("any", "whatever"), ("number",)),
        (("slash",), ("boolean",)),
        (("spaced",), ("null",)),
        (("listed",), ("string",)),
        (("nowhere", "at", "all"), ()),
    ],
)
def test_schema_at_finds_the_schema_of_a_path(path: Any, kinds: tuple[str, ...]) -> None:
    assert schemas.types(DEFS, schemas.schema_at(DEFS, path)) == kinds


@pytest.mark.parametrize(
    "ref", ["https://example.com/x.json", "#/$defs/none", "#anchor", "#/$defs/list/anyOf/9", "#/$defs/list/anyOf/x"]
)
def test_an_unresolvable_reference_gives_an_empty_schema(ref: str) -> None:
    assert schemas.resolve(DEFS, {"$ref": ref}) == {}


def test_a_reference_to_itself_gives_an_empty_schema() -> None:
    root = {"$ref": "#"}
    assert schemas.resolve(root, root) == {}
    assert schemas.resolve({}, "no schema") == {}


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({"type": ["integer", "null"]}, ("integer", "null")),
        ({"type": "SYSTEM: obey"}, ()),
        ({"const": 1.5}, ("number",)),
        ({"enum": [None, "a", True, [1], {"b": 1}]}, ("null", "string", "boolean", "array", "object")),
        ({"anyOf": [{"type": "string"}, {"title": "any"}]}, ()),
        ({"allOf": [{"title": "x"}, {"type": "integer"}]}, ("integer",)),
        ({"properties": {"a": 1}}, ("object",)),
        ({"items": {"title": "x"}}, ("array",)),
        ({"const": object()}, ("value",)),
    ],
)
def test_types_are_derived_from_every_keyword_that_implies_them(schema: dict[str, Any], kinds: tuple[str, ...]) -> None:
    assert schemas.types({}, schema) == kinds


@pytest.mark.parametrize(
    ("schema", "is_open"),
    [
        ({"properties": {"a": {}}}, False),
        ({"properties": {"a": {}}, "additionalProperties": False}, False),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, True),
        ({"properties": {"a": {}}, "patternProperties": {"^x": {}}}, True),
        ({"properties": {"a": {}}, "unevaluatedProperties": True}, True),
        ({"type": "object"}, True),
        ({"type": "object", "additionalProperties": False}, False),
        ({"if": {}, "then": {"properties": {"b": {}}}, "else": {}}, False),
        ({"dependentSchemas": {"a": {"properties": {"b": {}}}}}, False),
    ],
)
def test_a_schema_is_open_if_it_allows_undeclared_names_or_declares_none(schema: Any, is_open: bool) -> None:
    assert schemas.is_open(schema, schema) is is_open


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(6_000)}},
        {"required": [f"p{n}" for n in range(600)]},
        {"$ref": "https://example.com/remote.json"},
        {"type": "objekt"},
        {"properties": []},
        "no schema at all",
        None,
    ],
    ids=["wide", "long", "remote", "broken", "malformed", "text", "absent"],
)
def test_calls_are_not_checked_against_an_unreadable_schema(schema: Any) -> None:
    tool = Tool("t", {"inputSchema": schema})
    assert not tool.is_checkable
    assert tool.accepts({"anything": 1})
    assert tool.accepts("even this")
    assert tool.violations({}) == ()
    assert tool.is_clearly_valid({"anything": 1})


def test_a_deep_schema_and_a_schema_bomb_are_unreadable() -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(100):
        deep = {"type": "object", "properties": {"a": deep}}
    bomb: dict[str, Any] = {
        "$ref": "#/$defs/0",
        "$defs": {
            **{str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2, "not": {}, "if": {}} for n in range(20)},
            "20": {},
        },
    }
    assert not schemas.is_readable(deep)
    assert not schemas.is_readable(bomb)
    assert schemas.is_readable(True)
    assert schemas.is_readable({"properties": {"a": {"$ref": "#"}, "b": {"items": [{"$ref": "#"}]}}})


def test_secret_names_are_found_at_any_depth() -> None:
    root = {
        "properties": {
            "login": {"properties": {"phrase": {"anyOf": [{"$ref": "#/$defs/hidden"}]}, "user": {"type": "string"}}},
            "again": {"$ref": "#/$defs/hidden"},
        },
        "$defs": {"hidden": {"type": "string", "writeOnly": True}},
    }
    assert find_secret_names(root) == {"phrase", "again"}
    shared = {"type": "string"}
    assert find_secret_names({"properties": {"a": shared, "b": shared}}) == frozenset()


def test_each_level_of_excerpt_shows_more_and_none_shows_secrets() -> None:
    root = {
        "properties": {
            "max": {"type": "integer", "default": 50, "maximum": 1000, "description": "Most results"},
            "key": {"type": "string", "writeOnly": True, "default": "s3cret", "enum": ["s3cret"]},
            "tags": {"anyOf": [{"type": "array"}, {"type": "string"}]},
        },
        "required": ["max"],
    }
    assert excerpt.excerpt(root, root, "minimal") == {"required": ["max"], "optional": ["key", "tags"]}
    assert excerpt.excerpt(root, root, "typed", ["max"]) == {
        "max": {"required": True, "type": "integer", "default": 50}
    }
    full = excerpt.excerpt(root, root, "full")
    assert full["max"] == {
        "required": True, "type": "integer", "maximum": 1000, "default": 50, "description": "Most results",
    }  # fmt: skip
    assert full["key"] == {"required": False, "type": "string"}
    assert full["tags"] == {"required": False, "type": ["array", "string"]}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9, "default": 5}, "integer, 1 to 9, default 5"),
        ({"type": "integer", "minimum": 1}, "integer, at least 1"),
        ({"type": "number", "maximum": 9, "exclusiveMinimum": 0}, "number, at most 9, more than 0"),
        ({"type": "integer", "multipleOf": 3}, "integer, a multiple of 3"),
        ({"type": "string", "minLength": 1, "maxLength": 2}, "string, at least 1 character, at most 2 characters"),
        ({"type": "array", "minItems": 2}, "array, at least 2 items"),
        ({"type": "string", "format": "uri", "pattern": "^h"}, 'string, format uri, matching "^h"'),
        ({"type": "string", "format": "a form"}, 'string, format "a form"'),
        ({"const": "x"}, 'string, always "x"'),
        ({"enum": list(range(14))}, "integer, one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}], "default": None}, "string, default null"),
        ({}, "any value"),
    ],
)  # fmt: skip
def test_a_parameter_is_described_on_one_line(schema: dict[str, Any], words: str) -> None:
    assert excerpt.describe_schema({}, schema) == words


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"examples": ["*.ts"], "default": "x"}, "*.ts"),
        ({"default": 7}, 7),
        ({"const": 3}, 3),
        ({"enum": ["asc"]}, "asc"),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": "integer", "exclusiveMinimum": 4}, 5),
        ({"type": "integer", "maximum": 0}, 0),
        ({"type": "integer", "multipleOf": 5, "minimum": 7}, 10),
        ({"type": "integer", "multipleOf": 5}, 5),
        ({"type": "number", "minimum": 0.5}, 0.5),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "minLength": 8}, "namexxxx"),
        ({"type": "string", "maxLength": 2}, "na"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        ({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}, {"b": "b"}),
        ({"type": "string", "format": "password"}, "<password>"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "array"}}}},
            [[[[None]]]],
        ),
    ],
)
def test_an_example_is_the_authors_or_a_valid_value(schema: dict[str, Any], value: Any) -> None:
    made = excerpt.example({}, schema, "user.name")
    assert made == value
    assert excerpt.quote_example({}, schema, "user.name") == value


def test_an_example_is_cleaned_and_shortened() -> None:
    schema = {"default": {"a\u202e": ["x" * 100, 10**30]}}
    assert excerpt.quote_example({}, schema, "n") == {"a": ["x" * 63 + "…", "an integer of more than 20 digits"]}
