"""Wrong calls made from right ones."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fingerpost import Call, Catalog
from fingerpost.audit.generate.mistakes import generate_mistakes
from fingerpost.audit.generate.mutations import is_nearest, misspell, reorder, restyle

TOOLS: list[dict[str, Any]] = [
    {
        "name": "find_users",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "max_results": {"type": "integer", "minimum": 1, "maximum": 100},
                "order": {"type": "string", "enum": ["ascending", "descending"]},
                "fields": {"type": "array", "items": {"type": "string"}},
                "where": {"type": "object"},
                "deep": {"type": "boolean"},
                "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                "note": {"type": ["string", "null"]},
                "tag": {"type": "string"},
                "code": {"type": "string", "minLength": 3, "maxLength": 8},
                "since": {"type": "string", "format": "date"},
            },
            "required": ["pattern", "order"],
        },
    },
    {"name": "ping", "inputSchema": {"type": "object", "properties": {"input": {}}}},
]


CATALOG = Catalog.listed(TOOLS)


RIGHT = Call(
    "find_users",
    {
        "pattern": "Ada", "max_results": 5, "order": "ascending", "fields": ["name"], "where": {"a": 1}, "deep": True,
        "ratio": 0.5, "note": None, "code": "abcd", "since": "2026-01-31",
    },
)  # fmt: skip


def kinds(right: Call, catalog: Catalog = CATALOG) -> set[str]:
    return {mistake.kind for seed in range(20) for mistake in generate_mistakes(right, catalog, Random(seed))}


def test_every_kind_of_mistake_is_generated() -> None:
    assert kinds(RIGHT) == {
        "tool.misspelt", "tool.restyled", "tool.reordered", "tool.prefixed", "tool.invented",
        "parameter.misspelt", "parameter.restyled", "parameter.reordered", "parameter.synonym", "parameter.stray",
        "required.missing", "required.all_missing", "shape.wrapped", "shape.flattened", "shape.text",
        "type.flag_as_text", "type.wrong", "type.number_as_text", "type.word_for_number", "range.above", "range.below",
        "length.short", "length.long", "format.wrong", "type.json_as_text", "type.item_for_list", "type.list_for_item",
        "choice.misspelt", "choice.restyled", "choice.unknown", "null.required", "null.optional", "empty.optional",
    }  # fmt: skip


def test_a_call_that_the_schema_allows_is_never_a_mistake() -> None:
    for seed in range(50):
        for mistake in generate_mistakes(RIGHT, CATALOG, Random(seed)):
            tool = CATALOG.get(mistake.call.tool)
            assert tool is None or not tool.accepts(mistake.call.arguments), mistake


def test_a_tool_that_accepts_anything_gets_only_wrong_names_and_json_text() -> None:
    catalog = Catalog.listed([{"name": "ping", "inputSchema": {"type": "object"}}])
    assert kinds(Call("ping", {"a": 1}), catalog) == {
        "tool.misspelt", "tool.restyled", "tool.prefixed", "tool.invented", "shape.text",
    }  # fmt: skip
    assert kinds(Call("ping", {"a": {}, "b": ["x", {"y": 1}]}), catalog) <= kinds(RIGHT)
    assert list(generate_mistakes(Call("unknown"), catalog, Random(1))) == []


def test_names_too_short_to_misspell_are_left_alone() -> None:
    schema = {"type": "object", "properties": {"A": {"type": "string"}, "input": {}}, "required": ["A", "input"]}
    catalog = Catalog.listed([{"name": "A", "inputSchema": schema}])
    assert kinds(Call("A", {"A": "x"}), catalog) == {
        "tool.prefixed", "tool.invented", "parameter.stray", "required.missing", "required.all_missing",
        "shape.text", "type.list_for_item", "type.wrong", "null.required",
    }  # fmt: skip


def test_the_same_seed_gives_the_same_mistakes() -> None:
    first, second = (list(generate_mistakes(RIGHT, CATALOG, Random(3))) for _ in range(2))
    assert first == second


def test_a_misspelled_name_always_differs_and_short_names_stay() -> None:
    random = Random(1)
    for name in ("pattern", "aaaa", "max_results"):
        assert all(misspell(name, random) != name for _ in range(200))
    assert misspell("abc", random) == "abc"


def test_a_typo_does_not_make_another_word_where_that_can_be_avoided() -> None:
    typos = {name: {misspell(name, Random(seed)) for seed in range(300)} for name in ("value", "deep", "search_tips")}
    assert "valeu" in typos["value"]
    assert not typos["value"] & {"vale", "valve"}
    assert not typos["deep"] & {"dep", "keep", "deer"}
    assert not typos["search_tips"] & {"search_ips", "search_tops", "search_taps"}


def test_a_name_whose_typos_are_all_words_is_misspelled_all_the_same() -> None:
    class LosesTheFourthLetter(Random):
        def randrange(self, *_: object) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
            return 3

        def choice(self, seq: Any) -> Any:
            return seq[1]

    assert misspell("value", LosesTheFourthLetter()) == "vale"


def test_an_ambiguous_misspelling_is_not_repairable() -> None:
    assert is_nearest("lines", "liens", ["lines", "items"])
    assert not is_nearest("cat", "bat", ["cat", "hat"])
    schema = {"type": "object", "properties": {"from_day": {"type": "string"}, "from_way": {"type": "string"}}}
    catalog = Catalog.listed([{"name": "t", "inputSchema": schema}])
    right = Call("t", {"from_day": "x"})
    made = [one for seed in range(300) for one in generate_mistakes(right, catalog, Random(seed))]
    slips = {next(iter(one.call.arguments)): one.is_repairable for one in made if one.kind == "parameter.misspelt"}
    assert not slips["from_ay"]
    assert slips["fromday"]


@pytest.mark.parametrize(
    ("name", "other"), [("search_users", "users_search"), ("a-b", "b-a"), ("abc", "abc"), ("a_b_c", "a_b_c")]
)
def test_the_two_words_of_a_name_are_swapped(name: str, other: str) -> None:
    assert reorder(name) == other


@pytest.mark.parametrize(
    ("name", "other"), [("max_results", "maxResults"), ("maxResults", "max_results"), ("max", "Max"), ("a-b", "aB")]
)
def test_a_name_switches_between_snake_and_camel_case(name: str, other: str) -> None:
    assert restyle(name) == other


def test_a_mutated_name_that_is_another_tool_is_no_mistake() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    catalog = Catalog.listed([{"name": name, "inputSchema": schema} for name in ("list_users", "users_list")])
    assert kinds(Call("list_users", {}), catalog).isdisjoint({"tool.reordered", "shape.text"})
