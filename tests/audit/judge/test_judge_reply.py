"""Which items a reply fails, one reply at a time."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge.checklist import CHECKLIST, ITEMS
from fingerpost.audit.judge.checks import CHECKS
from fingerpost.audit.judge.expected_reply import ExpectedReply
from fingerpost.audit.judge.judge_reply import judge_no_reply, judge_reply
from fingerpost.audit.judge.reply import Reply
from fingerpost.audit.judge.trial import Trial
from tests.support.audit_replies import error, expect, result

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


RIGHT = Call("search", {"pattern": "x"})


def failed_items(
    mistake: Mistake,
    reply: dict[str, Any],
    right: dict[str, Any] | None = None,
    known: ExpectedReply | None = None,
    **more: Any,
) -> set[str]:
    """The items that a reply does not meet."""
    tool = CATALOG.get(mistake.right.tool)
    assert tool
    known = expect(right) if right is not None else known
    checks, _ = judge_reply(Trial(mistake, tool, CATALOG, Reply(reply), known, **more))
    return {check.item for check in checks if not check.passed}


def trial(mistake: Mistake, reply: dict[str, Any], right: dict[str, Any]) -> Trial:
    tool = CATALOG.get(mistake.right.tool)
    assert tool
    return Trial(mistake, tool, CATALOG, Reply(reply), expect(right))


@pytest.mark.parametrize("again", ["blue", ""])
def test_replies_that_always_differ_or_are_empty_prove_nothing(again: str) -> None:
    known = expect(result("red"), result(again)) if again else expect({"content": []})
    assert not known.is_comparable
    assert not known.matches(Reply(result("green")).fingerprint)
    assert failed_items(MISSPELLED, result("green"), known=known) == set()


def wrong(kind: str, arguments: Any, culprit: str, right: Call = RIGHT, *, is_repairable: bool = True) -> Mistake:
    return Mistake(kind, Call(right.tool, arguments), right, culprit, is_repairable)


MAX = Call("search", {"pattern": "x", "max": 5})


MISSPELLED = wrong("parameter.misspelt", {"pattern": "x", "mac": 5}, "max", MAX)


def test_a_dropped_argument_is_detected_by_the_result() -> None:
    many, few = result("many"), result("few")
    assert failed_items(MISSPELLED, many, few, without_culprit=expect(many)) == {
        "not_dropped",
        "unknown_param",
        "auto_correction",
    }


def test_a_reply_like_that_of_a_failing_right_call_is_inconclusive() -> None:
    gone = error("ENOENT: no such file")
    assert failed_items(MISSPELLED, gone, gone, without_culprit=expect(gone)) == set()
    assert failed_items(MISSPELLED, gone, error("ENOTDIR"), without_culprit=expect(gone)) == set()
    explained = {**result("ENOENT: no such file", "Parameter 'mac' was auto-corrected to 'max'."), "isError": True}
    assert failed_items(MISSPELLED, explained, gone, without_culprit=expect(gone)) == set()
    assert judge_reply(trial(MISSPELLED, explained, gone))[1] is True
    assert judge_reply(trial(MISSPELLED, gone, gone))[1] is None


def test_a_server_that_answers_everything_the_same_gets_no_credit() -> None:
    for reply in (result("ok"), error("bad")):
        assert failed_items(MISSPELLED, reply, reply, distinguishes_calls=False) >= {"unknown_param", "auto_correction"}


def test_a_text_that_every_mistake_gets_is_no_guidance() -> None:
    usage = "Unknown parameter mac, max is an integer from 1 to 1000. Use another."
    assert failed_items(MISSPELLED, error(usage)) == {"auto_correction"}
    assert failed_items(MISSPELLED, error(usage), static_texts=frozenset({usage})) == {
        "unknown_param", "next_steps", "auto_correction",
    }  # fmt: skip


def test_a_server_that_asks_back_is_not_judged() -> None:
    assert failed_items(MISSPELLED, {"resultType": "input_required", "inputRequests": {}}) == set()


def test_an_error_about_arguments_is_not_judged_for_the_unknown_tool() -> None:
    bare = Mistake("tool.misspelt", Call("serach", {}), Call("search"), "search", is_repairable=False)
    assert failed_items(bare, error("Missing arguments. Use some.")) == set()
    assert failed_items(bare, error("No such tool. Use another.")) == {"unknown_tool"}


def test_executing_an_incomplete_call_is_a_failure_even_if_the_result_echoes_the_name() -> None:
    missing = wrong("required.missing", {}, "pattern", is_repairable=False)
    assert failed_items(missing, result("deleted by pattern string")) == {"missing_required"}


def test_eight_of_very_many_missing_parameters_are_enough() -> None:
    names = [f"field_{number}" for number in range(60)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    catalog = Catalog.listed([{"name": "t", "inputSchema": schema}])
    tool = catalog.get("t")
    assert tool
    mistake = Mistake("required.all_missing", Call("t", {}), Call("t", dict.fromkeys(names, "x")), names[0], False)
    text = f"Missing: {', '.join(names[:8])} and 52 more strings. Give them."
    assert all(check.passed for check in judge_reply(Trial(mistake, tool, catalog, Reply(error(text))))[0])


def test_a_missing_answer_fails_every_item_it_should_have_met() -> None:
    checks, is_repaired = judge_no_reply(MISSPELLED, "gave no answer")
    assert {check.item for check in checks if not check.passed} == {"alive", "unknown_param", "auto_correction"}
    assert is_repaired is False


def test_an_undeclared_name_that_is_understood_is_not_dropped() -> None:
    assert failed_items(MISSPELLED, result("few"), result("few"), without_culprit=expect(result("many"))) == set()


def test_a_warning_that_names_both_is_enough() -> None:
    warned = result("many", "Unknown param 'mac', did you mean 'max'?\nCorrected call: search(pattern: \"x\", max: 5)")
    assert failed_items(MISSPELLED, warned, result("few"), without_culprit=expect(result("many"))) == set()


def test_a_value_that_is_understood_needs_no_message() -> None:
    text = wrong("type.number_as_text", {"pattern": "x", "max": "5"}, "max", MAX)
    assert failed_items(text, result("few"), result("few")) == set()
    assert failed_items(text, result("many"), result("few")) == {"wrong_type", "auto_correction"}


def test_executing_a_forbidden_call_silently_is_a_failure() -> None:
    missing = wrong("required.missing", {}, "pattern", is_repairable=False)
    assert failed_items(missing, result("all"), result("all")) == {"missing_required"}
    above = wrong("range.above", {"pattern": "x", "max": 10**6}, "max", MAX, is_repairable=False)
    assert failed_items(above, result("all"), result("all")) == {"out_of_range"}


def test_dropping_wrapped_arguments_is_a_failure() -> None:
    wrapped = wrong("shape.wrapped", {"input": {"pattern": "x"}}, "input")
    assert failed_items(wrapped, result("all"), result("few")) == {"not_dropped", "auto_correction"}
    assert failed_items(wrapped, result("few"), result("few")) == set()


def test_for_a_null_value_listing_the_choices_is_enough() -> None:
    null = wrong("null.optional", {"pattern": "x", "order": None}, "order")
    assert failed_items(null, error('Invalid option: expected one of "asc"|"desc" at order. Use one.')) == {
        "auto_correction"
    }
    assert failed_items(null, error("order is wrong. Use another.")) == {"wrong_type", "auto_correction"}


def test_a_limited_result_is_judged_only_if_it_was_truncated() -> None:
    cut = wrong("result.cut", {"pattern": "x", "max": 1}, "max", MAX, is_repairable=False)
    assert failed_items(cut, result("a"), result("a", "b")) == {"tips"}
    assert failed_items(cut, result("a"), result("a\nb")) == {"tips"}
    assert failed_items(cut, result("a with 1"), result("a with 10")) == set()
    assert failed_items(cut, {**result("a"), "_meta": {"has_more": True}}, result("a", "b")) == set()
    for same in (error("no"), result("a", "b")):
        assert failed_items(cut, same, result("a", "b")) == set()


def test_a_failure_without_is_error_fails_honest() -> None:
    tool = Mistake("tool.invented", Call("xyz", {}), Call("search"), "xyz", is_repairable=False)
    assert failed_items(tool, result("Error: Unknown tool: xyz")) == {"honest"}


def test_a_reply_without_text_says_nothing() -> None:
    picture = {"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}
    assert "missing_required" in failed_items(wrong("required.missing", {}, "pattern", is_repairable=False), picture)


def test_every_item_has_exactly_one_check_except_the_comparison_of_two_replies() -> None:
    assert {*CHECKS, "stable"} == {item.id for item in CHECKLIST}


def test_failures_of_an_item_are_described_as_failures() -> None:
    item = ITEMS["auto_correction"]
    assert item.count_failures(71) == "71 repairable calls got neither a repair nor a corrected call"
    assert item.count_failures(1) == "1 repairable call got neither a repair nor a corrected call"


def test_a_warning_about_a_range_has_to_name_the_parameter_and_a_limit() -> None:
    above = wrong("range.above", {"pattern": "x", "max": 10**6}, "max", MAX, is_repairable=False)
    assert failed_items(above, result("all", "max is limited to 1000"), result("all")) == set()
    assert failed_items(above, result("all", "Careful."), result("all")) == {"out_of_range", "actionable"}
