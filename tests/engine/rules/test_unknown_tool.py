"""Which tools are offered for an unknown name, which are only listed, and which forms of a name are recognized."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.admit import admit
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.matching.actions import Danger
from fingerpost.engine.model import Call, Diagnosis
from fingerpost.engine.render.envelope import render
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.rules.unknown_tool import diagnose
from fingerpost.engine.tool import Tool

FILES = (
    "read_file", "write_file", "edit_file", "list_directory", "delete_file", "move_file", "search_files",
    "create_directory", "get_file_info", "grep_code", "run_command",
)  # fmt: skip


def catalog(*names: str, **params: str) -> Catalog:
    """A list of tools; `params` are the parameters of each, separated by spaces."""
    declared: dict[str, dict[str, Any]] = {name: {one: {} for one in params.get(name, "").split()} for name in names}
    tools = [{"name": name, "inputSchema": {"type": "object", "properties": declared[name]}} for name in names]
    return Catalog.listed(tools)


def ask(name: str, *names: str, arguments: Any = None, **params: str) -> Diagnosis:
    return diagnose(Call(name, arguments or {}), catalog(*names, **params), None)


def offered(diagnosis: Diagnosis) -> list[str]:
    return [fix.value for fix in diagnosis.fixes if fix.confidence > OFFER_THRESHOLD]


@pytest.mark.parametrize(
    "form",
    [
        "read_file<|channel|>commentary", "<|channel|>commentary to=functions.read_file <|constrain|>json",
        "<|channel|>read_file<|x|>", "read_file<|constrain|>json", "to=functions.read_file", "read_file:3",
        "read_file(", "read_file()", "read_file__eq", "functions.read_file:0", '"read_file"', "`read_file`",
        "read_file.", "read_file?", " Read-File ", "<|message|>commentary <|tool|>read_file",
    ],
)  # fmt: skip
def test_what_models_leave_around_a_name_is_removed(form: str) -> None:
    verdict = admit(Call(form, {}), catalog(*FILES))
    assert (verdict.action, verdict.call.tool) == ("repair", "read_file")


@pytest.mark.parametrize("form", ["<|constrain|>json", "<|channel|>", "read_file()() delete_file", ".", ""])
def test_what_leaves_no_name_is_not_repaired(form: str) -> None:
    assert admit(Call(form, {}), catalog(*FILES)).action == "refuse"


def test_arguments_inside_the_name_are_not_lost_silently() -> None:
    assert admit(Call("delete_file(dry_run=true)", {}), catalog(*FILES)).action == "refuse"
    assert offered(ask("delete_file(dry_run=true)", *FILES)) == ["delete_file"]


@pytest.mark.parametrize(
    ("habit", "tool"),
    [
        ("cat", "read_file"), ("ls", "list_directory"), ("exec", "run_command"), ("grep", "grep_code"),
        ("sed", "edit_file"), ("find", "search_files"), ("bash", "run_command"), ("open", "read_file"),
        ("str_replace", "edit_file"), ("view_file", "read_file"),
    ],
)  # fmt: skip
def test_a_habit_leads_to_the_tool_of_this_list_that_does_it(habit: str, tool: str) -> None:
    found = ask(habit, *FILES)
    assert offered(found) == [tool]
    assert found.certain_fix is None


def test_a_habit_never_leads_to_a_tool_that_destroys_but_lists_it() -> None:
    found = ask("rm", *FILES)
    assert (found.fixes, found.suggestions["similar_tools"]) == ((), ["delete_file"])
    assert found.hint == "Read what a tool does before you choose one"
    assert not offered(ask("cat", "read_file", "get_text"))[1:]
    assert offered(ask("cat", "read_content", "list_paths")) == ["read_content"]
    assert offered(ask("web_search", "search", "list_files")) == ["search"]


@pytest.mark.parametrize("asked", ["create_repo", "find_user", "lock_door", "edit_file", "list_users"])
def test_only_dangerous_neighbours_are_listed_and_not_offered(asked: str) -> None:
    found = ask(
        asked, "delete_repo", "get_repo", "ban_user", "unlock_door", "overwrite_file", "list_orders", *FILES[3:]
    )
    assert offered(found) == []
    assert all(
        name not in render(admit(Call(asked, {}), catalog("delete_repo", "ban_user")).report).text for name in ("Try",)
    )


def test_readers_of_the_same_thing_come_first_in_the_list() -> None:
    found = ask("create_repo", "delete_repo", "rename_repo", "get_repo", "list_repos", *FILES)
    assert found.suggestions["similar_tools"] == ["get_repo", "list_repos", "rename_repo", "delete_repo"]


def test_the_arguments_decide_between_tools() -> None:
    assert offered(ask("ad", "add", "subtract", "old", arguments={"a": 1, "b": 2}, add="a b", old="x")) == ["add"]
    assert offered(ask("ad", "add", "subtract")) == []
    params = {"get_issue": "id", "search_issues": "query"}
    for name, taken in params.items():
        assert offered(ask("find_issue", *params, arguments={taken: "x"}, **params)) == [name]
    assert set(offered(ask("find_issue", *params, arguments={"other": "x"}, **params))) == set(params)


def test_all_names_of_a_short_list_are_listed_and_some_of_a_long_one() -> None:
    few = ask("frobnicate", "delete_x", "get_x")
    assert few.suggestions["available_tools"] == ["get_x", "delete_x"]
    many = ask("frobnicate", *FILES, "delete_x", "!")
    assert many.suggestions["available_tools"] == [
        "read_file",
        "write_file",
        "edit_file",
        "list_directory",
        "move_file",
    ]
    text = render(admit(Call("frobnicate", {}), catalog(*FILES)).report).text
    assert "For example: 'read_file'," in text
    assert "Available tools: read (1)," in text


@pytest.mark.parametrize(
    ("entry", "danger"),
    [
        ({"name": "delete_x", "annotations": {"readOnlyHint": True}}, Danger.READS),
        ({"name": "get_x"}, Danger.READS),
        ({"name": "get_x", "annotations": {"readOnlyHint": False}}, Danger.WRITES),
        ({"name": "get_x", "annotations": {"destructiveHint": True}}, Danger.DESTROYS),
        ({"name": "purge_x"}, Danger.DESTROYS),
        ({"name": "write_x", "description": "Creates a file or overwrites it"}, Danger.DESTROYS),
        ({"name": "weather", "description": "Gets the weather"}, Danger.READS),
        ({"name": "weather", "description": "Changes the weather"}, Danger.WRITES),
        ({"name": "weather"}, Danger.WRITES),
    ],
)
def test_annotations_name_and_description_say_what_a_tool_may_do(entry: dict[str, Any], danger: Danger) -> None:
    assert danger_of_tool(Tool(entry["name"], entry)) is danger


def test_a_misspelled_verb_is_corrected_before_synonyms_are_looked_up() -> None:
    assert [fix.value for fix in ask("serch_tickets", "query_tickets", "delete_ticket").fixes] == ["query_tickets"]
    assert ask("frob_tickets", "query_tickets", "delete_ticket").fixes == ()
    assert ask("dlete_tickets", "query_tickets", "archive_tickets").fixes == ()


def test_a_verb_that_says_nothing_is_dropped() -> None:
    assert [fix.value for fix in ask("make_transfer", "transfer", "refund").fixes] == ["transfer"]
    assert ask("make_transfer", "refund", "charge").fixes == ()


def test_a_verb_alone_is_a_tool_that_gets_what_it_makes_if_the_arguments_fit() -> None:
    sums = {"get_sum": "a b", "echo": "message"}
    assert offered(ask("add", *sums, arguments={"a": 1, "b": 2}, **sums)) == ["get_sum"]
    assert offered(ask("add", *sums, arguments={"user": 1}, **sums)) == []
    assert offered(ask("add", *sums, **sums)) == []
    assert offered(ask("delete", "get_deletion", arguments={"id": 1}, get_deletion="id")) == []


TABLES = [
    {"name": "drop_table", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}},
    {"name": "add_row", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}},
    {"name": "list_tables", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]


@pytest.mark.parametrize(
    ("name", "server", "action"),
    [
        ("mcp__staging-db__drop_table", "production-db", "refuse"),
        ("mcp__staging-db__drop_table", "", "refuse"),
        ("mcp__staging-db__add_row", "production-db", "refuse"),
        ("db.add_row", "production-db", "refuse"),
        ("db__list_tables", "production-db", "repair"),
        ("mcp__staging-db__list_tables", "production-db", "repair"),
        ("mcp__production_db__add_row", "production-db", "repair"),
        ("mcp__production-db__drop_table", "Production DB MCP server", "repair"),
        ("ProductionDb/add_row", "mcp-production-db", "repair"),
        ("functions.add_row", "production-db", "repair"),
        ("default_api.drop_table", "", "repair"),
        ("tools.add_row", "", "repair"),
        ("addRow", "", "repair"),
        ("dropTable", "", "refuse"),
        ("functions.DropTable", "", "refuse"),
        # of several prefixes, each has to be for this server
        ("mcp__staging__production-db__drop_table", "production-db", "refuse"),
        ("mcp__production-db__staging__drop_table", "production-db", "refuse"),
        ("mcp__staging__mcp__production-db__drop_table", "production-db", "refuse"),
        ("staging.production-db.drop_table", "production-db", "refuse"),
        ("staging/functions.add_row", "production-db", "refuse"),
        ("db.production-db.add_row", "production-db", "refuse"),
        ("functions.mcp__production-db__drop_table", "production-db", "repair"),
        ("production-db.mcp__production_db__drop_table", "production-db", "repair"),
        # what is left without "mcp" and "server" is nothing, which is no name
        ("mcp__server__drop_table", "production-db", "refuse"),
        ("mcp__mcp__drop_table", "production-db", "refuse"),
        ("mcp__mcp-server__add_row", "production-db", "refuse"),
        ("mcp__drop_table", "production-db", "refuse"),
        ("server.add_row", "mcp-server", "refuse"),
        ("server/drop_table", "", "refuse"),
        ("mcp.drop_table", "", "refuse"),
        ("mcp-server.drop_table", "", "refuse"),
        ("tools__drop_table", "", "refuse"),
        ("--.drop_table", "!", "refuse"),
        ("mcp__server__drop_table", "server", "repair"),
        ("mcp__mcp-server__drop_table", "MCP server", "repair"),
    ],
)
def test_a_tool_behind_the_name_of_a_server_runs_only_if_it_is_this_server(name: str, server: str, action: str) -> None:
    arguments = {} if "list" in name else {"name": "t"}
    verdict = admit(Call(name, arguments), Catalog.listed(TABLES, server=server))
    assert verdict.action == action
    assert verdict.report.corrected is not None, "it is offered at least"


def test_a_server_may_have_several_names() -> None:
    catalog = Catalog.listed(TABLES, server=("sqlite", "shop"))
    assert admit(Call("mcp__shop__add_row", {"name": "t"}), catalog).action == "repair"
    assert (catalog.server, Catalog.listed(TABLES).server) == ("sqlite", "")


def test_a_destructive_tool_runs_only_behind_what_the_client_calls_the_server() -> None:
    catalog = Catalog.listed(TABLES, server=("prod", "mcp-server-staging"))
    assert admit(Call("mcp__prod__drop_table", {"name": "t"}), catalog).action == "repair"
    assert admit(Call("mcp__staging__add_row", {"name": "t"}), catalog).action == "repair"
    offered = admit(Call("mcp__staging__drop_table", {"name": "t"}), catalog)
    assert (offered.action, offered.report.corrected) == ("refuse", Call("drop_table", {"name": "t"}))


@pytest.mark.parametrize("name", ["functions.", "mcp__shop__", "shop/"])
def test_a_prefix_alone_is_no_tool(name: str) -> None:
    verdict = admit(Call(name, {"name": "t"}), Catalog.listed(TABLES, server="shop"))
    assert (verdict.action, verdict.report.corrected) == ("refuse", None)


DECORATED = [
    "delete_file\u200b", " delete_file", "delete_file()", "delete_file.", "`delete_file`", '"delete_file"',
    "delete_file:3", "functions.delete_file:0", "to=functions.delete_file", "delete_file__eq",
]  # fmt: skip


@pytest.mark.parametrize("form", DECORATED)
def test_a_destructive_tool_runs_only_under_its_own_name(form: str) -> None:
    verdict = admit(Call(form, {}), catalog(*FILES))
    assert verdict.action == "refuse"
    assert "Try: delete_file(" in render(verdict.report).text


DESTRUCTIVE = [
    "delete_user",
    "drop_table",
    "deleting_user",
    "dropping_table",
    "wiping_disk",
    "force_push_branch",
    "git_force_push",
    "format_disk",
    "reformat_disk",
    "rollback_release",
    "roll_back_release",
    "revert_commit",
    "restore_backup",
    "undeploy_app",
    "deactivate_user",
    "suspend_user",
    "unpublish_post",
    "demolish_house",
    "dispose_item",
    "poweroff_host",
    "power_off_host",
    "reboot_host",
    "restart_host",
    "halt_host",
    "shutdown_host",
    "shut_down_host",
    "disable_user",
    "detach_volume",
    "archive_project",
    "replace_file",
    "user_deletion",
    "get_and_delete_message",
    "bulk_delete_items",
    "table_drop",
    "items_bulk_delete",
]
HARMLESS = [
    "king_add",
    "add_pinging",
    "get_reset_status",
    "list_formats",
    "add_row",
    "send_message",
    "start_host",
    "list_deleted_items",
]


@pytest.mark.parametrize("name", [*DESTRUCTIVE, *HARMLESS])
def test_a_word_for_destruction_in_a_name_keeps_other_spellings_from_being_run(name: str) -> None:
    first, *others = name.split("_")
    camel = first + "".join(word.title() for word in others)
    listed = Catalog.listed([{"name": name, "inputSchema": {"type": "object"}}])
    verdict = admit(Call(camel, {}), listed)
    assert verdict.action == ("refuse" if name in DESTRUCTIVE else "repair")
    assert verdict.report.corrected is not None, "it is offered at least"


@pytest.mark.parametrize("form", ["functions.delete_file", "mcp__files__delete_file", "files.delete_file"])
def test_a_prefix_of_this_server_is_no_other_spelling(form: str) -> None:
    tools = Catalog.listed([{"name": "delete_file", "inputSchema": {"type": "object"}}], server="files")
    assert admit(Call(form, {}), tools).action == "repair"


def test_what_cannot_be_seen_in_a_name_is_said() -> None:
    refused = render(admit(Call("delete_file\u200b", {}), catalog(*FILES)).report).text
    assert "characters that cannot be seen" in refused
    repaired = render(admit(Call("read_file\u200b", {}), catalog(*FILES)).report).text
    assert repaired == "Blanks or characters that cannot be seen were removed from the name of tool 'read_file'."
