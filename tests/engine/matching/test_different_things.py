"""Names that look alike and stand for different things: never filled in, never offered as the call to send."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fingerpost.engine.matching import OFFER_THRESHOLD, Match, closest, find_readings
from fingerpost.engine.matching.actions import Danger, read_action
from fingerpost.engine.matching.descriptions import is_described_by
from fingerpost.engine.matching.lexicon import is_commentary
from fingerpost.engine.matching.replacing import may_replace

LISTS = Path(__file__).parents[2] / "data" / "matching" / "lists.jsonl.gz"


def read(mistake: str, *names: str, **context: Any) -> tuple[Match, ...]:
    return closest(mistake, names, "parameter", context)


def is_offered(mistake: str, name: str, **context: Any) -> bool:
    return any(match.confidence > OFFER_THRESHOLD for match in read(mistake, name, **context))


# Commentary

COMMENTARY = """
    rationale justification toolSummary waitForPreviousTools requires_approval blocking _trace reason_for_call
    why_this_tool agent_notes llm_comment model_thoughts chain_of_thought mood is_background user_confirmed
    step_description next_action planned_action expected_result self_reflection inner_monologue
    confidence_level certainty risk_level security_risk is_safe sessionId conversationId trace_id
    correlation_id turn_id task_progress user_intent intent_summary explanationForUser call_purpose
    decision_rationale approval_reason toolDescription agentNote goal_statement __intent _meta
    tool_call_reason motivation commit_reason deletion_reason brief_explanation
"""


def parameter_lists() -> list[dict[str, Any]]:
    with gzip.open(LISTS, "rt", encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if row["kind"] == "param"]


@pytest.mark.no_cover
def test_no_missing_parameter_of_any_tool_is_filled_with_commentary() -> None:
    random = Random(16)
    filled: list[tuple[str, str]] = []
    for row in parameter_lists():
        names = row["names"]
        for word in random.sample(COMMENTARY.split(), 5):
            missing = random.choice(names)
            context: dict[str, Any] = {
                "args": [*names, word],
                "given": [name for name in names if name != missing],
                "required": [missing],
                "types": row.get("types") or {},
                "value_type": "string",
                "read_only": random.random() < 0.5,
            }
            shares_head = word.rpartition("_")[2] in missing
            if not shares_head and is_offered(word, missing, **context):
                filled.append((word, missing))
    assert filled == []


@pytest.mark.parametrize(("sent", "name"), [("reson", "reason"), ("Reason", "reason"), ("explanations", "explanation")])
def test_commentary_matches_the_same_word(sent: str, name: str) -> None:
    assert read(sent, name)[0].is_clear


def test_a_name_that_ends_with_commentary_matches_only_names_with_that_word() -> None:
    assert is_offered("cancellation_reason", "reason")
    assert read("commit_reason", "commit") == ()
    assert is_commentary("toolDescription")
    assert not is_commentary("agent_name")
    assert is_commentary("what_i_am_doing")
    assert not is_commentary("i")


def test_the_id_of_a_comment_is_not_the_id_of_a_message() -> None:
    assert not is_offered("comment_id", "message_id", tool="add_reaction")
    assert is_offered("ticket_id", "issue_id", tool="update_issue")
    assert is_offered("comment", "message", tool="add_comment")


def test_what_a_name_says_about_the_harness_is_commentary() -> None:
    assert is_offered("image_caption", "caption")
    assert read("harness_caption", "caption") == ()


def test_what_the_tool_is_about_is_no_commentary() -> None:
    assert is_offered("run_id", "id", tool="get_run")
    assert not is_offered("run_id", "id", tool="run_query")
    assert is_offered("goal_text", "text", tool="create_goal")
    assert not is_offered("goal_text", "text", tool="send_mail")


# Entities


OTHER_THINGS = """
    cardId/commentId folderId/fileId project_name/user_name issue_id/issue_comment_id
    repo_name/repo_owner_name card_id/cart_id userKey/orderKey image_path/font_path note/name comment/command
    file/content metadata/description display_message/body caption_for_user/account_name
    thread_context/content account_id/contact_id
"""


@pytest.mark.parametrize("pair", OTHER_THINGS.split())
def test_a_parameter_of_another_thing_is_never_offered(pair: str) -> None:
    assert not is_offered(*pair.split("/"))


SAME_THINGS = """
    ticket_id/issue_id repo_name/repository_name folder_path/directory_path
"""


@pytest.mark.parametrize("pair", SAME_THINGS.split())
def test_two_words_for_one_thing_match(pair: str) -> None:
    assert is_offered(*pair.split("/"))


def test_the_id_of_another_thing_than_the_tool_is_about_is_not_offered() -> None:
    assert is_offered("experimentId", "id", tool="get_experiment")
    assert is_offered("experimentId", "id")
    assert not is_offered("cardId", "id", tool="get_comment")
    assert not is_offered("userName", "name", tool="create_project")
    assert not is_offered("cardId", "id", tool="user_get")
    assert is_offered("itemId", "id", tool="lookup")


OTHER_OBJECTS = "index/table sheet/table view/table collection/bucket schema/database folder/file tag/branch"


@pytest.mark.parametrize("pair", OTHER_OBJECTS.split())
def test_kinds_of_database_and_file_objects_are_different_things(pair: str) -> None:
    assert not is_offered(*pair.split("/"))


# Qualifiers


QUALIFIED = """
    final_snapshot/skip_final_snapshot ignore_case/case_sensitive capture_later/capture exclude_pattern/pattern
    keep_table/table omit_columns/columns hidden_files/files pattern/exclude_pattern protected_branch/branch
    parent_instance_id/instance_id previous_job_id/job_id similar_artist_id/artist_id source_port/port from_email/email
    manager_email/email old_password/password backup_path/path other_user/user
    min_replicas/replicas max_amount/amount closing_after/closing last_name/name first_item/item
    percent_change/percent price_delta/price step_size/size content_type/content content_path/content
    content_to_remove/content schema_version/schema file_count/file image_format/image
    run_number/run_id user_name/user_id artist_url/artist_id project_key/project_id
    page/per_page page/page_size page/offset page/start_at name/email title/path file/file_size
"""


@pytest.mark.parametrize("pair", QUALIFIED.split())
@pytest.mark.parametrize("read_only", [True, False])
def test_a_qualified_name_is_another_thing(pair: str, *, read_only: bool) -> None:
    assert not is_offered(*pair.split("/"), tool="update", read_only=read_only)


NOT_QUALIFIED = """
    results/max_results file_path/path search_query/query repo_name/repo user_id/user my_query/query query_string/query
    sender_email/from_email phone_number/phone ids/id the_url/url due_date/due
"""


@pytest.mark.parametrize("pair", NOT_QUALIFIED.split())
def test_a_word_that_adds_nothing_is_no_qualifier(pair: str) -> None:
    assert is_offered(*pair.split("/"), tool="update")


def test_an_extra_word_is_redundant_if_the_tool_is_about_it() -> None:
    assert is_offered("table_name", "table", tool="drop_table", destructive=True)
    assert is_offered("contact_email", "email", tool="update_contact")
    assert not is_offered("work_email", "email", tool="update_contact")
    assert is_offered("work_email", "email", tool="find_contact", read_only=True)
    assert [match.name for match in read("work_email", "email", tool="update_contact")] == ["email"]


def test_a_synonym_alone_is_not_offered_on_a_tool_that_may_destroy() -> None:
    assert is_offered("identifier", "key", tool="update_card")
    assert not is_offered("identifier", "key", tool="update_card", destructive=True)
    assert not is_offered("identifier", "key", tool="delete_card")
    assert is_offered("identifier", "key", tool="delete_card", read_only=True)


def test_a_synonym_is_offered_on_a_tool_that_may_destroy_if_it_fills_the_only_missing_parameter() -> None:
    missing = {"tool": "delete", "required": ["path"], "args": ["file"]}
    assert is_offered("file", "path", **missing)
    assert not is_offered("file", "path", **{**missing, "required": ["path", "reason"]})
    assert not is_offered("folder_file", "path", **missing)
    assert not is_offered("file", "path", **{**missing, "required": []})
    assert is_offered("preview", "dryRun", tool="delete_file", destructive=True)
    assert is_offered("simulate", "dry_run", tool="delete_file", destructive=True)


# Units


OTHER_UNITS = """
    timeout/timeout_ms timeout_s/timeout_ms price/price_usd size/size_kb time/time_utc weight/weight_kg
    duration/durationInMinutes delay/delay_min price_eur/price_usd width/width_px max_days/max
"""


@pytest.mark.parametrize("pair", OTHER_UNITS.split())
def test_a_name_with_a_unit_matches_only_the_same_unit(pair: str) -> None:
    (match,) = read(*pair.split("/"))
    assert (match.differs_by_unit, match.is_clear) == (True, False)
    assert match.confidence < OFFER_THRESHOLD


SAME_UNITS = """
    duration_seconds/duration_secs timeoutMs/timeout_milliseconds year/years price_min/min_price
    timeout_secnds/timeout_seconds length_nanometres/length_nanometers
"""


@pytest.mark.parametrize("pair", SAME_UNITS.split())
def test_two_spellings_of_one_unit_are_the_same(pair: str) -> None:
    (match,) = read(*pair.split("/"))
    assert (match.differs_by_unit, match.confidence > OFFER_THRESHOLD) == (False, True)


def test_a_unit_alone_or_a_synonym_with_another_unit_is_not_offered() -> None:
    assert not is_offered("seconds", "timeout")
    assert not is_offered("timeouts", "timeout_ms")
    assert not any(match.differs_by_unit for match in read("seconds", "timeout"))


# Ties


def test_a_shared_word_comes_before_a_synonym_and_a_tie_stays_a_tie() -> None:
    first, second = read("file", "path", "filePath")
    assert (first.name, first.is_clear) == ("filePath", False)
    assert first.confidence - second.confidence < 0.1


def test_the_two_sides_of_a_pair_are_equally_probable() -> None:
    for sent, names in (("time", ("time_min", "time_max")), ("line", ("start_line", "end_line"))):
        first, second = read(sent, *names)
        assert first.confidence == second.confidence > OFFER_THRESHOLD
        assert not first.differs_by_unit and not second.differs_by_unit


# Generic names and descriptions

MISSING: dict[str, Any] = {
    "types": {"path": "string", "size": "integer", "wait_ms": "integer"},
    "required": ["path"],
    "value_type": "string",
    "read_only": True,
}


@pytest.mark.parametrize("name", ["input", "value", "arg", "__arg1", "args", "tool_input", "param", "x"])
def test_a_generic_name_is_offered_for_the_only_missing_parameter_of_a_read_only_tool(name: str) -> None:
    context = {**MISSING, "args": [name]}
    (match,) = read(name, "path", "size", **context)
    assert (match.name, match.confidence, match.is_clear) == ("path", 0.72, False)
    for change in (
        {"read_only": False},
        {"value_type": "array"},
        {"args": [name, "other"]},
        {"required": ["path", "size"]},
        {"required": ["wait_ms"], "value_type": "integer"},
    ):
        assert not any(
            match.confidence > OFFER_THRESHOLD for match in read(name, *MISSING["types"], **{**context, **change})
        )


GLOB: dict[str, Any] = {
    "types": {"filter": "string", "where": "string"},
    "descriptions": {"filter": "A glob for the files", "where": "Folder to look in", "odd": 7},
    "value_type": "string",
    "read_only": True,
}


def test_a_word_that_only_one_description_begins_with_is_evidence() -> None:
    assert [match.name for match in read("glob", "filter", "where", **GLOB)] == ["filter"]
    both = {**GLOB, "descriptions": {"filter": "A glob", "where": "Glob pattern"}}
    assert read("glob", "filter", "where", **both) == ()
    assert read("glob", "filter", "where", **{**GLOB, "read_only": False, "destructive": True}) == ()
    assert read("glob", "filter", "where", **{**GLOB, "read_only": False, "destructive": False})
    assert read("glob", "filter", "where", **{**GLOB, "value_type": "integer"}) == ()
    assert read("glob", "filter", "where", **{**GLOB, "given": ["filter"]}) == ()


def test_only_the_first_phrase_of_a_description_counts_and_not_who_acts() -> None:
    text = "The glob pattern for the files, as a string"
    assert is_described_by(text, {"glob"})
    assert is_described_by(text, {"pattern", "glob"})
    assert not is_described_by(text, {"file"})
    assert not is_described_by(None, {"glob"})
    users = {**GLOB, "descriptions": {"filter": "User query"}}
    assert read("user", "filter", "where", **users) == ()


def test_a_description_that_consists_of_a_plain_word_describes_it() -> None:
    assert is_described_by("The name of a tool", {"name"})
    assert is_described_by("Number to begin with", {"number"})
    assert not is_described_by("The user name of the owner", {"name"})
    assert not is_described_by("The name of a tool", set())


# Tools


def may_offer(pair: str, danger: Danger | None = None, *, takes_arguments: bool = False) -> bool:
    asked, name = pair.split("/")
    by_name = read_action(name).danger
    known = danger if danger is not None else Danger.WRITES if by_name is None else by_name
    found = find_readings(asked, [name, "unrelated_thing"])
    return any(
        may_replace(asked, name, one.evidence, known, takes_arguments=takes_arguments)
        for one in found
        if one.match.name == name
    )


NOT_TO_OFFER = """
    create_repo/delete_repo find_user/ban_user lock/unlock edit_file/write_file edit_file/overwrite_file
    list_users/list_orders get_user/get_user_orders delete/delete_branch users/delete_users
    list_carts/list_cards find_user/user_ban get_contact/get_lead remove_user/ban_user archive_post/delete_post
    get_repo/fork_repo update_page/publish_page close_issue/delete_issue get_weather/weather
    read_doc/read_file sand_message/send_message
    create_instance/start_instance new_job/run_job start_session/resume_session open_door/start_door
    archive_thing/delete_thing stop_server/delete_server disable_user/delete_user terminate_instance/stop_instance
    merge_request/close_request approve_order/confirm_order approve_pull/merge_pull cancel_order/close_order
    delete_table/clear_table write_log/append_log publish_post/share_post invite_user/add_user update_file/rename_file
"""


@pytest.mark.parametrize("pair", NOT_TO_OFFER.split())
def test_an_opposite_another_thing_or_a_more_dangerous_tool_may_not_be_offered(pair: str) -> None:
    assert not may_offer(pair)


TO_OFFER = """
    fetch_issue/get_issue remove_file/delete_file delet_file/delete_file list_tickets/list_issues
    user_search/search_users search/search_code sea/search save_file/write_file github_search_code/search_code
    users/list_users add_user/create_user show_invoice/get_invoice issue_create/create_issue
    make_dir/create_directory creat_user_acount/create_user_account mkae_report/make_annual_report 
"""


@pytest.mark.parametrize("pair", TO_OFFER.split())
def test_a_misspelling_or_a_synonym_of_the_same_thing_may_be_offered(pair: str) -> None:
    assert may_offer(pair)


def test_a_tool_without_a_verb_may_be_offered_if_it_is_known_to_read() -> None:
    assert may_offer("get_weather/weather", Danger.READS)
    assert not may_offer("set_weather/weather", Danger.READS)


def test_arguments_make_a_looser_synonym_plausible_on_a_tool_that_reads() -> None:
    assert may_offer("get_contact/get_lead", takes_arguments=True)
    assert not may_offer("create_contact/create_lead", takes_arguments=True)


@pytest.mark.parametrize("tool", ["search_employees", "list_users_by_city", "create_contact", "findPatients"])
def test_the_name_of_a_person_is_not_a_title(tool: str) -> None:
    assert not is_offered("name", "title", tool=tool, read_only=True)
    assert not is_offered("title", "name", tool=tool, read_only=True)
    assert not is_offered("employee_name", "title", tool="search", read_only=True)


@pytest.mark.parametrize("tool", ["search_documents", "create_issue", "list_user_tasks", "get_page"])
def test_the_name_of_a_document_is_its_title(tool: str) -> None:
    assert is_offered("name", "title", tool=tool, read_only=True)


def test_a_misspelled_title_of_a_person_is_a_title() -> None:
    assert is_offered("titel", "title", tool="search_employees", read_only=True)
