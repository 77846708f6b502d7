"""Wrong calls whose obvious correction would do harm: what is offered instead."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Policy, Verdict, admit, render
from tests.support.unknown_tools import UnknownTool, load_unknown_tools

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
FLAG: dict[str, Any] = {"type": "boolean"}
IDS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
EMAILS: dict[str, Any] = {"type": "array", "items": {"type": "string", "format": "email"}}


def tool(name: str, required: dict[str, Any], optional: dict[str, Any] | None = None, **hints: bool) -> dict[str, Any]:
    schema = {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}
    return {"name": name, "inputSchema": schema, **({"annotations": hints} if hints else {})}


def judge(arguments: dict[str, Any], *tools: dict[str, Any], name: str = "") -> Verdict:
    return admit(Call(name or tools[0]["name"], arguments), Catalog.listed(tools))


def offered(arguments: dict[str, Any], *tools: dict[str, Any], name: str = "") -> list[Any]:
    """Return the arguments of every call that runs or is offered."""
    verdict = judge(arguments, *tools, name=name)
    ran = [verdict.call.arguments] if verdict.action in ("forward", "repair") else []
    error = render(verdict.report).structured.get("error", {})
    calls = [error.get("corrected_call"), *error.get("possible_calls", [])]
    return [*ran, *(call["arguments"] for call in calls if call)]


@pytest.mark.parametrize(
    ("declared", "sent"),
    [("dose_mg", "dose_mcg"), ("dose_mg", "dose_ug"), ("amount_usd", "amount_uzs"), ("glucose_mmol", "glucose_mgdl"),
     ("fps", "fpm"), ("timeout_ms", "timeout_sm"), ("sms_id", "ssm_id")],
)  # fmt: skip
def test_a_number_is_not_copied_into_a_name_with_another_unit_or_abbreviation(declared: str, sent: str) -> None:
    calls = offered({"thing": "a", sent: 5}, tool("set_thing", {"thing": TEXT, declared: NUMBER}))
    assert all(call.get(declared) != 5 for call in calls)


@pytest.mark.parametrize("sent", ["summary", "note", "description", "comment", "cwd"])
@pytest.mark.parametrize("declared", ["content", "body", "text", "path"])
def test_a_remark_does_not_become_the_content_of_a_tool_that_may_write(declared: str, sent: str) -> None:
    calls = offered({"target": "a", sent: "because it is old"}, tool("apply_change", {"target": TEXT, declared: TEXT}))
    assert all("because" not in str(call.get(declared)) for call in calls)


def test_a_remark_is_content_for_a_tool_about_remarks() -> None:
    [call] = offered({"task": "a", "note": "Call back"}, tool("add_note", {"task": TEXT, "text": TEXT}))
    assert call == {"task": "a", "text": "Call back"}


def test_an_api_key_is_not_the_key_of_an_object() -> None:
    delete = tool("delete_object", {"bucket": TEXT, "key": TEXT}, destructiveHint=True)
    assert all(call.get("key") != "AKIA" for call in offered({"bucket": "b", "api_key": "AKIA"}, delete))


@pytest.mark.parametrize(
    ("name", "description", "sent"),
    [("internal", "Not visible to the customer", "visible"), ("keep", "Prevents removal", "removal"),
     ("force", "Skips the backup", "backup"), ("raw", "Disables formatting", "formatting"),
     ("offline", "Runs without network", "network"), ("unsafe", "Turns off validation", "validation")],
)  # fmt: skip
@pytest.mark.parametrize("read_only", [True, False])
def test_a_description_is_no_evidence_for_a_flag(name: str, description: str, sent: str, read_only: bool) -> None:
    update = tool("update_item", {"item": TEXT}, {name: {**FLAG, "description": description}}, readOnlyHint=read_only)
    assert all(name not in call for call in offered({"item": "1", sent: True}, update))


def test_a_description_with_an_opposite_or_a_negation_is_no_evidence() -> None:
    sender = {"sender": {**TEXT, "description": "Address the recipient can answer to"}}
    assert all("sender" not in call for call in offered({"id": "1", "recipient": "a"}, tool("x", {"id": TEXT}, sender)))
    other = {"zone": {**TEXT, "description": "Colour that is not copied"}}
    calls = offered({"id": "1", "colour": "a"}, tool("x", {"id": TEXT}, other, readOnlyHint=True))
    assert all("zone" not in call for call in calls)


def test_a_word_in_two_descriptions_is_evidence_for_neither() -> None:
    for other in ("Last colour", "Where to end, by colour"):
        ends = {"alpha": {**TEXT, "description": "Colour at the start"}, "omega": {**TEXT, "description": other}}
        calls = offered({"path": "a", "colour": "b"}, tool("read_file", {"path": TEXT}, ends, readOnlyHint=True))
        assert all({"alpha", "omega"}.isdisjoint(call) for call in calls)


def test_a_word_in_the_description_of_a_missing_parameter_casts_doubt_on_a_synonym() -> None:
    message = {"message": {**TEXT, "description": "Commit message"}}
    calls = offered({"path": "p", "commit": "msg"}, tool("put_file", {"path": TEXT, **message}, {"sha": TEXT}))
    assert all(call.get("sha") != "msg" for call in calls)


@pytest.mark.parametrize("sent", [{"recipient": "a@b.co"}, {"recipients": ["a@b.co"]}])
def test_the_recipient_of_a_mail_is_not_who_to_reply_to(sent: dict[str, Any]) -> None:
    send = tool("send_email", {"to": EMAILS, "subject": TEXT}, {"replyTo": TEXT})
    assert offered({**sent, "subject": "s"}, send) == [{"to": ["a@b.co"], "subject": "s"}]


def test_a_verb_is_no_misspelling_of_another_verb() -> None:
    reset = tool("git_reset", {"repo": TEXT}, {"ref": TEXT}, destructiveHint=True)
    assert offered({"repo": "r", "ref": "x"}, reset, tool("git_log", {"repo": TEXT}), name="git_revert") == []


def test_the_same_verb_comes_before_a_habit() -> None:
    query, execute = (tool(name, {"sql": TEXT}) for name in ("query", "execute"))
    verdict = judge({"sql": "delete from t"}, query, execute, name="execute_sql")
    assert verdict.report.diagnoses[0].fixes[0].value == "execute"


@pytest.mark.parametrize(
    ("choices", "sent"),
    [("private public-read authenticated-read", "public-read-write"), ("admin editor viewer", "owner"),
     ("eq neq gt lt contains", "gte"), ("normal high", "abnormal"), ("typical all", "atypical"), ("man other", "woman"),
     ("like eq", "notlike"), ("day week", "weekday"), ("monthly yearly", "bimonthly"), ("admin viewer", "sysadmin")],
)  # fmt: skip
def test_a_choice_that_means_something_else_is_not_offered(choices: str, sent: str) -> None:
    calls = offered({"mode": sent}, tool("set_mode", {"mode": {"enum": choices.split()}}))
    assert all(call["mode"] not in choices.split() for call in calls)


@pytest.mark.parametrize(
    ("choices", "sent", "choice"),
    [("asc desc", "ascending", "asc"), ("open closed", "opend", "open")],
)
def test_a_choice_in_another_form_is_offered(choices: str, sent: str, choice: str) -> None:
    assert offered({"mode": sent}, tool("set_mode", {"mode": {"enum": choices.split()}})) == [{"mode": choice}]


def test_a_choice_with_the_name_of_its_parameter_is_that_choice() -> None:
    levels = {"priority": {"enum": ["low", "high"]}}
    assert offered({"priority": "high priority"}, tool("set_level", levels)) == [{"priority": "high"}]


def test_a_place_with_a_comma_may_be_one_item() -> None:
    places = {"origins": {"type": "array", "items": TEXT}}
    calls = offered({"origins": "Berlin, Germany"}, tool("distance", places))
    assert calls == [{"origins": ["Berlin", "Germany"]}, {"origins": ["Berlin, Germany"]}]
    assert offered({"tags": "bug, ui"}, tool("label", {"tags": places["origins"]})) == [{"tags": ["bug", "ui"]}]


@pytest.mark.parametrize(
    "sent", [{"amount_gte": 50}, {"outOfStock": True}, {"no_header": True}, {"metric": "co2"}, {"ttl_hours": 1}]
)
def test_a_read_only_tool_does_not_run_without_an_argument_that_says_what_to_return(sent: dict[str, Any]) -> None:
    optional = {"inStock": FLAG, "sensor": {"enum": ["co2", "heat"]}, "expires_in_seconds": NUMBER}
    assert judge({"q": "x", **sent}, tool("search", {"q": TEXT}, optional, readOnlyHint=True)).action == "refuse"


def test_a_read_only_tool_runs_without_an_argument_that_has_nothing_to_do_with_it() -> None:
    search = tool("search", {"q": TEXT}, {"limit": NUMBER}, readOnlyHint=True)
    assert judge({"q": "x", "flavour": "sweet"}, search).action == "forward"


def test_an_undeclared_object_of_declared_arguments_is_taken_apart_on_a_read_only_tool() -> None:
    events = tool("list_events", {}, {"timeMin": TEXT, "timeMax": TEXT}, readOnlyHint=True)
    inside = {"timeMin": "2025-01-01", "timeMax": "2025-01-02"}
    assert offered({"timeRange": inside}, events) == [inside]
    assert judge({"timeRange": {}}, events).report.corrected is None


def test_an_object_in_an_object_is_taken_out() -> None:
    person = {"type": "object", "properties": {"name": TEXT, "email": TEXT}, "required": ["name", "email"]}
    order = tool("create_order", {"customer": person})
    inside = {"name": "A", "email": "a@b.co"}
    assert judge({"customer": {"value": inside}}, order).call.arguments == {"customer": inside}


@pytest.mark.parametrize("read_only", [True, False])
def test_an_argument_about_something_else_is_left_out_if_a_value_has_to_be_filled_in(read_only: bool) -> None:
    delete = tool("drop_contact", {"contactId": TEXT}, readOnlyHint=read_only)
    assert offered({"companyId": "7"}, delete) == [{"contactId": "<string>"}]
    assert offered({"contactId": "1", "companyId": "7"}, tool("drop_contact", {"contactId": TEXT})) == []


@pytest.mark.parametrize(
    ("sent", "declared"),
    [
        ({"card": "c", "board_id": "b"}, {"card": TEXT, "list_id": TEXT}),
        ({"asset": "U", "email_address": "a@b.co"}, {"asset": TEXT, "address": TEXT}),
        ({"employee": "1", "monthlySalary": 5}, {"employee": TEXT, "annualSalary": NUMBER}),
        ({"machine": "m", "speed": 100}, {"machine": TEXT, "rpm": NUMBER}),
    ],
)
def test_an_argument_that_only_resembles_a_missing_one_does_not_fill_it(
    sent: dict[str, Any], declared: dict[str, Any]
) -> None:
    first, missing = declared
    [call] = offered(sent, tool("change_it", declared, {"notify": FLAG}))
    assert call == {first: sent[first], missing: call[missing]} and str(call[missing]).startswith("<")


def test_two_arguments_for_one_missing_parameter_fill_nothing() -> None:
    build = tool("trigger_build", {"pipeline": TEXT, "branch": TEXT})
    calls = offered({"pipeline": "p", "commitBranch": "m", "targetBranch": "x"}, build)
    assert all(call["branch"] not in ("m", "x") for call in calls)


def test_an_argument_for_an_optional_parameter_is_not_left_out() -> None:
    draw = tool("draw", {"prompt": TEXT}, {"style": TEXT})
    assert offered({"style_preset": "anime"}, draw) == []


@pytest.mark.parametrize("sent", [{"query": {"a": 1}}, {"where": {"a": 1}}, {"criteria": {"a": 1}}])
def test_a_condition_of_a_destructive_tool_keeps_its_meaning(sent: dict[str, Any]) -> None:
    delete = tool("delete_many", {"table": TEXT}, {"filter": {"type": "object"}}, destructiveHint=True)
    assert offered({"table": "t", **sent}, delete) == [{"table": "t", "filter": {"a": 1}}]


def test_a_condition_as_json_in_a_text_keeps_its_meaning() -> None:
    delete = tool("delete_rows", {"table": TEXT, "where": {"type": "object"}}, destructiveHint=True)
    assert offered({"table": "t", "filter": '{"id": 1}'}, delete) == [{"table": "t", "where": {"id": 1}}]


def test_a_short_form_in_another_unit_asks_for_the_value() -> None:
    climate = tool("set_climate", {"entity": TEXT}, {"temperature_celsius": NUMBER})
    assert offered({"entity": "c", "temp_f": 70}, climate) == [{"entity": "c", "temperature_celsius": "<number>"}]


@pytest.mark.parametrize(("sent", "known"), [("what_if", "dry_run"), ("dryRun", "validateOnly"), ("noop", "dry_run")])
def test_a_trial_run_keeps_its_meaning(sent: str, known: str) -> None:
    purge = tool("purge_logs", {"days": NUMBER}, {known: FLAG, "force": FLAG}, destructiveHint=True)
    assert offered({"days": 3, sent: True}, purge) == [{"days": 3, known: True}]


def test_an_opposite_flag_is_offered_with_the_opposite_value_and_never_by_its_name_alone() -> None:
    create = tool("create_list", {"name": TEXT}, {"public": FLAG})
    assert offered({"name": "x", "private": True}, create) == [{"name": "x", "public": False}]
    text = render(judge({"name": "x", "private": True}, create).report)
    assert "did you mean" not in text.text and "did_you_mean" not in str(text.structured)


@pytest.mark.parametrize("sent", [{"older_than": "30d"}, {"simulate": "x"}, {"flavour": True}])
def test_an_argument_that_may_limit_the_effect_stays_a_question(sent: dict[str, Any]) -> None:
    assert offered(sent, tool("drop_contact", {"contactId": TEXT})) == []


@pytest.mark.parametrize(
    ("declared", "sent"),
    [("altitude_m", "altitude"), ("power_w", "power"), ("width_in", "width"), ("area_sqm", "area_sqft")],
)
def test_a_unit_behind_any_quantity_is_never_guessed(declared: str, sent: str) -> None:
    calls = offered({"device": "d", sent: 7}, tool("set_target", {"device": TEXT, declared: NUMBER}))
    assert all(call.get(declared) != 7 for call in calls)


@pytest.mark.parametrize(
    ("name", "value", "number"),
    [("altitude_m", "100ft", None), ("weight_g", "7 lb", None), ("power_w", "7kw", None), ("altitude_m", "30 m", 30),
     ("weight_g", "5 g", 5), ("price_in_usd", "5 in", None)],
)  # fmt: skip
def test_a_number_with_a_unit_is_offered_only_in_the_unit_of_the_parameter(
    name: str, value: str, number: float | None
) -> None:
    [call] = offered({name: value}, tool("set_target", {name: NUMBER}))
    assert call[name] == ("<number>" if number is None else number)


@pytest.mark.parametrize(("sent", "listed"), [("hget", "hset"), ("mget", "mset"), ("lpush", "lpop")])
def test_a_command_is_no_misspelling_of_its_opposite(sent: str, listed: str) -> None:
    assert offered({"key": "x"}, tool(listed, {"key": TEXT}), tool("other", {}), name=sent) == []


@pytest.mark.parametrize(
    ("choices", "sent"),
    [
        ("draft sent completed voided", "incomplete"),
        ("market limit stop_limit", "stop"),
        ("public internal", "private"),
    ],
)
def test_a_choice_that_says_something_else_or_more_is_not_offered(choices: str, sent: str) -> None:
    calls = offered({"mode": sent}, tool("set_mode", {"mode": {"enum": choices.split()}}))
    assert all(call["mode"] not in choices.split() for call in calls)


@pytest.mark.parametrize("value", ["null", "None", "", None])
@pytest.mark.parametrize("name", ["filter", "dry_run", "older_than_days"])
def test_no_value_for_a_restriction_never_drops_it_on_a_tool_that_may_write(name: str, value: Any) -> None:
    schema = {"dry_run": FLAG, "older_than_days": NUMBER, "filter": {"type": "object"}}[name]
    purge = tool("purge_queue", {"queue": TEXT}, {name: schema}, destructiveHint=True)
    assert all(name in call for call in offered({"queue": "q", name: value}, purge))
    assert offered({"queue": "q", name: value}, tool("scan", {"queue": TEXT}, {name: schema}, readOnlyHint=True)) == [
        {"queue": "q"}
    ]


@pytest.mark.parametrize("value", ["", "None", "N/A"])
@pytest.mark.parametrize(
    ("name", "schema", "hints"),
    [
        ("bulk_close", IDS, {"destructiveHint": True}),
        ("run_payroll", NUMBER, {"destructiveHint": True}),
        ("message_parents", IDS, {}),
        ("assign_reviewers", {"enum": ["new", "old"], "description": "Which customers. Omitted: all customers."}, {}),
        ("mute_channel", {**NUMBER, "description": "Hours; if not given, the channel is muted for ever"}, {}),
    ],
)
def test_a_blank_that_says_on_what_a_tool_works_is_filled_in(
    name: str, schema: dict[str, Any], hints: dict[str, bool], value: str
) -> None:
    listed = tool(name, {"text": TEXT}, {"thing_ids": schema}, **hints)
    verdict = judge({"text": "a", "thing_ids": value}, listed)
    assert verdict.action == "refuse"
    assert verdict.report.corrected is not None
    assert "thing_ids" in verdict.report.corrected.arguments


def test_blank_recipients_are_filled_in() -> None:
    survey = tool("send_survey", {"text": TEXT}, {"recipients": EMAILS})
    assert all("recipients" in call for call in offered({"text": "a", "recipients": ""}, survey))


def test_neither_branch_is_where_a_change_comes_from() -> None:
    opened = tool("open_pull_request", {"title": TEXT, "head": TEXT, "base": TEXT})
    sent = {"title": "a", "from": "fix", "to": "main"}
    assert all({call["head"], call["base"]} == {"<string>"} for call in offered(sent, opened))


@pytest.mark.parametrize(
    ("name", "schema", "hints"),
    [
        ("create_event", IDS, {}),
        ("update_event", NUMBER, {}),
        ("delete_event", FLAG, {"destructiveHint": True}),
    ],
)
def test_a_blank_that_describes_a_thing_is_offered_to_be_left_out(
    name: str, schema: dict[str, Any], hints: dict[str, bool]
) -> None:
    listed = tool(name, {"text": TEXT}, {"guest_ids": schema}, **hints)
    assert offered({"text": "a", "guest_ids": "None"}, listed) == [{"text": "a"}]


def test_a_wrapper_that_may_be_a_parameter_is_none() -> None:
    body: dict[str, Any] = {"query": {"match_all": {}}}
    search = tool("search", {"index": TEXT, "queryBody": {"type": "object"}})
    assert offered({"index": "logs", "body": body}, search) == [{"index": "logs", "queryBody": body}]


def test_an_email_address_is_not_the_address_to_pay_to() -> None:
    withdraw = tool("withdraw", {"asset": TEXT, "address": TEXT}, destructiveHint=True)
    assert all("@" not in call["address"] for call in offered({"asset": "x", "email_address": "a@b.co"}, withdraw))


def test_a_call_to_fill_in_has_every_missing_value_at_any_depth() -> None:
    names = "abcdefghijklmnop"
    inner = {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": list(names)}
    [call] = offered({"customer": {"a": "1"}}, tool("order", {"customer": inner, "z": NUMBER}))
    assert call == {"customer": {**dict.fromkeys(names, "<string>"), "a": "1"}, "z": "<number>"}


def test_a_tool_that_writes_sometimes_is_repaired_only_without_loss_whatever_the_policy() -> None:
    sync = {**tool("sync", {"mode": TEXT}, {"target": TEXT}, readOnlyHint=True), "_meta": {KEY: {"may_write": True}}}
    catalog, policy = Catalog.listed([sync]), Policy(auto_correct="all")
    assert admit(Call("sync", {"mode": "push", "targt": "x"}), catalog, policy=policy).action == "refuse"
    assert admit(Call("sync", {"mode": "push", "Target": "x"}), catalog, policy=policy).action == "repair"


@pytest.mark.parametrize(
    ("value", "is_repeated"),
    [("cus_NffrFeUfNV2Hib", True), ("sk_NffrFeUfNV2Hib99", False), ("i-0abcd1234efgh5678", True)],
)
def test_an_id_with_a_prefix_is_repeated_unless_the_prefix_is_that_of_a_secret(value: str, is_repeated: bool) -> None:
    verdict = judge({"customer_id": value, "amuont": 5}, tool("charge", {"customer_id": TEXT, "amount": NUMBER}))
    assert (value in render(verdict.report).text) is is_repeated


@pytest.mark.parametrize(
    ("declared", "sent"), [("altitude_m", "altitude_meters"), ("temperature_c", "temperature_celsius")]
)
def test_the_same_unit_in_another_spelling_is_the_same(declared: str, sent: str) -> None:
    assert offered({sent: 21}, tool("set_target", {declared: NUMBER})) == [{declared: 21}]


def test_a_part_of_a_choice_is_that_choice_unless_the_rest_is_a_choice() -> None:
    kinds = {"kind": {"enum": ["for_sale", "for_rent", "sold"]}}
    assert offered({"kind": "rent"}, tool("list_homes", kinds)) == [{"kind": "for_rent"}]


def test_what_a_description_mentions_may_be_left_out_of_a_call_to_fill_in() -> None:
    issue = tool("get_issue", {"issueId": {**TEXT, "description": "Id of an issue in a project"}}, readOnlyHint=True)
    assert offered({"projectId": "p"}, issue) == [{"issueId": "<string>"}]


LISTS, CALLS = load_unknown_tools()


@pytest.mark.parametrize(
    "case", [one for one in CALLS if not one.intended], ids=lambda one: f"{one.list_name}.{one.call.tool}"
)
def test_no_tool_is_offered_for_another_thing_an_opposite_or_with_arguments_that_do_not_fit(case: UnknownTool) -> None:
    verdict = admit(case.call, LISTS[case.list_name])
    error = render(verdict.report).structured["error"]
    assert (error.get("corrected_call"), error.get("possible_calls")) == (None, None)
    assert "did_you_mean" not in error["suggestions"]


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        ("confirm", {"force": True}), ("final", {"semifinal": True}), ("force", {"overwrite": True}),
        ("authorisation", {"author": "Bob"}), ("owner", {"coowner": "Bob"}), ("semitones", {"tones": 3}),
    ],
)  # fmt: skip
def test_a_word_that_only_resembles_a_parameter_does_not_fill_it(declared: str, sent: dict[str, Any]) -> None:
    value = next(iter(sent.values()))
    schema = FLAG if value is True else TEXT if isinstance(value, str) else NUMBER
    calls = offered({"section": "a", **sent}, tool("change_section", {"section": TEXT, declared: schema}))
    assert all(call.get(declared) != value for call in calls)


@pytest.mark.parametrize(
    "sent", [{"from": "2025-05-01", "to": "2025-05-04"}, {"start": "2025-05-01", "end": "2025-05-04"}]
)
def test_a_span_is_not_read_as_a_journey(sent: dict[str, Any]) -> None:
    stay = tool("reserve_berth", {"berth": TEXT, "arrival": TEXT, "departure": TEXT})
    first, last = sent.values()
    calls = offered({"berth": "B1", **sent}, stay)
    assert all((call.get("arrival"), call.get("departure")) != (last, first) for call in calls)


@pytest.mark.parametrize(("declared", "sent"), [("fade_s", "fade"), ("nozzle_c", "nozzle"), ("target_c", "target")])
def test_a_single_letter_at_the_end_of_a_name_is_a_unit(declared: str, sent: str) -> None:
    calls = offered({"cue": "a", sent: 20}, tool("change_cue", {"cue": TEXT, declared: NUMBER}))
    assert all(call.get(declared) != 20 for call in calls)


def test_another_unit_or_a_direction_behind_a_number_is_not_dropped() -> None:
    tank = tool("set_tank", {"target_c": NUMBER})
    assert all(call["target_c"] != 68 for call in offered({"target_c": "68\u00b0F"}, tank))
    transpose = tool("transpose", {"semitones": {"type": "integer"}})
    assert all(call["semitones"] != 3 for call in offered({"semitones": "3 down"}, transpose))


def test_the_same_name_in_another_unit_is_preferred_to_a_synonym() -> None:
    berths = tool("list_berths", {}, {"max_length_m": NUMBER, "limit": NUMBER}, readOnlyHint=True)
    assert offered({"max_length": 12}, berths) == [{"max_length_m": "<number>"}]


@pytest.mark.parametrize("sent", [{"page": 2}, {"offset": 50}, {"cursor": "a"}])
def test_an_argument_that_says_which_part_to_return_is_not_ignored(sent: dict[str, Any]) -> None:
    find = tool("find_text", {}, {"name": TEXT, "tone": {"enum": ["formal", "informal"]}}, readOnlyHint=True)
    assert offered(sent, find) == []


@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": True}])
@pytest.mark.parametrize(
    ("name", "sent", "missing"),
    [
        ("get_app_logs", "name", "app"),
        ("get_user", "name", "user_id"),
        ("close_ticket", "id", "ticket"),
    ],
)
def test_a_bare_label_is_not_that_of_another_thing_while_one_is_missing(
    name: str, sent: str, missing: str, hints: dict[str, bool]
) -> None:
    listed = tool(name, {missing: TEXT}, {f"dyno_{sent}": TEXT}, **hints)
    assert all(f"dyno_{sent}" not in call for call in offered({sent: "shop"}, listed))


@pytest.mark.parametrize("sent", ["slow", "latitude"])
def test_another_word_is_no_misspelling_of_a_choice(sent: str) -> None:
    read = tool("read", {"metric": {"enum": ["low", "altitude", "speed"]}}, readOnlyHint=True)
    assert all(str(call["metric"]).startswith("<") for call in offered({"metric": sent}, read))


@pytest.mark.parametrize("token", ["AKIAIOSFODNN7EXAMPLE", "glpat-a1b2c3d4e5f6g7h8i9j0", "ghp_" + "a1B2" * 9])
def test_a_token_in_the_place_of_a_name_is_not_repeated(token: str) -> None:
    find = tool("find", {"name": TEXT}, readOnlyHint=True)
    for name, arguments in ((token, {}), ("find", {token: 1})):
        answer = render(judge(arguments, find, name=name).report)
        assert token not in answer.text and token not in str(answer.structured)


@pytest.mark.parametrize("sent", ["prod\u200b", "\u2060prod"])
def test_a_choice_that_differs_by_what_cannot_be_seen_is_no_contradiction(sent: str) -> None:
    text = render(judge({"name": sent}, tool("use", {"name": {"enum": ["prod", "test"]}})).report).text
    assert 'got "prod" with invisible characters' in text


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        ("flow_lph", "flow_gph"), ("glucose_mgdl", "glucose_mmol"), ("dist_nmi", "dist_mi"), ("cap_mah", "cap_ah"),
        ("irr_wm2", "irr_kwm2"), ("noise_dba", "noise_dbc"), ("yield_tph", "yield_tpd"),
    ],
)  # fmt: skip
def test_a_short_last_word_may_be_a_unit_that_no_list_has(declared: str, sent: str) -> None:
    pump = tool("set_pump", {"zone": TEXT}, {declared: NUMBER})
    assert offered({"zone": "a", sent: 3}, pump) == [{"zone": "a", declared: "<number>"}]


@pytest.mark.parametrize(
    ("name", "sent", "hint"),
    [
        ("flow_lph", "3 gph", "takes a number in lph"),
        ("flow_lpm", "2 gallons/min", "takes a number in lpm"),
        ("bitrate_kbps", "8 Mbps", "takes a number in kbps,"),
    ],
)
def test_a_number_in_another_unit_is_not_offered(name: str, sent: str, hint: str) -> None:
    pump = tool("set_pump", {name: {**NUMBER, "description": "Litres per minute"}})
    verdict = judge({name: sent}, pump)
    assert offered({name: sent}, pump) == [{name: "<number>"}]
    assert hint in render(verdict.report).text


DATE: dict[str, Any] = {"type": "string", "format": "date"}
ROLES: dict[str, Any] = {"type": "array", "items": {"enum": ["admin", "guest"]}}


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        ({"taken_after": DATE, "taken_before": DATE}, {"date": "2024-01-01"}),
        ({"as_of": {"type": "string", "format": "date-time"}}, {"day": "2024-1-1"}),
        ({"since": DATE, "cursor": TEXT}, {"after": "2024-01-01"}),
        ({"roles": ROLES}, {"groups": ["admin"]}),
        ({"roles": ROLES}, {"admin": True}),
        ({"waypoints": {"type": "array", "items": TEXT}}, {"via": ["C"]}),
        ({"completed_only": FLAG}, {"incomplete": False}),
    ],
)
def test_a_read_only_tool_does_not_run_without_an_argument_that_has_a_place_by_its_value(
    declared: dict[str, Any], sent: dict[str, Any]
) -> None:
    listed = tool("find_things", {"name": TEXT}, declared, readOnlyHint=True)
    verdict = judge({"name": "a", **sent}, listed)
    assert verdict.action == "refuse"
    assert all(call == {"name": "a", **call} and len(call) > 1 for call in offered({"name": "a", **sent}, listed))
    assert judge({"nmae": "a", **sent}, listed).action == "refuse"


def test_a_flag_or_a_date_does_not_become_something_else() -> None:
    mail = tool("send_mail", {"to": TEXT}, {"draft": FLAG, "send_at": {"type": "string", "format": "date-time"}})
    assert all("send_at" not in call for call in offered({"to": "a", "send": False}, mail))
    samples = tool("list_samples", {}, {"collected_from": DATE, "cursor": TEXT}, readOnlyHint=True)
    assert all("cursor" not in call for call in offered({"after": "2025-01-01"}, samples))


def test_a_tool_that_destroys_a_companion_is_not_offered() -> None:
    status, task = tool("delete_project_status", {"status_gid": TEXT}), tool("delete_task", {"task_id": TEXT})
    verdict = judge({"project_id": "1"}, status, task, name="delete_project")
    assert verdict.report.corrected is None
    assert not any(fix.confidence > 0.7 for one in verdict.report.diagnoses for fix in one.fixes)


def test_a_workspace_is_no_project() -> None:
    task = tool("create_task", {"name": TEXT, "project_id": TEXT})
    assert all(call["project_id"] != "77" for call in offered({"name": "a", "workspace": "77"}, task))


def test_names_that_share_a_word_stand_first_in_a_long_list() -> None:
    many = {f"other{index}": TEXT for index in range(20)}
    listed = tool("set_pump", {}, {**many, "accel_ms2": NUMBER})
    assert "Parameters: accel_ms2, other0" in render(judge({"accel_limit": 3}, listed).report).text


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        ("gain_db", "gain"), ("rate_limit_rps", "rate_limit"), ("length_beats", "length"), ("cost_credits", "cost"),
        ("depth_fathoms", "depth"), ("spin_krpm", "spin"), ("gain", "gain_db"), ("width_cells", "width"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [3, "3"])
def test_a_number_without_a_unit_is_not_copied_into_a_name_with_one(declared: str, sent: str, value: Any) -> None:
    mixer = tool("set_mixer", {"track": TEXT}, {declared: NUMBER})
    assert offered({"track": "a", sent: value}, mixer) == [{"track": "a", declared: "<number>"}]


@pytest.mark.parametrize(
    ("declared", "sent"), [("page_number", "page"), ("size_limit", "size"), ("price_max", "price"), ("seed_v2", "seed")]
)
def test_a_last_word_that_says_which_value_it_is_is_no_unit(declared: str, sent: str) -> None:
    assert offered({"a": "a", sent: 3}, tool("make", {"a": TEXT}, {declared: NUMBER})) == [{"a": "a", declared: 3}]


def test_numbers_without_their_units_are_all_asked_for_in_one_call() -> None:
    clock = {"properties": {"limit_seconds": NUMBER, "increment_seconds": NUMBER}, "required": ["limit_seconds"]}
    for closed in ({}, {"additionalProperties": False}):
        game = tool("start_game", {"clock": {"type": "object", **clock, **closed}})
        asked = {"limit_seconds": "<number>", "increment_seconds": "<number>"}
        assert offered({"clock": {"limit": 300, "increment": 3}}, game) == [{"clock": asked}]


@pytest.mark.parametrize(
    ("declared", "sent", "meant"),
    [
        ("rollback_on_error", "no_rollback", None), ("backup_before_start", "skip_backup", None),
        ("validate_input", "unvalidated_input", False), ("verify_tls_certificate", "no_verify", None),
        ("keep_history", "without_history", None), ("skip_tests_on_draft", "tests", None),
        ("disable_cache", "disabel_cache", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": True}, {"destructiveHint": True}])
def test_a_flag_that_declines_is_not_the_flag_that_asks(
    declared: str, sent: str, meant: bool | None, hints: dict[str, bool]
) -> None:
    calls = offered({"id": "x", sent: True}, tool("migrate", {"id": TEXT}, {declared: FLAG}, **hints))
    assert [call.get(declared) for call in calls if declared in call] == ([] if meant is None else [meant])


def test_to_empty_a_thing_is_not_to_delete_it() -> None:
    topics = [tool("delete_topic", {"topic": TEXT}, destructiveHint=True), tool("list_topics", {}, readOnlyHint=True)]
    assert offered({"topic": "a"}, *topics, name="purge_topic") == []


def test_a_group_is_no_topic() -> None:
    consume = tool("consume", {"topic": TEXT}, {"offset": TEXT}, readOnlyHint=True)
    assert all(call["topic"] != "billing" for call in offered({"group": "billing", "offset": "0"}, consume))


@pytest.mark.parametrize(
    ("declared", "sent"),
    [("public_only", "private_only"), ("online_only", "offline_only"), ("verified_only", "unverified_only")],
)
@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": True}])
def test_only_one_kind_is_not_everything_but_the_other(declared: str, sent: str, hints: dict[str, bool]) -> None:
    publish = tool("publish", {"id": TEXT}, {declared: FLAG}, **hints)
    assert all(declared not in call for call in offered({"id": "C", sent: True}, publish))


def test_not_safe_for_work_is_the_opposite_of_safe_for_work() -> None:
    search = tool("search", {"term": TEXT}, {"nsfw": FLAG}, readOnlyHint=True)
    assert offered({"term": "a", "sfw": True}, search) == [{"term": "a", "nsfw": False}]


@pytest.mark.parametrize(
    ("sent", "bulk"),
    [
        ("delete_segment", tool("delete_segments", {"memory_id": TEXT}, {"filter": TEXT}, destructiveHint=True)),
        ("close_valve", tool("close_valves", {"zone_id": TEXT})),
        ("archive_user", tool("archive_users", {"group_id": TEXT})),
    ],
)
@pytest.mark.parametrize("more", [{}, {"zone_id": "z", "memory_id": "m", "group_id": "g"}])
def test_a_tool_for_all_is_not_offered_for_one(sent: str, bulk: dict[str, Any], more: dict[str, Any]) -> None:
    given = {name: value for name, value in more.items() if name in bulk["inputSchema"]["properties"]}
    assert offered({f"{sent.split('_')[1]}_id": "x", **given}, bulk, name=sent) == []


def test_a_tool_for_all_that_takes_the_arguments_is_offered() -> None:
    assert offered({"zone_id": "z"}, tool("close_valves", {"zone_id": TEXT}), name="close_valve") == [{"zone_id": "z"}]


@pytest.mark.parametrize(
    ("declared", "sent"),
    [("crew_note", "agent_note"), ("description", "tool_description"), ("description", "step_description"),
     ("message", "agent_message"), ("comment", "tool_comment"), ("confirm_token", "confirm")],
)  # fmt: skip
def test_what_an_agent_says_about_itself_is_no_text_for_the_tool(declared: str, sent: str) -> None:
    order = tool("create_order", {"asset_id": TEXT}, {declared: TEXT})
    assert all(declared not in call for call in offered({"asset_id": "A", sent: "step 2 of the plan"}, order))


def test_a_note_of_an_agent_is_a_text_for_the_tool_that_adds_notes_of_agents() -> None:
    add = tool("add_agent_note", {"note": TEXT})
    assert offered({"agent_note": "call back"}, add) == [{"note": "call back"}]


@pytest.mark.parametrize(
    ("sent", "corrected"),
    [
        ({"width": 800, "height": 600}, {"width_px": "<number>", "height_px": "<number>"}),
        ({"dpi": "300"}, {"dpi": 300}),
        ({"width_px": "800", "height_px": 600}, {"width_px": 800, "height_px": 600}),
    ],
)
def test_the_alternative_that_has_the_names_that_were_sent_is_explained(
    sent: dict[str, Any], corrected: dict[str, Any]
) -> None:
    choices = [{"dpi": NUMBER}, {"width_px": NUMBER, "height_px": NUMBER}]
    objects = [
        {"type": "object", "properties": one, "required": list(one), "additionalProperties": False} for one in choices
    ]
    for kinds in (objects, [TEXT, *objects]):
        assert offered({"output": sent}, tool("scan", {"output": {"oneOf": kinds}})) == [{"output": corrected}]
