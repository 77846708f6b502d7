"""The search for the whole call: several mistakes, one corrected call, or the two that are equally plausible."""

from __future__ import annotations

import heapq
from typing import Any

import pytest

from fingerpost import Applicability, Call, Catalog, Policy, Report, Verdict
from fingerpost.engine.apply_rules import apply_rules
from fingerpost.engine.case import Case
from fingerpost.engine.judge import judge
from fingerpost.engine.model import Diagnosis, Fix, Move, Rename, Replace, Severity, Violation
from fingerpost.engine.phrases import Placeholder
from fingerpost.engine.rules import invalid_length
from fingerpost.engine.solve import MAX_NODES, Outcome, Start, solve
from fingerpost.engine.tool import Tool

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def tool(name: str, properties: dict[str, Any], *, read_only: bool = False, **schema: Any) -> dict[str, Any]:
    listed: dict[str, Any] = {"name": name, "inputSchema": {"type": "object", "properties": properties, **schema}}
    return {**listed, "annotations": {"readOnlyHint": True}} if read_only else listed


def verdict(name: str, arguments: Any, *tools: dict[str, Any], **policy: Any) -> Verdict:
    return judge(Call(name, arguments), Catalog.listed(list(tools)), Policy(**policy))


CONVERT = tool(
    "convert",
    {"value": {"type": "number"}, "from_unit": STRING, "to_unit": STRING},
    required=["value", "from_unit", "to_unit"],
)
COLORS = {"enum": ["crimson", "magenta", "turquoise"]}


def test_a_wrong_tool_and_two_wrong_parameters_are_corrected_at_once() -> None:
    found = verdict("conver", {"value": "1", "from_unt": "kg", "to_unti": "g"}, CONVERT)
    assert found.report.corrected == Call("convert", {"value": 1, "from_unit": "kg", "to_unit": "g"})


def test_two_misspelled_choices_are_corrected_at_once() -> None:
    paint = tool("paint", {"wall": COLORS, "door": COLORS}, required=["wall", "door"])
    found = verdict("paint", {"wall": "crimsom", "door": "magnta"}, paint)
    assert found.report.corrected == Call("paint", {"wall": "crimson", "door": "magenta"})


def test_a_flattened_field_and_a_misspelled_one_are_corrected_at_once() -> None:
    customer = {"type": "object", "properties": {"name": STRING, "email": STRING}, "required": ["name", "email"]}
    create = tool("create", {"customer": customer}, required=["customer"])
    found = verdict("create", {"name": "Ann", "emial": "a@b.c"}, create)
    assert found.report.corrected == Call("create", {"customer": {"name": "Ann", "email": "a@b.c"}})


def test_two_choices_that_are_equally_near_are_both_readings() -> None:
    weigh = tool("weigh", {"unit": {"enum": ["gram", "grain"]}}, required=["unit"])
    found = verdict("weigh", {"unit": "gran"}, weigh)
    assert (found.action, found.report.corrected) == ("refuse", None)
    assert {call.arguments["unit"] for call in found.report.readings} == {"gram", "grain"}
    assert verdict("weigh", {"unit": "gran"}, weigh, ask=True).action == "ask"


def test_a_missing_value_is_a_placeholder_beside_the_corrected_ones() -> None:
    found = verdict("convert", {"value": "1", "from_unt": "kg"}, CONVERT)
    assert found.report.corrected is not None
    assert found.report.corrected.arguments == {"value": 1, "from_unit": "kg", "to_unit": Placeholder("<string>")}
    assert found.report.applicability is Applicability.HAS_PLACEHOLDERS


def _start(*found: Diagnosis, schema: dict[str, Any], arguments: dict[str, Any], reported: bool = False) -> Start:
    violations = (Violation(("a",), "format"),) if reported else ()
    return Start(Case(Call("t", arguments), Tool("t", {"inputSchema": schema}), violations), found)


LETTERS = {"type": "object", "properties": {"a": STRING, "b": STRING}}


def _rename(to: str, confidence: float) -> Fix:
    return Fix(Rename(("x",), to), Applicability.MAYBE_INCORRECT, confidence=confidence, label=to)


def test_a_weak_reading_is_used_only_if_the_others_are_taken() -> None:
    weak = Diagnosis(code="UNKNOWN_PARAM", message="", at=("x",), fixes=(_rename("a", 0.6), _rename("b", 0.59)))
    (only,) = solve([_start(weak, schema=LETTERS, arguments={"x": "1", "b": "2"})], apply_rules).solutions
    assert only.call.arguments == {"a": "1", "b": "2"}
    assert solve([_start(weak, schema=LETTERS, arguments={"x": "1"})], apply_rules) == Outcome()
    alone = Diagnosis(code="UNKNOWN_PARAM", message="", at=("x",), fixes=(_rename("a", 0.6),))
    assert solve([_start(alone, schema=LETTERS, arguments={"x": "1"})], apply_rules) == Outcome()
    value = Diagnosis(
        code="INVALID_CHOICE",
        message="",
        at=("a",),
        fixes=(Fix(Replace(("a",), "y"), Applicability.MAYBE_INCORRECT, confidence=0.6, label="y"),),
    )
    assert solve([_start(value, schema=LETTERS, arguments={"a": "z"})], apply_rules) == Outcome()


def test_a_reading_that_is_hardly_probable_is_not_even_used_if_the_others_are_taken() -> None:
    weak = Diagnosis(code="UNKNOWN_PARAM", message="", at=("x",), fixes=(_rename("b", 0.6), _rename("a", 0.4)))
    assert solve([_start(weak, schema=LETTERS, arguments={"x": "1", "b": "2"})], apply_rules) == Outcome()


def test_a_call_whose_arguments_are_no_object_gets_one_after_a_fix_inside_them() -> None:
    fix = Fix(Replace((0,), "good"), Applicability.MAYBE_INCORRECT, confidence=0.9)
    wrong = Diagnosis(code="INVALID_FORMAT", message="", at=(0,), fixes=(fix,))
    names = {"type": "object", "properties": {"names": {"type": "array"}}}
    case = Case(Call("t", ["bad"]), Tool("t", {"inputSchema": names}))
    assert [one.call.arguments for one in solve([Start(case, [wrong])], apply_rules).solutions] == [{"names": ["good"]}]


def test_a_mild_mistake_without_a_fix_does_not_hold_up_the_rest() -> None:
    mild = Diagnosis(code="DEPRECATED_PARAM", message="", at=("a",), severity=Severity.LOW)
    sure = Diagnosis(code="UNKNOWN_PARAM", message="", at=("x",), fixes=(_rename("b", 0.9),))
    (only,) = solve([_start(mild, sure, schema=LETTERS, arguments={"a": "1", "x": "2"})], apply_rules).solutions
    assert only.call.arguments == {"a": "1", "b": "2"}


def test_what_only_the_server_knows_stays_open_until_it_is_fixed() -> None:
    first = Diagnosis(code="UNKNOWN_PARAM", message="", at=("x",), fixes=(_rename("b", 0.9),))
    fix = Fix(Replace(("a",), "good"), Applicability.MAYBE_INCORRECT, confidence=0.9)
    second = Diagnosis(code="INVALID_FORMAT", message="", at=("a",), fixes=(fix,))
    start = _start(first, second, schema=LETTERS, arguments={"x": "1", "a": "bad"}, reported=True)
    assert [one.call.arguments for one in solve([start], apply_rules).solutions] == [{"b": "1", "a": "good"}]
    nothing = Diagnosis(code="INVALID_FORMAT", message="", at=("a",))
    start = _start(first, nothing, schema=LETTERS, arguments={"x": "1", "a": "bad"}, reported=True)
    assert solve([start], apply_rules) == Outcome()


def test_the_search_looks_at_a_bounded_number_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    take_best = heapq.heappop

    def record(frontier: list[Any]) -> Any:
        looked.append(node := take_best(frontier))
        return node

    monkeypatch.setattr(heapq, "heappop", record)
    many = tool("t", {f"color_{number}": {"enum": ["gram", "grain"]} for number in range(12)})
    verdict("t", {f"color_{number}": "gran" for number in range(12)}, many)
    assert 0 < len(looked) <= MAX_NODES


ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"unit": {"enum": ["gram", "meter"]}, "n": INTEGER},
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize(
    ("sent", "right"),
    [
        ([{"unit": "gramm"}] * 9, [{"unit": "gram"}] * 9),
        ([{"unit": "gramm"}, {"unit": "metre"}] * 4, [{"unit": "gram"}, {"unit": "meter"}] * 4),
        ([{"n": 1, "reason": "a"}] * 9, [{"n": 1}] * 9),
    ],
)
def test_the_same_slip_in_many_items_is_one_decision(sent: list[Any], right: list[Any]) -> None:
    found = verdict("weigh", {"rows": sent}, tool("weigh", {"rows": ROWS}, required=["rows"]))
    assert found.report.corrected == Call("weigh", {"rows": right})


@pytest.mark.parametrize(
    "edit", [Rename(("items", 5, "n"), "m"), Rename(("items", "n", "n"), "m"), Replace(("items", 5), 1)]
)
def test_an_edit_outside_of_a_list_changes_nothing(edit: Rename | Replace) -> None:
    call = Call("t", {"items": [{"n": 0}]})
    assert edit.applied_to(call) == call


def test_a_length_that_a_server_reports_about_a_number_is_not_explained() -> None:
    tool = Tool("t", {"inputSchema": {"type": "object", "properties": {"a": INTEGER}}})
    case = Case(Call("t", {"a": 5}), tool, reported=(Violation(("a",), "minLength", 3, {}),))
    assert list(invalid_length.diagnose(case)) == []


@pytest.mark.parametrize("arguments", [{"x": 1}, {"x": 1, "items": [{"n": 0}]}])
def test_a_move_creates_the_objects_and_lists_on_its_way(arguments: dict[str, Any]) -> None:
    held = len(arguments.get("items", []))
    moved = Move(("x",), ("items", held, "n")).applied_to(Call("t", arguments))
    assert moved.arguments["items"][held] == {"n": 1} and "x" not in moved.arguments
    again = Move(("y",), ("items", held, "m")).applied_to(Call("t", {**moved.arguments, "y": 2}))
    assert again.arguments["items"][held] == {"n": 1, "m": 2}


def _report(name: str, *, read_only: bool, value: Any = "x") -> Report:
    remove = tool("remove_task", {"task_id": STRING, "column_1": INTEGER}, required=["task_id"], read_only=read_only)
    return verdict("remove_task", {"task_id": "5", name: value}, remove).report


@pytest.mark.parametrize("name", ["explanation", "tool_call_reason", "session_id", "riskLevel"])
def test_commentary_is_left_out_of_the_corrected_call(name: str) -> None:
    assert _report(name, read_only=False).corrected == Call("remove_task", {"task_id": "5"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[
            (name, "x")
            for name in ("dry_run", "onlyIfEmpty", "prefix", "older_than", "flavour", "column_2", "task_owner")
        ],
        *[("confirm", value) for value in (False, "no", "false")],
        *[("plan", True), ("requires_approval", True), ("safe", True)],
    ],
)
def test_an_argument_that_may_limit_the_effect_is_never_left_out_of_a_call_that_may_write(
    name: str, value: Any
) -> None:
    report = _report(name, read_only=False, value=value)
    assert (report.corrected, report.readings, report.is_refusal) == (None, (), True)


def test_a_confirmation_limits_nothing() -> None:
    for name in ("confirm", "is_safe"):
        assert _report(name, read_only=False, value=True).corrected == Call("remove_task", {"task_id": "5"})


def test_commentary_is_left_out_of_a_read_only_call_which_then_runs() -> None:
    read = tool("get_task", {"task_id": STRING}, required=["task_id"], read_only=True)
    found = verdict("get_task", {"task_id": "5", "reasoning": "x"}, read)
    assert (found.action, found.call.arguments) == ("repair", {"task_id": "5"})
    other = verdict("get_task", {"task_id": "5", "flavour": "x"}, read)
    assert (other.action, other.call.arguments) == ("forward", {"task_id": "5", "flavour": "x"})
    closed = {**read, "inputSchema": {**read["inputSchema"], "additionalProperties": False}}
    found = verdict("get_task", {"task_id": "5", "flavour": "x"}, closed)
    assert (found.action, found.call.arguments) == ("repair", {"task_id": "5"})
    assert found.report.corrections[0].note == "Unknown param 'flavour' ignored"


def test_a_read_only_call_with_an_argument_that_has_a_place_is_not_run_without_it() -> None:
    read = tool("read", {"pattern": STRING, "max_results": INTEGER}, read_only=True)
    found = verdict("read", {"pattern": "x", "maxresultz": 5}, read, auto_correct="lossless")
    assert (found.action, found.report.corrected) == ("refuse", Call("read", {"pattern": "x", "max_results": 5}))


def test_a_second_name_for_a_given_parameter_is_left_out_only_if_both_agree() -> None:
    read = tool("read", {"path": STRING}, required=["path"])
    assert verdict("read", {"path": "a", "Path": "a"}, read).report.corrected == Call("read", {"path": "a"})
    assert verdict("read", {"path": "a", "Path": "b"}, read).report.corrected is None
