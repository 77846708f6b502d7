"""Placeholders show the structure, formats, choices and limits that a schema asks for."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.phrases import has_placeholder, literal
from fingerpost.engine.schema.excerpt import describe_schema, outline_value
from fingerpost.engine.schema.placeholder import alternatives, first_choice, placeholder, shorten_blanks

ROOT: dict[str, Any] = {
    "$defs": {
        "Order": {"type": "string", "enum": ["asc", "desc"]},
        "Email": {"type": "string", "format": "email"},
        "Node": {
            "type": "object",
            "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"},
                           "all": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        },
        "Base": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    }
}  # fmt: skip
TEXT = {"type": "string"}


def an_object(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": list(names)}


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"$ref": "#/$defs/Email"}, "<email>"),
        ({"anyOf": [{"$ref": "#/$defs/Order"}, {"type": "null"}], "default": None}, '<"asc" or "desc">'),
        ({"allOf": [{"$ref": "#/$defs/Order"}], "description": "Order"}, '<"asc" or "desc">'),
        ({"oneOf": [{"const": "a", "title": "A"}, {"enum": ["b", "c"]}]}, '<"a" or "b" or "c">'),
        ({"enum": ["a", None]}, '<"a">'),
        ({"enum": list(range(7))}, "<0 or 1 or 2 or 3 or 3 more>"),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["all"]}]}, '<integer ≥ 1 or "all">'),
        ({"anyOf": [{"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}]}]}, "<integer ≤ 5>"),
        ({"type": ["integer", "null"], "minimum": 1, "maximum": 100}, "<integer 1 to 100>"),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "<number above 0, below 1>"),
        ({"type": "integer", "minimum": 0, "multipleOf": 5}, "<integer ≥ 0, multiple of 5>"),
        ({"type": "integer", "multipleOf": 1}, "<integer>"),
        ({"type": "integer", "minimum": 10**400}, "<integer>"),
        ({"type": "string", "maxLength": 20}, "<string of at most 20 characters>"),
        ({"type": "string", "minLength": 1}, "<string>"),
        ({"type": "string", "minLength": 8, "maxLength": 64}, "<string of 8 to 64 characters>"),
        ({"type": "string", "minLength": 2, "maxLength": 2}, "<string of 2 characters>"),
        ({"type": "string", "minLength": 3}, "<string of at least 3 characters>"),
        ({"type": "string", "pattern": "^v[0-9]+$"}, '<string matching "^v[0-9]+$">'),
        ({"type": "string", "pattern": "x" * 100}, "<string>"),
        ({"type": "string", "format": "a form"}, "<string>"),
        ({"type": "string", "format": "password", "enum": ["hunter2"]}, "<password>"),
        ({"const": 2}, "<2>"),
        ({"const": "x" * 100}, "<string>"),
        ({"const": "hunter2", "writeOnly": True}, "<string>"),
        ({"const": {"a": 1}}, "<object>"),
        ({"type": "array", "items": {"type": "integer"}}, "[<integer>]"),
        ({"type": "array", "items": {"type": "number"}, "minItems": 2}, "[<number>, <number>]"),
        ({"type": "array", "items": TEXT, "minItems": 5}, "[<string>, <at least 4 more>]"),
        ({"type": "array", "prefixItems": [TEXT, {"type": "integer"}]}, "[<string>, <integer>]"),
        ({"type": "array", "minItems": 2}, "<array of at least 2 items>"),
        ({"type": "object"}, "<object>"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "<object with number values>"),
        ({"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["b"]}, "{b: <string>}"),
        ({"type": "object", "properties": {"a": TEXT, "two words": TEXT}}, '{a: <string>, "two words": <string>}'),
        ({"type": "object", "required": ["a"]}, "{a: <value>}"),
        (
            {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"n": TEXT}, "required": ["n"]}]},
            "{n: <string>, id: <string>}",
        ),
        (
            {"oneOf": [{"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
                        "required": ["kind", "r"]}, {"type": "object"}]},
            '<{kind: "circle", r: <number>} or object>',
        ),
        ({"anyOf": [TEXT, {"$ref": "#/$defs/Base"}]}, "<string or {id: <string>}>"),
        ({"oneOf": [an_object("id"), an_object("url")]}, "<{id: <string>} or {url: <string>}>"),
        ({"type": "array", "items": {"anyOf": [an_object("id"), {"type": "integer"}]}},
         "[<{id: <string>} or integer>]"),
        ({"properties": {"a": TEXT, "b": TEXT}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
         "<{a: <string>} or {b: <string>}>"),
        ({"anyOf": [an_object("id"), an_object("id"), {"type": "null"}]}, "{id: <string>}"),
        ({"anyOf": [an_object(*"abcdefghijkl"), an_object(*"mnopqrstuvwx")]},
         f"{{{', '.join(f'{name}: <string>' for name in 'abcdefghijkl')}}}"),
        ({"anyOf": [an_object(name) for name in "abcde"]}, "{a: <string>}"),
        ({"$ref": "#/$defs/Node"}, "{value: <integer>, next: <object>, all: [<object>]}"),
        ({}, "<value>"),
        (True, "<value>"),
    ],
)  # fmt: skip
def test_a_placeholder_shows_what_the_schema_asks_for(schema: Any, written: str) -> None:
    blank = placeholder(ROOT, schema)
    assert literal(blank) == written
    assert has_placeholder(blank)


def test_depth_and_number_of_placeholders_are_limited() -> None:
    deep: dict[str, Any] = TEXT
    for _ in range(40):
        deep = {"type": "array", "items": deep}
    assert literal(placeholder({}, deep)) == "[[[[[<array>]]]]]"
    wide = {name: {"type": "object", "properties": {str(n): TEXT for n in range(9)}, "required": list("012345678")}
            for name in "abcdefghijkl"}  # fmt: skip
    text = literal(placeholder({}, {"type": "object", "properties": wide, "required": list(wide)}))
    assert text.count("<") < 60
    assert text.endswith("l: <object>}")


def test_a_recursion_through_merged_schemas_stops() -> None:
    root = {"$defs": {"N": {"allOf": [{"$ref": "#/$defs/B"}, {"properties": {"child": {"$ref": "#/$defs/N"}}}]},
                      "B": {"type": "object", "properties": {"id": TEXT}}}}  # fmt: skip
    assert literal(placeholder(root, {"$ref": "#/$defs/N"})) == "{child: <object>, id: <string>}"
    loop = {"$defs": {"L": {"allOf": [{"$ref": "#/$defs/L"}], "anyOf": [{"$ref": "#/$defs/L"}, TEXT]}}}
    assert placeholder(loop, {"$ref": "#/$defs/L"}).startswith("<")


def test_blanks_are_shortened_from_the_inside_and_other_values_stay() -> None:
    blank = placeholder(ROOT, {"type": "array", "items": {"$ref": "#/$defs/Base"}})
    own = {"a": [{"b": 1}]}
    value = {"own": own, "blank": blank}
    assert literal(shorten_blanks(value, 2)) == "{own: {a: [{b: 1}]}, blank: [<object>]}"
    assert literal(shorten_blanks(value, 1)) == "{own: {a: [{b: 1}]}, blank: <array>}"
    assert shorten_blanks(value, 9) is value
    assert shorten_blanks(value, 1)["own"] is own


def test_a_value_without_placeholders_is_json() -> None:
    assert literal({"name": [{"b": 1}]}) == '{"name": [{"b": 1}]}'


def test_choices_are_merged_and_alternatives_kept_apart() -> None:
    assert first_choice(ROOT, {"anyOf": [{"type": "null"}]}) == {"anyOf": [{"type": "null"}]}
    both = alternatives(ROOT, {"anyOf": [TEXT, {"type": "integer"}], "writeOnly": True, "description": "x"})
    assert both == [{"type": "string", "writeOnly": True}, {"type": "integer", "writeOnly": True}]


def test_the_choices_of_a_secret_with_alternatives_are_not_shown() -> None:
    schema = {"anyOf": [{"type": "string", "enum": ["hunter2"]}, {"type": "integer"}], "writeOnly": True}
    assert "hunter2" not in f"{placeholder({}, schema)} {outline_value({}, schema)} {describe_schema({}, schema)}"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, "object {a: <string>}"),
        ({"type": "array", "minItems": 1, "items": TEXT}, "array [<string>], at least 1 item"),
        ({"type": "array"}, "array"),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, "integer, at least 1"),
    ],
)
def test_a_line_about_a_parameter_can_show_what_is_inside(schema: Any, words: str) -> None:
    assert describe_schema({}, schema, shows_fields=True) == words


def test_an_outline_shows_alternatives_and_what_is_inside() -> None:
    optional = {"anyOf": [{"$ref": "#/$defs/Base"}, {"type": "null"}]}
    assert outline_value(ROOT, optional) == {
        "type": ["object", "null"],
        "properties": {"id": {"required": True, "type": "string"}},
    }
    either = {"anyOf": [{"$ref": "#/$defs/Base"}, {"type": "array", "items": TEXT}]}
    assert outline_value(ROOT, either, "typed") == {
        "type": ["object", "array"],
        "anyOf": [
            {"type": "object", "properties": {"id": {"required": True, "type": "string"}}},
            {"type": "array", "items": {"type": "string"}},
        ],
    }


def test_alternatives_are_named_by_their_types_if_there_is_no_room() -> None:
    blank = placeholder(ROOT, {"oneOf": [an_object("id"), {"type": "array", "items": TEXT}, TEXT]})
    assert literal(blank) == "<{id: <string>} or [<string>] or string>"
    assert shorten_blanks({"a": blank}, 2) == {"a": blank}
    assert shorten_blanks({"a": blank}, 1) == {"a": "<object or array or string>"}
