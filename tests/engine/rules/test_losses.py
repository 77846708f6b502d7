"""A tool that destroys more than was asked for is never the one to call."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.matching.losses import Loss, loss_of


def answer(asked: str, *names: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"note_id": {"type": "string"}}, "required": ["note_id"]}
    reader = {"name": "read_note", "inputSchema": schema, "annotations": {"readOnlyHint": True}}
    tools = [reader, *[{"name": name, "inputSchema": schema} for name in names]]
    verdict = admit(Call(asked, {"note_id": "n1"}), Catalog.listed(tools))
    assert verdict.action == "refuse"
    return render(verdict.report).structured["error"]


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("list_notes", Loss.NOTHING), ("notes", Loss.NOTHING), ("update_trash", Loss.NOTHING),
        ("trash_note", Loss.PUT_AWAY), ("note_trash", Loss.PUT_AWAY), ("move_to_trash", Loss.PUT_AWAY),
        ("move_note_into_bin", Loss.PUT_AWAY), ("archive_note", Loss.PUT_AWAY), ("soft_delete_note", Loss.PUT_AWAY),
        ("delete_note", Loss.DELETED), ("message_delete", Loss.DELETED), ("empty_trash", Loss.DELETED),
        ("purge_notes", Loss.FOR_GOOD), ("hard_delete_note", Loss.FOR_GOOD), ("factory_reset", Loss.FOR_GOOD),
        ("permanently_remove_note", Loss.FOR_GOOD),
    ],
)  # fmt: skip
def test_a_name_says_how_much_is_lost(name: str, loss: Loss) -> None:
    assert loss_of(name) is loss


@pytest.mark.parametrize(
    ("asked", "stronger"),
    [
        ("trash_note", "delete_note"), ("trash_note", "erase_note"), ("bin_note", "remove_note"),
        ("note_trash", "note_delete"), ("delete_note", "destroy_note"), ("remove_note", "purge_note"),
        ("discard_note", "wipe_note"), ("drop_note", "shred_note"), ("delete_note", "hard_delete_note"),
        ("delete_note", "delete_note_permanently"), ("reset_note", "factory_reset_note"), ("empty_note", "purge_note"),
    ],
)  # fmt: skip
def test_a_tool_that_destroys_more_is_only_listed_last(asked: str, stronger: str) -> None:
    error = answer(asked, stronger, "print_note")
    assert not {"corrected_call", "possible_calls"} & error.keys()
    assert "did_you_mean" not in error["suggestions"]
    assert error["suggestions"]["available_tools"][-1] == stronger


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("remove_note", "delete_note"), ("delete_note", "remove_note"), ("destroy_note", "delete_note"),
        ("erase_note", "trash_note"), ("purge_note", "erase_note"), ("destroy_nte", "destroy_note"),
    ],
)  # fmt: skip
def test_a_tool_that_destroys_as_much_or_less_is_offered(asked: str, other: str) -> None:
    assert answer(asked, other)["corrected_call"]["name"] == other


def test_of_the_tools_that_destroy_the_strongest_is_last() -> None:
    listed = answer("remove_note", "destroy_note", "delete_note")["suggestions"]["available_tools"]
    assert listed == ["read_note", "delete_note", "destroy_note"]
