"""Calls that are too long to show whole are shown by their changes, and repeated slips are told once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import Call, Catalog, Policy, Verdict, admit, render
from fingerpost.engine.render.fit import LARGEST

TEXT = {"type": "string"}
EDIT = {
    "type": "object",
    "properties": {"oldText": TEXT, "newText": TEXT},
    "required": ["oldText", "newText"],
    "additionalProperties": False,
}
FILE = {"path": TEXT, "edits": {"type": "array", "items": EDIT}, "dryRun": {"type": "boolean"}}
LINE = "a line of the file that is changed by this call"


def judge(arguments: dict[str, Any], properties: dict[str, Any] = FILE, *, read_only: bool = False) -> Verdict:
    listed: dict[str, Any] = {"name": "edit_file", "inputSchema": {"type": "object", "properties": properties}}
    listed["annotations"] = {"readOnlyHint": read_only}
    return admit(Call("edit_file", arguments), Catalog.listed([listed]))


def text(arguments: dict[str, Any], properties: dict[str, Any] = FILE, *, read_only: bool = False) -> str:
    return render(judge(arguments, properties, read_only=read_only).report).text


def edits(count: int, name: str = "newText") -> list[dict[str, str]]:
    return [{"oldText": f"{LINE} {index}", name: f"{LINE}, {index}"} for index in range(count)]


def test_what_was_not_changed_is_as_sent_in_a_long_call() -> None:
    assert 'Corrected call: edit_file(path: "/a", edits: <as sent>, dryRun: true)' in text(
        {"path": "/a", "edits": edits(14), "dry_rn": True}
    )


@pytest.mark.parametrize(("count", "is_shown"), [(2, True), (4, False)])
def test_a_call_of_some_length_is_shown_whole_unless_what_was_not_changed_is_most_of_it(
    count: int, is_shown: bool
) -> None:
    found = text({"path": "/a", "edits": edits(count), "dry_rn": True})
    assert (f"{LINE} 0" in found) is is_shown
    assert ("edits: <as sent>" in found) is not is_shown


def test_texts_that_were_not_changed_are_as_sent_in_a_long_call() -> None:
    names = [f"p{number}" for number in range(20)]
    found = text(
        {**dict.fromkeys(names, LINE), "lmit": "5"}, {**dict.fromkeys(names, TEXT), "limit": {"type": "integer"}}
    )
    assert "p19: <as sent>, limit: 5)" in found


@pytest.mark.parametrize(("count", "others"), [(30, "29"), (1000, "999")])
def test_items_that_were_changed_alike_are_shown_once_and_counted(count: int, others: str) -> None:
    found = text({"path": "/a", "edits": edits(count, "newTxt")})
    assert f"did you mean 'newText'? The same in {others} more items.\n" in found
    assert f"edits: [{{oldText: <as sent>, newText: <as sent>}}, <{others} more items, corrected alike>])" in found
    repaired = text({"path": "/a", "edits": edits(count, "newTxt")}, read_only=True)
    assert repaired == (
        f"Parameter 'edits[0].newTxt' was auto-corrected to 'newText'. The same in {others} more items."
    )


def test_the_changed_items_of_a_long_list_are_shown_among_those_as_sent() -> None:
    items = edits(40)
    items[3] = {"oldText": "a", "newTxt": "b"}
    found = text({"path": "/a", "edits": items})
    assert 'edits: [<3 items as sent>, {oldText: "a", newText: "b"}, <36 items as sent>])' in found
    assert "Corrected call: " in found


def test_items_that_were_changed_differently_are_not_said_to_be_alike() -> None:
    values: list[Any] = [f"item {index} of the list as text" for index in range(60)]
    values[10:13] = [["a"], 2, 3.5]
    found = text({"rows": values}, {"rows": {"type": "array", "items": TEXT}})
    assert "<10 items as sent>, " in found
    assert "alike" not in found


def test_slips_of_several_kinds_are_each_told_once() -> None:
    items = [{"oldTxt": f"a{index}", "newTxt": f"b{index}"} for index in range(30)]
    found = text({"path": "/a", "edits": items}, read_only=True)
    assert found == (
        "Parameter 'edits[0].oldTxt' was auto-corrected to 'oldText'. "
        "Parameter 'edits[0].newTxt' was auto-corrected to 'newText'. And 58 more corrections."
    )


def test_two_items_are_both_told() -> None:
    found = text({"path": "/a", "edits": edits(2, "newTxt")})
    assert "'edits[0].newTxt'" in found
    assert "'edits[1].newTxt'" in found


CHOICES = [f"a choice that is much too long to be shown in one piece, which is number {number}" for number in range(3)]


def test_a_long_choice_is_cut_in_the_middle_and_never_as_sent() -> None:
    kind = {"kind": {"enum": CHOICES}}
    cut = '"a choice that is much too long to be sho\u2026e, which is number 1"'
    assert f"Parameter 'kind' was auto-corrected to {cut}." in text({"kind": CHOICES[1].upper()}, kind)
    listed = text({"kind": "other"}, kind)
    assert cut in listed
    assert "<as sent>" not in listed
    refused = admit(
        Call("t", {"kind": CHOICES[1].upper()}),
        Catalog.listed([{"name": "t", "inputSchema": {"type": "object", "properties": kind}}]),
        policy=Policy(auto_correct="off"),
    )
    assert f"Fill in: t(kind: <{cut}>)" in render(refused.report).text


def test_a_long_choice_that_looks_like_a_secret_is_not_shown() -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a" * 3
    assert "ghp" not in text({"kind": token.lower()}, {"kind": {"enum": [token, "other"]}})


def test_a_program_gets_the_changes_if_the_whole_call_does_not_fit_beside_the_text() -> None:
    rows = [{"label": f"row {number}", "note": "beside the point"} for number in range(10)]
    modes = [f"a_rather_long_mode_{number}" for number in range(9)]
    properties: dict[str, Any] = {"rows": {"type": "array"}, "one": {"enum": modes}, "two": {"enum": modes}}
    arguments = {"rows": rows, "one": "a_rather_long_mod_1", "two": "a_rather_long_mod_2"}
    envelope = render(judge(arguments, properties).report)
    assert envelope.structured["error"]["corrected_call"]["as_sent"] == {"rows": "rows"}
    assert len(envelope.text.encode()) + len(json.dumps(envelope.structured).encode()) <= LARGEST


def test_a_program_may_trust_a_whole_call_that_the_text_only_shows_in_part() -> None:
    report = judge({"flags": ["yes"] * 140}, {"flags": {"type": "array", "items": {"type": "boolean"}}}).report
    envelope = render(report)
    assert "Fill in: edit_file(flags: [true, <139 more items, corrected alike>])" in envelope.text
    assert envelope.structured["error"]["corrected_call"] == {
        "name": "edit_file",
        "arguments": {"flags": [True] * 140},
        "applicability": "machine_applicable",
    }
