"""The examples of the three seed documents, each with the outcome that REQUIREMENTS.md and its rulings give it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Match, Policy, Verdict, admit, closest, enrich, render
from fingerpost.engine.replies.paging_tips import advise
from fingerpost.engine.schema.excerpt import excerpt
from tests.support.code_tools import code_tools

TEXT: dict[str, Any] = {"type": "string"}
SEARCH_PARAMS: dict[str, Any] = {
    "pattern": {
        "type": "string",
        "description": "Search pattern (regex supported)",
        "examples": ["authenticate", "User.*", "^function"],
    },
    "filter": {"type": "string", "description": "File filter glob pattern", "examples": ["*.ts", "src/**/*.js"]},
    "max": {
        "type": "integer",
        "default": 50,
        "minimum": 1,
        "maximum": 1000,
        "description": "Maximum results to return",
    },
}


def tool(name: str, params: dict[str, Any], *required: str, read_only: bool = False) -> dict[str, Any]:
    schema = {"type": "object", "properties": params, "required": list(required)}
    notes = {"annotations": {"readOnlyHint": True}} if read_only else {}
    return {"name": name, "inputSchema": schema, **notes}


def search_tool(*, read_only: bool) -> Catalog:
    """The seed's `search`, with the second filter that its example lists among the alternatives."""
    params = {**SEARCH_PARAMS, "file_filter": TEXT, "offset": {"type": "integer", "minimum": 0}}
    return Catalog.listed([tool("search", params, "pattern", read_only=read_only), tool("info", {"tool": TEXT})])


CODE = Catalog.listed(code_tools())
READING = search_tool(read_only=True)
WRITING = search_tool(read_only=False)


def judge_call(name: str, arguments: Any, catalog: Catalog = CODE) -> Verdict:
    return admit(Call(name, arguments), catalog)


def error_of(name: str, arguments: Any, catalog: Catalog = CODE) -> dict[str, Any]:
    verdict = judge_call(name, arguments, catalog)
    assert verdict.action == "refuse"
    return render(verdict.report).structured["error"]


def text_of(name: str, arguments: Any, catalog: Catalog = CODE) -> list[str]:
    return render(judge_call(name, arguments, catalog).report).text.splitlines()


def text_reply(text: str, **fields: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **fields}


def failed(text: str) -> dict[str, Any]:
    return text_reply(text, isError=True)


def guidance_on(name: str, arguments: dict[str, Any], result: dict[str, Any], catalog: Catalog = CODE) -> Any:
    return enrich(Call(name, arguments), result, catalog).get("_meta", {}).get(KEY)


# Seed 1, pattern 1: similar tools


def test_a_misspelt_tool_is_answered_with_the_tool_that_was_meant_and_the_callers_own_arguments() -> None:
    error = error_of("serach", {"pattern": "User"})
    suggestions = error["suggestions"]
    assert (error["code"], error["message"]) == ("UNKNOWN_TOOL", "Tool 'serach' not found")
    assert suggestions["did_you_mean"] == "search"
    assert suggestions["similar_tools"] == ["search", "search_code", "search_files"]
    assert suggestions["available_categories"] == {"search": 3, "get": 1, "list": 1, "rename": 1, "info": 1}
    assert error["hint"] == 'Try: search(pattern: "User")'
    assert error["corrected_call"]["name"] == "search"
    assert error["corrected_call"]["arguments"] == {"pattern": "User"}


def test_the_text_for_the_model_has_the_fact_first_and_the_call_to_try_second() -> None:
    assert text_of("serach", {"pattern": "User"})[:2] == ["Tool 'serach' not found.", 'Try: search(pattern: "User")']


def test_a_tool_near_nothing_is_sent_to_the_listing() -> None:
    error = error_of("translate", {"text": "hello"})
    assert error["hint"] == "Use info() to list all available tools"
    assert "did_you_mean" not in error["suggestions"]
    assert "similar_tools" not in error["suggestions"]


def test_at_most_five_similar_tools_are_named() -> None:
    catalog = Catalog.listed(
        [tool(f"search_{noun}", {}) for noun in ("code", "files", "users", "logs", "tags", "docs")]
    )
    assert len(error_of("search", {}, catalog)["suggestions"]["similar_tools"]) == 5


def test_the_text_counts_the_tools_of_each_category() -> None:
    names = [f"{verb}_{n}" for verb, count in (("search", 3), ("get", 5), ("list", 4)) for n in "abcde"[:count]]
    catalog = Catalog.listed([tool(name, {}) for name in names])
    assert "search (3), get (5), list (4)" in "\n".join(text_of("translate", {}, catalog))


@pytest.mark.parametrize(
    ("mistake", "meant"),
    [("sea", "search"), ("serach", "search"), ("auth", "authenticate"), ("user_search", "search_users")],
)
def test_a_name_finds_its_tool_by_beginning_spelling_containment_or_words(mistake: str, meant: str) -> None:
    known = ["get_definition", "search", "list_files", "authenticate", "search_users", "info"]
    assert closest(mistake, known, "tool")[0].name == meant
    catalog = Catalog.listed([tool(name, {}) for name in known])
    assert error_of(mistake, {}, catalog)["suggestions"]["did_you_mean"] == meant


@pytest.mark.parametrize(
    ("mistake", "nearer", "farther"),
    [
        pytest.param("sea", "search", "set", id="beginning before spelling"),
        pytest.param("auth", "authenticate", "oauth_token", id="beginning before containment"),
        pytest.param("search_user", "search_users", "user_settings", id="spelling before shared words"),
        pytest.param("user_report", "monthly_user_report", "report_settings", id="containment before shared words"),
    ],
)
def test_suggestions_stand_in_the_order_of_their_kind(mistake: str, nearer: str, farther: str) -> None:
    found = [match.name for match in closest(mistake, [farther, nearer], "tool")]
    assert found[0] == nearer


def test_a_tool_name_is_never_repaired_by_likeness() -> None:
    assert judge_call("serach", {"pattern": "User"}).action == "refuse"


# Seed 1, pattern 2: parameters


def test_two_misspelt_parameters_are_repaired_on_a_read_only_tool() -> None:
    verdict = judge_call("search", {"patern": "User", "filtr": "*.ts"}, READING)
    structured = render(verdict.report).structured
    assert verdict.action == "repair"
    assert verdict.call == Call("search", {"pattern": "User", "filter": "*.ts"})
    assert structured["suggestions"] == {
        "patern": {"did_you_mean": "pattern", "alternatives": ["pattern"]},
        "filtr": {"did_you_mean": "filter", "alternatives": ["filter", "file_filter"]},
    }
    assert [(one["from"], one["to"], one["auto_corrected"]) for one in structured["corrections"]] == [
        ("patern", "pattern", True),
        ("filtr", "filter", True),
    ]
    assert all(one["confidence"] > 0.9 for one in structured["corrections"])
    assert structured["note"] == (
        "Parameter 'patern' was auto-corrected to 'pattern'. Parameter 'filtr' was auto-corrected to 'filter'"
    )


def test_two_misspelt_parameters_are_refused_with_the_corrected_call_on_a_tool_that_may_write() -> None:
    error = error_of("search", {"patern": "User", "filtr": "*.ts"}, WRITING)
    assert error["next_steps"]["fix"] == 'search(pattern: "User", filter: "*.ts")'
    assert error["corrected_call"] == {
        "name": "search",
        "arguments": {"pattern": "User", "filter": "*.ts"},
        "applicability": "machine_applicable",
    }
    assert [problem["message"] for problem in error["problems"]] == [
        "Unknown param 'patern', did you mean 'pattern'?",
        "Unknown param 'filtr', did you mean 'filter'?",
    ]
    near = [
        {key: problem["suggestions"][key] for key in ("did_you_mean", "alternatives")} for problem in error["problems"]
    ]
    assert near == [
        {"did_you_mean": "pattern", "alternatives": ["pattern"]},
        {"did_you_mean": "filter", "alternatives": ["filter", "file_filter"]},
    ]


def test_the_text_of_the_refusal_has_both_facts_and_the_corrected_call() -> None:
    assert text_of("search", {"patern": "User", "filtr": "*.ts"}, WRITING) == [
        "Unknown param 'patern', did you mean 'pattern'? Unknown param 'filtr', did you mean 'filter'?",
        'Corrected call: search(pattern: "User", filter: "*.ts")',
    ]


def test_a_repaired_parameter_brings_results_although_the_right_one_is_required() -> None:
    results = text_reply('{"results": ["User"]}')
    reply = enrich(Call("search", {"patern": "User"}), results, READING)
    assert reply["content"][0] == results["content"][0]
    assert reply["content"][1]["text"] == "Parameter 'patern' was auto-corrected to 'pattern'."
    assert "isError" not in reply


def test_a_parameter_near_nothing_is_ignored_with_a_warning_on_a_read_only_tool() -> None:
    verdict = judge_call("search", {"pattern": "User", "x": 1}, READING)
    assert (verdict.action, verdict.call) == ("forward", Call("search", {"pattern": "User", "x": 1}))
    assert render(verdict.report).structured == {"warnings": ["Unknown param 'x' ignored"]}


def test_a_parameter_near_nothing_is_refused_on_a_tool_that_may_write() -> None:
    assert error_of("search", {"pattern": "User", "x": 1}, WRITING)["code"] == "UNKNOWN_PARAM"


def test_a_lost_safety_switch_is_never_dropped() -> None:
    catalog = Catalog.listed([tool("purge", {"older_than": {"type": "integer"}, "dry_run": {"type": "boolean"}})])
    assert judge_call("purge", {"dryRun": True}, catalog).call == Call("purge", {"dry_run": True})
    assert judge_call("purge", {"simulate": True}, catalog).action == "refuse"
    assert judge_call("purge", '{"older_than": 30, "dry_run": tr', catalog).action == "refuse"


# Seed 1, pattern 3: schema hints


def test_a_missing_parameter_is_told_with_what_is_required_what_is_optional_and_an_example() -> None:
    error = error_of("search", {})
    assert (error["code"], error["message"]) == ("MISSING_REQUIRED", "Required parameter 'pattern' is missing")
    assert error["schema_hint"] == {
        "required": ["pattern"],
        "optional": ["filter", "max", "offset"],
        "types": {"pattern": "string"},
        "example": {"pattern": "authenticate"},
    }


def test_every_missing_parameter_is_told_at_once() -> None:
    catalog = Catalog.listed([tool("send", dict.fromkeys("abcd", TEXT), "a", "b", "c", "d")])
    error = error_of("send", {}, catalog)
    assert [problem["message"] for problem in error["problems"]] == [
        f"Required parameter '{name}' is missing" for name in "abcd"
    ]
    assert error["corrected_call"]["arguments"] == dict.fromkeys("abcd", "<string>")
    facts = " ".join(text_of("send", {}, catalog))
    assert all(f"'{name}'" in facts or f"{name}: string" in facts for name in "abcd")


def test_a_wrong_type_is_told_with_what_was_expected_and_what_was_received() -> None:
    error = error_of("search", {"pattern": "User", "max": "fifty"})
    assert (error["code"], error["message"]) == ("INVALID_TYPE", "Parameter 'max' must be integer, got string")
    details = {key: error["details"][key] for key in ("parameter", "expected_type", "received_type", "received_value")}
    assert details == {
        "parameter": "max",
        "expected_type": "integer",
        "received_type": "string",
        "received_value": "fifty",
    }
    assert error["schema_hint"] == {"max": SEARCH_PARAMS["max"]}
    assert error["hint"] == "Use a number: max: 50"


def test_a_number_as_text_is_read_on_every_tool() -> None:
    for catalog in (READING, WRITING):
        verdict = judge_call("search", {"pattern": "User", "max": "50"}, catalog)
        assert (verdict.action, verdict.call) == ("repair", Call("search", {"pattern": "User", "max": 50}))


def test_a_number_out_of_range_is_told_with_its_limits_and_the_paging_alternative() -> None:
    error = error_of("search", {"pattern": "User", "max": 5000}, WRITING)
    assert (error["code"], error["message"]) == ("OUT_OF_RANGE", "Parameter 'max' value 5000 exceeds maximum 1000")
    details = {key: error["details"][key] for key in ("parameter", "value", "minimum", "maximum")}
    assert details == {"parameter": "max", "value": 5000, "minimum": 1, "maximum": 1000}
    assert error["hint"] == "Use max: 1000 for maximum results, or paginate with offset"
    assert error["corrected_call"]["arguments"] == {"pattern": "User", "max": 1000}


def test_a_number_out_of_range_is_warned_about_and_sent_on_where_the_tool_only_reads() -> None:
    verdict = judge_call("search", {"pattern": "User", "max": 5000}, READING)
    structured = render(verdict.report).structured
    assert (verdict.action, verdict.call) == ("forward", Call("search", {"pattern": "User", "max": 5000}))
    assert structured["warnings"] == ["Parameter 'max' value 5000 exceeds maximum 1000"]
    assert "Use max: 1000 for maximum results, or paginate with offset" in json.dumps(structured)


def test_the_nearest_legal_number_is_the_nearest() -> None:
    catalog = Catalog.listed([tool("list", {"page_size": {"type": "integer", "multipleOf": 10}}, "page_size")])
    assert error_of("list", {"page_size": 78}, catalog)["corrected_call"]["arguments"] == {"page_size": 80}
    resize = Catalog.listed([tool("resize", {"percent": {"type": "integer", "multipleOf": 10}}, "percent")])
    filled = error_of("resize", {"percent": 78}, resize)["corrected_call"]["arguments"]
    assert filled == {"percent": "<integer multiple of 10>"}, "a value that changes something is not made up"


# Seed 1, pattern 4: progressive disclosure

SCHEMA: dict[str, Any] = {"type": "object", "properties": SEARCH_PARAMS, "required": ["pattern"]}


def test_the_first_level_of_a_schema_is_its_names() -> None:
    assert excerpt(SCHEMA, SCHEMA, "minimal") == {"required": ["pattern"], "optional": ["filter", "max"]}


def test_the_second_level_of_a_schema_has_types_and_defaults() -> None:
    assert excerpt(SCHEMA, SCHEMA, "typed") == {
        "pattern": {"type": "string", "required": True},
        "filter": {"type": "string", "required": False},
        "max": {"type": "integer", "required": False, "default": 50},
    }


def test_the_third_level_of_a_schema_has_everything() -> None:
    assert excerpt(SCHEMA, SCHEMA, "full") == {
        "pattern": {"required": True, **SEARCH_PARAMS["pattern"]},
        "filter": {"required": False, **SEARCH_PARAMS["filter"]},
        "max": {"required": False, **SEARCH_PARAMS["max"]},
    }


# Seed 1, patterns 5 and 6: next steps and tips

PAGE = [{"id": f"r{number}", "name": "User"} for number in range(1, 11)]


def test_a_page_of_results_is_followed_by_more_details_and_a_narrower_search() -> None:
    reply = text_reply(json.dumps({"results": PAGE, "has_more": True, "total": 127}))
    guidance = guidance_on("search", {"pattern": "User"}, reply)
    assert guidance["next_steps"] == {
        "get_more": 'search(pattern: "User", offset: 10)',
        "get_details": 'get_definition(id: "r1")',
        "refine_search": 'search(pattern: "User", filter: "*.ts")',
    }


def test_a_page_of_many_results_brings_tips() -> None:
    reply = text_reply(json.dumps({"results": PAGE, "has_more": True, "total": 47}))
    tips = guidance_on("search", {"pattern": "User"}, reply)["tips"]
    assert tips.keys() == {"high_results", "get_details", "pagination"}
    assert 'filter: "*.ts"' in tips["high_results"]
    assert "get_definition" in tips["get_details"]
    assert "offset: 10" in tips["pagination"]


def test_a_reached_limit_brings_recommendations() -> None:
    full = [{"id": f"r{number}"} for number in range(100)]
    reply = text_reply(json.dumps({"results": full, "returned": 100, "total": 100, "limit_reached": True}))
    tips = guidance_on("search", {"pattern": "User", "max": 100}, reply)["tips"]
    assert tips["limit_reached"]["at_limit"] == "Showing maximum 100 results"
    assert tips["limit_reached"]["recommendations"]


def test_a_partial_success_brings_the_three_ways_on() -> None:
    reply = text_reply(json.dumps({"results": PAGE, "warnings": ["Some paths were not accessible"], "partial": True}))
    guidance = guidance_on("search", {"pattern": "User"}, reply)
    assert guidance["next_steps"].keys() == {"retry_failed", "check_permissions", "proceed_anyway"}


def test_nothing_found_brings_ways_to_broaden_the_search() -> None:
    reply = failed("No results found for pattern 'xyzabc123'")
    error = guidance_on("search", {"pattern": "xyzabc123"}, reply)["error"]
    assert (error["code"], error["category"]) == ("NOT_FOUND", "not_found")
    assert {"broaden_search", "check_scope", "alternatives"} <= error["next_steps"].keys()
    assert "list_files()" in error["next_steps"]["alternatives"]


def test_the_tool_that_lists_what_there_is_reaches_the_model_in_the_text() -> None:
    catalog = Catalog.listed([tool("delete_project", {"id": TEXT}, "id"), tool("list_projects", {}, read_only=True)])
    reply = enrich(Call("delete_project", {"id": "p9"}), failed("Project p9 not found"), catalog)
    assert "list_projects()" in reply["content"][1]["text"]


def test_an_error_brings_the_fix_and_the_help() -> None:
    assert error_of("search", {"patern": "User"}, WRITING)["next_steps"] == {
        "fix": 'search(pattern: "User")',
        "help": 'info(tool: "search")',
    }


def test_a_reply_with_its_own_tips_keeps_the_word() -> None:
    reply = text_reply(json.dumps({"results": PAGE, "has_more": True, "next_steps": {"get_more": "page two"}}))
    assert enrich(Call("search", {"pattern": "User"}), reply, CODE) is reply


def test_tips_fit_the_budget() -> None:
    payload = {"results": PAGE, "has_more": True}
    assert advise(Call("search", {"pattern": "User"}), payload, CODE).next_steps
    reply = text_reply(json.dumps(payload))
    guided = enrich(Call("search", {"pattern": "User"}), reply, CODE, policy=Policy(budget=20))
    assert sum(len(block["text"]) for block in guided["content"][1:]) <= 20


# Seed 1: severity, the template, the three fuzz tests

GUARDED = Catalog.listed(
    [
        tool(
            name,
            {"path": TEXT, "id": TEXT, "max": {"type": "integer", "maximum": 9}, "old": {**TEXT, "deprecated": True}},
            "id",
            read_only=name == "look",
        )
        for name in ("look", "change")
    ]
)
SEVERITIES: list[tuple[str, dict[str, Any], str, str, tuple[str, str]]] = [
    ("injection", {"id": "1' OR '1'='1"}, "UNSAFE_INPUT", "critical", ("refuse", "refuse")),
    ("path traversal", {"id": "a", "path": "../../../../etc/passwd"}, "UNSAFE_INPUT", "critical", ("refuse", "refuse")),
    ("missing", {}, "MISSING_REQUIRED", "high", ("refuse", "refuse")),
    ("type", {"id": "a", "max": "many"}, "INVALID_TYPE", "high", ("refuse", "refuse")),
    ("unknown", {"id": "a", "zzz": 1}, "UNKNOWN_PARAM", "medium", ("forward", "refuse")),
    ("out of range", {"id": "a", "max": 10}, "OUT_OF_RANGE", "medium", ("forward", "refuse")),
    ("deprecated", {"id": "a", "old": "b"}, "DEPRECATED_PARAM", "low", ("forward", "forward")),
]


@pytest.mark.parametrize(
    ("arguments", "code", "severity", "actions"), [row[1:] for row in SEVERITIES], ids=[row[0] for row in SEVERITIES]
)
def test_severity_and_the_effect_of_the_tool_decide_the_action(
    arguments: dict[str, Any], code: str, severity: str, actions: tuple[str, str]
) -> None:
    verdicts = [judge_call(name, arguments, GUARDED) for name in ("look", "change")]
    assert {(one.code, one.severity) for verdict in verdicts for one in verdict.report.diagnoses} == {(code, severity)}
    assert tuple(verdict.action for verdict in verdicts) == actions


@pytest.mark.parametrize(
    ("arguments", "level"),
    [
        pytest.param({"id": "a", "path": "../../../../etc/passwd"}, None, id="critical: nothing"),
        pytest.param({"id": "a", "max": "many"}, {"max": {"type": "integer", "maximum": 9}}, id="high: typed"),
        pytest.param(
            {"id": "a", "max": 10}, {"required": ["id"], "optional": ["path", "max", "old"]}, id="medium: minimal"
        ),
    ],
)
def test_the_schema_is_shown_as_far_as_the_severity_deserves(arguments: dict[str, Any], level: Any) -> None:
    assert error_of("change", arguments, GUARDED).get("schema_hint") == level


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param("read_file", {"pathh": "../../../../etc/passwd"}, id="under a misspelt name"),
        pytest.param("read_file", '{"path": "../../../../etc/passwd"}', id="in a string of JSON"),
        pytest.param("read_file", {"input": '{"path": "../../../../etc/passwd"}'}, id="in a wrapped string of JSON"),
        pytest.param("read_file", "../../../../etc/passwd", id="as a bare value"),
        pytest.param("write_file", {"pth": "../../../../etc/passwd"}, id="under a misspelt name of a tool that writes"),
        pytest.param("raed_file", {"path": "../../../../etc/passwd"}, id="for a misspelt tool"),
    ],
)
def test_an_attack_is_refused_without_schema_suggestion_or_echo_however_it_is_dressed(
    name: str, arguments: Any
) -> None:
    catalog = Catalog.listed(
        [tool("read_file", {"path": TEXT}, "path", read_only=True), tool("write_file", {"path": TEXT}, "path")]
    )
    verdict = judge_call(name, arguments, catalog)
    envelope = render(verdict.report)
    assert verdict.action == "refuse"
    assert "passwd" not in envelope.text + json.dumps(envelope.structured)
    assert envelope.structured["error"]["code"] == "UNSAFE_INPUT"
    assert envelope.structured["error"]["suggestions"] == {}
    assert "schema_hint" not in envelope.structured["error"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("serach", {}),
        ("translate", {}),
        ("search", {}),
        ("search", ""),
        ("search", ["User"]),
        ("search", {"pattern": "User", "max": "fifty"}),
        ("search_code", {"name": "User", "language": "cobol"}),
        ("rename_symbol", {"id": "r1", "name": "Account", "dryrnu": True}),
        ("list_files", {"path": "../../../../etc/passwd"}),
    ],
)
def test_every_error_has_the_four_fields(name: str, arguments: Any) -> None:
    error = error_of(name, arguments)
    assert {"code", "message", "suggestions", "next_steps"} <= error.keys()
    assert error["severity"] in ("critical", "high", "medium", "low")


def test_an_error_follows_the_complete_template() -> None:
    error = error_of("rename_symbol", {"id": "r1", "nmae": "Account", "dry_run": True})
    assert error["details"]["parameter"] == "nmae"
    assert {"got", "expected"} <= error["details"].keys()
    assert error["details"]["got"] != error["details"]["expected"]
    assert {"did_you_mean", "alternatives", "auto_correctable"} <= error["suggestions"].keys()
    assert {"required", "optional"} <= error["schema_hint"].keys()
    assert error["next_steps"]["fix"] == 'rename_symbol(id: "r1", name: "Account", dry_run: true)'
    assert error["next_steps"]["help"] == 'info(tool: "rename_symbol")'


def test_enum_values_are_matched_as_well() -> None:
    error = error_of("search_code", {"name": "User", "language": "typscript"})
    assert error["suggestions"]["did_you_mean"] == "typescript"
    assert error["corrected_call"]["arguments"] == {"name": "User", "language": "typescript"}


def test_fuzz_an_unknown_tool_brings_code_suggestion_list_and_hint() -> None:
    error = error_of("serach", {})
    assert error["code"] == "UNKNOWN_TOOL"
    assert error["suggestions"]["did_you_mean"] == "search"
    assert "search" in error["suggestions"]["similar_tools"]
    assert error["hint"]


def test_fuzz_an_unknown_parameter_brings_a_warning_a_suggestion_and_the_results() -> None:
    results = text_reply('{"results": ["User"]}')
    reply = enrich(Call("search", {"patern": "User"}), results, CODE)
    guidance = reply["_meta"][KEY]
    assert reply["content"][0] == results["content"][0]
    assert guidance["suggestions"]["patern"]["did_you_mean"] == "pattern"
    assert guidance["warnings"] == ["Unknown param 'patern', did you mean 'pattern'?"]


def test_fuzz_a_missing_parameter_brings_the_schema_hint_and_an_example() -> None:
    error = error_of("search", {})
    assert error["code"] == "MISSING_REQUIRED"
    assert "pattern" in error["schema_hint"]["required"]
    assert error["schema_hint"]["example"]
    assert error == error_of("search", None)


# Seed 2: hints are kept, and a success stays one

HINTED: list[dict[str, Any]] = [
    {
        "status": "error",
        "ok": False,
        "error": "file not found",
        "error_detail": {"message": "…", "hint": "Use sandbox:/"},
    },
    {"error": "file not found", "error_detail": {"hint": "Use sandbox:/"}},
    {"error_detail": {"message": "file not found", "hint": "Use sandbox:/"}},
    {"message": "file not found", "code": "FILE_NOT_FOUND", "hint": "Use sandbox:/"},
    {"error": "file not found", "hint": "Use sandbox:/"},
    {"error": {"message": "file not found", "hint": "Use sandbox:/"}},
]


@pytest.mark.parametrize("payload", HINTED, ids=[" ".join(payload) for payload in HINTED])
def test_a_servers_own_hint_is_kept_and_no_default_is_added(payload: dict[str, Any]) -> None:
    """One envelope, whatever the shape was; what the text says already is not said again."""
    reply = failed(json.dumps(payload))
    guided = enrich(Call("list_files", {}), reply, CODE)
    error = guided["_meta"][KEY]["error"]
    assert (error["hint"], error["category"]) == ("Use sandbox:/", "not_found")
    assert guided["content"] == reply["content"]
    structured = {**failed("file not found"), "structuredContent": payload}
    displayed = enrich(Call("list_files", {}), structured, CODE)
    assert displayed["structuredContent"] == payload
    assert [block["text"] for block in displayed["content"]] == ["file not found", "Use sandbox:/."]


@pytest.mark.parametrize(
    "payload",
    [
        {"ok": False}, {"status": "failed"}, {"success": False, "message": "no"}, {"error": "nope", "hint": "Try pull"},
        {"error_detail": {"category": "conflict", "hint": "Pull first"}}, {"ok": False, "error": {"code": "E_BUSY"}},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_failure_that_came_as_a_success_is_read_and_left_as_it_is(payload: dict[str, Any]) -> None:
    reply = text_reply(json.dumps(payload), structuredContent=payload, isError=False)
    guided = enrich(Call("list_files", {}), reply, CODE)
    assert guided["_meta"][KEY]["error"]["code"]
    assert guided["content"][0] == reply["content"][0]
    assert {**guided, "content": 0, "_meta": 0} == {**reply, "content": 0, "_meta": 0}
    hint = payload.get("hint") or payload.get("error_detail", {}).get("hint")
    assert hint is None or guided["_meta"][KEY]["error"]["hint"] == hint


@pytest.mark.parametrize("nothing", [None, "", []])
def test_an_empty_hint_is_no_hint(nothing: Any) -> None:
    reply = failed(json.dumps({"error": "file not found", "hint": nothing}))
    assert guidance_on("list_files", {}, reply)["error"]["hint"]


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("[Errno 2] No such file or directory: 'a.txt'", "NOT_FOUND", ""),
        ("[Errno 13] Permission denied: '/root'", "PERMISSION_DENIED", "/root"),
        ("[Errno 21] Is a directory: 'src'", "INVALID_INPUT", ""),
        ("Request timed out after 30 seconds", "TIMEOUT", ""),
        ("TimeoutError", "TIMEOUT", ""),
        ("429 Too Many Requests", "RATE_LIMITED", ""),
        ("[Errno 111] Connection refused", "UPSTREAM_ERROR", ""),
        ("Authentication failed", "AUTH_REQUIRED", ""),
        ("Key 'abc' not found", "NOT_FOUND", "abc"),
        ("No record with id 42 was found: not found", "NOT_FOUND", "42"),
        ("Invalid JSON in body", "INVALID_INPUT", "{'a': 1}"),
        ("Response too large", "INVALID_LENGTH", ""),
    ],
)
def test_a_common_failure_without_a_hint_gets_the_default_one(text: str, code: str, named: str) -> None:
    error = guidance_on("list_files", {"filter": named} if named else {}, failed(text))["error"]
    assert error["code"] == code
    assert error["hint"]
    assert error["hint"] not in error["message"]


@pytest.mark.parametrize(
    "text",
    [
        "Row 503 has an empty name",
        "Invoice 404 is already paid",
        "Line 500 is longer than 80 columns",
        "The branch has no upstream branch",
        "Regex error: unexpected token ')'",
    ],
)
def test_a_number_or_word_that_only_looks_like_a_common_failure_earns_no_false_advice(text: str) -> None:
    reply = failed(text)
    guided = enrich(Call("list_files", {}), reply, CODE)
    error = guided["_meta"][KEY]["error"]
    assert guided["content"] == reply["content"]
    assert (error["code"], error["message"], error["suggestions"]) == ("INTERNAL_ERROR", text, {})
    assert set(error["next_steps"]) <= {"help"} and "hint" not in error


def test_a_wait_that_the_server_names_is_part_of_the_hint() -> None:
    error = guidance_on("list_files", {}, failed("Rate limit exceeded. Retry-After: 30"))["error"]
    assert (error["hint"], error["retryable"]) == ("Wait 30 seconds, then call again", True)


@pytest.mark.parametrize(
    "payload",
    [
        {"ok": True, "error": ""}, {"message": "Merged", "code": "OK"}, {"status": "ok", "error": None}, {"errors": []},
        {"ok": True, "error": "none"}, {"id": 5, "status": "failed", "log": "…"}, {"error": "", "message": "done"},
        {"status": "error", "line": 3, "level": "error"}, {"error": {}}, {"error_detail": None, "message": "fine"},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_success_stays_a_success(payload: dict[str, Any]) -> None:
    for reply in (
        text_reply(json.dumps(payload)),
        text_reply(json.dumps(payload), structuredContent=payload, isError=False),
    ):
        assert enrich(Call("list_files", {}), reply, CODE) is reply


def test_a_routing_hint_is_kept_apart_from_the_hint() -> None:
    payload = {"error": "Not here", "routing_hint": {"server": "eu"}, "hint": "Ask the other region"}
    reply = failed(json.dumps(payload))
    guided = enrich(Call("list_files", {}), reply, CODE)
    assert guided["content"] == reply["content"]
    assert guided["_meta"][KEY]["error"]["routing_hint"] == {"server": "eu"}
    assert guided["_meta"][KEY]["error"]["hint"] == "Ask the other region"


def test_the_servers_own_words_stay_first_and_as_they_are() -> None:
    reply = failed("ENOENT: no such file or directory, open 'a.txt'")
    guided = enrich(Call("list_files", {}), reply, CODE)
    assert guided["content"][0] == reply["content"][0]
    assert guided["isError"] is True
    assert len(guided["content"]) == 2


def test_a_hint_is_never_given_twice_in_one_reply() -> None:
    guided = enrich(Call("list_files", {}), failed("ENOENT: no such file or directory"), CODE)
    assert enrich(Call("list_files", {}), guided, CODE) is guided


# Seed 3: which suggestion is a fix, which is a hint, and which is none

UNITS = (
    "meter", "m", "kilometer", "km", "centimeter", "cm", "millimeter", "mm", "micrometer", "inch", "in", "foot", "ft",
    "yard", "yd", "mile", "mi", "gram", "g", "kilogram", "kg", "milligram", "mg", "tonne", "pound", "lb", "ounce", "oz",
    "second", "s", "minute", "min", "hour", "h", "day", "mole", "mol", "kelvin", "K", "celsius", "fahrenheit", "ampere",
    "volt", "V", "watt", "W", "joule", "J", "calorie", "newton", "N", "pascal", "Pa", "bar", "liter", "L", "gallon",
    "radian", "rad", "degree", "percent", "each", "byte", "hertz", "Hz",
)  # fmt: skip


def readings(mistake: str) -> tuple[Match, ...]:
    return closest(mistake, UNITS, kind="value")


@pytest.mark.parametrize(
    ("mistake", "meant"),
    [("kilgoram", "kilogram"), ("kilogramm", "kilogram"), ("secnod", "second"), ("farenheit", "fahrenheit")],
)
def test_a_high_score_with_a_clear_gap_is_a_fix(mistake: str, meant: str) -> None:
    best, *rest = readings(mistake)
    assert (best.name, best.is_clear) == (meant, True)
    assert best.confidence >= 0.7
    assert all(best.confidence - other.confidence >= 0.1 for other in rest)


def test_a_high_score_with_a_close_rival_is_a_hint_only() -> None:
    found = closest("gran", ["gram", "grain", "second"], kind="value")
    assert {match.name for match in found} == {"gram", "grain"}
    assert not any(match.is_clear for match in found)


def test_an_ambiguous_abbreviation_has_no_fix_and_lists_meter_and_mole() -> None:
    found = readings("mt")
    assert not any(match.is_clear for match in found)
    assert {"meter", "mole"} <= {match.name for match in found}


def test_garbage_is_near_nothing() -> None:
    assert readings("xyzzy") == ()


def test_a_meter_is_no_mole() -> None:
    assert closest("meter", ["mole"], kind="value") == ()


def test_a_unit_that_is_none_has_no_fix_to_apply() -> None:
    assert not any(match.is_clear for match in readings("foo"))


def test_only_the_best_reading_can_be_clear() -> None:
    for mistake in ("kilgoram", "mt", "foo", "metre", "mili"):
        assert not any(match.is_clear for match in readings(mistake)[1:])


CONVERT: dict[str, Any] = {
    "value": {"type": "number"},
    "from_unit": {"enum": list(UNITS)},
    "to_unit": {"enum": list(UNITS)},
}
FACTOR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "value": {"type": "number"},
        "numerator": {"enum": list(UNITS)},
        "denominator": {"enum": list(UNITS)},
    },
    "required": ["numerator", "denominator"],
}
CONVERTER = Catalog.listed(
    [
        tool("convert", CONVERT, "value", "from_unit", "to_unit", read_only=True),
        tool("compute", {"factors": {"type": "array", "items": FACTOR}}, "factors", read_only=True),
    ]
)


def test_the_loop_converges_in_one_retry() -> None:
    error = error_of("convert", {"value": 1, "from_unit": "kilgoram", "to_unit": "kg"}, CONVERTER)
    assert error["suggestions"]["likely_fix"]["value"] == "kilogram"
    retry = error["corrected_call"]
    assert judge_call(retry["name"], retry["arguments"], CONVERTER).action == "forward"


def test_an_ambiguous_unit_gives_hints_and_no_fix() -> None:
    error = error_of("convert", {"value": 1, "from_unit": "mt", "to_unit": "kg"}, CONVERTER)
    assert "likely_fix" not in error["suggestions"]
    assert error["hints"]


def test_close_rivals_are_hints_and_neither_is_the_call_to_send() -> None:
    catalog = Catalog.listed([tool("weigh", {"unit": {"enum": ["gram", "grain", "pound"]}}, "unit", read_only=True)])
    error = error_of("weigh", {"unit": "gran"}, catalog)
    assert set(error["hints"]) == {"gram", "grain"}
    assert "likely_fix" not in error["suggestions"]
    assert error.get("corrected_call", {}).get("arguments") not in ({"unit": "gram"}, {"unit": "grain"})
    assert not any(line.startswith("Corrected call") for line in text_of("weigh", {"unit": "gran"}, catalog))


def test_an_ambiguous_unit_is_a_question_where_the_user_can_be_asked() -> None:
    call = Call("convert", {"value": 1, "from_unit": "mt", "to_unit": "kg"})
    assert admit(call, CONVERTER, policy=Policy(ask=True)).action == "ask"


def test_a_failing_step_of_a_chain_is_localised() -> None:
    factors = [{"numerator": "lb", "denominator": "kg"}, {"numerator": "foo", "denominator": "lb"}]
    error = error_of("compute", {"factors": factors}, CONVERTER)
    assert error["details"]["parameter"] == "factors[1].numerator"
    assert error["details"]["got"] == "foo"
    assert "likely_fix" not in error["suggestions"]
