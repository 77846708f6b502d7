"""Ids and addresses are repeated to the caller who sent them; what may be a secret is not."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.safety.identifiers import is_own_id

UUID = "550e8400-e29b-41d4-a716-446655440000"
COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("task_id", UUID),
        ("taskId", UUID.upper()),
        ("user_ids", UUID),
        ("owner.id", UUID),
        ("sha", COMMIT),
        ("commit", COMMIT[:12]),
        ("objectID", "507f1f77bcf86cd799439011"),
        ("id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("channel_id", "112233445566778899"),
        ("email", "a1b2c3d4e5f6@example.com"),
        ("ip", "2001:db8:85a3:8d3:1319:8a2e:370:7348"),
        ("mac", "00:1b:44:11:3a:b7"),
        ("url", f"https://example.com/tasks/{UUID}"),
        ("resource_uri", f"db://tasks/{UUID}?view=full"),
    ],
)
def test_an_id_or_address_under_its_name_may_be_repeated(key: str, value: str) -> None:
    assert is_own_id(value, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("note", UUID),
        ("session_id", UUID),
        ("api_key_id", UUID),
        ("token_id", UUID),
        ("credentials.id", UUID),
        ("id", f"use {UUID} here"),
        ("id", "sk-abcdefabcdef1234"),
        ("id", "AKIAIOSFODNN7EXAMPLE"),
        ("id", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("id", "eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijkl"),
        ("id", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5"),
        ("user_id", "4111111111111111"),
        ("url", "https://ada:hunter2@example.com/x"),
        ("url", f"https://example.com/x?token={COMMIT}"),
        ("url", "https://hooks.example.com/services/T00/B00/XXa8s7d6f5g4H3j2k1lQ9w8E"),
        ("id", UUID * 20),
        ("id", 7),
    ],
)
def test_what_may_be_a_secret_is_not_repeated(key: str, value: Any) -> None:
    assert not is_own_id(value, key)


def listed(**properties: Any) -> Catalog:
    schema = {"type": "object", "properties": properties, "required": ["task_id", "title"]}
    return Catalog.listed([{"name": "rename_task", "inputSchema": schema}])


def test_the_corrected_call_repeats_the_id_that_the_caller_sent() -> None:
    catalog = listed(task_id={"type": "string"}, title={"type": "string"})
    envelope = render(admit(Call("rename_task", {"task_id": UUID}), catalog).report)
    assert f'Fill in: rename_task(task_id: "{UUID}", title: <string>)' in envelope.text
    assert envelope.structured["error"]["corrected_call"]["arguments"]["task_id"] == UUID


@pytest.mark.parametrize("mark", [{"writeOnly": True}, {"format": "password"}])
def test_an_id_that_the_schema_declares_secret_is_not_repeated(mark: dict[str, Any]) -> None:
    catalog = listed(task_id={"type": "string", **mark}, title={"type": "string"})
    assert UUID not in str(render(admit(Call("rename_task", {"task_id": UUID}), catalog).report))


def test_a_value_sent_under_the_name_of_a_secret_is_not_repeated_under_another() -> None:
    from fingerpost.engine.render.corrected_call import present_call

    sent = Call("rename_task", {"token": UUID})
    assert present_call(Call("rename_task", {"task_id": sent.arguments["token"]}), sent).text == (
        "rename_task(task_id: <as sent>)"
    )
