"""What the words of a reply are taken for, one reply at a time: recorded from real servers where that matters."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.generate.mutations import is_nearest
from fingerpost.audit.generate.plan import Plan
from fingerpost.audit.judge import wording
from fingerpost.audit.judge.expected_reply import ExpectedReply
from fingerpost.audit.judge.inferred_fix import infer_fix
from fingerpost.audit.judge.judge_reply import judge_no_reply, judge_reply
from fingerpost.audit.judge.reply import Reply
from fingerpost.audit.judge.trial import Trial

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string"},
        "max": {"type": "integer", "minimum": 1, "maximum": 1000},
        "order": {"type": "string", "enum": ["asc", "desc"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "day": {"type": "string", "format": "date"},
        "any": {},
    },
    "required": ["pattern"],
}
CATALOG = Catalog.listed(
    [
        {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": name != "delete"}}
        for name in ("search", "delete", "search_code", "search_files")
    ]
)
ZOD = "MCP error -32602: Input validation error: Invalid arguments for tool f: "
RIGHT = Call("search", {"pattern": "x"})


def error(text: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": text}]}


def result(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts]}


def expected(reply: dict[str, Any], again: dict[str, Any] | None = None) -> ExpectedReply:
    return ExpectedReply(Reply(reply).fingerprint, Reply(again or reply).fingerprint)


def failed(
    mistake: Mistake,
    reply: dict[str, Any],
    right: dict[str, Any] | None = None,
    known: ExpectedReply | None = None,
    **more: Any,
) -> set[str]:
    """The items that a reply does not meet."""
    tool = CATALOG.get(mistake.right.tool)
    assert tool
    known = expected(right) if right is not None else known
    checks, _ = judge_reply(Trial(mistake, tool, CATALOG, Reply(reply), known, **more))
    return {check.item for check in checks if not check.passed}


def trial(mistake: Mistake, reply: dict[str, Any], right: dict[str, Any]) -> Trial:
    tool = CATALOG.get(mistake.right.tool)
    assert tool
    return Trial(mistake, tool, CATALOG, Reply(reply), expected(right))


# steps


@pytest.mark.parametrize(
    "text",
    [
        "Did you mean 'pattern'?",
        "Use a number: max: 50",
        "Please provide a path",
        "please check the path",
        "No. Send: search(a: 1)",
        "Call info() to list all tools",
        "Corrected call: f()",
        "Unknown tool. Available tools: a, b",
        "Not found.\nCheck the path, or list the folder.",
        "It is gone; you can make it anew",
        "Help: info(tool: 'x')",
        "Bad value, use 5 instead",
    ],
)
def test_what_to_do_is_heard(text: str) -> None:
    assert wording.says_next(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unknown tool: search",
        "Name is required",
        "search: Field required",
        "Call failed",
        "failed to read file",
        "Read error, write failed",
        "MCP error -32602: Tool read_ile not found",
        "Invalid input: expected string, received undefined at path",
        "1 validation error for get_current_timeArguments\ntimezone\n  Field required [type=missing, input_value={}, "
        "input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing",
        "'fifty' is not of type 'integer'",
    ],
)
def test_what_is_only_a_fact_is_no_advice(text: str) -> None:
    assert not wording.says_next(text)


# names, types, values


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("Unknown tool: functions.search", "search", False),
        ("Did you mean: search.", "search", True),
        ("'search'", "search", True),
        ("research", "search", False),
        ("search_code", "search", False),
        ("search-code", "search", False),
        ("path/search", "search", False),
        ("", "search", False),
    ],
)
def test_a_name_stands_by_itself(text: str, name: str, is_there: bool) -> None:
    assert wording.mentions(text, name) is is_there


def test_a_list_of_all_tools_is_no_suggestion() -> None:
    known = [f"tool_{number}" for number in range(9)]
    assert wording.suggests_tool("Did you mean tool_3?", "tool_3", known)
    assert not wording.suggests_tool(f"There are {', '.join(known)}", "tool_8", known)
    assert not wording.suggests_tool("No.", "tool_3", known)


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("max must be integer", "max", True),
        ("max is wrong", "max", False),
        ("expected number, received string", "max", True),
        ("'asc' or 'desc'", "order", True),
        ("order is wrong", "order", False),
        ("format date", "day", True),
        ("anything", "any", True),
    ],
)
def test_what_a_parameter_takes_is_heard(text: str, name: str, is_there: bool) -> None:
    assert wording.says_type(text, SCHEMA, SCHEMA["properties"][name]) is is_there


@pytest.mark.parametrize(
    ("text", "value", "is_there"),
    [
        ("got string", "x", True),
        ("input_value='fifty'", "fifty", True),
        ("received array", ["x"], True),
        ("got object", {"a": 1}, True),
        ("got a boolean", True, True),
        ("got 5000", 5000, True),
        ("input_type=NoneType", None, True),
        ("must be integer", {"a": 1}, False),
        ("must be integer", None, False),
    ],
)
def test_what_was_received_is_heard(text: str, value: Any, is_there: bool) -> None:
    assert wording.says_received(text, value) is is_there


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("exceeds maximum 1000", True),
        ("at most 1,000", True),
        ("at most 10000", False),
        ("1 to 10", True),
        ("no", False),
    ],
)
def test_a_limit_is_heard(text: str, is_there: bool) -> None:
    assert wording.says_limit(text, SCHEMA["properties"]["max"]) is is_there


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('Oh\nTraceback (most recent call last):\n  File "x.py"', "contains a traceback"),
        ("TypeError: x\n    at Server.run (/srv/index.js:10:5)", "contains a traceback"),
        ("goroutine 1 [running]:", "contains a traceback"),
        ("thread 'main' panicked at src/main.rs", "contains a traceback"),
        ("\tat com.example.Main.run(Main.java:7)", "contains a traceback"),
        ("the key is sk-abcdefghijklmnopqrstuvwx", "contains what looks like an API key"),
        ("AKIAABCDEFGHIJKLMNOP", "contains what looks like an API key"),
        ("wrong: hunter2-long", "repeats the value of the secret parameter password"),
        ("See line 3 of the file, at 10:5", ""),
        ("meet me at noon (room 4)", ""),
    ],
)
def test_what_should_not_be_shown_is_seen(text: str, what: str) -> None:
    assert wording.find_leak(text, {"password": "hunter2-long", "name": "noon"}) == what


@pytest.mark.parametrize(
    ("reply", "is_there"),
    [
        (result("a", "Showing the first 10."), True),
        (result("1-10 of 300"), True),
        ({**result("a"), "structuredContent": {"has_more": True}}, True),
        ({**result("a"), "structuredContent": {"nextCursor": "x"}}, True),
        (result("a line"), False),
    ],
)
def test_that_there_is_more_is_heard(reply: dict[str, Any], is_there: bool) -> None:
    assert wording.says_more(reply) is is_there


# the reader, with the benefit of the doubt


@pytest.mark.parametrize(
    ("sent", "text", "meant"),
    [
        (
            Call("f", {"patern": "x"}),
            "Unknown parameter 'patern'. Did you mean 'pattern'?",
            Call("f", {"pattern": "x"}),
        ),
        (Call("f", {"o": "ascc"}), "ascc is no order, did you mean asc?", Call("f", {"o": "asc"})),
        (Call("serach", {"a": 1}), "Unknown tool serach. Do you mean the tool `search`?", Call("search", {"a": 1})),
        (Call("f", {"a": "1"}), "Unknown tool g. Did you mean h?", None),
        (
            Call("f", {"n": "1"}),
            ZOD + "Invalid input: expected number, received string at n",
            Call("f", {"n": 1}),
        ),
        (Call("f", {"n": None}), ZOD + "Invalid input: expected number, received null at n", Call("f", {})),
        (Call("f", {"n": "x"}), ZOD + "Invalid input: expected number, received string at n", None),
        (Call("f", {"p": ["a"]}), ZOD + "Invalid input: expected string, received array at p", Call("f", {"p": "a"})),
        (Call("f", {"p": "a"}), ZOD + "Invalid input: expected array, received string at p", Call("f", {"p": ["a"]})),
        (
            Call("f", {"p": '["a"]'}),
            ZOD + "Invalid input: expected array, received string at p",
            Call("f", {"p": ["a"]}),
        ),
        (Call("f", {"s": "ASC"}), ZOD + 'Invalid option: expected one of "asc"|"desc" at s', Call("f", {"s": "asc"})),
        (Call("f", {"s": "up"}), ZOD + 'Invalid option: expected one of "asc"|"desc" at s', None),
        (Call("f", '{"a": 1}'), "Invalid request parameters", None),
        (Call("f", {"x": 1}), ZOD + "Invalid input: expected string, received undefined at path", None),
        (Call("f", {"path": 1}), "Tool f not found", None),
    ],
)
def test_what_an_error_names_is_put_right(sent: Call, text: str, meant: Call | None) -> None:
    assert infer_fix(Reply(error(text)), sent) == meant


def test_names_that_are_too_many_are_left_out() -> None:
    text = "Additional properties are not allowed ('x' was unexpected)"
    assert infer_fix(Reply(error(text)), Call("f", {"a": 1, "x": 2})) == Call("f", {"a": 1})


def test_a_success_is_followed_only_where_it_gives_a_call() -> None:
    sent = Call("f", {"patern": "x"})
    assert infer_fix(Reply(result("Did you mean 'pattern'? for 'patern'")), sent) is None
    given = {"corrected_call": {"name": "f", "arguments": {"pattern": "x"}}}
    assert infer_fix(Reply({**result("ok"), "_meta": {KEY: given}}), sent) == Call("f", {"pattern": "x"})


# sameness


def test_replies_that_tell_the_time_are_compared_without_it() -> None:
    known = expected(result("at 10:01:07"), result("at 10:01:08"))
    assert known.matches(Reply(result("at 11:59:59")).fingerprint)
    assert not known.matches(Reply(result("on Monday")).fingerprint)
    assert not known.matches(Reply(error("at 10:01:07")).fingerprint)


@pytest.mark.parametrize("again", ["blue", ""])
def test_replies_that_are_never_the_same_or_empty_prove_nothing(again: str) -> None:
    known = expected(result("red"), result(again)) if again else expected({"content": []})
    assert not known.is_comparable
    assert not known.matches(Reply(result("green")).fingerprint)
    assert failed(MISSPELT, result("green"), known=known) == set()


def test_a_right_call_that_fails_is_known_by_all_of_its_lines() -> None:
    known = expected(error("no such file 1"), error("no such file 2"))
    assert known.matches(Reply({**result("no such file 3", "Try another."), "isError": True}).fingerprint)
    assert not known.matches(Reply(error("no such folder")).fingerprint)
    assert not expected(error("Error 401")).matches(Reply(error("Error 400")).fingerprint)
    assert not expected(error("")).matches(Reply(error("Error 400")).fingerprint)


def test_a_call_that_can_only_be_made_once_is_known_by_either_answer() -> None:
    known = expected(result("deleted"), error("it is not there"))
    assert known.matches(Reply(result("deleted")).fingerprint)
    assert known.matches(Reply(error("it is not there")).fingerprint)
    assert not known.matches(Reply(result("hidden")).fingerprint)


def test_a_result_may_have_more_than_was_expected_but_not_less() -> None:
    known = expected(result("one", "two"))
    assert known.matches(Reply(result("one", "two", "Unknown param 'x' ignored")).fingerprint)
    assert not known.matches(Reply(result("one")).fingerprint)


# verdicts


def wrong(kind: str, arguments: Any, culprit: str, right: Call = RIGHT, *, is_repairable: bool = True) -> Mistake:
    return Mistake(kind, Call(right.tool, arguments), right, culprit, is_repairable)


MAX = Call("search", {"pattern": "x", "max": 5})
MISSPELT = wrong("parameter.misspelt", {"pattern": "x", "mac": 5}, "max", MAX)


def test_an_argument_that_is_dropped_is_seen_by_the_answer() -> None:
    many, few = result("many"), result("few")
    assert failed(MISSPELT, many, few, without_culprit=expected(many)) == {
        "not_dropped",
        "unknown_param",
        "auto_correction",
    }


def test_where_the_right_call_fails_alike_nothing_can_be_told() -> None:
    gone = error("ENOENT: no such file")
    assert failed(MISSPELT, gone, gone, without_culprit=expected(gone)) == set()
    assert failed(MISSPELT, gone, error("ENOTDIR"), without_culprit=expected(gone)) == set()
    told = {**result("ENOENT: no such file", "Parameter 'mac' was auto-corrected to 'max'."), "isError": True}
    assert failed(MISSPELT, told, gone, without_culprit=expected(gone)) == set()
    assert judge_reply(trial(MISSPELT, told, gone))[1] is True
    assert judge_reply(trial(MISSPELT, gone, gone))[1] is None


def test_a_server_that_answers_alike_to_anything_is_not_praised_for_it() -> None:
    for said in (result("ok"), error("bad")):
        assert failed(MISSPELT, said, said, distinguishes_calls=False) >= {"unknown_param", "auto_correction"}


def test_a_text_that_is_the_same_whatever_is_wrong_says_nothing() -> None:
    usage = "Unknown parameter mac, max is an integer from 1 to 1000. Use another."
    assert failed(MISSPELT, error(usage)) == {"auto_correction"}
    assert failed(MISSPELT, error(usage), static_texts=frozenset({usage})) == {
        "unknown_param", "next_steps", "auto_correction",
    }  # fmt: skip


def test_a_server_that_asks_back_is_not_judged() -> None:
    assert failed(MISSPELT, {"resultType": "input_required", "inputRequests": {}}) == set()


def test_an_error_about_arguments_says_nothing_of_a_tool_that_was_not_looked_for() -> None:
    bare = Mistake("tool.misspelt", Call("serach", {}), Call("search"), "search", is_repairable=False)
    assert failed(bare, error("Missing arguments. Use some.")) == set()
    assert failed(bare, error("No such tool. Use another.")) == {"unknown_tool"}


def test_what_is_carried_out_without_what_it_requires_is_not_praised_for_an_echo() -> None:
    missing = wrong("required.missing", {}, "pattern", is_repairable=False)
    assert failed(missing, result("deleted by pattern string")) == {"missing_required"}


def test_of_very_many_missing_parameters_some_names_are_enough() -> None:
    names = [f"field_{number}" for number in range(60)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    catalog = Catalog.listed([{"name": "t", "inputSchema": schema}])
    tool = catalog.get("t")
    assert tool
    mistake = Mistake("required.all_missing", Call("t", {}), Call("t", dict.fromkeys(names, "x")), names[0], False)
    text = f"Missing: {', '.join(names[:8])} and 52 more strings. Give them."
    assert all(check.passed for check in judge_reply(Trial(mistake, tool, catalog, Reply(error(text))))[0])


def test_where_there_is_no_answer_nothing_that_it_should_say_is_said() -> None:
    checks, is_repaired = judge_no_reply(MISSPELT, "gave no answer")
    assert {check.item for check in checks if not check.passed} == {"alive", "unknown_param", "auto_correction"}
    assert is_repaired is False


def test_a_name_that_is_understood_is_not_dropped() -> None:
    assert failed(MISSPELT, result("few"), result("few"), without_culprit=expected(result("many"))) == set()


def test_a_warning_that_names_both_is_enough() -> None:
    warned = result("many", "Unknown param 'mac', did you mean 'max'?\nCorrected call: search(pattern: \"x\", max: 5)")
    assert failed(MISSPELT, warned, result("few"), without_culprit=expected(result("many"))) == set()


def test_a_value_that_is_taken_as_it_was_meant_needs_no_word() -> None:
    text = wrong("type.number_as_text", {"pattern": "x", "max": "5"}, "max", MAX)
    assert failed(text, result("few"), result("few")) == set()
    assert failed(text, result("many"), result("few")) == {"wrong_type", "auto_correction"}


def test_what_a_schema_forbids_is_not_to_be_done_in_silence() -> None:
    missing = wrong("required.missing", {}, "pattern", is_repairable=False)
    assert failed(missing, result("all"), result("all")) == {"missing_required"}
    above = wrong("range.above", {"pattern": "x", "max": 10**6}, "max", MAX, is_repairable=False)
    assert failed(above, result("all"), result("all")) == {"out_of_range"}


def test_arguments_in_a_wrapper_are_not_to_be_dropped() -> None:
    wrapped = wrong("shape.wrapped", {"input": {"pattern": "x"}}, "input")
    assert failed(wrapped, result("all"), result("few")) == {"not_dropped", "auto_correction"}
    assert failed(wrapped, result("few"), result("few")) == set()


def test_nothing_in_place_of_a_choice_is_as_well_told_by_the_choices() -> None:
    null = wrong("null.optional", {"pattern": "x", "order": None}, "order")
    assert failed(null, error('Invalid option: expected one of "asc"|"desc" at order. Use one.')) == {"auto_correction"}
    assert failed(null, error("order is wrong. Use another.")) == {"wrong_type", "auto_correction"}


def test_a_cut_result_is_only_judged_where_something_was_cut() -> None:
    cut = wrong("result.cut", {"pattern": "x", "max": 1}, "max", MAX, is_repairable=False)
    assert failed(cut, result("a"), result("a", "b")) == {"tips"}
    assert failed(cut, result("a"), result("a\nb")) == {"tips"}
    assert failed(cut, result("a with 1"), result("a with 10")) == set()
    assert failed(cut, {**result("a"), "_meta": {"has_more": True}}, result("a", "b")) == set()
    for same in (error("no"), result("a", "b")):
        assert failed(cut, same, result("a", "b")) == set()


def test_a_failure_in_a_result_is_not_honest() -> None:
    tool = Mistake("tool.invented", Call("xyz", {}), Call("search"), "xyz", is_repairable=False)
    assert failed(tool, result("Error: Unknown tool: xyz")) == {"honest"}


def test_a_reply_without_words_says_nothing() -> None:
    picture = {"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}
    assert "missing_required" in failed(wrong("required.missing", {}, "pattern", is_repairable=False), picture)


# the plan


def test_a_tool_that_may_write_gets_only_what_must_fail() -> None:
    plan = Plan(CATALOG, 1, examples={"delete": [{"pattern": "precious"}]})
    tool = CATALOG.get("delete")
    assert tool
    made = plan.calls(tool)
    assert {one.kind for one in made} == {"tool.misspelt", "tool.invented", "required.missing"}
    assert all("pattern" not in one.call.arguments for one in made)
    assert "precious" not in repr(made)
    skipped = list(plan.skipped_calls())
    assert [one.tool for one in skipped] == ["delete"]
    assert skipped[0].why.startswith("it does not declare readOnlyHint: true")
    assert {one.kind for one in Plan(CATALOG, 1, allow_writes=True).calls(tool)} > {"type.wrong", "choice.restyled"}


def test_a_name_that_could_as_well_be_that_of_a_tool_that_writes_is_not_sent() -> None:
    tools = [
        {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": name == "peek"}}
        for name in ("peek", "peck")
    ]
    catalog = Catalog.listed(tools)
    tool = catalog.get("peek")
    assert tool
    plans = [Plan(catalog, seed, allow_writes=allow_writes) for allow_writes in (False, True) for seed in range(40)]
    safe, all_of_them = (
        {one.call.tool for plan in some for one in plan.calls(tool) if one.kind == "tool.misspelt"}
        for some in (plans[:40], plans[40:])
    )
    assert "pek" in all_of_them
    assert safe == {name for name in all_of_them if is_nearest("peek", name, ["peek", "peck"])} != all_of_them


def test_a_tool_that_requires_nothing_and_may_write_gets_nothing_that_it_could_take() -> None:
    catalog = Catalog.listed([{"name": "reset_all", "inputSchema": {"type": "object", "additionalProperties": False}}])
    plan = Plan(catalog, 1)
    assert [one for tool in plan.tools for one in plan.calls(tool)] == []
    assert [one.what for one in plan.skipped_calls()] == ["every mistake"]


def test_a_tool_without_a_right_call_is_tried_by_its_name() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"id": {"type": "string", "pattern": "^[0-9]{4}$"}},
        "required": ["id"],
    }
    tool: dict[str, Any] = {"name": "by_id", "inputSchema": schema, "annotations": {"readOnlyHint": True}}
    plan = Plan(Catalog.listed([tool]), 1)
    made = [one for tool in plan.tools for one in plan.calls(tool)]
    assert {one.kind.partition(".")[0] for one in made} == {"tool"}
    assert [one.what for one in plan.skipped_calls()] == ["mistakes in its values"]
    given = Plan(Catalog.listed([tool]), 1, examples={"by_id": [{"id": "1234"}]})
    assert "type.wrong" in {one.kind for tool in given.tools for one in given.calls(tool)}


def test_a_limit_is_tried_at_its_least_where_that_is_a_right_call() -> None:
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "limit": {"type": "integer", "minimum": 20}}}
    catalog = Catalog.listed([{"name": "find", "inputSchema": schema, "annotations": {"readOnlyHint": True}}])
    cut = [one for tool in Plan(catalog, 1).tools for one in Plan(catalog, 1).calls(tool) if one.kind == "result.cut"]
    assert [(one.culprit, one.call.arguments["max"], one.right.arguments["max"]) for one in cut] == [("max", 1, 10)]


def test_only_what_is_named_is_tried() -> None:
    only = Plan(CATALOG, 1, only=frozenset({"search"}))
    assert [tool.name for tool in only.tools] == ["search"]
    assert {one.tool for one in only.skipped_calls()} == {"delete", "search_code", "search_files"}
    without = Plan(CATALOG, 1, without=frozenset({"search", "delete"}))
    assert [tool.name for tool in without.tools] == ["search_code", "search_files"]
    assert {one.why for one in without.skipped_calls()} == {"--without names it"}


def test_of_too_many_calls_each_kind_keeps_its_share() -> None:
    tool = CATALOG.get("search")
    assert tool
    every, few = Plan(CATALOG, 1, most=500).calls(tool), Plan(CATALOG, 1, most=30).calls(tool)
    assert len(every) > len(few) == 30
    assert len({one.kind for one in few}) == min(30, len({one.kind for one in every}))
    assert [one for one in every if one in few] == few


def test_a_neighbour_changes_nothing() -> None:
    tool = CATALOG.get("search")
    assert tool
    more = Catalog.listed([{"name": "zebra", "inputSchema": SCHEMA}, {"name": "search", "inputSchema": SCHEMA}])
    alone = Catalog.listed([{"name": "search", "inputSchema": SCHEMA}])
    assert Plan(more, 7).calls(tool) == Plan(alone, 7).calls(tool)
