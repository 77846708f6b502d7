"""Repeated failures of the same call: counted per caller, in limited memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Diagnosis, Report, Severity, admit, render
from fingerpost.engine.repeated_calls import RepeatedCalls, show_more_schema, vary_answer
from fingerpost.middleware.tool_list_cache import CachedList, ToolListCache
from fingerpost.sdk import Guidance

CALL = Call("search", {"max": 5, "pattern": "x"})
FAILED = Report(
    call=CALL,
    diagnoses=(Diagnosis(code="INTERNAL_ERROR", message="It failed", category="internal", origin="server"),),
)


def test_equal_calls_are_counted_together_in_any_order_of_arguments() -> None:
    repeats = RepeatedCalls()
    assert [repeats.count_failure("a", CALL, FAILED, 0.0) for _ in range(3)] == [1, 2, 3]
    assert repeats.count_failure("a", Call("search", {"pattern": "x", "max": 5}), FAILED, 0.0) == 4
    assert repeats.count_failure("a", Call("search", {"pattern": "y", "max": 5}), FAILED, 0.0) == 1
    assert repeats.count_failure("a", Call("find", CALL.arguments), FAILED, 0.0) == 1


def test_failures_are_counted_separately_for_each_caller() -> None:
    repeats = RepeatedCalls()
    assert [repeats.count_failure(caller, CALL, FAILED, 0.0) for caller in "ababc"] == [1, 1, 2, 2, 1]


def test_failures_are_forgotten_after_a_success_or_fifteen_minutes() -> None:
    repeats = RepeatedCalls()
    repeats.count_failure("a", CALL, FAILED, 0.0)
    repeats.forget("a", Call("other"))
    assert len(repeats) == 1
    repeats.forget("a", CALL)
    repeats.forget("nobody", CALL)
    assert (len(repeats), len(repeats.callers)) == (0, 0)
    assert repeats.count_failure("a", CALL, FAILED, 1.0) == 1
    assert repeats.count_failure("a", CALL, FAILED, 901.0) == 2
    assert repeats.count_failure("a", CALL, FAILED, 1_802.0) == 1


@pytest.mark.parametrize("category", ["rate_limited", "timeout", "upstream"])
def test_transient_failures_are_not_counted(category: str) -> None:
    transient = Report(call=CALL, diagnoses=(Diagnosis(code="X", message="x", category=category),))
    repeats = RepeatedCalls()
    assert [repeats.count_failure("a", CALL, transient, 0.0) for _ in range(5)] == [1] * 5
    assert len(repeats) == 0


@pytest.mark.parametrize(
    "text",
    [
        "Order 17 is still being processed. Call get_order again in 5 seconds.",
        "Job is running, not ready yet",
        "net::ERR_CONNECTION_REFUSED at http://localhost:3000. Start the dev server, then navigate again.",
    ],
)
def test_a_stop_does_not_compete_with_what_the_server_says(text: str) -> None:
    repeats = RepeatedCalls()
    assert [repeats.count_failure("a", CALL, replace(FAILED, server_text=text), 0.0) for _ in range(4)] == [1] * 4
    told = Report(call=CALL, diagnoses=(Diagnosis(code="X", message=text, category="internal", origin="server"),))
    assert [repeats.count_failure("a", CALL, told, 0.0) for _ in range(4)] == [1] * 4


def test_a_wrong_call_is_counted_whatever_else_the_server_says() -> None:
    wrong = Diagnosis(code="MISSING_REQUIRED", message="Required parameter 'max' is missing", origin="server")
    report = Report(call=CALL, diagnoses=(wrong,), server_text="max is missing. Use a number.")
    repeats = RepeatedCalls()
    assert [repeats.count_failure("a", CALL, report, 0.0) for _ in range(3)] == [1, 2, 3]
    offered = replace(FAILED, corrected=Call("search", {}), server_text="Use a number.")
    assert repeats.count_failure("a", CALL, offered, 0.0) == 4


def test_memory_is_limited_per_caller_and_in_total() -> None:
    repeats = RepeatedCalls(most_callers=10, most_calls=5)
    for number in range(1_000):
        repeats.count_failure(number % 100, Call("t", {"n": number}), FAILED, 0.0)
        repeats.count_failure(0, Call("t", {"n": number}), FAILED, 0.0)
    assert len(repeats.callers) <= 10
    assert len(repeats) <= 50


@pytest.mark.parametrize("odd", ["\ud800", {1: 2, "a": 3}, object(), float("nan"), b"x", None])
def test_any_arguments_can_be_counted(odd: Any) -> None:
    repeats = RepeatedCalls()
    call = Call("t", {"a": odd})
    assert [repeats.count_failure("a", call, FAILED, 0.0) for _ in range(2)] == [1, 2]


def test_an_attack_gets_the_same_answer_each_time() -> None:
    attack = Diagnosis(code="UNSAFE_INPUT", message="Refused", severity=Severity.CRITICAL)
    report = Report(call=CALL, diagnoses=(attack,), is_refusal=True)
    assert [render(vary_answer(report, attempts)).text for attempts in (1, 2, 3, 9)] == ["Refused."] * 4


def test_an_unexplained_failure_also_gets_a_stop() -> None:
    report = Report(call=CALL, is_refusal=True, info_tool="info", server_text="It failed")
    stop = render(vary_answer(report, 3))
    assert stop.text.splitlines()[0] == "The same call has failed 3 times."
    assert 'info(tool: "search")' in stop.text
    assert stop.structured["error"]["details"] == {"attempts": 3}


def test_the_second_answer_is_the_hint_if_there_is_no_call_to_send() -> None:
    hinted = Diagnosis(code="X", message="It failed", hint="Pull first")
    report = Report(call=CALL, diagnoses=(hinted,), is_refusal=True)
    assert render(vary_answer(report, 2)).text == "Pull first."
    assert render(vary_answer(replace(report, server_text="It failed"), 2)).text == "Same again."


def test_the_second_answer_about_an_unknown_tool_names_those_that_may_be_intended() -> None:
    optional = {"type": "object", "properties": {"pattern": {"type": "string"}}}
    report = admit(
        Call("serach", {"verbosity": 3}), Catalog.listed([{"name": "search", "inputSchema": optional}])
    ).report
    assert report.corrected is None
    assert render(vary_answer(report, 2)).text == "Use 'search' instead."


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string"},
        "max": {"type": "integer", "minimum": 1, "default": 50},
        "range": {"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "string"}}},
        "sort": {"enum": ["asc", "desc"]},
    },
    "required": ["pattern"],
}
TOOLS = [{"name": "search", "inputSchema": SCHEMA}, {"name": "ping", "inputSchema": {"type": "object"}}]


def refusal(guidance: Guidance, arguments: Any, caller: object = "me") -> dict[str, Any]:
    catalog = Catalog.listed(TOOLS)
    verdict = admit(Call("search", arguments), catalog)
    return guidance.refuse(caller, verdict, catalog)


def text_of(reply: dict[str, Any]) -> list[str]:
    return reply["content"][0]["text"].splitlines()


def test_another_failing_call_of_the_same_tool_gets_more_of_the_schema() -> None:
    guidance = Guidance()
    assert not any("optional" in line for line in text_of(refusal(guidance, {"max": "many", "pattern": "x"})))
    again = refusal(guidance, {"max": 0.5, "pattern": "x"})
    assert text_of(again)[-3:] == [
        "max: optional, integer, at least 1, default 50.",
        "range: optional, object {from: <string>, to: <string>}.",
        'sort: optional, string, one of "asc", "desc".',
    ]
    assert set(again["_meta"][KEY]["error"]["schema_hint"]["parameters"]) == {"pattern", "max", "range", "sort"}
    assert not any("optional" in line for line in text_of(refusal(guidance, {"max": "many"}, "somebody else")))


def test_a_success_of_the_tool_ends_the_row_of_failures() -> None:
    guidance = Guidance()
    refusal(guidance, {"max": "many", "pattern": "x"})
    guidance.repeated.forget("me", Call("search", {"pattern": "y"}))
    assert guidance.repeated.failures_of_tool("me", Call("search")) == 0
    assert guidance.repeated.failures_of_tool("nobody", Call("search")) == 0
    assert not any("optional" in line for line in text_of(refusal(guidance, {"max": 0.5, "pattern": "x"})))


def test_the_same_call_again_gets_the_short_answer_and_not_the_schema() -> None:
    guidance = Guidance()
    refusal(guidance, {"pattern": 5, "max": 1})
    refusal(guidance, {"sort": "up", "pattern": "x"})
    assert len(text_of(refusal(guidance, {"sort": "up", "pattern": "x"}))) == 1


def test_more_of_the_schema_is_shown_where_the_mistake_is() -> None:
    tool = next(iter(Catalog.listed(TOOLS)))
    wrong = Diagnosis(code="INVALID_TYPE", message="Wrong", at=("range", "from"))
    report = Report(call=Call("search", {"range": {"from": 1}}), diagnoses=(wrong,), is_refusal=True)
    assert show_more_schema(report, tool).more_schema == (
        "range.from: optional, string.",
        "range.to: optional, string.",
    )
    nowhere = replace(report, call=Call("search", "text"))
    assert len(show_more_schema(nowhere, tool).more_schema) == 2


@pytest.mark.parametrize(
    "diagnoses",
    [
        (),
        (Diagnosis(code="NOT_FOUND", message="Gone", category="not_found"),),
        (Diagnosis(code="UNSAFE_INPUT", message="Refused", severity=Severity.CRITICAL),),
        (Diagnosis(code="UNKNOWN_UNIT", message="Unknown unit"),),
    ],
)
def test_a_failure_that_the_schema_does_not_explain_gets_no_more_of_it(diagnoses: tuple[Diagnosis, ...]) -> None:
    report = Report(call=CALL, diagnoses=diagnoses)
    assert show_more_schema(report, next(iter(Catalog.listed(TOOLS)))) is report


def test_equal_tool_lists_are_shared_and_forgotten_with_their_callers() -> None:
    cache = ToolListCache(Catalog.listed, max_callers=2)
    tools = [{"name": "a"}]
    others = [{"name": "b"}]
    first, same, other = cache.put("x", tools), cache.put("y", [{"name": "a"}]), cache.put("z", others)
    assert first is same is not other
    assert list(cache) == ["y", "z"]
    assert cache["z"] == CachedList(other, 0.0, others)
    assert cache.put("z", tools, 10.0) is first
    assert cache["z"] == CachedList(first, 10.0, tools)
    cache.expire_all()
    assert cache["z"] == CachedList(first, 0.0, tools)


def test_a_hint_to_choose_comes_with_the_names_again() -> None:
    tools = [{"name": "attach_volume"}, {"name": "list_volumes"}, *({"name": f"paint_{one}"} for one in "abcdefghi")]
    report = admit(Call("mount_volume", {}), Catalog.listed(tools)).report
    assert render(vary_answer(report, 2)).text == (
        "Similar tools: 'list_volumes' and 'attach_volume'. Choose one of these if it fits."
    )
