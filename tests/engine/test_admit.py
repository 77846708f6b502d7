"""Behavior of the engine that no code page shows, each on the smallest possible call."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from fingerpost import (
    KEY,
    Applicability,
    Call,
    Catalog,
    Grade,
    Policy,
    Verdict,
    admit,
    closest,
    enrich,
    refusal,
    render,
)
from fingerpost.engine.judge import judge
from fingerpost.engine.model import Drop, Fix, Rename, Replace
from fingerpost.engine.policy import AutoCorrect
from fingerpost.engine.prompts_resources import Resources
from fingerpost.engine.replies.unknown_tool_reply import is_exactly_unknown_tool, is_unknown_tool
from fingerpost.engine.safety.hazards import find_hazards
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.tool import Tool


def tool(properties: dict[str, Any], *, read_only: bool = False, **schema: Any) -> dict[str, Any]:
    listed: dict[str, Any] = {"name": "t", "inputSchema": {"type": "object", "properties": properties, **schema}}
    return {**listed, "annotations": {"readOnlyHint": True}} if read_only else listed


def verdict(listed: dict[str, Any], arguments: Any, **policy: Any) -> Verdict:
    return judge(Call("t", arguments), Catalog.listed([listed]), Policy(**policy))


def assert_unexplained(call: Call, reply: dict[str, Any], catalog: Catalog) -> None:
    """Check that only the server speaks to the reader, and that the envelope claims and advises nothing."""
    guided = enrich(call, reply, catalog)
    (text,) = [block["text"] for block in reply["content"]]
    assert {**guided, "_meta": {}} == {**reply, "_meta": {}}
    assert guided["_meta"] == {
        KEY: {
            "error": {
                "code": "INTERNAL_ERROR",
                "message": text.split("\n")[0],
                "severity": "medium",
                "category": "internal",
                "origin": "server",
                "retryable": False,
                "suggestions": {},
                "next_steps": {},
            }
        }
    }


INTEGER = {"type": "integer"}


@pytest.mark.parametrize(
    ("auto_correct", "read_only", "arguments", "action"),
    [
        ("off", True, {"max": "5"}, "refuse"),
        ("lossless", True, {"max": "5"}, "repair"),
        ("lossless", True, {"maxx": 5}, "refuse"),
        ("safe", True, {"maxx": 5}, "repair"),
        ("safe", False, {"maxx": 5}, "refuse"),
        ("all", False, {"maxx": 5}, "repair"),
        ("all", False, {"max": "many"}, "refuse"),
    ],
)
def test_the_policy_decides_what_is_repaired(auto_correct: str, read_only: bool, arguments: Any, action: str) -> None:
    listed = tool({"max": INTEGER, "filter": {"type": "string"}}, read_only=read_only)
    listed["inputSchema"]["properties"]["maximum_results"] = listed["inputSchema"]["properties"].pop("max")
    renamed = {key.replace("max", "maximum_results"): value for key, value in arguments.items()}
    assert verdict(listed, renamed, auto_correct=auto_correct).action == action


def test_an_ambiguous_call_leads_to_a_question_if_the_user_can_be_asked() -> None:
    listed = tool({"unit": {"enum": ["gram", "grain"]}})
    assert verdict(listed, {"unit": "gran"}, ask=True).action == "ask"
    assert verdict(listed, {"unit": "gran"}).action == "refuse"


def test_the_policy_may_leave_attacks_to_the_server() -> None:
    listed = tool({"path": {"type": "string"}, "flag": {"type": "boolean"}})
    attack = {"path": "../../../../etc/passwd"}
    assert verdict(listed, attack).action == "refuse"
    assert verdict(listed, attack, unsafe_input="allow").action == "forward"
    assert verdict(listed, {**attack, "flag": "true"}, unsafe_input="allow").action == "repair"


def test_a_path_with_a_null_byte_is_an_attack() -> None:
    assert [kind for _, kind in find_hazards({"path": "a\x00.txt%20"})] == ["a path traversal"]
    assert list(find_hazards({"files": [{"path": "../x"}]})) == []


@pytest.mark.parametrize(
    ("schema", "sent", "corrected", "grade"),
    [
        ({"type": "number"}, "1.5", 1.5, Grade.LOSSLESS),
        ({"type": "number"}, "2", 2, Grade.LOSSLESS),
        ({"type": "boolean"}, "True", True, Grade.LOSSLESS),
        ({"type": "string"}, 5, "5", Grade.OFFERED),
        ({"type": "string"}, ["one"], "one", Grade.OFFERED),
        ({"type": "array", "items": INTEGER}, 3, [3], Grade.LOSSLESS),
        ({"type": "array"}, "a, b", ["a", "b"], Grade.OFFERED),
        ({"type": "object"}, '{"a": 1}', {"a": 1}, Grade.LOSSLESS),
        ({"enum": ["in_progress", "done"]}, "In Progress", "in_progress", Grade.LOSSLESS),
        ({"enum": [1, 2]}, "2", 2, Grade.LOSSLESS),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7, Grade.LOSSLESS),
    ],
)
def test_a_value_is_converted_to_the_form_its_schema_expects(
    schema: Any, sent: Any, corrected: Any, grade: Grade
) -> None:
    report = verdict(tool({"x": schema}, required=["x"]), {"x": sent}, auto_correct="off").report
    assert report.corrected == Call("t", {"x": corrected})
    assert report.diagnoses[0].fixes[0].grade is grade


@pytest.mark.parametrize(
    ("empty", "reason"),
    [
        ("", "it was empty"), ("  ", "it was empty"), ([], "it was empty"), ({}, "it was empty"),
        (None, "it stands for no value"), ("undefined", "it stands for no value"), ("N/A", "it stands for no value"),
    ],
)  # fmt: skip
def test_an_invalid_empty_value_of_an_optional_parameter_is_omitted(empty: Any, reason: str) -> None:
    found = verdict(tool({"n": INTEGER}, read_only=True), {"n": empty})
    assert (found.action, found.call.arguments) == ("repair", {})
    assert found.report.corrections[0].note == f"Parameter 'n' was left out because {reason}"
    inside = verdict(tool({"n": INTEGER}, read_only=True), [{"n": empty}])
    assert inside.report.corrections[-1].note == "Parameter 'n' was left out because it stands for no value"
    item = verdict(tool({"l": {"type": "array", "items": INTEGER}}, read_only=True), {"l": [1, None]})
    assert item.action == "refuse"


def test_a_secret_is_corrected_without_being_shown() -> None:
    listed = tool({"pin": INTEGER, "data": {"type": "array", "items": {"type": "string"}, "writeOnly": True}})
    done = verdict(listed, {"pin": "1234", "data": "xylophone"})
    assert (done.action, done.call.arguments) == ("repair", {"pin": 1234, "data": ["xylophone"]})
    envelope = render(done.report)
    assert "1234" not in str(envelope) and "xylophone" not in str(envelope)
    assert envelope.text == "Parameter 'pin' was auto-corrected. Parameter 'data' was auto-corrected."


def test_a_corrected_value_that_may_not_be_shown_becomes_a_placeholder() -> None:
    listed = tool({"pin": INTEGER, "n": INTEGER}, required=["n"])
    envelope = render(verdict(listed, {"pin": "1234"}).report)
    assert envelope.text.splitlines()[1] == "Fill in: t(pin: <integer>, n: <integer>)"
    assert envelope.structured["error"]["corrected_call"]["applicability"] == "has_placeholders"


def test_a_long_value_is_written_as_sent_with_its_origin() -> None:
    listed = tool({"dry_run": {"type": "boolean"}, "text": {"type": "string"}, "more": {"type": "array"}})
    sent = {"text": "word " * 100, "more": ["x" * 300], "dryrun": True, "n": 10**30}
    envelope = render(verdict(listed, sent, auto_correct="off").report)
    assert "corrected_call" not in envelope.structured["error"]
    sent.pop("n")
    call = render(verdict(listed, sent, auto_correct="off").report).structured["error"]["corrected_call"]
    assert call["arguments"] == {"text": "<as sent>", "more": ["<as sent>"], "dry_run": True}
    assert call["as_sent"] == {"text": "text", "more[0]": "more[0]"}


def test_a_long_list_in_a_corrected_call_is_named_as_sent() -> None:
    listed = tool({"dry_run": {"type": "boolean"}, "rows": {"type": "array"}})
    envelope = render(verdict(listed, {"rows": list(range(2_000)), "dryrun": True}, auto_correct="off").report)
    call = envelope.structured["error"]["corrected_call"]
    assert (call["arguments"], call["as_sent"]) == ({"rows": "<as sent>", "dry_run": True}, {"rows": "rows"})


def test_a_call_too_large_to_show_is_shown_by_its_changes() -> None:
    listed = tool({"dry_run": {"type": "boolean"}, "rows": {"type": "array"}})
    envelope = render(verdict(listed, {"rows": ["x" * 30] * 190, "dryrun": True}, auto_correct="off").report)
    assert "Corrected call: t(rows: <as sent>, dry_run: true)" in envelope.text
    assert envelope.structured["error"]["corrected_call"] == {
        "name": "t",
        "arguments": {"rows": "<as sent>", "dry_run": True},
        "applicability": "has_placeholders",
        "as_sent": {"rows": "rows"},
        "when_filled": "machine_applicable",
    }


def test_changes_too_large_to_show_give_a_program_the_name_only() -> None:
    listed = tool({"rows": {"type": "array", "items": {"type": "integer"}}})
    envelope = render(verdict(listed, {"rows": [f"1{index:08}" for index in range(190)]}, auto_correct="off").report)
    assert "Fill in: t(rows: [100000000, <189 more items, corrected alike>])" in envelope.text
    assert envelope.structured["error"]["corrected_call"] == {"name": "t", "applicability": "has_placeholders"}


@pytest.mark.parametrize(
    ("schema", "sent", "expected"),
    [
        ({"anyOf": [INTEGER, {"type": "array"}]}, True, "Parameter 'x' must be integer or array, got boolean"),
        ({"anyOf": [{"const": "a"}, {"enum": ["b"]}, {"type": "null"}]}, "c", 'must be one of "a", "b", got "c"'),
        (
            {"oneOf": [
                {"properties": {"kind": {"const": "disk"}, "r": INTEGER}, "required": ["kind", "r"]},
                {"properties": {"kind": {"const": "box"}, "w": INTEGER}, "required": ["kind", "w"]},
            ]},
            {"kind": "box", "r": 1}, "Required parameter 'x.w' is missing",
        ),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "One of 'x.a' or 'x.b' is required"),
        (
            {"unevaluatedProperties": False, "properties": {"count": INTEGER}},
            {"count": 1, "cuont": 2}, "Unknown param 'x.cuont'",
        ),
        ({"$ref": "#/$defs/n"}, "x", "Parameter 'x' must be integer, got string"),
    ],
)  # fmt: skip
def test_a_failed_alternative_is_explained_by_the_nearest_branch(schema: Any, sent: Any, expected: str) -> None:
    listed = tool({"x": schema}, required=["x"])
    listed["inputSchema"]["$defs"] = {"n": INTEGER}
    found = verdict(listed, {"x": sent})
    assert expected in found.report.diagnoses[0].message
    assert len(found.report.diagnoses) == 1


def test_a_pattern_that_needs_backtracking_is_ignored_and_the_rest_is_checked() -> None:
    listed = tool({"x": {"type": "string", "pattern": "^(?!no)", "maxLength": 5}, "items": {"enum": [[1], {"a": 1}]}})
    assert verdict(listed, {"x": "no"}).action == "forward"
    assert verdict(listed, {"x": "no no no"}).report.diagnoses[0].code == "INVALID_LENGTH"


def test_no_tool_is_unknown_if_part_of_the_tool_list_is_unreadable() -> None:
    unreadable: list[Any] = [[{"name": "search"}, "garbage"], "garbage", None, {"tools": []}]
    for tools in unreadable:
        catalog = Catalog.listed(tools)
        assert not catalog.is_complete
        assert judge(Call("serach", {}), catalog, Policy()).action == "forward"
    assert judge(Call("x", {}), Catalog.listed(({"name": "x"},)), Policy()).action == "forward"


def test_a_tool_with_the_prefix_of_another_server_is_not_repaired() -> None:
    tools = [{"name": "search", "inputSchema": {"type": "object"}}]
    ours = judge(Call("mcp__code__search", {}), Catalog.listed(tools, server="Code"), Policy())
    theirs = judge(Call("mcp__web__search", {}), Catalog.listed(tools, server="Code"), Policy())
    assert (ours.action, theirs.action) == ("repair", "refuse")


def test_a_guessed_tool_without_a_schema_is_still_offered() -> None:
    found = judge(Call("serach", {"q": 1}), Catalog.listed([{"name": "search"}]), Policy())
    assert (found.action, found.report.corrected) == ("refuse", Call("search", {"q": 1}))
    assert judge(Call("serach", "q"), Catalog.listed([{"name": "search"}]), Policy()).report.corrected is None


def test_a_bug_in_guidance_leaves_call_and_reply_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("a bug")

    catalog, call = Catalog.listed([tool({"n": INTEGER})]), Call("t", {"n": "x"})
    monkeypatch.setattr("fingerpost.engine.judge.judge", broken)
    assert admit(call, catalog) == Verdict("forward", call)
    monkeypatch.setattr("fingerpost.engine.replies.enrich.add_guidance", broken)
    reply: dict[str, Any] = {"content": []}
    assert enrich(call, reply, catalog) is reply


def test_a_refusal_is_a_tool_result_for_every_client() -> None:
    listed = tool({"n": INTEGER})
    catalog = Catalog.listed([listed, {**listed, "name": "typed", "outputSchema": {"type": "object"}}])
    plain = refusal(admit(Call("t", {"n": "x"}), catalog), catalog, shape="flat")
    assert plain["isError"] is True
    assert plain["content"][0]["text"].startswith("Parameter 'n' must be integer, got string.")
    assert plain["_meta"][KEY]["error"]["code"] == "INVALID_TYPE"
    assert plain["structuredContent"]["error_type"] == "invalid_type"
    assert "structuredContent" not in refusal(admit(Call("typed", {"n": "x"}), catalog), catalog)


@pytest.mark.parametrize(
    "reply",
    [
        "text", None, [1], {}, {"isError": True, "content": [], "_meta": 5},
        {"code": -32602, "message": "m", "data": "text"}, {"jsonrpc": "2.0", "id": 1}, {"resultType": "input_required"},
    ],
)  # fmt: skip
def test_a_reply_of_unknown_shape_is_returned_unchanged(reply: Any) -> None:
    catalog = Catalog.listed([tool({"n": INTEGER})])
    for arguments in ({"n": 1}, {"n": "1"}) if not isinstance(reply, dict) or "content" in reply else ({"n": 1},):
        call = Call("t", arguments)
        guided = enrich(call, reply, catalog)
        if arguments == {"n": 1}:
            assert guided is reply


def test_a_repaired_call_that_fails_is_explained_from_the_servers_message() -> None:
    catalog = Catalog.listed([tool({"n": INTEGER, "unit": {"type": "string"}})])
    reply = {"isError": True, "content": [{"type": "text", "text": "Missing required parameter: unit"}]}
    error = enrich(Call("t", {"n": "1"}), reply, catalog)["_meta"][KEY]["error"]
    assert (error["code"], error["origin"], error["details"]["parameter"]) == ("MISSING_REQUIRED", "server", "unit")
    assert error["corrected_call"]["arguments"] == {"n": 1, "unit": "<string>"}


def test_a_repaired_call_that_fails_still_reports_its_corrections() -> None:
    catalog = Catalog.listed([tool({"n": INTEGER})])
    reply = {"isError": True, "content": [{"type": "text", "text": "Out of paper"}]}
    guided = enrich(Call("t", {"n": "1"}), reply, catalog)
    assert [block["text"] for block in guided["content"]] == ["Out of paper", "Parameter 'n' was auto-corrected to 1."]
    assert [*guided["_meta"][KEY]] == ["error", "corrections", "note"]
    error = enrich(Call("t", {"n": "1"}), {"code": -32000, "message": "Out of paper"}, catalog)
    assert error["data"][KEY]["text"] == "Parameter 'n' was auto-corrected to 1."


def test_a_long_corrected_call_leaves_room_for_the_hint() -> None:
    names = [f"a_long_parameter_name_{number}" for number in range(60)]
    listed = tool({name: {"type": "string"} for name in names}, required=names)
    found = verdict(listed, {**dict.fromkeys(names, "some words"), names[7]: {"a": 1}})
    assert render(found.report).text == (f"Parameter '{names[7]}' must be string, got object.\nUse a string.")


def test_a_warning_includes_the_corrected_call_for_programs() -> None:
    catalog = Catalog.listed([tool({"max": {**INTEGER, "maximum": 9}, "path": {"type": "string"}}, read_only=True)])
    guided = enrich(Call("t", {"max": 50, "path": "x" * 3_000}), {"content": []}, catalog)["_meta"][KEY]
    assert guided["hint"].endswith("t(max: 9, path: <as sent>)")
    call = guided["corrected_call"]
    assert (call["arguments"]["max"], call["as_sent"], call["when_filled"]) == (9, {"path": "path"}, "maybe_incorrect")


@pytest.mark.parametrize(
    ("sent", "intended"),
    [
        ({"query": "x"}, {"pattern": "x"}),
        ({"query": "x", "pattern": "y"}, {"filter": "x", "pattern": "y"}),
        ({"filter_by": "x", "pattern": "y"}, {"filter": "x", "pattern": "y"}),
    ],
)
def test_of_equally_near_names_the_required_one_is_preferred(sent: Any, intended: Any) -> None:
    text = {"type": "string"}
    found = verdict(tool({"filter": text, "pattern": text}, required=["pattern"]), sent)
    assert found.report.corrected == Call("t", intended)


@pytest.mark.parametrize("text", ["Error: Unknown tool: serach", "Unknown tool serach"])
def test_an_unknown_tool_is_recognized_in_a_result(text: str) -> None:
    assert is_unknown_tool({"content": [{"type": "text", "text": text}]}, "serach")


@pytest.mark.parametrize(
    "text",
    ["Found: Unknown tool: serach", "Unknown tool: other", "Error: serach found nothing", "Error " + "x" * 2_000],
)
def test_a_result_that_mentions_tools_is_not_mistaken_for_an_unknown_tool(text: str) -> None:
    assert not is_unknown_tool({"content": [{"type": "text", "text": text}]}, "serach")


def failed_with(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


@pytest.mark.parametrize(
    "reply",
    [
        {"code": -32602, "message": "Unknown tool: serach"}, {"code": -32603, "message": "Method serach not found"},
        failed_with("Unknown tool: 'serach'"), failed_with("MCP error -32602: Tool serach not found"),
        failed_with("tool 'serach' not found: tool not found"), failed_with("Tool not found: serach."),
        failed_with('Error: Tool "serach" does not exist'), failed_with("No such tool: serach"),
    ],
)  # fmt: skip
def test_the_answer_of_an_sdk_to_an_unknown_tool_is_recognised(reply: dict[str, Any]) -> None:
    assert is_exactly_unknown_tool(reply, "serach") and is_unknown_tool(reply, "serach")


@pytest.mark.parametrize(
    "reply",
    [
        {"code": -32602, "message": "Invalid params"}, {"code": -32603, "message": "Internal error"},
        {"code": -32602, "message": "Unknown tool"}, {"code": -32601, "message": "Method not found"},
        failed_with("Unknown tool: other"), failed_with("Unknown tool"),
        failed_with("serach ran, but the helper tool 'index' was not found"),
        failed_with("Created 3 rows. Tool serach not found in the cache"),
    ],
)  # fmt: skip
def test_a_failure_in_other_words_does_not_allow_a_second_call(reply: dict[str, Any]) -> None:
    assert not is_exactly_unknown_tool(reply, "serach")


def test_guidance_is_added_inside_a_json_rpc_error() -> None:
    catalog = Catalog.listed([tool({"n": INTEGER})])
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: s"}}
    guided = enrich(Call("s", {}), error, catalog)
    assert guided["error"]["code"] == -32602
    assert guided["error"]["data"][KEY]["error"]["code"] == "UNKNOWN_TOOL"
    twice = enrich(Call("s", {}), guided, catalog)
    assert twice is guided


def test_a_successful_reply_to_a_call_we_would_refuse_is_unchanged() -> None:
    """If the server accepts a call, it was valid, whatever our verdict."""
    catalog = Catalog.listed([tool({"n": INTEGER})])
    reply = {"content": [{"type": "text", "text": "ok"}]}
    for call in (Call("t", {"n": "x"}), Call("tt", {}), Call("t", {"path": "../../etc/passwd"})):
        assert enrich(call, reply, catalog) is reply


@pytest.mark.parametrize(
    ("mistake", "names", "first", "is_clear"),
    [
        ("lock_issue", ["unlock_issue"], "unlock_issue", False),
        ("enable", ["disable", "enabled_by"], "enabled_by", False),
        ("start_job", ["stop_job"], "stop_job", False),
        ("page2", ["page1"], "page1", False),
        ("searchFiles", ["search_files"], "search_files", True),
        ("queries", ["query"], "query", True),
    ],
)
def test_opposites_and_other_numbers_are_never_clear(
    mistake: str, names: list[str], first: str, is_clear: bool
) -> None:
    matches = closest(mistake, names)
    assert not matches or (matches[0].name, matches[0].is_clear) == (first, is_clear)
    assert closest("!!!", names) == ()


def test_edits_apply_inside_lists_and_share_unchanged_parts() -> None:
    call = Call("t", {"a": [{"x": 1}, {"y": 2}], "b": (shared := {"z": 3})})
    renamed = Rename(("a", 1, "y"), "w").applied_to(call)
    assert renamed.arguments == {"a": [{"x": 1}, {"w": 2}], "b": {"z": 3}}
    assert renamed.arguments["b"] is shared
    assert Replace(("a", 0), 5).applied_to(call).arguments["a"] == [5, {"y": 2}]
    assert Drop(("a", 0, "x")).applied_to(call).arguments["a"][0] == {}
    assert call.arguments["a"][1] == {"y": 2}


@pytest.mark.parametrize(
    ("inside", "sent"), [(INTEGER, "5"), ({"properties": {"c": INTEGER}}, {"c": "5"})], ids=["field", "deeper field"]
)
def test_a_fix_inside_an_object_that_another_fix_wraps_in_a_list_changes_nothing(inside: Any, sent: Any) -> None:
    found = verdict(
        tool({"a": {"type": "array", "items": {"type": "object"}, "properties": {"b": inside}}}), {"a": {"b": sent}}
    )
    assert (found.action, found.call.arguments) == ("repair", {"a": [{"b": sent}]})


@pytest.mark.parametrize(
    "text",
    ["plain", "[1, NaN]", '{"a": 1, "a": 2}', "{", "[1.1234567890123456789]", "[" * 100_000, "{" + " " * (1 << 20)],
)
def test_text_that_is_no_json_object_or_array_stays_text(text: str) -> None:
    assert parse_json(text) == text


def test_an_offered_fix_is_never_applied() -> None:
    offered = Fix(Drop(("x",)), Applicability.MACHINE_APPLICABLE)
    for mode in get_args(AutoCorrect):
        assert not Policy(auto_correct=mode).allows(offered, read_only=True)


def test_a_lone_surrogate_as_key_is_not_checked() -> None:
    found = Tool("t", {"inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}})
    assert found.is_valid({"\ud800": 1})
    assert found.violations({"\ud800": 1}) == ()
    assert found.validator_message({"a": 1}) == '1 is not of type "string"'


def test_a_lone_surrogate_as_key_passes_an_open_tool() -> None:
    catalog = Catalog.listed([tool({}, additionalProperties=True)])
    call = Call("t", {"\ud800": 1})
    assert admit(call, catalog) == Verdict("forward", call)


def test_an_error_about_an_argument_that_was_not_sent_is_not_explained() -> None:
    catalog = Catalog.listed([tool({"a": {"type": "object"}})])
    reply = {"isError": True, "content": [{"type": "text", "text": "data/a/b must be integer"}]}
    assert_unexplained(Call("t", {"a": {}}), reply, catalog)


def test_problems_beyond_the_limit_are_counted() -> None:
    listed = tool({f"p{n}": INTEGER for n in range(30)})
    envelope = render(verdict(listed, {f"p{n}": "x" for n in range(30)}).report)
    assert envelope.text.startswith("Parameter 'p0' must be integer, got string.")
    assert "more problems." in envelope.text
    error = envelope.structured["error"]
    assert len(error.get("problems", [])) + error["more_problems"] >= 30


def test_only_the_first_line_of_a_text_is_cut() -> None:
    report = verdict(tool({"n": INTEGER}), {"n": "x"}).report
    assert [len(render(report, budget=budget).text) for budget in (0, 1, 10)] == [0, 1, 10]
    whole = render(report).text
    assert render(report, budget=len(whole) - 1).text == whole.rpartition("\n")[0]


@pytest.mark.parametrize(
    ("properties", "arguments", "message"),
    [
        (
            {"user": {"type": "object", "properties": {"name": {"type": "string"}}}},
            {"name": "x"},
            "'name' belongs inside 'user'",
        ),
        ({"n": INTEGER}, 5, "The arguments must be an object, got integer"),
        ({"n": INTEGER, "m": INTEGER}, ["a"], "The arguments must be an object, got array"),
    ],
)
def test_arguments_of_the_wrong_shape_are_repaired_only_if_unambiguous(
    properties: Any, arguments: Any, message: str
) -> None:
    assert verdict(tool(properties), arguments).report.diagnoses[0].message == message


def test_a_bare_value_is_offered_for_the_only_parameter() -> None:
    assert verdict(tool({"n": INTEGER}), 5).report.corrected == Call("t", {"n": 5})
    assert verdict(tool({"n": INTEGER}), "x").report.corrected is None


def test_huge_limits_are_not_suggested_as_values() -> None:
    found = verdict(tool({"n": {"type": "integer", "maximum": 10**400}}), {"n": 10**401})
    assert found.report.applicability is Applicability.HAS_PLACEHOLDERS


def test_json_nested_in_strings_is_unpacked_to_a_limited_depth() -> None:
    """A few levels are mistakes; more are left to the caller."""
    schema: dict[str, Any] = INTEGER
    packed: Any = 1
    for _ in range(12):
        schema = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
        packed = json.dumps({"x": packed})
    found = verdict(tool({"x": schema}), {"x": packed})
    assert found.action == "refuse"
    assert found.report.corrected is None
    twice = verdict(tool({"x": {"type": "object", "properties": {"x": INTEGER}}}), {"x": json.dumps({"x": "1"})})
    assert (twice.action, twice.call.arguments) == ("repair", {"x": {"x": 1}})


def test_a_string_is_not_converted_to_a_number_beyond_exact_range() -> None:
    assert verdict(tool({"n": INTEGER}), {"n": str(2**53)}).call.arguments == {"n": 2**53}
    assert verdict(tool({"n": INTEGER}), {"n": str(2**53 + 1)}).action == "refuse"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"q": "x", "limit": 10}, "limit: must be <= 50"),
        ({"q": "x"}, "q must be a number"),
        ({"q": "x"}, "q is required"),
        ({"q": "x"}, "data/limit must be integer"),
        ({"q": "x"}, "data/a/b must have required property 'c'"),
        ({"sort": "date"}, "sort must be one of: relevance, date"),
        ({"q": "x"}, "Missing required parameter: surname"),
    ],
)
def test_an_error_message_that_contradicts_the_call_is_not_explained(arguments: dict[str, Any], text: str) -> None:
    catalog = Catalog.listed([tool({"q": {"type": "string"}, "limit": INTEGER, "sort": {"type": "string"}})])
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    assert_unexplained(Call("t", arguments), reply, catalog)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("limit must be between 1 and 50", "Parameter 'limit' value 100 exceeds maximum 50."),
        ("sort must be one of [relevance, date]", 'Fill in: t(limit: 100, sort: <"relevance" or "date">)'),
        ("data/limit must be multiple of 3", "Parameter 'limit' value 100 is not a multiple of 3."),
    ],
)
def test_an_error_message_beyond_the_schema_is_explained(text: str, expected: str) -> None:
    catalog = Catalog.listed([tool({"limit": INTEGER, "sort": {"type": "string"}})])
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    assert expected in enrich(Call("t", {"limit": 100, "sort": "name"}), reply, catalog)["content"][1]["text"]


SHAPES = {
    "oneOf": [
        {"properties": {"kind": {"const": "circle"}, "radius": INTEGER}, "required": ["kind", "radius"]},
        {"properties": {"kind": {"enum": ["rect"]}, "width": INTEGER}, "required": ["kind", "width"]},
    ]
}


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"kind": "Circle", "radius": "3"}, ["shape.radius", "shape.kind"]),
        ({"kind": "square", "radius": 3}, ["shape.kind"]),
        ({"kind": "rect"}, ["shape.width"]),
    ],
)
def test_a_tag_decides_which_alternative_is_explained(sent: dict[str, Any], expected: list[str]) -> None:
    report = verdict(tool({"shape": {"type": "object", **SHAPES}}), {"shape": sent}).report
    assert [one.details["parameter"] for one in report.diagnoses] == expected


@pytest.mark.parametrize(
    ("enum", "sent"), [(["C", "Java"], "C++"), (["1.0", "2.0"], "10"), (["1", "2"], "-1"), (["a", "b"], "a=")]
)
def test_a_sign_is_part_of_a_value(enum: list[str], sent: str) -> None:
    found = verdict(tool({"x": {"enum": enum}}, read_only=True), {"x": sent})
    assert found.action == "refuse"
    assert found.report.applicability is Applicability.HAS_PLACEHOLDERS


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("functions.delete", "repair"),
        ("mcp__files__delete", "refuse"),
        ("server__delete", "refuse"),
        ("gmail__delete", "refuse"),
        ("undo/delete", "refuse"),
    ],
)
def test_a_prefix_that_may_be_another_servers_stays_on_a_tool_that_may_write(name: str, action: str) -> None:
    listed = {**tool({}), "name": "delete"}
    assert judge(Call(name, {}), Catalog.listed([listed]), Policy()).action == action
    harmless = {**listed, "annotations": {"readOnlyHint": True}}
    assert judge(Call(name, {}), Catalog.listed([harmless]), Policy()).action == "repair"


def test_an_argument_that_the_validator_allows_is_not_unknown() -> None:
    pattern = tool({"name": {"type": "string"}}, patternProperties={"^X_": {}}, additionalProperties=False)
    beside = {
        "name": "t",
        "inputSchema": {
            "$ref": "#/$defs/A",
            "properties": {"b": INTEGER},
            "$defs": {"A": {"type": "object", "properties": {"a": INTEGER}}},
        },
    }
    dependent = tool({"a": INTEGER}, dependencies={"a": {"properties": {"b": INTEGER}}})
    nullable = tool({"phone": {"type": "string", "nullable": True}})
    for listed, arguments in (
        (pattern, {"name": "a", "X_A": 1}),
        (beside, {"a": 1, "b": 2}),
        (dependent, {"a": 1, "b": 2}),
        (nullable, {"phone": None}),
    ):
        assert verdict(listed, arguments).action == "forward"


def test_removing_noise_and_wrappers_keeps_declared_values() -> None:
    closed = tool({"sessionId": {"type": "string"}}, additionalProperties=False)
    assert verdict(closed, {"session_id": "abc", "toolCallId": "1"}).call.arguments == {"sessionId": "abc"}
    named = tool({"name": {"type": "string"}, "color": {"type": "string"}})
    assert verdict(named, {"name": "t", "data": {"color": "red"}}).action == "refuse"


@pytest.mark.parametrize("sent", ["['a'", "null", "{}", "- a\n- b", "a;b", '["a",'])
def test_text_that_may_be_several_items_is_not_wrapped_in_a_list(sent: str) -> None:
    listed = tool({"names": {"type": "array", "items": {"type": "string"}}}, required=["names"])
    assert verdict(listed, {"names": sent}).action == "refuse"


def test_fields_of_the_only_item_are_offered_inside_the_list() -> None:
    item = {"type": "object", "properties": {"old": {"type": "string"}, "new": {"type": "string"}}}
    listed = tool({"path": {"type": "string"}, "edits": {"type": "array", "items": item}}, required=["path", "edits"])
    found = verdict(listed, {"path": "a", "old": "x", "new": "y"})
    assert (found.action, found.report.corrected) == (
        "refuse",
        Call("t", {"path": "a", "edits": [{"old": "x", "new": "y"}]}),
    )


RIGHT_VALUES = {
    "url": ["https://api.example.com/items?type=book&id=42", "https://x.com/?redirect=%2Fa%2F..%2Fb", "file:///a/../b"],
    "dockerfile": ["RUN apt-get update; rm -rf /var/lib/apt/lists"],
    "Makefile": ["clean:\n\tcd out; rm -rf build"],
    "user": ["why does ' OR 1=1 work?", "Explain `id` command"],
    "name": [
        "Name & ID",
        "Rename `id` to `uuid`",
        "Install | bash",
        "ACME; sleep 8h study",
        "<script> tag tutorial",
        "Jinja {{ 2 * x }}",
        "R&D | sh team",
    ],
    "path": [
        "/srv/S&ID/report.pdf",
        "../../../../packages/core/index.ts",
        "../.env",
        "a..b/c",
        "100%25.txt",
        "C:\\Users\\x",
    ],
    "file": ["src/(a|id)/x.ts", "O'Brien and 'sons'.txt", "a`b`c.md"],
    "source": ["SELECT a FROM t UNION SELECT b FROM u", "import os; os.remove('x')"],
    "query": ["'; DROP TABLE users; --", "$(rm -rf /)"],
    "email": ["a+b@example.com"],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in RIGHT_VALUES.items() for value in values]
)
def test_a_plausible_value_is_never_an_attack(name: str, value: str) -> None:
    call = Call("t", {name: value, "nested": [{name: value}]})
    found = admit(call, Catalog.listed([tool({name: {"type": "string"}, "nested": {"type": "array"}})]))
    assert found == Verdict("forward", call)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("path", "../../etc/passwd"), ("filePath", "..%2f..%2fetc%2fpasswd"), ("path", "%252e%252e%252fetc"),
        ("file", "....//....//etc/passwd"), ("path", "..\\..\\windows\\system32"), ("user_id", "1' OR '1'='1"),
        ("id", "x'; DROP TABLE users; --"), ("id", "1 UNION SELECT password FROM users"), ("slug", "$(whoami)"),
        ("host", "x; rm -rf /"), ("host", "x | bash"), ("username", "${jndi:ldap://x}"), ("user_id", "{{7*7}}"),
        ("email", "<script>alert(1)</script>"),
    ],
)  # fmt: skip
def test_an_attack_is_refused_without_showing_it(name: str, value: str) -> None:
    found = verdict(tool({name: {"type": "string"}}, read_only=True), {name: value})
    envelope = render(found.report)
    assert (found.action, found.report.diagnoses[0].code) == ("refuse", "UNSAFE_INPUT")
    assert value not in str(envelope)
    assert envelope.structured["error"]["suggestions"] == {}
    assert "schema_hint" not in envelope.structured["error"]


def test_a_budget_must_be_at_least_1() -> None:
    with pytest.raises(ValueError, match="budget must be at least 1, got 0"):
        Policy(budget=0)


def test_a_renamed_and_then_omitted_argument_gives_two_diagnoses() -> None:
    found = verdict(tool({"dry_run": {"type": "boolean"}}, read_only=True), {"dryRun": None})
    assert (found.action, found.call.arguments) == ("repair", {})
    assert [one.code for one in found.report.diagnoses] == ["UNKNOWN_PARAM", "INVALID_TYPE"]


def test_a_schema_that_no_arguments_can_satisfy_is_ignored() -> None:
    call = Call("t", {})
    assert admit(call, Catalog.listed([{"name": "t", "inputSchema": {"type": "array"}}])) == Verdict("forward", call)


def test_a_tag_that_several_alternatives_share_decides_nothing() -> None:
    several = [
        {"properties": {"kind": {"const": "a"}, "n": INTEGER}, "required": ["n"]},
        {"properties": {"kind": {"const": "a"}, "m": INTEGER}, "required": ["m"]},
    ]
    found = verdict(tool({"x": {"type": "object", "oneOf": several}}), {"x": {"kind": "a"}})
    assert found.report.diagnoses[0].message == "One of 'x.n' or 'x.m' is required"


def test_json_in_a_string_is_parsed() -> None:
    assert parse_json('[1.5, {"a": 2}]') == [1.5, {"a": 2}]


@pytest.mark.parametrize(
    ("schema", "arguments", "action", "sent"),
    [
        ({"opts": {"type": "object", "properties": {"dry_run": {"type": "boolean"}}}}, {"opts": {"dryRun": True}},
         "repair", {"opts": {"dry_run": True}}),
        ({"opts": {"type": "object", "properties": {"dry_run": {"type": "boolean"}}}}, {"opts": {"dry_rnu": True}},
         "refuse", None),
        ({"rows": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}},
         {"rows": [{"Name": "x"}]}, "repair", {"rows": [{"name": "x"}]}),
        ({"opts": {"type": "object", "properties": {"dry_run": {"type": "boolean"}}}}, {"opts": {"colour": 1}},
         "forward", None),
        ({"labels": {"type": "object", "additionalProperties": {"type": "string"}}}, {"labels": {"env": None}},
         "forward", None),
        ({"unit": {"enum": ["mW", "kW"]}}, {"unit": "MW"}, "refuse", None),
        ({"unit": {"enum": ["b", "kb"]}}, {"unit": "B"}, "refuse", None),
        ({"sort": {"enum": ["asc", "desc"]}}, {"sort": "ASC"}, "repair", {"sort": "asc"}),
        ({"m": {"type": "array", "items": {"type": "array", "items": INTEGER}}}, {"m": [1, 2]}, "refuse", None),
        ({"m": {"type": "array", "items": {"type": "array", "items": INTEGER}}}, {"m": 5}, "refuse", None),
        ({"m": {"type": "array", "items": {"type": "array", "items": INTEGER}}}, {"m": [5]}, "repair", {"m": [[5]]}),
        ({"ids": {"type": "array", "items": INTEGER}}, {"ids": "5"}, "repair", {"ids": [5]}),
        ({"argv": {"type": "array", "items": {"type": "string"}}}, {"argv": "git push origin"}, "refuse", None),
        ({"timeout_s": INTEGER}, {"timeout_ms": 5000}, "refuse", None),
        ({"min_length": INTEGER}, {"max_length": 3}, "refuse", None),
    ],
)  # fmt: skip
def test_a_tool_that_may_write_gets_no_guesses_and_loses_no_values(
    schema: dict[str, Any], arguments: dict[str, Any], action: str, sent: Any
) -> None:
    found = verdict(tool(schema), arguments)
    assert found.action == action
    assert found.call.arguments == (sent if sent is not None else arguments)


def test_opposites_and_other_numbers_are_never_offered() -> None:
    for mistake, name in (("max_length", "min_length"), ("column_2", "column_1")):
        report = verdict(tool({name: INTEGER}), {mistake: 5}).report
        assert report.corrected is None
        assert "did you mean" not in render(report).text


def test_a_value_in_another_unit_is_never_sent_but_its_parameter_is_shown_with_a_placeholder() -> None:
    for name in ("timeout_s", "timeout"):
        found = verdict(tool({name: INTEGER}, read_only=True), {"timeout_ms": 5}, auto_correct="all")
        assert found.action == "refuse"
        assert found.report.corrected == Call("t", {name: "<integer>"})
        assert found.report.applicability is Applicability.HAS_PLACEHOLDERS


def test_two_unknown_arguments_for_one_parameter_are_not_corrected() -> None:
    assert verdict(tool({"user_id": {"type": "string"}}), {"userID": "x", "UserId": "y"}).report.corrected is None


def test_the_value_of_a_renamed_argument_is_converted_too() -> None:
    assert verdict(tool({"max": INTEGER}), {"maxi": "5"}).report.corrected == Call("t", {"max": 5})


@pytest.mark.parametrize(
    "text",
    [
        "1 validation error for UpstreamUser\nemail\n  Field required [type=missing, input_value={}, input_type=dict]",
        "Invalid JSON in response from upstream",
        "The internal error rate metric could not be computed",
        "Error 500 rows exceed what can be shown",
        "not allowed: pattern has forbidden word",
        "quota exceeded; upgrade your plan",
        "KeyError: 'foo'",
    ],
)
def test_an_error_message_that_only_resembles_a_known_one_gets_no_advice(text: str) -> None:
    catalog = Catalog.listed([tool({"email": {"type": "string"}})])
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    assert_unexplained(Call("t", {}), reply, catalog)


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("xyzzy", "List the resources to see what is available"),
        ("config:///main", "Did you mean 'config://main'?"),
        ("", "List the resources to see what is available"),
    ],
)
def test_an_unknown_uri_gets_a_hint_from_the_known_ones(uri: str, hint: str) -> None:
    assert Resources.from_lists([{"uri": "config://main"}, 5], None).explain_unknown(uri).diagnoses[0].hint == hint


@pytest.mark.parametrize("uri", ["repo://a/x", "repo:///readme", "repo://a", "other://a/b/readme"])
def test_a_uri_that_only_begins_like_a_template_does_not_match_it(uri: str) -> None:
    addresses = Resources.from_lists([], [{"uriTemplate": "repo://{owner}/{name}/readme"}])
    assert "fits the template" not in addresses.explain_unknown(uri).diagnoses[0].hint


def test_the_servers_own_hint_is_kept_beside_the_diagnosis() -> None:
    catalog, call = Catalog.listed([tool({"n": INTEGER}, read_only=True)]), Call("t", {"n": 1, "m": 2})
    payload = {"error": "m is unknown", "nextSteps": {"do": "read"}, "hint": "Mine", "routingHint": {"to": "b"}}
    reply = {"isError": True, "content": [{"type": "text", "text": json.dumps(payload)}]}
    error = enrich(call, reply, catalog)["_meta"][KEY]["error"]
    assert (error["code"], error["hints"], error["routing_hint"]) == ("UNKNOWN_PARAM", ["Mine"], {"to": "b"})


def test_the_policy_may_reject_values_out_of_range_on_read_only_tools() -> None:
    schema = {"type": "object", "properties": {"max": {"type": "integer", "maximum": 10}}}
    catalog = Catalog.listed([{"name": "f", "inputSchema": schema, "annotations": {"readOnlyHint": True}}])
    call = Call("f", {"max": 11})
    assert admit(call, catalog).action == "forward"
    assert admit(call, catalog, policy=Policy(unfit_values="reject")).action == "refuse"
    unknown = Call("f", {"max": 1, "zzz": 1})
    assert admit(unknown, catalog, policy=Policy(unfit_values="reject")).action == "forward"


def test_a_tool_that_only_resembles_the_intended_name_is_not_called_instead_of_the_likely_one() -> None:
    text = {"type": "string"}
    node = {**tool({"name": text, "id": text}, required=["name", "id"]), "name": "get_node"}
    mode = {**tool({"Name": text}), "name": "get_mode"}
    report = judge(Call("get_ode", {"name": "x"}), Catalog.listed([node, mode]), Policy()).report
    assert [fix.value for fix in report.diagnoses[0].fixes] == ["get_node", "get_mode"]
    assert report.corrected == Call("get_node", {"name": "x", "id": "<string>"})


@pytest.mark.parametrize(
    ("value", "kind", "name"),
    [(float("nan"), "number", "NaN"), (float("inf"), "integer", "an infinite number"), (1.5, "integer", "number")],
)
def test_a_number_that_json_does_not_have_is_named(value: float, kind: str, name: str) -> None:
    report = verdict(tool({"x": {"type": kind}}), {"x": value}).report
    assert report.diagnoses[0].message == f"Parameter 'x' must be {kind}, got {name}"


def test_a_rule_about_all_arguments_is_told_in_the_plural() -> None:
    listed = {"name": "t", "inputSchema": {"type": "object", "propertyNames": {"maxLength": 3}}}
    message = verdict(listed, {"long_name": 1}).report.diagnoses[0].message
    assert message == "The arguments have a field name that the schema does not allow"
