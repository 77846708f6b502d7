"""The arguments of a call say which tool is meant, where the name points at another one or at none."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.rules.tool_arguments import find_fitting, takes_exactly
from fingerpost.engine.tool import Tool


def tool(signature: str, *, reads: bool | None = None, **more: Any) -> dict[str, Any]:
    """A tool with these parameters: `name(a, b?)`; `?` marks an optional one."""
    name, _, params = signature.rstrip(")").partition("(")
    words = [one.strip() for one in params.split(",") if one.strip()]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {one.rstrip("?"): {} for one in words},
        "required": [one for one in words if not one.endswith("?")],
    }
    hints = {} if reads is None else {"annotations": {"readOnlyHint": reads}}
    return {"name": name, "inputSchema": schema, **hints, **more}


CROWD = [tool(f"paint_{number}(colour)") for number in "abcdefghi"]
"""Tools that have nothing to do with the call, so that not all names are listed."""


def ask(name: str, arguments: dict[str, Any], *tools: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the tools of the calls that are offered, and the names that are listed."""
    verdict = admit(Call(name, arguments), Catalog.listed([*tools, *CROWD]))
    assert verdict.action in ("refuse", "ask")
    error = render(verdict.report).structured["error"]
    calls = [error.get("corrected_call"), *error.get("possible_calls", [])]
    return [call["name"] for call in calls if call], error["suggestions"].get("similar_tools", [])


def test_a_tool_that_takes_the_arguments_is_offered_before_one_with_a_nearer_name() -> None:
    meters = tool("station_readings(station, hours?)", reads=True), tool("readings(kind, station, hours?)", reads=True)
    sent = {"kind": "rain", "station": "s1", "hours": 3}
    assert ask("get_readings", sent, *meters) == (["readings"], ["readings", "station_readings"])
    ducks = tool("ducks_get(pond, name)", reads=True), tool("ducks_list_by_pond(pond, sex?)", reads=True)
    assert ask("get_ducks", {"pond": "p"}, *ducks)[0] == ["ducks_list_by_pond"]
    assert ask("get_ducks", {"pond": "p", "name": "n"}, *ducks)[0] == ["ducks_get"]


def test_a_tool_that_writes_is_offered_by_its_arguments_if_the_verb_is_no_harsher() -> None:
    albums = tool("create_album(name)", reads=False), tool("add_photos(album_id, photo_ids)", reads=False)
    assert ask("add_to_album", {"album_id": "a", "photo_ids": ["p"]}, *albums)[0] == ["add_photos"]
    notes = tool("edit_note_title(note_id, title)", reads=False), tool("write_note(note_id, text)", reads=False)
    offered, listed = ask("edit_note", {"note_id": "n", "text": "t"}, *notes)
    assert offered == []
    assert "write_note" in listed


def test_a_tool_for_another_thing_is_not_offered_because_it_takes_the_arguments() -> None:
    tables = tool("tables_list(schema?)", reads=True), tool("columns_list(table)", reads=True)
    for name in ("list_tables", "show_tables"):
        assert ask(name, {"table": "t"}, *tables)[0] == []
    pods = tool("namespaces_list()", reads=True), tool("pods_list(namespace?)", reads=True)
    assert ask("list_namespaces", {"namespace": "web"}, *pods)[0] == []


def test_a_tool_that_destroys_is_named_first_but_not_offered_by_its_arguments() -> None:
    boxes = tool("delete_box(shelf, label)"), tool("delete_boxes_by_age(shelf, days, except?)")
    assert ask("delete_boxes", {"shelf": "s", "days": 3}, *boxes) == ([], ["delete_boxes_by_age", "delete_box"])


def test_a_tool_for_the_same_thing_that_does_something_else_is_only_listed() -> None:
    fleet = tool("trucks_get(depot, plate)", reads=True), tool("trucks_fuel(depot)", reads=True)
    offered, listed = ask("get_trucks", {"depot": "d"}, *fleet)
    assert offered == []
    assert listed[0] == "trucks_fuel"


def test_two_tools_that_take_the_arguments_are_a_tie() -> None:
    fleet = [tool("trucks_get(depot, plate)", reads=True)]
    fleet += [tool(f"trucks_{verb}_by_depot(depot)", reads=True) for verb in ("list", "show")]
    offered, listed = ask("get_trucks", {"depot": "d"}, *fleet)
    assert offered == []
    assert set(listed[:2]) == {"trucks_list_by_depot", "trucks_show_by_depot"}


def test_a_misspelled_name_stays_the_name_whatever_the_arguments_are() -> None:
    shop = tool("search_offers(term)", reads=True), tool("search_offers_by_shop(shop)", reads=True)
    assert ask("serach_offers", {"shop": "s"}, *shop)[0] == ["search_offers"]


def test_a_tool_whose_parameters_are_only_misspelled_in_the_call_gives_no_way() -> None:
    shop = tool("fetch_offers(shop_name, term)", reads=True), tool("offers_today(shp_name, term)", reads=True)
    assert ask("get_offers", {"shp_name": "s", "term": "t"}, *shop)[0] == ["fetch_offers"]


def test_a_more_dangerous_tool_or_an_opposite_wins_by_no_arguments() -> None:
    doors = tool("open_gates(gate_group, code)", reads=False), tool("close_gates_by_zone(zone)", reads=False)
    assert "close_gates_by_zone" not in ask("open_gate", {"zone": "z"}, *doors)[0]
    files = tool("trash_drafts(draft_id, folder)"), tool("erase_drafts_by_owner(owner)")
    offered, listed = ask("trash_draft", {"owner": "o"}, *files)
    assert "erase_drafts_by_owner" not in offered
    assert listed[0] == "trash_drafts"


def test_the_arguments_choose_among_the_tools_that_a_habit_leads_to() -> None:
    code = tool("search_code(query)", reads=True), tool("search_text(query, before, after)", reads=True)
    assert ask("grep", {"query": "q", "before": 1, "after": 1}, *code)[0] == ["search_text"]
    assert ask("grep", {"query": "q"}, *code)[0] == ["search_code"]


def test_a_synonym_alone_leads_to_no_tool_that_needs_more() -> None:
    needs = tool("get(kind, id)", reads=True)
    assert ask("export", {}, needs)[0] == []
    assert ask("export", {"format": "csv"}, needs)[0] == []
    assert ask("fetch", {"kind": "k", "id": "i"}, needs)[0] == ["get"]
    assert ask("fetch", {"Kind": "k", "ID": "i"}, needs)[0] == ["get"]


@pytest.mark.parametrize(
    ("asked", "arguments", "listed"),
    [
        ("enlarge_canvas", {"width_mm": 1, "height_mm": 2}, "set_frame"),
        ("halt_pump", {"unit": {"pump_id": 7}}, "power_off"),
        ("launch_pump", {"unit": {"pump_id": 7}}, "power_on"),
        ("boot_pump", {"unit": {"pump_id": 7}}, "power_on"),
        ("restart_pump", {"unit": {"pump_id": 7}}, "reboot"),
        ("unbook_seat", {"booking_ref": "b"}, "cancel_booking"),
        ("empty_tank", {"tank": "t", "site": "s"}, "purge_tank"),
        ("get_markup", {"css_selector": "main"}, "read_page"),
        ("snapshot_ledger", {"ledger": "l", "target": "t"}, "backup_ledger"),
        ("steer", {"wheel": "w", "action": "left"}, "drive"),
    ],
)  # fmt: skip
def test_a_tool_that_takes_exactly_the_arguments_is_listed(asked: str, arguments: dict[str, Any], listed: str) -> None:
    pump = {"type": "object", "properties": {"pump_id": {"type": "integer"}}, "required": ["pump_id"]}
    price = {"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]}
    nested = [("power_off", pump), ("power_on", pump), ("reboot", pump), ("set_price", price)]
    tools = [
        tool("set_frame(width_mm, height_mm)", reads=False), tool("cancel_booking(booking_ref)"),
        tool("purge_tank(tank, site)"), tool("delete_tank(tank, site)"), tool("list_tanks(site)", reads=True),
        tool("get_tank(tank)", reads=True), tool("find_tanks(query)", reads=True), tool("fill_tank(tank, litres)"),
        tool("read_page(css_selector?)", reads=True), tool("click(css_selector)", reads=False),
        tool("backup_ledger(ledger, target)", reads=False),
        *[tool(f"{name}(unit)", reads=False) for name, _ in nested],
        *[tool(f"{name}(wheel, action, speed?)", reads=False) for name in ("drive", "roll", "spin")],
    ]  # fmt: skip
    for entry, (_, schema) in zip(tools[-7:-3], nested, strict=True):
        entry["inputSchema"]["properties"]["unit"] = schema
    for entry, sides in zip(tools[-3:], (["left", "right"], ["fast"], ["slow"]), strict=True):
        entry["inputSchema"]["properties"]["action"] = {"enum": sides}
    assert listed in ask(asked, arguments, *tools)[1]


def test_a_tool_that_only_has_the_verb_is_listed_before_readers_of_the_thing() -> None:
    mails = [tool(f"{verb}_letter(letter_id)", reads=True) for verb in ("get", "find", "read")]
    assert ask("answer_letter", {"id": 1}, *mails, tool("answer(letter_id, text)", reads=False))[1][0] == "answer"


def test_vague_arguments_list_nothing() -> None:
    assert ask("translate", {"id": "x"}, tool("send(id)", reads=False))[1] == []
    assert ask("translate", {"input": "x"}, tool("send(input)", reads=False))[1] == []
    many = [tool(f"send_{place}(phrase)", reads=False) for place in ("home", "work", "away")]
    assert ask("translate", {"phrase": "x"}, *many)[1] == []
    crowd = [tool(f"send_{number}(phrase, tone)", reads=False) for number in "abcdefghi"]
    assert ask("translate", {"phrase": "x", "tone": "y"}, *crowd)[1] == []


def fitting(name: str, arguments: dict[str, Any], *tools: dict[str, Any]) -> list[str]:
    return [one.tool.name for one in find_fitting(name, arguments, Catalog.listed(tools))]


def test_whoever_asks_to_read_is_shown_no_tool_that_destroys() -> None:
    tools = tool("drop_lot(lot_no, site)"), tool("move_lot(lot_no, site)", reads=False)
    assert fitting("get_lot", {"lot_no": 1, "site": "s"}, tools[0]) == []
    assert fitting("get_lot", {"lot_no": 1, "site": "s"}, *tools) == ["move_lot"]
    assert fitting("shelve_lot", {"lot_no": 1, "site": "s"}, tools[0]) == ["drop_lot"]


def test_arguments_that_very_many_tools_take_say_nothing() -> None:
    tools = [tool(f"get_x{number}(a, b)", reads=True) for number in range(60)]
    assert fitting("get_x3y", {"a": 1, "b": 2}, *tools) == []
    assert fitting("get_x", {str(number): 1 for number in range(100)}, tool("get_x(a?)")) == []


def test_a_schema_that_is_composed_is_read_too() -> None:
    entry = tool("get_lot()", reads=True)
    entry["inputSchema"]["allOf"] = [{"properties": {"lot_no": {}}, "required": ["lot_no"]}]
    assert fitting("show_lot", {"lot_no": 1}, entry) == ["get_lot"]
    assert fitting("show_lot", {"lot": 1}, entry) == []


def test_a_tool_takes_fields_of_objects_exactly_too() -> None:
    fields: dict[str, Any] = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
    one = Tool("x", {"name": "x", "inputSchema": {"type": "object", "properties": {"o": fields, "free": {}}}})
    assert takes_exactly(one, {"o": {"a": 1}})
    assert takes_exactly(one, {"o": {"a": 1, "b": 1}, "FREE": {"z": 1}})
    assert not takes_exactly(one, {"o": {"b": 1}})
    assert not takes_exactly(one, {"o": {"a": 1, "c": 1}})
    assert takes_exactly(one, {"o": "text"})
