"""What authors and operators declare for single tools: policies, aliases, hints for known failures."""

# pyright: basic
from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Policy, Verdict, admit, enrich, refusal, render
from fingerpost.engine.overrides import Hint, Overrides
from fingerpost.engine.overrides.check import check_overrides
from fingerpost.engine.overrides.read import OverridesError, read_overrides
from fingerpost.engine.replies.enrich import explain_exception
from fingerpost.errors import ToolOperationError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string"},
        "max": {"type": "integer"},
        "options": {"type": "object", "properties": {"filter": {"type": "string"}, "deep": {"type": "boolean"}}},
    },
    "required": ["pattern"],
}
FAILED: dict[str, Any] = {"content": [{"type": "text", "text": "Access DENIED for /etc"}], "isError": True}


def catalog(schema: dict[str, Any] | None = None, *, read_only: bool = False, **declared: Any) -> Catalog:
    annotations = {"readOnlyHint": read_only}
    tools = [
        {"name": name, "inputSchema": schema or SCHEMA, "annotations": annotations} for name in ("search", "replace")
    ]
    return Catalog.listed(tools, overrides=read_overrides(Policy(), **declared))


def judge(arguments: Any, aliases: dict[str, str], schema: dict[str, Any] | None = None) -> Verdict:
    return admit(Call("search", arguments), catalog(schema, aliases={"search": aliases}))


def guidance(result: Any) -> dict[str, Any]:
    return result["_meta"][KEY]["error"]


class TestAliases:
    def test_an_alias_is_renamed_on_a_tool_that_may_write_and_the_caller_is_told(self) -> None:
        verdict = judge({"needle": "User", "max": 5}, {"needle": "pattern"})
        assert (verdict.action, verdict.call.arguments) == ("repair", {"pattern": "User", "max": 5})
        envelope = render(verdict.report)
        assert envelope.text == "Parameter 'needle' was auto-corrected to 'pattern'."
        assert envelope.structured["corrections"] == [
            {"parameter": "needle", "from": "needle", "to": "pattern", "confidence": 1.0, "auto_corrected": True}
        ]

    def test_an_alias_is_recognized_in_another_spelling_if_only_one_argument_has_it(self) -> None:
        assert judge({"search-Needle": "User"}, {"search_needle": "pattern"}).call.arguments == {"pattern": "User"}
        twice = judge({"search-Needle": "User", "searchNeedle": "Bob"}, {"search_needle": "pattern"})
        assert twice.action == "refuse"

    def test_an_alias_belongs_to_its_tool_only(self) -> None:
        tools = catalog(aliases={"search": {"needle": "pattern"}})
        assert admit(Call("replace", {"needle": "x"}), tools).action == "refuse"

    def test_an_alias_wins_over_a_nearer_name_and_over_commentary(self) -> None:
        assert judge({"maximum": "x"}, {"maximum": "pattern"}).call.arguments == {"pattern": "x"}
        noise = judge({"action": "x", "toolCallId": "1"}, {"action": "pattern"})
        assert noise.call.arguments == {"pattern": "x"}

    def test_an_alias_works_where_the_schema_allows_any_name(self) -> None:
        open_schema = {**SCHEMA, "required": [], "additionalProperties": True}
        assert judge({"needle": "x"}, {"needle": "pattern"}, open_schema).call.arguments == {"pattern": "x"}
        assert judge({"other": "x"}, {"needle": "pattern"}, open_schema).action == "forward"

    def test_a_value_that_does_not_fit_is_not_sent(self) -> None:
        verdict = judge({"needle": ["x", {}]}, {"needle": "pattern"})
        assert verdict.action == "refuse"
        assert "'pattern' must be string" in render(verdict.report).text

    def test_nothing_is_overwritten(self) -> None:
        verdict = judge({"needle": "a", "pattern": "b"}, {"needle": "pattern"})
        assert verdict.action == "refuse"
        assert verdict.report.corrected is None
        assert render(verdict.report).text.startswith(
            "Parameters 'needle' and 'pattern' mean the same, but their values differ.\nSend only one of them."
        )
        assert render(verdict.report).structured["error"]["code"] == "CONFLICTING_PARAMS"

    def test_two_aliases_of_one_parameter_conflict_too(self) -> None:
        verdict = judge({"needle": 1, "q": True}, {"needle": "pattern", "q": "pattern"})
        assert [one.message for one in verdict.report.diagnoses if one.code == "CONFLICTING_PARAMS"] == [
            "Parameters 'q' and 'needle' mean the same, but their values differ"
        ]

    def test_an_equal_value_is_left_out(self) -> None:
        schema = {**SCHEMA, "properties": {"pattern": {}}}
        same = judge({"needle": {"a": 1, "b": 2}, "pattern": {"b": 2, "a": 1}}, {"needle": "pattern"}, schema)
        assert (same.action, same.call.arguments) == ("repair", {"pattern": {"b": 2, "a": 1}})
        assert render(same.report).text == "Parameter 'needle' was left out: 'pattern' has the same value."

    def test_values_that_cannot_be_compared_count_as_different(self) -> None:
        verdict = judge({"needle": {1, 2}, "pattern": "x"}, {"needle": "pattern"})
        assert verdict.report.diagnoses[0].code == "CONFLICTING_PARAMS"

    @pytest.mark.parametrize(
        ("arguments", "sent"),
        [
            ({"pattern": "x", "glob": "*.py"}, {"pattern": "x", "options": {"filter": "*.py"}}),
            (
                {"pattern": "x", "options": {"deep": True}, "glob": "*.py"},
                {"pattern": "x", "options": {"deep": True, "filter": "*.py"}},
            ),
            ({"pattern": "x", "options": {"mask": "*.py"}}, {"pattern": "x", "options": {"filter": "*.py"}}),
            ({"pattern": "x", "options.mask": "*.py"}, {"pattern": "x", "options": {"filter": "*.py"}}),
        ],
    )
    def test_an_alias_may_stand_for_a_field_of_an_object(self, arguments: Any, sent: Any) -> None:
        verdict = judge(arguments, {"glob": "options.filter", "options.mask": "options.filter"})
        assert (verdict.action, verdict.call.arguments) == ("repair", sent)

    def test_an_alias_replaces_no_value_on_its_way(self) -> None:
        verdict = judge({"pattern": "x", "options": "all", "glob": "*.py"}, {"glob": "options.filter"})
        assert verdict.action == "refuse"

    def test_an_alias_that_moved_with_another_is_not_moved_again(self) -> None:
        schema = {**SCHEMA, "properties": {"pattern": {}}}
        verdict = judge({"a": {"b": 1}}, {"a": "pattern", "a.b": "pattern"}, schema)
        assert verdict.call.arguments == {"pattern": {"b": 1}}

    def test_an_alias_is_not_moved_out_of_the_parameter_that_it_stands_for(self) -> None:
        schema = {**SCHEMA, "properties": {"pattern": {}}}
        assert judge({"pattern": {"x": 1}}, {"pattern.x": "pattern"}, schema).action == "forward"

    @pytest.mark.parametrize("aliases", [{"max": "pattern"}, {"needle": "nothing"}, {"needle": "options.nothing.x"}])
    def test_an_alias_that_cannot_be_used_changes_nothing(self, aliases: dict[str, str]) -> None:
        assert judge({"pattern": "x", "max": 5}, aliases).action == "forward"
        assert "needle" in judge({"pattern": "x", "needle": "y"}, aliases).call.arguments

    def test_an_alias_is_not_used_if_the_schema_cannot_be_checked(self) -> None:
        broken = {**SCHEMA, "properties": {**SCHEMA["properties"], "pattern": {"type": 5}}}
        assert judge({"needle": "x"}, {"needle": "pattern"}, broken).call.arguments == {"needle": "x"}

    def test_without_corrections_the_alias_is_only_explained(self) -> None:
        tools = catalog(aliases={"search": {"needle": "pattern"}}, tools={"search": {"auto_correct": "off"}})
        verdict = admit(Call("search", {"needle": "x"}), tools)
        assert verdict.action == "refuse"
        assert 'Corrected call: search(pattern: "x")' in render(verdict.report).text

    def test_an_alias_is_resolved_for_a_tool_whose_name_is_misspelt(self) -> None:
        verdict = admit(Call("serach", {"needle": "x"}), catalog(aliases={"search": {"needle": "pattern"}}))
        assert (verdict.action, verdict.report.corrected) == ("refuse", Call("search", {"pattern": "x"}))

    def test_an_attack_is_recognized_under_an_alias(self) -> None:
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        verdict = judge({"needle": "../../../etc/passwd"}, {"needle": "path"}, schema)
        assert verdict.report.diagnoses[0].code == "UNSAFE_INPUT"


class TestPolicies:
    def test_a_tool_has_its_own_policy_and_the_others_keep_theirs(self) -> None:
        tools = catalog(tools={"search": Policy(unknown_params="warn", budget=40)})
        call = {"pattern": "x", "verbosity": 3}
        assert admit(Call("search", call), tools).action == "forward"
        assert admit(Call("replace", call), tools).action == "refuse"
        refused = admit(Call("search", {}), tools)
        assert len(refusal(refused, tools)["content"][0]["text"]) <= 40

    def test_the_policy_of_the_intended_tool_counts_for_another_spelling_of_its_name(self) -> None:
        tools = catalog(tools={"search": {"auto_correct": "off"}})
        assert admit(Call("functions.search", {"pattern": "x"}), tools).action == "refuse"
        assert admit(Call("functions.replace", {"pattern": "x"}), tools).action == "repair"

    def test_tips_are_given_as_the_policy_of_the_tool_says(self) -> None:
        paged = {**SCHEMA, "properties": {**SCHEMA["properties"], "offset": {"type": "integer"}}}
        tools = catalog(paged, read_only=True, tools={"search": {"tips": False}})
        many = {"content": [], "structuredContent": {"results": [1, 2], "total": 90, "has_more": True}}
        assert enrich(Call("search", {"pattern": "x"}), many, tools) is many
        assert enrich(Call("replace", {"pattern": "x"}), many, tools) is not many

    def test_fields_that_are_not_given_are_those_of_the_server(self) -> None:
        base = Policy(auto_correct="off", info_tool="help", budget=300)
        declared = read_overrides(base, {"a": {"unknown-params": "warn"}, "b": Policy()}).tools
        assert declared["a"] == Policy(auto_correct="off", info_tool="help", budget=300, unknown_params="warn")
        assert declared["b"] == Policy(info_tool="help")


HINT: dict[str, Any] = {"tool": "search", "match": "access denied", "hint": "Only /srv is shared"}


class TestHints:
    def enrich(self, reply: Any, *hints: dict[str, Any], tool: str = "search") -> Any:
        return enrich(Call(tool, {"pattern": "x"}), reply, catalog(hints=list(hints)))

    def test_a_hint_comes_before_the_default_advice(self) -> None:
        guided = self.enrich(FAILED, HINT)
        lines = guided["content"][-1]["text"].splitlines()
        assert lines[0] == "Only /srv is shared."
        assert lines[1].startswith("Use a place or an action that is permitted")
        assert guidance(guided)["hint"] == "Only /srv is shared"
        assert guidance(guided)["code"] == "PERMISSION_DENIED"

    def test_a_hint_is_for_its_tool_its_text_and_failures_only(self) -> None:
        assert "Only /srv" not in str(self.enrich(FAILED, HINT, tool="replace"))
        assert "Only /srv" not in str(self.enrich(FAILED, {**HINT, "match": "timeout"}))
        fine = {"content": [{"type": "text", "text": "access denied"}]}
        assert self.enrich(fine, {**HINT, "tool": "*"}) is fine

    def test_secrets_in_a_hint_are_hidden(self) -> None:
        steps = {"retry": "mysql -phunter2", "others": ["token=hunter2"], "token=hunter2": "x"}
        url = "https://bob:hunter2@example.com/"
        hint = {**HINT, "hint": "Log in with password=hunter2", "next_steps": steps, "documentation_url": url}
        guided = self.enrich(FAILED, hint)
        assert guidance(guided)["hint"] == "Log in with password=<hidden>"
        assert guidance(guided)["next_steps"]["docs"] == "https://<hidden>@example.com/"
        assert "hunter2" not in str(guided)
        made = Hint(("denied",), "Use password=hunter2", next_steps={"a": ["token=hunter2"]})
        assert "hunter2" not in str(enrich(Call("search", {"pattern": "x"}), FAILED, catalog(hints=[made])))

    def test_a_hint_without_a_tool_is_for_every_tool(self) -> None:
        hint = {"match": ["no match", "DENIED"], "hint": "Ask"}
        assert guidance(self.enrich(FAILED, hint, tool="replace"))["hint"] == "Ask"

    def test_a_failure_of_no_known_kind_gets_the_hint_alone(self) -> None:
        reply = {"content": [{"type": "text", "text": "E4711"}], "isError": True}
        guided = self.enrich(reply, {"match": "e4711", "hint": "Restart the indexer"})
        assert guided["content"][-1]["text"] == "Restart the indexer."
        assert guidance(guided)["message"] == "E4711"
        assert guidance(guided)["retryable"] is False

    def test_a_hint_names_the_kind_of_failure_and_the_next_steps(self) -> None:
        more = {
            "code": "LOCKED",
            "category": "conflict",
            "next_steps": {"wait": "Try later", "list": ["a", "b"]},
            "documentation_url": "https://example.com/a",
        }
        error = guidance(self.enrich(FAILED, {**HINT, **more}))
        assert (error["code"], error["category"]) == ("LOCKED", "conflict")
        assert error["next_steps"]["docs"] == "https://example.com/a"
        assert error["next_steps"]["list"] == ["a", "b"]

    def test_a_code_or_a_category_alone_implies_the_other(self) -> None:
        by_code = guidance(self.enrich(FAILED, {**HINT, "code": "RATE_LIMITED"}))
        assert (by_code["category"], by_code["retryable"]) == ("rate_limited", True)
        by_category = guidance(self.enrich(FAILED, {**HINT, "category": "auth"}))
        assert by_category["code"] == "AUTH_REQUIRED"
        own = guidance(self.enrich(FAILED, {**HINT, "code": "X1"}))
        assert (own["code"], own["category"]) == ("X1", "permission")

    def test_several_hints_are_given_once_each_and_three_at_most(self) -> None:
        hints = [{"match": "denied", "hint": text} for text in ("One", "One", "Two", "Three", "Four")]
        error = guidance(self.enrich(FAILED, *hints))
        assert [error["hint"], *error["hints"][:2]] == ["One", "Two", "Three"]
        assert "Four" not in str(error)

    def test_a_hint_is_found_in_protocol_errors_and_in_structure(self) -> None:
        error = {"code": -32000, "message": "Access denied"}
        assert "Only /srv" in str(self.enrich(error, HINT))
        nested = {"content": [], "structuredContent": {"errors": [{"why": "Access denied"}]}, "isError": True}
        assert "Only /srv" in str(self.enrich(nested, HINT))
        deep: Any = "Access denied"
        for _ in range(5_000):
            deep = [deep]
        buried = {"content": [], "structuredContent": {"why": deep}, "isError": True}
        assert "Only /srv" not in str(self.enrich(buried, HINT).get("_meta"))
        reported = {"content": [], "structuredContent": {"ok": False, "error": "Access denied"}}
        assert "Only /srv" in str(self.enrich(reported, HINT))

    def test_a_protocol_error_that_gets_no_other_guidance_gets_the_hint(self) -> None:
        request = {"code": -32042, "message": "Open the link", "data": {"elicitations": []}}
        found = self.enrich(request, {"match": "the link", "hint": "It is valid for an hour"})["data"][KEY]
        assert found["text"] == "It is valid for an hour."
        assert (found["error"]["message"], found["error"]["origin"]) == ("Open the link", "server")
        assert self.enrich(request, HINT) is request

    def test_a_wrong_call_keeps_its_code_and_gets_the_hint_too(self) -> None:
        tools = catalog(hints=[{**HINT, "code": "X1"}], tools={"search": {"unknown_params": "warn"}})
        error = guidance(enrich(Call("search", {"pattern": "x", "zz": 1}), FAILED, tools))
        assert (error["code"], error["hint"]) == ("UNKNOWN_PARAM", "Only /srv is shared")

    def test_an_exception_of_the_author_gets_the_hint(self) -> None:
        tools = catalog(hints=[HINT])
        verdict = Verdict("forward", Call("search", {"pattern": "x"}))
        error = ToolOperationError("Access denied", hint="Try another folder")
        report = explain_exception(error, tools, Policy(), verdict, is_masked=True)
        assert report is not None
        assert (report.diagnoses[0].hint, report.diagnoses[0].hints) == ("Only /srv is shared", ("Try another folder",))

    def test_a_hint_is_given_if_no_tool_list_could_be_read(self) -> None:
        unread = Catalog(is_complete=False, overrides=read_overrides(Policy(), hints=[HINT]))
        assert guidance(enrich(Call("search", {}), FAILED, unread))["hint"] == "Only /srv is shared"

    def test_a_hint_is_one_line_of_at_most_300_characters(self) -> None:
        guided = self.enrich(FAILED, {**HINT, "hint": "a\u202e\x1bb\n" + "c" * 900})
        assert guidance(guided)["hint"] == "ab " + "c" * 296 + "…"

    def test_a_hint_that_the_server_gives_itself_is_not_repeated(self) -> None:
        reply = {"content": [{"type": "text", "text": "Access denied. Only /srv is shared"}], "isError": True}
        assert "Only /srv" not in self.enrich(reply, HINT)["content"][-1]["text"]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"tools": []}, "tools: must be a table of names, got list"),
        ({"tools": {5: {}}}, "tools: a name must be a text, got 5"),
        ({"tools": {"a": 5}}, "tools.a: must be a policy, got int. Fields: auto_correct, "),
        (
            {"tools": {"a": {"auto-corect": "off"}}},
            "tools.a.auto-corect: there is no such field. Did you mean auto_corr",
        ),
        ({"tools": {"a": {"auto_correct": "offf"}}}, "tools.a.auto_correct: must be one of off, lossless"),
        ({"tools": {"a": {"tips": "yes"}}}, "tools.a.tips: must be true or false, got 'yes'"),
        ({"tools": {"a": {"budget": "9"}}}, "tools.a.budget: must be at least 1, got '9'"),
        ({"tools": {"a": {"info_tool": "x"}}}, "tools.a.info_tool: is the same for every tool"),
        ({"tools": {"a": {"aliases": {}}}}, r"tools.a.aliases: does not belong to a policy.*\[aliases.a\]"),
        ({"tools": {"a": {"hints": {}}}}, r"tools.a.hints: does not belong to a policy.*\[\[hints\]\]"),
        ({"aliases": {"a": ["b"]}}, "aliases.a: must be a table of aliases, got list"),
        (
            {"aliases": {"a": {"pattern": ["q"]}}},
            r"aliases.a.pattern: must name a parameter, got \['q'\]. The alias com",
        ),
        ({"aliases": {"a": {"q": "b..c"}}}, "aliases.a.q: must name a parameter"),
        ({"aliases": {"a": {"q": "q"}}}, "aliases.a.q: is an alias of itself"),
        ({"hints": {"match": "x"}}, r"hints: must be a list, got dict. In the configuration file: \[\[hints\]\]"),
        ({"hints": ["x"]}, r"hints\[0\]: must be a hint, got str. Fields: tool, match"),
        ({"hints": [{"match": "x"}]}, r"hints\[0\]: hint is missing"),
        ({"hints": [{"hint": "x"}]}, r"hints\[0\]: match is missing"),
        ({"hints": [{"match": "x", "hint": "\n"}]}, r"hints\[0\].hint: must be a text that is not empty"),
        ({"hints": [{"match": [], "hint": "x"}]}, r"hints\[0\].match: must be a text that is not empty, or a list"),
        ({"hints": [{"match": " ", "hint": "x"}]}, r"hints\[0\].match: must be a text"),
        (
            {"hints": [{"match": "x", "hint": "x", "tol": "y"}]},
            r"hints\[0\].tol: there is no such field. Did you mean t",
        ),
        ({"hints": [{"match": "x", "hint": "x", "tool": 5}]}, r"hints\[0\].tool: must be a text"),
        ({"hints": [{"match": "x", "hint": "x", "code": "a b"}]}, r"hints\[0\].code: must be a word"),
        ({"hints": [{"match": "x", "hint": "x", "category": "atuh"}]}, r"hints\[0\].category: .*Did you mean auth\?"),
        ({"hints": [{"match": "x", "hint": "x", "documentation_url": "x"}]}, "documentation_url: must be a URL"),
        ({"hints": [{"match": "x", "hint": "x", "next_steps": {"a": 5}}]}, r"hints\[0\].next_steps.a: must be a text"),
        (
            {"hints": [{"match": "x", "hint": "x", "next_steps": {f"a{n}": "b" for n in range(9)}}]},
            r"hints\[0\].next_steps: has 9 steps",
        ),
    ],
)
def test_a_wrong_declaration_is_an_error_that_says_what_is_allowed(declared: Any, message: str) -> None:
    with pytest.raises(OverridesError, match=message):
        read_overrides(Policy(), **declared)


def test_declarations_are_compared_with_the_tool_list() -> None:
    declared = {
        "tools": {"serach": {}, "search": {}},
        "aliases": {"replce": {"q": "z"}, "search": {"q": "patern", "max": "pattern", "n": "max", "z": "qqq"}},
        "hints": [
            {"match": "x", "hint": "y"},
            {"match": "x", "hint": "y", "tool": "frobnicate"},
            {"match": "x", "hint": "y" * 301, "tool": "search"},
        ],
    }
    tools = catalog(**declared)
    assert list(check_overrides(tools.overrides, tools).values()) == [
        "tools.serach: the server lists no tool 'serach'; did you mean 'search'?",
        "aliases.replce: the server lists no tool 'replce'; did you mean 'replace'?",
        "aliases.search.q: 'search' has no parameter 'patern'; did you mean 'pattern'?",
        "aliases.search.max: 'max' is a parameter of 'search' itself, so the alias is not used",
        "aliases.search.z: 'search' has no parameter 'qqq'",
        "hints[1]: the server lists no tool 'frobnicate'",
        "hints[2]: the hint is longer than 300 characters, so its end is not shown",
    ]
    assert check_overrides(tools.overrides, Catalog(is_complete=False)) == {}
    assert check_overrides(Overrides(), tools) == {}


@pytest.mark.parametrize("match", ["/denied/i", "a.*b", r"code \d+", "^Access", "[a-z]+ denied"])
def test_a_match_that_looks_like_a_regular_expression_is_reported(match: str) -> None:
    overrides = read_overrides(Policy(), hints=[{"match": match, "hint": "x"}, {"match": "Denied.", "hint": "y"}])
    found = check_overrides(overrides, Catalog.listed([{"name": "a", "inputSchema": {"type": "object"}}]))
    assert list(found) == ["hints[0]"]
    assert "not as a regular expression" in found["hints[0]"]


def test_only_the_first_values_of_a_reply_are_searched_for_a_known_failure() -> None:
    hints = [{"tool": "search", "match": "needle", "hint": "Sharpen it"}]
    for place, is_found in ((0, True), (5_000, False)):
        data: list[Any] = [*range(place), "needle"]
        reply = {"isError": True, "content": [], "structuredContent": {"items": data[-1:] if is_found else data}}
        guided = enrich(Call("search", {"pattern": "x"}), reply, catalog(hints=hints))
        assert ("Sharpen it" in str(guided)) is is_found
