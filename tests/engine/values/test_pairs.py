"""Lists of pairs for objects with free names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import offered, readings, text

FREE, TEXTS = {"type": "object"}, {"type": "object", "additionalProperties": {"type": "string"}}
PAIR = {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"}}}
DECLARED = {"type": "object", "properties": {"env": {"type": "string"}, "tier": {"type": "string"}}}


@pytest.mark.parametrize("schema", [FREE, TEXTS, {"anyOf": [TEXTS, {"type": "null"}]}, DECLARED])
@pytest.mark.parametrize(
    "names", [("key", "value"), ("name", "value"), ("Key", "Value"), ("k", "v"), ("column_name", "fieldValue")]
)
def test_pairs_become_the_names_and_values_of_an_object(schema: dict[str, Any], names: tuple[str, str]) -> None:
    pairs = [dict(zip(names, pair, strict=True)) for pair in (("env", "prod"), ("tier", "gold"))]
    assert readings(pairs[:1], schema) == offered({"env": "prod"})
    assert readings(pairs, schema) == offered({"env": "prod", "tier": "gold"})


@pytest.mark.parametrize(
    "pairs",
    [
        [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}],
        [{"key": "a", "value": "1"}, {"name": "b", "value": "2"}],
        [{"key": "a", "value": "1", "is_hidden": True}], [{"key": "", "value": "1"}], [{"key": 7, "value": "1"}],
        [{"thing": "a", "value": "1"}], [{"key": "a", "value": "1"}] * 201,
        [{"key": "a", "value": "1"}, "b"],
    ],
)  # fmt: skip
def test_other_pairs_have_no_reading(pairs: list[Any]) -> None:
    assert readings(pairs, FREE) == []


def test_names_that_the_object_does_not_declare_are_no_fields() -> None:
    assert readings([{"key": "colour", "value": "red"}], DECLARED) == []


def test_an_object_with_these_two_fields_is_taken_out_of_its_list() -> None:
    assert readings([{"key": "a", "value": "1"}], PAIR) == offered({"key": "a", "value": "1"})
    assert readings([{"": "prod"}], FREE) == offered({"": "prod"})
    assert readings([{"key": "a", "value": "1"}], {"type": "string"}) == []


def test_pairs_are_read_at_any_depth_and_their_values_respelled() -> None:
    inside = {"type": "array", "items": {"type": "object", "properties": {"labels": TEXTS}}}
    assert text([{"labels": [{"key": "env", "value": 1}]}], inside).endswith(
        'Corrected call: t(p: [{"labels": {"env": "1"}}])'
    )
