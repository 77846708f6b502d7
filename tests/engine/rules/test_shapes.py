"""Arguments in the wrong container: wrappers, keys that spell a path, flattened objects, boxed values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import Applicability, Call, Catalog, Policy, Verdict, render
from fingerpost.engine.judge import judge

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
CUSTOMER = {"type": "object", "properties": {"name": STRING, "email": STRING}, "required": ["name", "email"]}
ITEM = {"type": "object", "properties": {"sku": STRING, "quantity": INTEGER}, "required": ["sku"]}
ADDRESS = {"type": "object", "properties": {"city": STRING, "zip": STRING}}
ORDER: dict[str, Any] = {
    "name": "create_order",
    "inputSchema": {
        "type": "object",
        "properties": {
            "customer": CUSTOMER,
            "items": {"type": "array", "items": ITEM},
            "shipping": {
                "anyOf": [{"type": "object", "properties": {"city": STRING, "zip": STRING}}, {"type": "null"}]
            },
            "labels": {"type": "object", "additionalProperties": STRING},
            "tags": {"type": "array", "items": STRING},
            "note": STRING,
        },
        "required": ["customer"],
    },
}
RIGHT = {"customer": {"name": "Ann", "email": "ann@example.com"}}


def order(arguments: Any, *, read_only: bool = False) -> Verdict:
    tool = {**ORDER, "annotations": {"readOnlyHint": True}} if read_only else ORDER
    return judge(Call("create_order", arguments), Catalog.listed([tool]), Policy())


@pytest.mark.parametrize(
    "arguments",
    [
        {"input": RIGHT},
        {"requestBody": RIGHT},
        {"order": RIGHT},
        {"create_order": RIGHT},
        {"tool": "create_order", "arguments": RIGHT},
        {"params": {"data": RIGHT}},
        {"params": json.dumps({"order": RIGHT})},
        {"body": [RIGHT]},
        [RIGHT],
        json.dumps(RIGHT),
    ],
)  # fmt: skip
def test_a_container_around_the_arguments_is_removed(arguments: Any) -> None:
    found = order(arguments)
    assert (found.action, found.call.arguments) == ("repair", RIGHT)
    assert "taken out of" in render(found.report).text or "read from a string" in render(found.report).text


def test_a_wrapper_beside_declared_arguments_is_merged() -> None:
    found = order({"note": "fragile", "payload": RIGHT})
    assert (found.action, found.call.arguments) == ("repair", {"note": "fragile", **RIGHT})


@pytest.mark.parametrize(
    "arguments",
    [
        {**RIGHT, "body": {"note": "a"}, "data": {"note": "b"}},
        {**RIGHT, "note": "a", "body": {"note": "b"}},
        {**RIGHT, "meta": {"color": "red"}},
        {**RIGHT, "body": ["a", "b"]},
    ],
)
def test_a_wrapper_is_left_alone_if_a_value_would_be_overwritten_or_the_contents_are_no_arguments(
    arguments: Any,
) -> None:
    assert order(arguments).action == "refuse"


@pytest.mark.parametrize("wrapper", ["not", "dry_run", "previous", "delete_order", "whatever_this_is"])
def test_an_unusual_wrapper_is_offered_on_read_only_tools_and_never_removed_on_others(wrapper: str) -> None:
    assert (order({wrapper: RIGHT}).action, order({wrapper: RIGHT}).report.corrected) == ("refuse", None)
    found = order({wrapper: RIGHT}, read_only=True)
    assert (found.action, found.report.corrected) == ("refuse", Call("create_order", RIGHT))


def test_an_unusual_wrapper_around_optional_arguments_is_not_trusted() -> None:
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"note": STRING}}}
    assert judge(Call("t", {"thing": {"note": "x"}}), Catalog.listed([tool]), Policy()).action == "refuse"


@pytest.mark.parametrize(
    ("arguments", "fixed"),
    [
        ({"customer.name": "Ann", "customer.email": "a@b.c"}, {"customer": {"name": "Ann", "email": "a@b.c"}}),
        ({"customer[name]": "Ann", "customer[email]": "a@b.c"}, {"customer": {"name": "Ann", "email": "a@b.c"}}),
        ({"/customer/name": "Ann", "/customer/Email": "a@b.c"}, {"customer": {"name": "Ann", "email": "a@b.c"}}),
        ({**RIGHT, "items[0].sku": "x", "items[0].quantity": 2, "items[1].sku": "y"},
         {**RIGHT, "items": [{"sku": "x", "quantity": 2}, {"sku": "y"}]}),
        ({**RIGHT, "labels.color": "red"}, {**RIGHT, "labels": {"color": "red"}}),
        ({**RIGHT, "tags[]": "new"}, {**RIGHT, "tags": ["new"]}),
        ({**RIGHT, "tags[]": ["new"]}, {**RIGHT, "tags": ["new"]}),
        ({**RIGHT, "/note": "x"}, {**RIGHT, "note": "x"}),
    ],
)  # fmt: skip
def test_a_key_that_spells_a_path_is_moved_into_its_place(arguments: Any, fixed: Any) -> None:
    found = order(arguments)
    assert (found.action, found.call.arguments) == ("repair", fixed)
    assert "was moved to its place" in render(found.report).text


@pytest.mark.parametrize(
    "key", ["items[2].sku", "items[0].color", "customer.name", "customer.age", "note.text", "items[x].sku"]
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_key_that_spells_a_path_without_a_place_is_refused_on_every_tool(key: str, read_only: bool) -> None:
    found = order({**RIGHT, key: "x"}, read_only=read_only)
    assert (found.action, found.report.corrected) == ("refuse", None)
    assert "has no place inside" in found.report.diagnoses[0].message


def test_a_path_that_begins_with_an_unknown_name_is_an_unknown_parameter() -> None:
    assert order({**RIGHT, "color.name": "red"}).report.diagnoses[0].code == "UNKNOWN_PARAM"


def test_an_open_tool_takes_keys_as_they_are() -> None:
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"a": STRING}, "additionalProperties": True}}
    for arguments in ({"a.b": 1}, {"c": 1}):
        assert judge(Call("t", arguments), Catalog.listed([tool]), Policy()).action == "forward"


def test_fields_of_a_required_object_are_moved_into_it() -> None:
    found = order({"name": "Ann", "email": "a@b.c", "note": "x"})
    assert (found.action, found.call.arguments) == (
        "repair",
        {"customer": {"name": "Ann", "email": "a@b.c"}, "note": "x"},
    )
    assert render(found.report).text == "'name' and 'email' went inside 'customer'."


def test_fields_of_an_optional_object_are_moved_on_read_only_tools_and_offered_on_others() -> None:
    moved = {**RIGHT, "shipping": {"city": "Rome"}}
    assert order({**RIGHT, "city": "Rome"}, read_only=True).call.arguments == moved
    found = order({**RIGHT, "city": "Rome"})
    assert (found.action, found.report.corrected) == ("refuse", Call("create_order", moved))
    assert found.report.applicability is Applicability.MAYBE_INCORRECT


def test_a_field_that_is_given_or_has_two_places_is_not_moved() -> None:
    assert order({**RIGHT, "shipping": {"city": "Rome"}, "city": "Oslo"}).report.corrected is None
    assert order({**RIGHT, "shipping": None, "city": "Oslo"}).report.corrected is None
    two = {"type": "object", "properties": {"id": STRING}}
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"a": two, "b": two}}}
    assert judge(Call("t", {"id": "x"}), Catalog.listed([tool]), Policy()).report.corrected is None


def test_fields_of_the_only_item_of_a_list_are_offered() -> None:
    tool = {
        "name": "t",
        "inputSchema": {
            "type": "object",
            "properties": {"items": {"type": "array", "items": ITEM}},
            "required": ["items"],
        },
    }
    found = judge(Call("t", {"sku": "x", "quantity": 1}), Catalog.listed([tool]), Policy())
    assert found.report.corrected == Call("t", {"items": [{"sku": "x", "quantity": 1}]})
    assert found.report.diagnoses[0].message == "'sku' and 'quantity' belong inside 'items'"
    assert (
        judge(Call("t", {"color": "x"}), Catalog.listed([tool]), Policy()).report.diagnoses[0].code == "UNKNOWN_PARAM"
    )


@pytest.mark.parametrize(
    ("field", "boxed", "value"),
    [("note", {"value": "x"}, "x"), ("note", {"note": "x"}, "x"), ("tags", {"items": ["a"]}, ["a"])],
)
def test_a_value_in_an_object_of_its_own_is_taken_out(field: str, boxed: Any, value: Any) -> None:
    found = order({**RIGHT, field: boxed})
    assert (found.action, found.call.arguments) == ("repair", {**RIGHT, field: value})


@pytest.mark.parametrize("boxed", [{"value": 5}, {"color": "x"}, {"value": "x", "type": "text"}, {}])
def test_an_object_for_a_value_is_refused_if_it_does_not_hold_just_that_value(boxed: Any) -> None:
    assert order({**RIGHT, "note": boxed}).action == "refuse"


def test_a_deep_or_very_wide_object_is_searched_only_so_far() -> None:
    deep: dict[str, Any] = {"type": "object", "properties": {"leaf": STRING}}
    for _ in range(5):
        deep = {"type": "object", "properties": {"inner": deep}}
    wide = {"type": "object", "properties": {f"f{number}": STRING for number in range(300)}}
    for schema, name in ((deep, "leaf"), (wide, "f299")):
        tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"a": schema}}}
        report = judge(Call("t", {name: "x"}), Catalog.listed([tool]), Policy()).report
        assert report.diagnoses[0].code == "UNKNOWN_PARAM"


REMOVE = {
    "name": "remove",
    "inputSchema": {
        "type": "object",
        "properties": {"path": STRING, "dry_run": {"type": "boolean"}},
        "required": ["path"],
    },
}


def remove(arguments: Any) -> Verdict:
    return judge(Call("remove", arguments), Catalog.listed([REMOVE]), Policy())


@pytest.mark.parametrize(
    ("sent", "arguments"),
    [
        ("path=/a dry_run=true", {"path": "/a", "dry_run": True}), ("path=/a", {"path": "/a"}),
        ("--path=/a --dry_run=true", {"path": "/a", "dry_run": True}), ("dry_run=true, path='/a b'",
         {"dry_run": True, "path": "/a b"}),
    ],
)  # fmt: skip
def test_pairs_in_one_text_are_offered_apart(sent: str, arguments: dict[str, Any]) -> None:
    assert remove(sent).report.corrected == Call("remove", arguments)


@pytest.mark.parametrize("sent", ["path=/a other=1", "path=/a path=/b", "a=1&b=2"])
def test_pairs_in_one_text_are_never_one_value(sent: str) -> None:
    found = remove(sent).report
    assert found.applicability is Applicability.HAS_PLACEHOLDERS
    assert found.diagnoses[0].message == "The arguments must be an object, got parameters in one text"


def test_a_text_with_an_equals_sign_may_be_one_value() -> None:
    assert remove("/tmp/a=b").report.corrected == Call("remove", {"path": "/tmp/a=b"})
    assert remove("a=b").report.corrected == Call("remove", {"path": "a=b"})


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ('{"path": "/a"}{"path": "/b"}', "The arguments are several JSON objects, and a call takes one"),
        ('{"path": "/a"}, {"path": "/b"}', "The arguments are several JSON objects, and a call takes one"),
        ('{"path": "/a", "path": "/b"}', "The arguments are JSON that gives 'path' twice"),
        ('{"path": "/a"} done', "The arguments are a JSON object with more text behind it"),
        ('{"n": 12345678901234567.5}',
         "The arguments are JSON with a number that has too many digits to be kept exactly"),
        ('{"path": "/a", ', "The arguments are JSON that breaks off or is malformed after 15 characters"),
    ],
)  # fmt: skip
def test_text_that_is_not_one_json_object_says_why(sent: str, message: str) -> None:
    found = remove(sent).report
    assert found.diagnoses[0].message == message
    assert found.applicability is Applicability.HAS_PLACEHOLDERS


def _tool(name: str, required: dict[str, Any], optional: dict[str, Any] | None = None, **hints: bool) -> dict[str, Any]:
    schema = {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}
    return {"name": name, "inputSchema": schema, "annotations": hints}


def _corrected(tool: dict[str, Any], arguments: dict[str, Any]) -> Any:
    verdict = judge(Call(tool["name"], arguments), Catalog.listed([tool]), Policy())
    corrected = verdict.report.corrected
    return corrected.arguments if corrected else None


NUMBER = {"type": "number"}
GUEST = {"type": "object", "properties": {"name": STRING, "email": STRING}, "required": ["name", "email"]}
PRICE = {"type": "object", "properties": {"min": NUMBER, "max": NUMBER}}


def test_a_field_with_the_name_of_its_object_goes_inside_the_object() -> None:
    book = _tool("book", {"guest": GUEST})
    guest = {"name": "Bo", "email": "b@c.de"}
    assert _corrected(book, {"guest_name": "Bo", "guestEmail": "b@c.de"}) == {"guest": guest}
    search = _tool("search", {"city": STRING}, {"price": PRICE, "area": PRICE}, readOnlyHint=True)
    assert _corrected(search, {"city": "Oslo", "min_price": 1, "areaMax": 5}) == {
        "city": "Oslo",
        "price": {"min": 1},
        "area": {"max": 5},
    }


def test_a_field_that_is_given_already_stays_where_it_is() -> None:
    search = _tool("search", {"city": STRING}, {"price": PRICE}, readOnlyHint=True)
    assert _corrected(search, {"city": "Oslo", "price": {"min": 1}, "min_price": 2}) is None


def test_a_parameter_in_another_spelling_is_no_field() -> None:
    update = _tool(
        "update", {"id": INTEGER}, {"owner_id": INTEGER, "owner": {"type": "object", "properties": {"id": INTEGER}}}
    )
    assert _corrected(update, {"id": 1, "ownerId": 2}) == {"id": 1, "owner_id": 2}


def test_the_end_of_a_path_is_enough() -> None:
    window = {"type": "object", "properties": {"start": STRING, "end": STRING}}
    update = _tool("update", {"id": INTEGER}, {"schedule": {"type": "object", "properties": {"window": window}}})
    expected = {"id": 1, "schedule": {"window": {"start": "1", "end": "2"}}}
    assert _corrected(update, {"id": 1, "window_start": "1", "windowEnd": "2"}) == expected


def test_the_fields_of_an_object_and_of_the_only_item_of_a_list_are_put_back_together() -> None:
    sent = {"name": "A", "email": "a@b.co", "sku": "x", "quantity": 1}
    order = _tool("create_order", {"customer": CUSTOMER, "items": {"type": "array", "items": ITEM}})
    expected = {"customer": {"name": "A", "email": "a@b.co"}, "items": [{"sku": "x", "quantity": 1}]}
    assert _corrected(order, sent) == expected


def test_the_two_sides_of_the_only_item_are_put_into_the_list() -> None:
    change = {
        "type": "object",
        "properties": {"oldText": STRING, "newText": STRING},
        "required": ["oldText", "newText"],
    }
    edit = _tool("edit_file", {"path": STRING, "edits": {"type": "array", "items": change}})
    expected = {"path": "/a", "edits": [{"oldText": "x", "newText": "y"}]}
    assert _corrected(edit, {"file_path": "/a", "old_string": "x", "new_string": "y"}) == expected


GRADE = _tool("grade_work", {"work_id": STRING, "student_id": STRING, "score": NUMBER})


def test_any_object_with_all_that_a_tool_needs_is_a_wrapper() -> None:
    inside = {"work_id": "a", "student_id": "s", "score": "90"}
    assert _corrected(GRADE, {"submission": inside}) == {"work_id": "a", "student_id": "s", "score": 90}


@pytest.mark.parametrize("wrapper", ["except", "old", "parent", "dry_run", "excluding"])
def test_an_object_whose_name_limits_or_qualifies_the_call_is_no_wrapper(wrapper: str) -> None:
    assert _corrected(GRADE, {wrapper: {"work_id": "a", "student_id": "s", "score": 90}}) is None


def test_the_id_of_something_else_is_not_unwrapped_on_a_tool_that_may_write() -> None:
    delete = _tool("delete_task", {"id": STRING, "project": STRING})
    assert "a" not in str(_corrected(delete, {"user": {"id": "a", "project": "p"}}))
    assert _corrected(GRADE, {"submission": {"work_id": "a", "student_id": "s"}}) is None


@pytest.mark.parametrize(
    ("declared", "sent", "expected"),
    [
        (
            ("guest_email", "guest_name"),
            {"guest": {"email": "a", "name": "b"}},
            {"guest_email": "a", "guest_name": "b"},
        ),
        (("contractId", "note"), {"contract": {"id": "7"}}, {"contractId": "7"}),
        (("min_votes", "max_votes"), {"votes": {"min": "1", "max": "2"}}, {"min_votes": "1", "max_votes": "2"}),
    ],
)
@pytest.mark.parametrize("is_read_only", [True, False])
def test_an_object_named_like_the_beginning_of_parameters_is_unfolded(
    declared: tuple[str, ...], sent: dict[str, Any], expected: dict[str, Any], is_read_only: bool
) -> None:
    find = _tool("find", {}, dict.fromkeys(declared, STRING), readOnlyHint=is_read_only)
    verdict = judge(Call("find", sent), Catalog.listed([find]), Policy())
    assert verdict.action == ("repair" if is_read_only else "refuse")
    assert _corrected(find, sent) == expected


def test_an_object_whose_own_name_is_only_spelled_differently_is_not_unfolded() -> None:
    amount = {"type": "object", "properties": {"amount": STRING, "currency": STRING}, "required": ["amount"]}
    pay = _tool("pay", {}, {"account_amount": amount, "amount": STRING})
    assert _corrected(pay, {"accountAmount": {"amount": "5"}}) == {"account_amount": {"amount": "5"}}


@pytest.mark.parametrize("sent", [{"guest": {"email": "a", "phone": "b"}}, {"guest": {"email": {"a": "b"}}}])
def test_an_object_with_a_field_that_is_no_parameter_is_not_unfolded(sent: dict[str, Any]) -> None:
    find = _tool("find", {}, {"guest_email": STRING, "host_phone": STRING})
    assert "guest_email" not in (_corrected(find, sent) or {})
    given = {"guest": {"email": "a"}, "guest_email": "b"}
    assert _corrected(find, given) is None
