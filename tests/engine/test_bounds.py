"""Test that judging a call stays small, however large the call: the tests count work, never time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fingerpost import Call, Catalog, Policy, Verdict, admit, enrich, render
from fingerpost.engine import case as case_module
from fingerpost.engine import catalog as catalog_module
from fingerpost.engine.case import Case
from fingerpost.engine.matching.long_list import MANY_NAMES, LongList
from fingerpost.engine.model import Drop, Edit, Rename, Replace
from fingerpost.engine.safety import redact_error, secrets
from fingerpost.engine.safety.secret_signs import LONGEST, MOST_SEARCHED
from fingerpost.engine.schema import sample
from fingerpost.engine.schema import validate as validation
from fingerpost.engine.schema.repeated_slips import Applied, repeat_edits
from fingerpost.engine.tool import Tool

ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["sku", "quantity"],
}


def one_tool(properties: dict[str, Any], *, read_only: bool = True, **schema: Any) -> Catalog:
    whole = {"type": "object", "properties": properties, "required": list(properties), **schema}
    annotations = {"readOnlyHint": read_only}
    return Catalog.listed([{"name": "order", "annotations": annotations, "inputSchema": whole}])


def items(schema: dict[str, Any] = ITEM, **more: Any) -> Catalog:
    return one_tool({"items": {"type": "array", "items": schema}}, **more)


def judge(catalog: Catalog, arguments: Any) -> Verdict:
    verdict = admit(Call("order", arguments), catalog)
    assert len(render(verdict.report).text) <= 800
    return verdict


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count the errors that are read and the sizes of what is validated for an explanation."""
    counts = Counter[str]()
    read, find = validation._ErrorReader.read, Tool._find_violations  # pyright: ignore[reportPrivateUsage]

    def count_error(self: Any, error: Any, depth: int = 0) -> Any:
        counts["errors"] += 1
        return read(self, error, depth)

    def count_validation(self: Tool, arguments: Any) -> Any:
        counts["validations"] += 1
        counts["largest"] = max(counts["largest"], len(json.dumps(arguments, default=str)))
        return find(self, arguments)

    monkeypatch.setattr(validation._ErrorReader, "read", count_error)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(Tool, "_find_violations", count_validation)
    yield counts


SLIPS: dict[str, Callable[[int], Any]] = {
    "a misspelled field": lambda index: {"sku": f"a{index}", "quantty": index},
    "a number as text": lambda index: {"sku": f"a{index}", "quantity": str(index)},
    "a null": lambda index: {"sku": f"a{index}", "quantity": index, "note": None},
    "two slips": lambda index: {"sku": f"a{index}", "Quantity": str(index)},
}


@pytest.mark.parametrize("slip", SLIPS)
def test_one_slip_in_ten_thousand_items_is_repaired_in_all_of_them(slip: str, work: Counter[str]) -> None:
    verdict = judge(items(), {"items": [SLIPS[slip](index) for index in range(10_000)]})
    assert verdict.action == "repair"
    assert all(
        item["quantity"] == index and len(item) == 2 for index, item in enumerate(verdict.call.arguments["items"])
    )
    assert verdict.report.more_problems >= 9_997
    assert work["largest"] < 2_000
    assert work["validations"] < 60


def test_the_work_does_not_grow_with_the_list(work: Counter[str]) -> None:
    done: list[tuple[int, int]] = []
    for size in (100, 10_000):
        work.clear()
        judge(items(read_only=False), {"items": [{"sku": f"a{index}", "quantty": 1} for index in range(size)]})
        done.append((work["validations"], work["errors"]))
    assert done[0] == done[1]


def test_a_few_wrong_items_are_explained_and_the_others_counted() -> None:
    verdict = judge(items(read_only=False), {"items": [{"sku": "a", "quantty": 1}] * 10_000})
    assert verdict.action == "refuse"
    assert [one.at for one in verdict.report.diagnoses] == [("items", index, "quantty") for index in range(3)]
    assert "The same in 9,999 more items." in render(verdict.report).text


def test_wrong_items_that_cannot_be_corrected_alike_are_not_counted_exactly() -> None:
    verdict = judge(items(), {"items": [{"sku": "a", "quantity": f"{index} kg"} for index in range(10_000)]})
    assert "The same in at least 2 more items." in render(verdict.report).text


def test_a_wrong_item_at_the_end_is_found_at_its_own_index() -> None:
    right = [{"sku": "a", "quantity": 1}] * 9_999
    verdict = judge(items(), {"items": [*right, {"sku": "b", "quantty": 2}]})
    assert verdict.action == "repair"
    assert verdict.call.arguments["items"][-1] == {"sku": "b", "quantity": 2}


def test_different_slips_in_one_list_are_all_repaired() -> None:
    sent = [{"sku": "a", "quantty": 1}] * 50 + [{"sku": "b", "Quantity": 2}] * 50 + [{"sku": "c", "quantity": "3"}] * 50
    verdict = judge(items(), {"items": sent})
    assert verdict.action == "repair"
    assert [item["quantity"] for item in verdict.call.arguments["items"][::50]] == [1, 2, 3]


def test_five_different_slips_in_one_list_are_all_repaired() -> None:
    slips = ["quantty", "Quantity", "quantiy", "quanttiy", "qauntity"]
    verdict = judge(items(), {"items": [{"sku": "a", slip: 1} for slip in slips for _ in range(50)]})
    assert verdict.action == "repair"
    assert all(item == {"sku": "a", "quantity": 1} for item in verdict.call.arguments["items"])


@pytest.mark.parametrize(
    ("item", "odd"),
    [({"sku": "a"}, [1]), ({"sku": "a", "quantty": 1}, ["quantty"]), ({"sku": "a", "quantity": 1, "why": 1}, ["why"])],
)
def test_a_list_among_the_objects_of_a_large_list_is_explained(item: Any, odd: list[Any]) -> None:
    verdict = judge(items(), {"items": [*[item] * 40, odd]})
    assert verdict.action == "refuse"
    assert verdict.report.diagnoses


def test_of_very_many_different_slips_in_one_list_only_the_first_few_are_explained() -> None:
    slips = ["quantty", "Quantity", "quantiy", "quanttiy", "qauntity", "quantitty", "QUANTITY", "quanity"]
    verdict = judge(items(), {"items": [{"sku": "a", slip: 1} for slip in slips for _ in range(50)]})
    assert verdict.action == "refuse"
    assert list(dict.fromkeys(one.at[-1] for one in verdict.report.diagnoses)) == slips[:5]


def test_a_list_with_an_item_that_stays_wrong_is_not_repaired() -> None:
    verdict = judge(items(), {"items": [*[{"sku": "a", "quantty": 1}] * 100, {"sku": "b", "quantity": []}]})
    assert verdict.action == "refuse"


SIZE = {"type": "object", "properties": {"height": {"type": "integer"}}}
SIZED = {**ITEM, "properties": {**ITEM["properties"], "size": SIZE}}


def test_a_slip_in_an_object_is_repaired_in_a_list_where_some_items_do_not_have_the_object() -> None:
    sized, plain = {"sku": "a", "quantity": 1, "size": {"hieght": 5}}, {"sku": "b", "quantity": 1}
    verdict = judge(items(SIZED), {"items": [sized, plain] * 50})
    assert verdict.action == "repair"
    assert verdict.call.arguments["items"] == [{**sized, "size": {"height": 5}}, plain] * 50


def test_lists_of_values_and_maps_are_repaired_too() -> None:
    ids = one_tool({"ids": {"type": "array", "items": {"type": "integer"}}})
    assert judge(ids, {"ids": [str(index) for index in range(500)]}).call.arguments == {"ids": list(range(500))}
    entries = one_tool({"m": {"type": "object", "additionalProperties": ITEM}})
    verdict = judge(entries, {"m": {f"k{index}": {"sku": "a", "quantty": 1} for index in range(500)}})
    assert verdict.action == "repair"
    assert all(entry == {"sku": "a", "quantity": 1} for entry in verdict.call.arguments["m"].values())


def test_a_rule_about_the_whole_list_is_explained() -> None:
    unique = one_tool({"v": {"type": "array", "uniqueItems": True, "maxItems": 2_000}})
    assert (
        "the same item twice"
        in judge(unique, {"v": [index % 900 for index in range(1_000)]}).report.diagnoses[0].message
    )
    assert judge(unique, {"v": list(range(3_000))}).report.diagnoses[0].code == "INVALID_LENGTH"


def nested_alternatives(levels: int, width: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        tagged = [{"k": schema, f"t{index}": {"type": "string"}} for index in range(width)]
        schema = {"anyOf": [{"type": "object", "properties": one, "required": ["k"]} for one in tagged]}
    return schema


def nested_value(levels: int) -> Any:
    return {"k": nested_value(levels - 1)} if levels else "no"


def test_nested_alternatives_are_read_only_as_far_as_needed(work: Counter[str]) -> None:
    verdict = judge(one_tool({"v": nested_alternatives(6, 3)}), {"v": nested_value(6)})
    assert verdict.report.diagnoses[0].at == ("v", *"kkkkkk")
    assert work["errors"] < 500
    work.clear()
    verdict = judge(items(nested_alternatives(4, 3)), {"items": [nested_value(4)] * 2_000})
    assert verdict.report.diagnoses[0].at == ("items", 0, *"kkkk")
    assert work["errors"] < 5_000


@pytest.mark.parametrize("is_closed", [True, False])
def test_ten_thousand_unknown_arguments_cost_a_few_comparisons(
    is_closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fingerpost.engine.rules import unknown_param

    compared: list[str] = []
    original = unknown_param.closest

    def record(mistake: str, *rest: Any) -> Any:
        compared.append(mistake)
        return original(mistake, *rest)

    monkeypatch.setattr(unknown_param, "closest", record)
    catalog = one_tool(
        {"v": {"type": "string"}}, read_only=False, **({"additionalProperties": False} if is_closed else {})
    )
    verdict = judge(catalog, {"v": "x", **{f"unknown{index}": index for index in range(10_000)}})
    assert verdict.action == "refuse"
    assert len(compared) < 20


def test_a_right_call_is_validated_once(monkeypatch: pytest.MonkeyPatch, work: Counter[str]) -> None:
    assert judge(items(), {"items": [{"sku": "a", "quantity": 1}] * 10_000}).action == "forward"
    assert not work


def test_a_name_among_very_many_is_found_without_indexing_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    indexed: list[int] = []
    original = catalog_module.LongList.select

    def select(self: LongList, mistake: str, kind: str = "tool") -> Any:
        names = original(self, mistake, kind)
        indexed.append(len(names.names))
        return names

    monkeypatch.setattr(LongList, "select", select)
    filler = [
        f"{verb}_{noun}{index}" for verb in ("get", "list") for noun in ("ümlaut", "part") for index in range(3_000)
    ]
    catalog = Catalog.listed([{"name": name} for name in (*filler, "search_users", "delete\nx", "sendMessage")])
    assert len(list(catalog)) > MANY_NAMES
    assert admit(Call("user_serach", {}), catalog).report.diagnoses[0].fixes[0].value == "search_users"
    assert admit(Call("find_users", {}), catalog).report.diagnoses[0].suggestions["similar_tools"][0] == "search_users"
    assert admit(Call("Send-Message", {}), catalog).report.diagnoses[0].fixes[0].value == "sendMessage"
    assert catalog.categories["get"] == 6_000
    assert max(indexed) < 600


def test_only_the_items_in_focus_are_copied() -> None:
    focus = sample.Focus(lambda at, node, most: [40, 60] if isinstance(node, list) else ["k9"], frozenset({"declared"}))
    wide = {f"k{index}": index for index in range(30)} | {"declared": 0}
    copy, kept = focus.sample({"a": list(range(100)), "b": wide})
    assert copy == {"a": [0, 40, 60], "b": {"declared": 0, "k9": 9, "k0": 0, "k1": 1, "k2": 2}}
    assert kept[("a",)] == [0, 40, 60]


REPEATED: list[tuple[Edit, list[tuple[dict[str, Any], dict[str, Any]]]]] = [
    (Rename(("items", 0, "a"), "b"), [({"a": 1}, {"b": 1}), ({"a": 1, "b": 2}, {"a": 1, "b": 2}), ({}, {})]),
    (Drop(("items", 0, "a")), [({"a": "1"}, {}), ({"a": 2}, {"a": 2}), ({}, {})]),
    (Replace(("items", 0, "a"), 1), [({"a": "7"}, {"a": 7}), ({"a": "x"}, {"a": "x"}), ({"a": 5}, {"a": 5})]),
    (Replace(("items", 0, "a"), 1.0), [({"a": "7.5"}, {"a": 7.5}), ({"a": "x"}, {"a": "x"})]),
    (Replace(("items", 0, "a"), ["1"]), [({"a": "7"}, {"a": ["7"]}), ({"a": ["7"]}, {"a": ["7"]})]),
    (Replace(("items", 0, "a"), "one"), [({"a": "1"}, {"a": "one"}), ({"a": "7"}, {"a": "7"})]),
    (Replace(("items", 0, "c"), 0), [({"a": 1}, {"a": 1, "c": 0}), ({"c": 5}, {"c": 5})]),
]


@pytest.mark.parametrize(("edit", "others"), REPEATED)
def test_an_edit_is_repeated_where_the_same_slip_is(edit: Any, others: list[tuple[Any, Any]]) -> None:
    before = Call("t", {"items": [{"a": "1"}, *[sent for sent, _ in others], *[{"z": 1, "c": 1}] * 30]})
    after, _ = repeat_edits(edit.applied_to(before), [Applied(edit, before)])
    assert [after.arguments["items"][index + 1] for index in range(len(others))] == [intended for _, intended in others]


def test_conversions_of_texts_are_repeated() -> None:
    for sent, intended, other, other_meant in [
        ("true", True, "False", False),
        (5, "5", 7, "7"),
        ('{"x": 1}', {"x": 1}, '{"y": 2}', {"y": 2}),
    ]:
        before = Call("t", {"items": [sent, other, *[None] * 30]})
        edit = Replace(("items", 0), intended)
        after, places = repeat_edits(edit.applied_to(before), [Applied(edit, before)])
        assert (after.arguments["items"][:2], places) == ([intended, other_meant], 1)


def test_edits_outside_of_large_lists_are_not_repeated() -> None:
    before = Call("t", {"items": [{"a": 1}, {"a": 1}]})
    for edit in (Rename(("items", 0, "a"), "b"), Replace((), {"a": 1})):
        call = edit.applied_to(before)
        assert repeat_edits(call, [Applied(edit, before)]) == (call, 0)
    case = Case(before, Tool("t"))
    assert case.spread() == (case, 0)


SEARCH = one_tool({
    "query": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "sort": {"enum": ["created", "updated", "comments"]},
})  # fmt: skip
RIGHT: dict[str, Any] = {"query": "login", "limit": 10, "sort": "created"}


@pytest.mark.parametrize(
    ("arguments", "validations", "comparisons"),
    [
        ({**RIGHT, "sort": "craeted"}, 2, 1),
        ({**RIGHT, "limit": "ten"}, 1, 0),
        ({**RIGHT, "limit": 5000}, 1, 0),
        ({"query": "login", "sort": "created"}, 2, 0),
        ({"limit": 10, "sort": "created", "qeury": "login"}, 3, 1),
        ({"sort": "created", "limit": 5000}, 3, 0),
    ],
)
def test_the_rules_run_once_for_a_slip_and_the_validator_a_few_times(
    arguments: dict[str, Any],
    validations: int,
    comparisons: int,
    monkeypatch: pytest.MonkeyPatch,
    work: Counter[str],
) -> None:
    from fingerpost.engine import apply_rules as application
    from fingerpost.engine import judge as judgement
    from fingerpost.engine.rules import argument_readings, near_choices

    for module, name, counted in (
        (application, "apply_rules", "apply_rules"),
        (judgement, "apply_rules", "apply_rules"),
        (argument_readings, "closest", "closest"),
        (near_choices, "find_readings", "closest"),
    ):
        monkeypatch.setattr(module, name, count_calls(getattr(module, name), counted, work))
    judge(SEARCH, arguments)
    assert (work["apply_rules"], work["closest"]) == (1, comparisons)
    assert work["validations"] <= validations


def count_calls(function: Callable[..., Any], name: str, counts: Counter[str]) -> Callable[..., Any]:
    def count(*arguments: Any, **named: Any) -> Any:
        counts[name] += 1
        return function(*arguments, **named)

    return count


def test_what_a_recursive_schema_declares_is_forgotten_when_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    from fingerpost.engine.schema import undeclared, walk

    monkeypatch.setattr(walk, "MAX_NODES", 3)
    declared = undeclared.Declared(tree := {"type": "object", "properties": {"a": {"$ref": "#"}}}, tree)
    assert not declared.is_full and not declared.has_any_unknown({"a": {"a": {"a": {}}}})
    assert declared.is_full


def test_what_a_tool_with_a_recursive_schema_declares_is_computed_again_when_it_grew_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from fingerpost.engine.schema import undeclared, walk

    counts = Counter[str]()
    monkeypatch.setattr(undeclared.Declared, "__init__", count_calls(undeclared.Declared.__init__, "declared", counts))
    tree = one_tool({"child": {"$ref": "#"}}, required=[])
    deep: dict[str, Any] = {"child": {"child": {"child": {}}}}
    judge(tree, deep)
    at_first = counts["declared"]
    judge(tree, deep)
    assert counts["declared"] == at_first > 3
    monkeypatch.setattr(walk, "MAX_NODES", 3)
    judge(tree, deep)
    assert counts["declared"] == 2 * at_first


def test_unknown_names_in_a_few_of_many_objects_with_objects_inside_are_explained() -> None:
    wrong = {"sku": "a", "quantity": 1, "nota": "x"}
    found = judge(items(SIZED, read_only=False), {"items": [wrong] * 50}).report.diagnoses
    assert [one.at for one in found] == [("items", index, "nota") for index in range(3)]


def test_an_unknown_name_deep_in_one_of_many_fields_is_found() -> None:
    entries = one_tool({"m": {"type": "object", "additionalProperties": SIZED}})
    sent: dict[str, Any] = {f"k{index}": {"sku": "a", "quantity": 1, "size": {}} for index in range(50)}
    sent["k40"]["size"] = {"hieght": 5}
    assert [one.at for one in judge(entries, {"m": sent}).report.diagnoses] == [("m", "k40", "size", "hieght")]


def test_unknown_names_are_looked_for_to_a_limited_depth() -> None:
    tree = one_tool({"name": {"type": "string"}, "child": {"$ref": "#"}}, required=[], read_only=False)
    sent: dict[str, Any] = {"nmae": "x"}
    for _ in range(80):
        sent = {"child": sent}
    sent["child"]["nmae"] = "y"
    assert [one.at for one in judge(tree, sent).report.diagnoses] == [("child", "nmae")]


def test_a_name_that_is_unknown_in_one_of_many_objects_is_found() -> None:
    wrong = {"items": [{"sku": "a", "quantity": 1}] * 99 + [{"sku": "a", "quantity": 1, "nota": "x"}]}
    assert [one.at for one in judge(items(), wrong).report.diagnoses] == [("items", 99, "nota")]


def test_unknown_names_in_items_with_schemas_of_their_own_are_found() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "string"}, SIZE]}
    sent = {"pair": ["a", {"hieght": 5}]}
    assert [one.at for one in judge(one_tool({"pair": pair}), sent).report.diagnoses] == [("pair", 1, "hieght")]


SECRETS = ["word ", "password=x ", "password='", '{"token": [', "a@b://c ", " -p", "mysql -p ", "\\u00e9", "пароль: x ",
           "-----BEGIN KEY-----\n", "key: ", "password:\n  ", "oracle a/b@", "a"]  # fmt: skip


@pytest.mark.parametrize("part", SECRETS)
def test_of_a_long_error_a_limited_part_is_searched_for_secrets(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    original = secrets._hide  # pyright: ignore[reportPrivateUsage]

    def hide(text: str, lowered: str) -> str:
        searched.append(len(text))
        return original(text, lowered)

    monkeypatch.setattr(secrets, "_hide", hide)
    text = (part * 1_000_000)[:1_000_000]
    reply = {"isError": True, "content": [{"type": "text", "text": text}], "structuredContent": {"rows": [text] * 99}}
    guided = enrich(Call("order", {}), reply, SEARCH, policy=Policy(redact="errors"))
    assert sum(searched) < 2 * MOST_SEARCHED
    assert len(guided["content"][0]["text"]) < 2 * LONGEST


def test_of_very_many_values_in_an_error_a_limited_number_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Counter[str]()
    monkeypatch.setattr(redact_error, "hide_secrets", count_calls(redact_error.hide_secrets, "texts", work))
    rows = [{"id": index, "name": "x", "tags": ["y"] * 9} for index in range(20_000)]
    reply = {
        "isError": True,
        "content": [{"type": "text", "text": "failed"}] * 20_000,
        "structuredContent": {"r": rows},
    }
    guided = enrich(Call("order", {}), reply, SEARCH, policy=Policy(redact="errors"))
    assert guided["isError"] is True
    assert work["texts"] < 5_000


def test_only_the_first_items_of_a_long_list_are_read_for_blanks(
    monkeypatch: pytest.MonkeyPatch, work: Counter[str]
) -> None:
    from fingerpost.engine.render import corrected_call
    from fingerpost.engine.schema import placeholder

    counted = count_calls(placeholder.shorten_blanks, "blanks", work)
    for module in (placeholder, corrected_call):
        monkeypatch.setattr(module, "shorten_blanks", counted)
    rows = {"rows": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": rows}}
    verdict = admit(Call("t", {"rows": [{"nmae": "x"} for _ in range(3_000)]}), Catalog.listed([tool]))
    assert "2,999 more items" in render(verdict.report).text
    assert 0 < work["blanks"] < 1_000


@pytest.mark.parametrize("size", [5, 10_000])
def test_two_offered_fixes_in_every_item_are_one_search(size: int, work: Counter[str]) -> None:
    sent = [{"skuu": f"a{index}", "quantty": index} for index in range(size)]
    verdict = judge(items(read_only=False), {"items": sent})
    corrected = verdict.report.corrected
    assert corrected is not None
    assert corrected.arguments["items"][-1] == {"sku": f"a{size - 1}", "quantity": size - 1}
    assert work["largest"] < 2_000


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("size", [5, 1_000])
def test_an_attack_in_the_last_item_is_found_although_another_name_hides_it(size: int, read_only: bool) -> None:
    file = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    sent = [{"pth": "a.txt"}] * (size - 1) + [{"pth": "../../../etc/passwd"}]
    verdict = judge(items(file, read_only=read_only), {"items": sent})
    assert verdict.action == "refuse"
    assert [(one.code, one.at) for one in verdict.report.diagnoses] == [("UNSAFE_INPUT", ("items", size - 1, "path"))]
    assert verdict.report.corrected is None


def test_a_call_without_an_attack_is_searched_once_while_numbers_are_filled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[Any] = []
    find = case_module.find_hazards

    def record(value: Any) -> Any:
        searched.append(value)
        return find(value)

    monkeypatch.setattr(case_module, "find_hazards", record)
    judge(items(read_only=False), {"items": [{"sku": "a", "quantity": "one"}] * 1_000})
    assert len(searched) == 1


@pytest.mark.parametrize("count", [100, 300])
def test_a_wide_object_lacks_only_what_is_not_there(count: int) -> None:
    names = [f"field_{index}" for index in range(count)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    catalog = Catalog.listed([{"name": "t", "inputSchema": {**schema, "additionalProperties": False}}])
    verdict = admit(Call("t", dict.fromkeys(names[:-1], "x")), catalog)
    assert [one.message for one in verdict.report.diagnoses] == [f"Required parameter '{names[-1]}' is missing"]
    assert admit(Call("t", dict.fromkeys(names, "x")), catalog).action == "forward"


def test_one_of_several_names_is_there_although_the_sample_lacks_it() -> None:
    names = [f"field_{index}" for index in range(100)]
    choice = [{"required": [names[98]]}, {"required": [names[99]]}]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "anyOf": choice}
    catalog = Catalog.listed([{"name": "t", "inputSchema": schema}])
    verdict = admit(Call("t", {**dict.fromkeys(names, "x"), "field_3": 5}), catalog)
    assert [one.at for one in verdict.report.diagnoses] == [("field_3",)]
