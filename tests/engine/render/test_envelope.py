"""What a client receives: the call to send, several plausible ones, corrections, and whether to try again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import Call, Catalog, Diagnosis, Policy, Report, admit, render
from fingerpost.engine.model import Applicability, Drop, Fix, Rename, Severity
from fingerpost.engine.render.fit import LARGEST

TEXT = {"type": "string"}
CUSTOMER = {
    "type": "object",
    "properties": {"name": TEXT, "email": {"type": "string", "format": "email"}, "note": TEXT},
    "required": ["name", "email"],
}
ITEM = {
    "type": "object",
    "properties": {"sku": TEXT, "quantity": {"type": "integer", "minimum": 1}},
    "required": ["sku", "quantity"],
}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {"customer": CUSTOMER, "items": {"type": "array", "items": ITEM}, "express": {"type": "boolean"}},
    "required": ["customer", "items"],
}


def listed(schema: dict[str, Any], name: str = "create_order", *, read_only: bool = False) -> Catalog:
    return Catalog.listed([{"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}])


def answer(arguments: Any, schema: dict[str, Any] = ORDER, budget: int = 800) -> tuple[list[str], dict[str, Any]]:
    envelope = render(admit(Call("create_order", arguments), listed(schema)).report, budget=budget)
    return envelope.text.splitlines(), envelope.structured["error"]


def test_a_call_to_fill_in_shows_the_structure_inside_objects_and_lists() -> None:
    lines, error = answer({})
    filled = "customer: {name: <string>, email: <email>}, items: [{sku: <string>, quantity: <integer ≥ 1>}]"
    assert lines[1] == f"Fill in: create_order({filled})"
    assert error["corrected_call"]["arguments"] == {
        "customer": {"name": "<string>", "email": "<email>"},
        "items": [{"sku": "<string>", "quantity": "<integer ≥ 1>"}],
    }
    assert error["schema_hint"]["types"] == {"customer": "object {name: <string>, email: <email>}"}


@pytest.mark.parametrize(
    ("budget", "filled"),
    [
        (150, "create_order(customer: {name: <string>, email: <email>}, items: [<object>])"),
        (120, "create_order(customer: <object>, items: <array>)"),
    ],
)
def test_a_smaller_budget_shows_less_of_the_structure(budget: int, filled: str) -> None:
    lines, _ = answer({}, budget=budget)
    assert lines[1] == f"Fill in: {filled}"
    assert len("\n".join(lines)) <= budget


def test_what_the_caller_sent_is_never_shortened_with_the_placeholders() -> None:
    lines, _ = answer({"customer": {"name": "Ada"}}, budget=149)
    assert lines[1] == 'Fill in: create_order(customer: {name: "Ada", email: <email>}, items: <array>)'


def test_a_very_large_structure_fits_two_kilobytes() -> None:
    node: dict[str, Any] = TEXT
    for depth in range(4):
        names = [f"a_rather_long_name_{depth}_{number}" for number in range(6)]
        node = {"type": "object", "properties": dict.fromkeys(names, node), "required": names}
    lines, error = answer({}, {"type": "object", "properties": {"root": node}, "required": ["root"]})
    text = "\n".join(lines)
    assert len(text.encode()) + len(json.dumps({"error": error}, ensure_ascii=False).encode()) <= LARGEST
    assert error["corrected_call"]["applicability"] == "has_placeholders"
    assert "Fill in: create_order(root: " in text


def unknown(*fixes: Fix) -> Diagnosis:
    return Diagnosis(code="UNKNOWN_PARAM", message="Unknown param 'file'", severity=Severity.MEDIUM, at=("file",),
                     details={"parameter": "file", "expected": "filePath, path"}, fixes=fixes)  # fmt: skip


READINGS = (Call("search", {"filePath": "x"}), Call("search", {"path": "x"}))


@pytest.mark.parametrize("attempts", [1, 2])
def test_equally_plausible_calls_are_all_shown_and_none_is_preferred(attempts: int) -> None:
    report = Report(call=Call("search", {"file": "x"}), diagnoses=(unknown(),), readings=READINGS, is_refusal=True,
                    attempts=attempts, info_tool="info")  # fmt: skip
    envelope = render(report)
    assert 'Either search(filePath: "x") or search(path: "x").' in envelope.text.splitlines()
    assert "Help: " not in envelope.text
    error = envelope.structured["error"]
    assert error["possible_calls"] == [
        {"name": "search", "arguments": {"filePath": "x"}, "applicability": "maybe_incorrect"},
        {"name": "search", "arguments": {"path": "x"}, "applicability": "maybe_incorrect"},
    ]
    assert error["retryable"] and "corrected_call" not in error


def test_three_plausible_calls_stand_in_one_sentence_also_beside_a_result() -> None:
    readings = (*READINGS, Call("search", {"pattern": "x"}))
    envelope = render(Report(call=Call("search", {"file": "x"}), warnings=("Unknown param 'file' ignored",),
                             diagnoses=(unknown(),), readings=readings))  # fmt: skip
    assert envelope.text.splitlines() == [
        "Unknown param 'file' ignored.",
        'Either search(filePath: "x"), search(path: "x") or search(pattern: "x").',
    ]
    assert len(envelope.structured["possible_calls"]) == 3


def test_a_single_reading_is_no_choice() -> None:
    envelope = render(Report(call=Call("search"), diagnoses=(unknown(),), readings=READINGS[:1], is_refusal=True))
    assert "Either" not in envelope.text


LEAVE_OUT = Fix(Drop(("file",)), Applicability.MAYBE_INCORRECT)
NEAR = Fix(Rename(("file",), "path"), Applicability.MAYBE_INCORRECT, confidence=0.8, value="path", label="path")


def test_to_leave_an_argument_out_is_no_near_name() -> None:
    refused = Report(call=Call("search", {"file": "x"}), diagnoses=(unknown(LEAVE_OUT),), is_refusal=True)
    assert render(refused).text.splitlines() == ["Unknown param 'file'.", "Parameters: filePath, path."]
    assert render(refused).structured["error"]["suggestions"] == {}
    near = Report(call=Call("search", {"file": "x"}), diagnoses=(unknown(NEAR, LEAVE_OUT),), is_refusal=True)
    assert "Parameters: " not in render(near).text
    assert render(near).structured["error"]["suggestions"]["alternatives"] == ["path"]


def test_beside_a_result_the_call_without_an_ignored_argument_is_not_shown() -> None:
    sent, corrected = Call("search", {"file": "x"}), Call("search", {})
    ignored = Report(call=sent, diagnoses=(unknown(LEAVE_OUT),), corrected=corrected, warnings=("Ignored",))
    assert render(ignored).text == "Ignored."
    renamed = Report(call=sent, diagnoses=(unknown(NEAR, LEAVE_OUT),), corrected=corrected, warnings=("Ignored",))
    assert render(renamed).text.splitlines()[1] == "Corrected call: search()"


def test_each_correction_names_its_parameter() -> None:
    schema = {"type": "object", "properties": {"max": {"type": "integer"}, "pattern": TEXT}, "required": ["pattern"]}
    verdict = admit(Call("search", {"patern": "x", "max": "5"}), listed(schema, "search", read_only=True))
    corrections = render(verdict.report).structured["corrections"]
    assert [(one["parameter"], one["from"], one["to"]) for one in corrections] == [
        ("patern", "patern", "pattern"),
        ("max", "5", 5),
    ]


def test_an_error_in_a_list_has_its_step_and_its_place_in_the_text() -> None:
    lines, error = answer({"customer": {"name": "a", "email": "a@example.com"}, "items": [ITEM_SENT, {"sku": "b"}]})
    assert lines[0] == "Required parameter 'items[1].quantity' is missing."
    assert (error["details"]["step"], error["details"]["parameter"]) == (1, "items[1].quantity")
    raised = Diagnosis(code="UNKNOWN_UNIT", message="Unknown unit 'foo'", details={"parameter": "factors[1].numerator",
                       "step": 1})  # fmt: skip
    text = render(Report(call=Call("compute"), diagnoses=(raised,), is_refusal=True)).text
    assert text == "factors[1].numerator: Unknown unit 'foo'."


ITEM_SENT = {"sku": "a", "quantity": 1}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_order", {}),
        ("create_order", {"customer": 5}),
        ("create_ordr", {"customer": 5}),
        ("xyzzy", {}),
        ("create_order", {"custmer": {}, "items": []}),
        ("create_order", []),
    ],
)
def test_the_next_step_differs_from_the_hint_and_an_offered_call_may_be_tried(name: str, arguments: Any) -> None:
    catalog = listed(ORDER)
    error = render(admit(Call(name, arguments), catalog, policy=Policy(auto_correct="off")).report).structured["error"]
    fix, hint = error["next_steps"].get("fix"), error.get("hint", "")
    assert fix is None or (fix not in hint and hint not in (fix, f"Fill in: {fix}"))
    assert error["retryable"] or "corrected_call" not in error
    assert name != "xyzzy" or not error["retryable"]


def test_plausible_calls_with_many_equal_arguments_show_only_what_differs() -> None:
    names = ("a", "b", "c")
    schema = {
        "type": "object",
        "properties": {**dict.fromkeys(names, TEXT), "on": {"type": "string", "format": "date"}},
    }
    arguments = {**dict.fromkeys(names, "x"), "on": "05/06/2024"}
    lines, error = answer(arguments, schema)
    assert lines[1] == (
        'Either create_order(on: "2024-06-05") or create_order(on: "2024-05-06"), the other arguments as sent.'
    )
    assert [len(call["arguments"]) for call in error["possible_calls"]] == [4, 4]


def test_of_many_corrections_the_text_names_the_first_four() -> None:
    fields = [f"field_{letter}" for letter in "abcdefg"]
    catalog = listed({"type": "object", "properties": dict.fromkeys(fields, TEXT)})
    envelope = render(admit(Call("create_order", {name.upper(): "x" for name in fields}), catalog).report)
    assert envelope.text.endswith("Parameter 'FIELD_D' was auto-corrected to 'field_d'. And 3 more corrections.")
    assert len(envelope.structured["corrections"]) == 7


def test_a_name_that_cannot_be_encoded_is_never_repeated() -> None:
    catalog = listed({"type": "object"})
    verdict = admit(Call("create_order", [{"\ud800": 10**20}]), catalog, policy=Policy(auto_correct="off"))
    envelope = render(verdict.report)
    assert "as_sent" not in envelope.structured["error"]["corrected_call"]
    json.dumps(envelope.structured, ensure_ascii=False).encode()
