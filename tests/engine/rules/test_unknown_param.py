"""What is said about an argument that the tool does not declare."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render

TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
DATE: dict[str, Any] = {"type": "string", "format": "date"}
MOMENT: dict[str, Any] = {"type": "string", "format": "date-time"}


def an_object(required: str = "", **declared: Any) -> dict[str, Any]:
    return {"type": "object", "properties": declared, "required": required.split(), "additionalProperties": False}


def judge(sent: dict[str, Any], schema: dict[str, Any], *, read_only: bool = False, name: str = "do_it") -> Verdict:
    tool = {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}
    return admit(Call(name, sent), Catalog.listed([tool]))


def text(*arguments: Any, **options: Any) -> str:
    return render(judge(*arguments, **options).report).text


PERSON = an_object("", email=TEXT, phone=TEXT, note=TEXT)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("sent", "declared"),
    [
        ({"patient_email": "p@x.de"}, an_object(donor=PERSON)),
        ({"host_email": "p@x.de"}, an_object(guest=PERSON, room=TEXT)),
        ({"driver_phone": "1"}, an_object(order=an_object(recipient=PERSON))),
        ({"birth_date": "2020-06-01"}, an_object(slot=an_object("date", date=DATE))),
        ({"address": {"x": 1}}, an_object("q", q=TEXT, from_date=DATE, to_date=DATE)),
    ],
)
def test_a_field_of_another_thing_is_not_near(sent: dict[str, Any], declared: dict[str, Any], read_only: bool) -> None:
    verdict = judge(sent, declared, read_only=read_only)
    told = render(verdict.report)
    assert verdict.action == "refuse"
    assert "Nearest" not in told.text
    assert "did you mean" not in told.text
    assert "alternatives" not in str(told.structured)
    assert "Parameters: " in told.text


def test_a_street_is_no_email() -> None:
    told = text({"donor": {"street": "Main 1"}}, an_object(donor=PERSON))
    assert told == "Unknown param 'donor.street'.\nParameters: email, phone, note."


@pytest.mark.parametrize(
    ("sent", "place"),
    [("client_email", "customer.email"), ("phone_number", "customer.phone"), ("mail", "customer.email")],
)
def test_a_field_of_the_same_thing_is_near(sent: str, place: str) -> None:
    assert f"'{place}'" in text({sent: "1"}, an_object(customer=PERSON))


def test_a_word_of_the_same_meaning_is_near() -> None:
    assert "Nearest to 'replace': 'overwrite'." in text({"replace": True}, an_object(overwrite=FLAG))


def test_a_date_is_not_offered_where_a_time_is_wanted() -> None:
    jobs = an_object(created_after=MOMENT)
    assert "Fill in: do_it(created_after: <date-time>)" in text({"since": "2025-01-01"}, jobs, read_only=True)
    assert 'created_after: "2025-01-01T10:00:00Z"' in text({"since": "2025-01-01T10:00:00Z"}, jobs, read_only=True)
    assert 'from_date: "2025-01-01"' in text({"since": "2025-01-01"}, an_object(from_date=DATE), read_only=True)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("sent", ["displayed", "is_displayed", "displays"])
def test_a_flag_in_another_form_is_no_negation(sent: str, read_only: bool) -> None:
    objects = an_object("q", q=TEXT, on_display=FLAG)
    told = text({"query": "vase", sent: True}, objects, read_only=read_only)
    assert 'Corrected call: do_it(q: "vase", on_display: true)' in told


@pytest.mark.parametrize("sent", [{"displaying": "yes"}, {"head": 5}, {"archive": "x"}])
def test_what_is_related_to_a_parameter_is_never_left_out(sent: dict[str, Any]) -> None:
    objects = an_object("q", q=TEXT, on_display=FLAG, tail={"type": "integer"}, archived=FLAG)
    verdict = judge({"q": "vase", **sent}, objects, read_only=True)
    assert (verdict.action, verdict.report.corrected) == ("refuse", None)
    verdict = judge({"query": "vase", **sent}, objects, read_only=True)
    assert (verdict.action, verdict.report.corrected) == ("refuse", None)


def test_all_missing_parameters_are_named_if_one_argument_may_be_for_either() -> None:
    told = text({"id": "V1"}, an_object("voter_id station_id", voter_id=TEXT, station_id=TEXT))
    assert "Required parameters 'voter_id' and 'station_id' are missing." in told


def test_a_name_that_makes_an_attack_of_the_value_is_not_offered() -> None:
    told = text({"location": "../../../etc/passwd"}, an_object("path", path=TEXT))
    assert told == "Parameter 'path' is refused: it contains a path traversal."


VITALS = {"type": "object", "properties": {"pulse": {"type": "integer"}, "temperature": {"type": "number"}}}
SELECTION = {"type": "object", "properties": {"owner": {"type": "string"}, "tag": {"type": "string"}}}


def judge_field(holder: str, schema: dict[str, Any], fields: dict[str, Any], **annotations: bool) -> Verdict:
    listed = {"type": "object", "properties": {holder: schema}, "required": [holder]}
    catalog = Catalog.listed([{"name": "record", "inputSchema": listed, "annotations": annotations}])
    return admit(Call("record", {holder: fields}), catalog)


@pytest.mark.parametrize(
    ("holder", "field", "annotations"),
    [
        ("options", "soft", {"destructiveHint": True}),
        ("options", "keep_disks", {"destructiveHint": True}),
        ("filter", "user", {}),
        ("where", "created", {}),
        ("settings", "dry_run", {}),
        ("settings", "exclude_archived", {}),
        ("settings", "until", {"readOnlyHint": True}),
    ],
)
def test_an_undeclared_field_that_may_limit_the_effect_stops_the_call(
    holder: str, field: str, annotations: dict[str, bool]
) -> None:
    verdict = judge_field(holder, SELECTION, {"owner": "a", field: "b"}, **annotations)
    assert verdict.action == "refuse"
    assert f"Unknown param '{holder}.{field}'" in render(verdict.report).text


@pytest.mark.parametrize("annotations", [{}, {"readOnlyHint": True}])
@pytest.mark.parametrize(
    ("sent", "declared"),
    [
        ({"due": 4}, "due_hours"),
        ({"due_days": 4}, "due_hours"),
        ({"for": "5m"}, "for_minutes"),
        ({"kids": 1}, "children"),
        ({"departure_time": 8}, "depart_at"),
    ],
)
def test_an_undeclared_field_that_may_be_a_declared_one_stops_the_call(
    sent: dict[str, Any], declared: str, annotations: dict[str, bool]
) -> None:
    schema = {"type": "object", "properties": {declared: {"type": "integer"}, "quiet": {"type": "boolean"}}}
    assert judge_field("settings", schema, sent, **annotations).action == "refuse"


@pytest.mark.parametrize("annotations", [{}, {"readOnlyHint": True}])
def test_another_undeclared_field_is_no_mistake(annotations: dict[str, bool]) -> None:
    verdict = judge_field("vitals", VITALS, {"pulse": 60, "weight": 70}, **annotations)
    assert (verdict.action, verdict.report.warnings) == ("forward", ())


@pytest.mark.parametrize("more", [True, {"type": "integer"}])
def test_a_field_that_the_schema_allows_is_no_mistake(more: Any) -> None:
    verdict = judge_field("vitals", {**VITALS, "additionalProperties": more}, {"pulse": 60, "weight": 70})
    assert (verdict.action, verdict.report.warnings) == ("forward", ())


def test_commentary_in_an_object_is_no_mistake() -> None:
    verdict = judge_field("vitals", VITALS, {"pulse": 60, "explanation": "resting"})
    assert (verdict.action, verdict.report.warnings) == ("forward", ())


LOG = an_object("", job_id={"type": "integer"}, tail={"type": "integer"})
ORDERS = an_object("", customer=TEXT, created_after=DATE, limit={"type": "integer"})


@pytest.mark.parametrize(
    ("name", "sent", "schema"),
    [
        ("list_orders", {"customer": "c", "date_from": "2026-01-01"}, ORDERS),
        ("list_orders", {"customer": "c", "to": "x"}, ORDERS),
        ("list_orders", {"customer": "c", "-l": "x"}, ORDERS),
        ("search_patients", {"query": "Miller"}, an_object("", surname=TEXT, ward=TEXT)),
        ("get_job_log", {"job_id": 5, "lines": 100}, LOG),
    ],
)
def test_a_read_only_call_does_not_run_without_what_selects_its_result(
    name: str, sent: dict[str, Any], schema: dict[str, Any]
) -> None:
    verdict = judge(sent, _opened(schema), read_only=True, name=name)
    assert verdict.action == "refuse"


@pytest.mark.parametrize(
    ("name", "sent", "schema"),
    [
        ("read_file", {"path": "a", "query": "x"}, an_object("path", path=TEXT, encoding=TEXT)),
        ("search_patients", {"surname": "x", "color": "red"}, an_object("", surname=TEXT)),
        ("search_patients", {"surname": "x", "query": 5}, an_object("", surname=TEXT, ward=TEXT)),
        ("get_job_log", {"job_id": 5, "lines": "few"}, LOG),
        ("get_job_log", {"job_id": 5, "tail": 5, "lines": 100}, LOG),
    ],
)
def test_a_read_only_call_runs_without_what_has_nothing_to_do_with_it(
    name: str, sent: dict[str, Any], schema: dict[str, Any]
) -> None:
    assert judge(sent, _opened(schema), read_only=True, name=name).action == "forward"


def _opened(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


def test_a_cut_list_of_parameters_says_how_many_more_there_are() -> None:
    for count, listed in ((8, "c0, c1, c2, c3, c4, c5, c6, c7"), (10, "c0, c1, c2, c3, c4, c5, c6, c7 and 2 more")):
        properties = {f"c{number}": {"type": "string"} for number in range(count)}
        tool = {"name": "t", "inputSchema": {"type": "object", "properties": properties}}
        report = admit(Call("t", {"zebra": 1}), Catalog.listed([tool])).report
        assert report.diagnoses[0].details["expected"] == listed
        assert f"Parameters: {listed}." in render(report).text


@pytest.mark.parametrize(
    ("annotations", "sent", "action"),
    [
        ({"destructiveHint": True}, {"dry_run": True}, "refuse"),
        ({}, {"label_selector": "env=prod"}, "refuse"),
        ({"readOnlyHint": True}, {"vhost": "prod"}, "forward"),
        ({}, {}, "forward"),
    ],
)
def test_a_tool_with_empty_properties_takes_nothing(
    annotations: dict[str, bool], sent: dict[str, Any], action: str
) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}, "title": "sealArguments"}
    verdict = admit(
        Call("seal", sent), Catalog.listed([{"name": "seal", "inputSchema": schema, "annotations": annotations}])
    )
    assert verdict.action == action
    assert bool(verdict.report.diagnoses) == bool(sent)


@pytest.mark.parametrize(
    "schema", [{"type": "object"}, {"type": "object", "properties": {}, "additionalProperties": True}]
)
def test_a_tool_without_declarations_takes_anything(schema: dict[str, Any]) -> None:
    catalog = Catalog.listed([{"name": "seal", "inputSchema": {"type": "object", **schema}}])
    assert admit(Call("seal", {"dry_run": True}), catalog).action == "forward"


@pytest.mark.parametrize(
    "sent",
    [{"limit": 5}, {"size": 5}, {"tail": 5}, {"path": "a/"}, {"folder": "a"}, {"pattern": "*.py"}, {"range": [1, 5]}],
)
def test_a_read_only_tool_does_not_ignore_what_or_how_much_to_return(sent: dict[str, Any]) -> None:
    declared = {"prefix": TEXT, "max_keys": {"type": "number"}, "bucket": TEXT}
    schema = {"type": "object", "properties": declared, "required": ["bucket"]}
    listed = [{"name": "list_objects", "inputSchema": schema, "annotations": {"readOnlyHint": True}}]
    assert admit(Call("list_objects", {"bucket": "b", **sent}), Catalog.listed(listed)).action == "refuse"


def test_a_name_that_belongs_elsewhere_leaves_a_tie_a_tie() -> None:
    declared = {"from_ticket_id": TEXT, "into_ticket_id": TEXT}
    told = text({"ticket_id": "a", "other_ticket_id": "b"}, an_object(" ".join(declared), **declared))
    assert 'from_ticket_id: "a"' in told
    assert 'into_ticket_id: "a"' in told


def test_an_undeclared_field_gives_way_to_the_required_one_that_has_to_be_filled_in() -> None:
    schema = {"type": "object", "properties": {"size": {"type": "integer"}, "name": TEXT}, "required": ["name", "size"]}
    told = render(judge_field("volume", schema, {"name": "data", "size_mb": 50_000}).report).text
    assert 'Fill in: record(volume: {name: "data", size: <integer>})' in told


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("note ", "Unknown param \"note\" with blanks, did you mean 'note'?"),
        ("no\u200bte", 'Unknown param "note" with invisible characters'),
    ],
)
def test_a_name_that_looks_like_a_declared_one_is_said_to_have_more_in_it(sent: str, message: str) -> None:
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    report = admit(Call("add", {sent: "x"}), Catalog.listed([{"name": "add", "inputSchema": schema}])).report
    assert report.diagnoses[0].message == message
