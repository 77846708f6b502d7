"""Answers to wrong calls in the forms that agents send: the rules of judgment, and forms that never do harm."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.forms.case import FORMS, WrongCall
from bench.forms.judge import Answer, Outcome, judge_answer
from bench.forms.lists import ToolList, load_lists
from bench.forms.measure import run_forms, run_valid_calls
from bench.forms.words import Words, load_words
from fingerpost import Call, Catalog

_PARAMETERS = {"task_id": {"type": "string"}, "force": {"type": "boolean"}, "note": {"type": "string"}}
_SCHEMA = {"type": "object", "properties": _PARAMETERS, "required": ["task_id"]}
CATALOG = Catalog.listed(
    [
        {"name": "remove_task", "inputSchema": _SCHEMA},
        {"name": "show_task", "inputSchema": _SCHEMA, "annotations": {"readOnlyHint": True}},
    ]
)


def _call(tool: str = "remove_task", **arguments: Any) -> Call:
    return Call(tool, arguments)


def _offer(call: Call, **more: Any) -> Answer:
    return Answer(None, {"corrected_call": {"name": call.tool, "arguments": call.arguments, **more}})


RIGHT = _call(task_id="7", force=True)
COMMENTED = WrongCall(
    _call(reason="obsolete"), (_call(task_id="7"),), extras=frozenset({"reason"}), not_values=("obsolete",)
)
WORD = WrongCall(_call(task_id="7", force="yes"), (RIGHT,), not_at=((("force",), False),))
TYPO = WrongCall(_call(task="7", force=True), (RIGHT,))
READING = WrongCall(_call("show_task", task_id="7", nte="x"), (_call("show_task", task_id="7", note="x"),))
DECIDED = WrongCall(
    _call("show_task", task_id="7", note="a,b"), (_call("show_task", task_id="7", note="a"),), must_ask=True
)
NO_SUCH_TOOL = WrongCall(_call("find_task", task_id="7"), (), "facts", not_tools=frozenset({"remove_task"}))
EITHER = WrongCall(
    _call(task_id="7", force="maybe"), (RIGHT, _call(task_id="7", force=False)), "facts", all_readings=True
)
ABSENT = WrongCall(_call(task_id="7", force="null"), (_call(task_id="7"),))
RANGE = WrongCall(_call("show_task", task_id=""), (_call("show_task", task_id="7"),), may_run_as_sent=True)


@pytest.mark.parametrize(
    ("outcome", "wrong", "answer"),
    [
        pytest.param("at once", TYPO, Answer(RIGHT, {}), id="the intended call runs"),
        pytest.param("at once", COMMENTED, Answer(_call(task_id="7", reason="obsolete"), {}), id="commentary may stay"),
        pytest.param("retry", TYPO, _offer(RIGHT), id="the intended call is offered"),
        pytest.param("retry", COMMENTED, _offer(_call(task_id="<string>")), id="a placeholder is filled in"),
        pytest.param(
            "retry", TYPO, _offer(_call(task_id="<as sent>", force=True), as_sent={"task_id": "task"}), id="as sent"
        ),
        pytest.param(
            "retry",
            EITHER,
            Answer(None, {"possible_calls": [{"name": one.tool, "arguments": one.arguments} for one in EITHER.right]}),
            id="both readings are shown",
        ),
        pytest.param("retry", EITHER, _offer(_call(task_id="7", force="<boolean>")), id="the choice is left open"),
        pytest.param(
            "retry",
            WrongCall(_call("remov_task", task_id="7", force=True), (RIGHT,)),
            Answer(None, {"code": "UNKNOWN_TOOL", "suggestions": {"did_you_mean": "remove_task"}}),
            id="the intended tool is named",
        ),
        pytest.param("facts", TYPO, Answer(None, {"code": "UNKNOWN_PARAM"}), id="nothing is proposed"),
        pytest.param(
            "facts", ABSENT, _offer(_call(task_id="7", force="<boolean>")), id="a value that was to be absent"
        ),
        pytest.param("facts", RANGE, Answer(_call("show_task", task_id=""), {}), id="the server decides"),
        pytest.param("wrong", TYPO, _offer(_call(note="7", force=True, task_id="7")), id="another call is offered"),
        pytest.param("wrong", READING, Answer(READING.sent, {}), id="an argument is ignored"),
        pytest.param("wrong", DECIDED, Answer(DECIDED.right[0], {}), id="runs what the caller has to decide"),
        pytest.param("wrong", EITHER, _offer(RIGHT), id="one of two readings is preferred"),
        pytest.param(
            "wrong",
            WrongCall(_call("find_task"), (), "facts"),
            Answer(None, {"code": "UNKNOWN_TOOL", "suggestions": {"did_you_mean": "show_task"}}),
            id="a tool is suggested where none is right",
        ),
        pytest.param("harmful", TYPO, Answer(_call(task_id="8"), {}), id="another call runs on a tool that may write"),
        pytest.param("harmful", COMMENTED, _offer(_call(task_id="obsolete")), id="commentary in a parameter"),
        pytest.param(
            "harmful",
            COMMENTED,
            Answer(None, {"details": {"parameter": "reason"}, "suggestions": {"did_you_mean": "task_id"}}),
            id="a parameter is named for commentary",
        ),
        pytest.param("harmful", WORD, _offer(_call(task_id="7", force=False)), id="the opposite value"),
        pytest.param(
            "harmful", WORD, Answer(None, {}, "Use true or false: force: false."), id="the opposite in the text"
        ),
        pytest.param("harmful", TYPO, _offer(_call(task_id="7")), id="a value that meant something is dropped"),
        pytest.param(
            "harmful",
            NO_SUCH_TOOL,
            Answer(None, {"code": "UNKNOWN_TOOL", "suggestions": {"did_you_mean": "remove_task"}}),
            id="a destructive neighbour",
        ),
    ],
)
def test_an_answer_is_judged_by_what_it_leads_to(outcome: str, wrong: WrongCall, answer: Answer) -> None:
    assert judge_answer(answer, wrong, CATALOG)[0] == Outcome(outcome)


@cache
def _rich_lists() -> list[ToolList]:
    return [one for one in load_lists() if not one.name.startswith("names:")]


@pytest.mark.parametrize("name", FORMS)
def test_no_answer_to_this_form_does_harm(name: str) -> None:
    results = list(run_forms(_rich_lists(), Words(), seed=7, cases=8, only=[name]))
    harmful = [(one.wrong.sent, one.judgment.why) for one in results if one.judgment.outcome is Outcome.HARMFUL]
    assert harmful == []


def test_nothing_happens_to_valid_calls() -> None:
    valid = run_valid_calls(_rich_lists(), seed=3, count=600)
    assert (valid.total, valid.refused, valid.altered, valid.warned) == (600, 0, 0, 0)


def test_the_same_seed_gives_the_same_judgments() -> None:
    first, second = (
        [
            (one.wrong.sent, one.judgment.outcome)
            for one in run_forms(_rich_lists(), Words(), seed=5, cases=4, only=only)
        ]
        for only in (["boolean_word", "tie"],) * 2
    )
    assert first == second
    assert first


def test_lists_and_words_come_from_files(tmp_path: Path) -> None:
    lists, words = tmp_path / "lists.jsonl", tmp_path / "words.json"
    tool = {"name": "file_report", "inputSchema": {"type": "object", "properties": {"urgent": {"type": "boolean"}}}}
    lists.write_text(json.dumps({"name": "mine", "tools": [tool]}) + "\n")
    words.write_text(json.dumps({"true": ["sure"], "false": ["nope"]}))
    results = run_forms(load_lists([lists]), load_words(words), seed=1, cases=2, only=["boolean_word"])
    assert {one.wrong.sent.arguments["urgent"] for one in results} <= {"sure", "nope"}


def test_an_unknown_word_list_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text('{"colours": []}')
    with pytest.raises(SystemExit, match="unknown list 'colours'"):
        load_words(tmp_path / "words.json")
