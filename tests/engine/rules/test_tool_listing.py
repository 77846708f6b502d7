"""Which names are listed if no tool is offered."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render

READERS = ("list_pods", "get_pod_logs", "list_nodes", "list_files", "read_file", "search_files", "list_roles")
WRITERS = (
    "scale_app", "restart_app", "apply_manifest", "attach_volume", "append_file", "grant_role", "delete_resource",
    "describe_resource", "delete_file", "revoke_role", "arm_alarm", "disarm_alarm", "purge",
)  # fmt: skip


def answer(name: str) -> tuple[list[str], str]:
    """Return the similar tools that are listed, and the text; nothing is offered."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools: list[dict[str, Any]] = [{"name": one, "inputSchema": schema} for one in WRITERS]
    tools += [{"name": one, "inputSchema": schema, "annotations": {"readOnlyHint": True}} for one in READERS]
    rendered = render(admit(Call(name, {"zzz": 1}), Catalog.listed(tools)).report)
    error = rendered.structured["error"]
    assert "corrected_call" not in error
    assert "possible_calls" not in error
    return error["suggestions"].get("similar_tools", []), rendered.text


def test_a_tool_for_anything_is_listed_and_a_destructive_one_is_last() -> None:
    assert answer("delete_pod")[0] == ["list_pods", "get_pod_logs", "delete_resource"]
    assert "describe_resource" in answer("describe_pod")[0]


@pytest.mark.parametrize(("asked", "listed"), [("mount_volume", "attach_volume"), ("ungrant_role", "revoke_role")])
def test_a_tool_for_the_same_thing_is_listed_for_a_verb_that_is_not_known(asked: str, listed: str) -> None:
    assert listed in answer(asked)[0]


def test_whoever_asks_to_read_is_shown_no_destructive_tool() -> None:
    assert "delete_file" not in answer("inspect_file")[0]


def test_a_tool_with_all_the_words_is_to_be_checked() -> None:
    text = answer("arm")[1]
    assert "Check whether 'arm_alarm' does the same." in text
    assert "No listed tool" not in text


def test_a_destructive_tool_with_only_the_verb_is_not_pointed_at() -> None:
    names, text = answer("purge_cache")
    assert names == ["purge"]
    assert "Read what a tool does before you choose one." in text


def test_a_verb_that_writes_lists_no_tool_that_destroys_in_other_words() -> None:
    assert "revoke_role" not in answer("update_role")[0]


def test_whoever_finds_similar_tools_in_the_list_is_invited_to_choose() -> None:
    text = answer("mount_volume")[1]
    assert "'attach_volume'" in text
    assert "Choose one of these if it fits." in text
    assert "No listed tool" not in text


def test_whoever_asks_to_destroy_is_told_to_look_before_choosing_what_does() -> None:
    names, text = answer("delete_pod")
    assert names[-1] == "delete_resource"
    assert "Read what a tool does before you choose one." in text
    names, text = answer("unmount_file")
    assert "Choose one of these if it fits." in text


def test_only_an_opposite_is_no_choice() -> None:
    tools = [{"name": "unpin_badge"}, *({"name": f"paint_{number}"} for number in "abcdefghi")]
    text = render(admit(Call("pin_badge", {}), Catalog.listed(tools)).report).text
    assert "No listed tool clearly does the same." in text
    assert "Choose one" not in text


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("halt_press", "power_off"),
        ("restart_press", "reboot"),
        ("boot_press", "power_on"),
        ("create_pr", "close_pull_request"),
    ],
)
def test_a_tool_that_is_only_a_verb_or_has_a_longer_name_for_the_thing_is_listed(asked: str, listed: str) -> None:
    names = (
        "power_off",
        "power_on",
        "reboot",
        "wipe",
        "close_pull_request",
        *(f"paint_{number}" for number in "abcdefghi"),
    )
    text = render(admit(Call(asked, {}), Catalog.listed([{"name": name} for name in names])).report).text
    assert f"'{listed}'" in text
    assert "'wipe'" not in text


def test_to_export_is_not_to_get() -> None:
    tools = [{"name": "get_ledger"}, {"name": "backup_ledger"}]
    error = render(admit(Call("dump_ledger", {}), Catalog.listed(tools)).report).structured["error"]
    assert "corrected_call" not in error
    assert error["suggestions"]["similar_tools"] == ["backup_ledger", "get_ledger"]
