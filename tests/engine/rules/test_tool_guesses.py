"""Tools that an unknown name asks for in other words: offered if the arguments and the tool agree."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.matching import Names
from fingerpost.engine.matching.actions import Danger
from fingerpost.engine.matching.other_words import guess_tools, has_opposite_word
from fingerpost.engine.rules.tool_danger import danger_of_tool
from tests.support.unknown_tools import UnknownTool, load_unknown_tools

LISTS, CALLS = load_unknown_tools()


def offers(call: Call, catalog: Catalog) -> list[tuple[str, Any]]:
    """Return every call that is offered."""
    verdict = admit(call, catalog)
    assert verdict.action not in ("forward", "repair")
    error = render(verdict.report).structured["error"]
    found = [error.get("corrected_call"), *error.get("possible_calls", [])]
    return [(one["name"], one["arguments"]) for one in found if one]


@pytest.mark.parametrize(
    "case", [one for one in CALLS if one.intended], ids=lambda one: f"{one.list_name}.{one.call.tool}"
)
def test_the_tool_that_is_clearly_meant_is_offered(case: UnknownTool) -> None:
    assert case.intended is not None
    assert offers(case.call, LISTS[case.list_name]) == [(case.intended.tool, case.intended.arguments)]


def reader(name: str, *params: str, read_only: bool = True) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in params}
    schema = {"type": "object", "properties": properties, "required": list(params), "additionalProperties": False}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}


def ask(name: str, arguments: dict[str, Any], *tools: dict[str, Any], server: str = "") -> list[str]:
    return [tool for tool, _ in offers(Call(name, arguments), Catalog.listed(tools, server=server))]


def test_of_too_many_tools_none_is_chosen() -> None:
    tools = [reader(f"{verb}_team", "org") for verb in ("show", "view", "describe", "fetch", "read", "load", "display")]
    assert ask("find_team", {"org": "o"}, *tools) == []
    crowd = [reader(f"get_{number}x", "id") for number in range(300)]
    assert list(guess_tools("get", Names(tool["name"] for tool in crowd))) == []
    assert list(guess_tools("get_all_x", Names(tool["name"] for tool in crowd))) == []


def test_the_number_decides_between_tools_that_look_up_the_same() -> None:
    tools = [reader("find_team", "org"), reader("list_teams", "org")]
    assert ask("check_teams", {"org": "o"}, *tools) == ["list_teams"]
    assert ask("check_teams", {"org": "o"}, *tools, reader("search_teams", "org")) == []


def test_the_name_of_the_server_is_no_thing_of_its_own() -> None:
    write = reader("incr", "key", read_only=False)
    assert ask("valkey_incr", {"key": "a"}, write) == []
    assert ask("incr_valkey", {"key": "a"}, write, server="valkey") == ["incr"]


def test_a_tool_that_takes_anything_fits_nothing_in_particular() -> None:
    anything = {"name": "lock_device", "inputSchema": {"type": "object", "additionalProperties": True}}
    assert ask("lock", {"device_id": "d"}, anything) == []
    assert ask("lock", {"device_id": "d"}, {"name": "lock_device"}) == []


def test_a_misspelled_tool_is_offered_without_an_argument_that_it_would_ignore() -> None:
    release = reader("get_release", "project")
    assert ask("get_relaese", {"project": "p", "locale": "de"}, release) == ["get_release"]
    assert ask("fetch_release", {"project": "p", "locale": "de"}, release) == []


def test_another_tool_is_not_pushed_aside_by_a_guess() -> None:
    get, lists = reader("get_fan", "fan_id"), [reader("list_fans"), reader("search_fans", "fan_id")]
    assert ask("fetch_fans", {"fan_id": "f"}, get, lists[0]) == ["get_fan"]
    assert "get_fan" in ask("fetch_fans", {"fan_id": "f"}, get, lists[1])
    assert list(guess_tools("", Names(["a"]))) == []


@pytest.mark.parametrize("case", [one for one in CALLS if not one.intended], ids=lambda one: one.call.tool)
def test_names_are_listed_by_harm_if_none_is_clear(case: UnknownTool) -> None:
    catalog = LISTS[case.list_name]
    suggestions = render(admit(case.call, catalog).report).structured["error"]["suggestions"]
    tools = [tool for name in suggestions.get("similar_tools", ()) if (tool := catalog.get(name))]
    dangers = [danger_of_tool(tool) for tool in tools]
    assert [one is Danger.DESTROYS for one in dangers] == sorted(one is Danger.DESTROYS for one in dangers)
    writers = [tool.name for tool in tools if danger_of_tool(tool) is Danger.WRITES]
    opposite = [has_opposite_word(case.call.tool, name) for name in writers]
    assert opposite == sorted(opposite)


def test_readers_of_the_same_thing_are_listed_before_what_changes_it() -> None:
    writers = [reader(f"{verb}_release", "tag", read_only=False) for verb in ("create", "rename", "move", "copy")]
    readers = [reader(f"{verb}_release", "tag") for verb in ("get", "compare", "count", "check")]
    found = admit(Call("publish_release", {"id": "1"}), Catalog.listed([*writers, *readers, reader("ping")]))
    listed = render(found.report).structured["error"]["suggestions"]["similar_tools"]
    assert listed[:3] == ["get_release", "compare_release", "count_release"]
    assert len(listed) == 5


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("find_target", {"target_id": "7"}), ("find_target", {"email": "a@b.org"}), ("find_telescope", {"name": "t"}),
     ("find_target", {"name": "a", "title": "b"}), ("check_telescope", {"serial": "t"})],
)  # fmt: skip
def test_a_search_is_not_filled_with_what_does_not_say_what_to_look_for(name: str, arguments: dict[str, Any]) -> None:
    assert offers(Call(name, arguments), LISTS["observatory"]) == []


def test_what_a_thing_is_called_is_no_query_to_execute() -> None:
    execute, search = reader("execute_query", "query"), reader("search_songs", "query")
    assert [one["query"] for _, one in offers(Call("execute_query", {"name": "a"}), Catalog.listed([execute]))] == [
        "<string>"
    ]
    assert offers(Call("search_songs", {"title": "a"}), Catalog.listed([search])) == [("search_songs", {"query": "a"})]
    other = reader("search_songs", "singer")
    assert offers(Call("search_songs", {"title": "a"}), Catalog.listed([other])) == [
        ("search_songs", {"singer": "<string>"})
    ]


def test_two_tools_that_only_read_are_offered_side_by_side() -> None:
    tools = [reader("hive_status", "hive_id"), reader("hive_report", "hive_id")]
    assert ask("get_hive", {"hive_id": "h"}, *tools) == ["hive_status", "hive_report"]
    assert ask("get_hive", {"hive_id": "h"}, *tools, reader("hive_summary", "hive_id")) == []
    writes = [reader(f"check_in_{thing}", "stay_id", read_only=False) for thing in ("guest", "bag")]
    assert ask("checkin", {"stay_id": "s"}, *writes) == []


def test_a_view_of_what_has_contents_is_not_the_thing() -> None:
    assert ask("file_status", {"path": "p"}, reader("load_file", "path")) == []
    assert ask("probe_status", {"path": "p"}, reader("load_probe", "path")) == ["load_probe"]
    assert ask("get_sales", {"start": "a"}, reader("sale_report", "start")) == ["sale_report"]
    assert ask("get_sales", {"start": "a"}, reader("sale_status", "start")) == []


def test_a_search_without_an_object_is_for_the_only_tool_that_searches() -> None:
    search, get = reader("search_plots", "query"), reader("get_plot", "plot_id")
    assert ask("grep", {"pattern": "a"}, search, get) == ["search_plots"]
    assert ask("grep", {"plot_id": "a"}, get) == []
    crowd = [reader(f"search_{number}x", "query") for number in "abcdefgh"]
    assert ask("grep", {"pattern": "a"}, *crowd) == []


def test_a_name_without_a_word_is_never_guessed() -> None:
    assert ask("checkout", {"id": "a"}, reader("---", "id")) == []
    assert ask("lookup", {"id": "a"}, reader("---", "id")) == []
    assert ask("get_status", {"id": "a"}, reader("---", "id")) == []


def answer(name: str, arguments: dict[str, Any], *tools: dict[str, Any]) -> str:
    return render(admit(Call(name, arguments), Catalog.listed(tools)).report).text


def test_what_one_or_two_tools_for_the_same_thing_take_is_shown() -> None:
    get, search = reader("get_vessel", "vessel_id"), reader("search_vessels", "query")
    crowd = [reader(f"paint_{number}", "colour") for number in "abcdefghi"]
    text = answer("find_vessel", {"owner": "Bo"}, get, search, *crowd)
    assert "Parameters: search_vessels(query: string), get_vessel(vessel_id: string)." in text
    assert "Available tools" not in text
    assert "Check whether one fits: get_vessel(vessel_id: string)." in answer(
        "get_vessel_crew", {"crew": "c"}, get, *crowd
    )
    assert "Parameters" not in answer("find_vessel", {"query": "Bo"}, search)


def test_what_a_tool_takes_is_not_shown_if_that_is_long_or_may_do_harm() -> None:
    get = reader("get_vessel", "vessel_id")
    for name in ("fly_vessel", "delete_vessel", "update_vessel"):
        assert "vessel_id" not in answer(name, {"crew": "c"}, get)
    long = reader("get_vessel", *(f"number_of_the_vessel_{number}" for number in "abcd"))
    assert "number_of" not in answer("get_vessel_crew", {"crew": "c"}, long)
    long["inputSchema"]["required"] = ["number_of_the_vessel_a"]
    assert "Check whether one fits: get_vessel(number_of_the_vessel_a: string)." in answer(
        "get_vessel_crew", {"crew": "c"}, long
    )
    destroy = reader("terminate_lease", "lease_id", "effective", read_only=False)
    assert "effective" not in answer("cancel_lease", {"lease_id": "l", "date": "d"}, destroy)
    readers = [
        reader(f"{verb}_vessel_{part}", "part_no") for verb, part in (("get", "a"), ("show", "b"), ("read", "c"))
    ]
    assert "part_no" not in answer("get_vessel_crew", {"crew": "c"}, *readers)
