"""One value instead of the object around it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import BOOLEAN, INTEGER, offered, readings

TEXT = {"type": "string"}


def an_object(fields: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(required)}


@pytest.mark.parametrize(
    ("name", "sent", "schema", "value"),
    [
        ("project", "ABC", an_object({"key": TEXT}, "key"), {"key": "ABC"}),
        ("project", "ABC", an_object({"key": TEXT, "name": TEXT}, "key"), {"key": "ABC"}),
        ("parent", 5, an_object({"id": INTEGER}), {"id": 5}),
        ("project", "ABC", an_object({"project_key": TEXT}, "project_key"), {"project_key": "ABC"}),
        ("cache", True, an_object({"enabled": BOOLEAN}, "enabled"), {"enabled": True}),
        ("priority", "High", an_object({"name": {"enum": ["High", "Low"]}}, "name"), {"name": "High"}),
        ("text", "two words", an_object({"content": TEXT}, "content"), {"content": "two words"}),
        ("parent", "a", {"anyOf": [an_object({"id": TEXT}, "id"), {"type": "null"}]}, {"id": "a"}),
    ],
)  # fmt: skip
def test_a_value_is_offered_in_the_only_field_that_is_needed(
    name: str, sent: Any, schema: dict[str, Any], value: dict[str, Any]
) -> None:
    assert readings(sent, schema, name=name) == offered(value)


@pytest.mark.parametrize(
    ("name", "sent", "schema"),
    [
        ("project", "ABC", an_object({"key": TEXT, "id": TEXT})),
        ("project", "ABC", an_object({"key": TEXT, "id": TEXT}, "key", "id")),
        ("timeout", 5, an_object({"ms": INTEGER}, "ms")),
        ("timeout", 5, an_object({"timeout_seconds": INTEGER})),
        ("owner", "ada", an_object({"team_id": TEXT}, "team_id")),
        ("project", "my big project", an_object({"key": TEXT}, "key")),
        ("project", "{key: ABC", an_object({"key": TEXT}, "key")),
        ("project", "none", an_object({"key": TEXT}, "key")),
        ("project", None, an_object({"key": TEXT}, "key")),
        ("project", "x" * 300, an_object({"key": TEXT}, "key")),
        ("parent", "five", an_object({"id": INTEGER}, "id")),
        ("options", "x", {"type": "object"}),
    ],
)
def test_a_value_that_may_belong_elsewhere_is_not_offered(name: str, sent: Any, schema: dict[str, Any]) -> None:
    assert readings(sent, schema, name=name, required=True) == []


def test_each_item_of_a_list_is_offered_in_its_field() -> None:
    schema = {"type": "array", "items": an_object({"id": TEXT}, "id")}
    assert readings(["a", "b"], schema) == offered({"id": "a"}, {"id": "b"})
