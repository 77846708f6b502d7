"""Arguments that the validator cannot read: what it cannot write, half characters, names that are no text."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render
from fingerpost.engine.safety.json_input import limit_integers, make_encodable

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1, "maximum": 60},
        "free": {"type": "integer"},
        "s": {"type": "string"},
        "rows": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}},
    },
    "additionalProperties": False,
}


def judge(arguments: Any, schema: dict[str, Any] = SCHEMA) -> Verdict:
    return admit(Call("t", arguments), Catalog.listed([{"name": "t", "inputSchema": schema}]))


@pytest.mark.parametrize(
    ("sent", "fact"),
    [
        ({"n": 10**5000}, "Parameter 'n' exceeds maximum 60."),
        ({"n": -(10**5000)}, "Parameter 'n' is below minimum 1."),
        ({"rows": [1, 10**5000]}, "rows[1]' exceeds maximum 9."),
    ],
)
def test_a_huge_integer_is_on_the_right_side_of_a_limit(sent: dict[str, Any], fact: str) -> None:
    assert fact in render(judge(sent).report).text


def test_a_huge_integer_without_a_limit_is_sent() -> None:
    assert judge({"free": 10**5000}) == Verdict("forward", Call("t", {"free": 10**5000}))
    small = {"n": [1, {"m": 2**64}]}
    assert limit_integers(small) is small


@pytest.mark.parametrize(
    ("sent", "fact"),
    [
        ({"n": "x\ud800"}, "Parameter 'n' must be integer, got string."),
        ({"text": "\udc00"}, "Unknown param 'text'"),
        ({"\ud83d": 1}, 'Unknown param "\ufffd".'),
        ({1: 2}, "Unknown param '1'."),
        ({"s": "a", "rows": [{2: 3}]}, "rows[0]' must be integer, got object."),
    ],
)
def test_what_cannot_be_encoded_is_judged_but_never_sent_changed(sent: dict[Any, Any], fact: str) -> None:
    verdict = judge(sent)
    told = render(verdict.report)
    told.text.encode()
    assert (verdict.action, verdict.call.arguments) == ("refuse", sent)
    assert fact in told.text
    assert "\ufffd" not in str(told.structured.get("error", {}).get("corrected_call"))
    assert verdict.report.corrected is None


def test_a_valid_call_with_half_a_character_is_sent_as_it_is() -> None:
    assert judge({"s": "\ud800"}) == Verdict("forward", Call("t", {"s": "\ud800"}))
    free = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": True}
    assert judge({"\ud800": 1}, free) == Verdict("forward", Call("t", {"\ud800": 1}))


def test_a_mistake_that_servers_tolerate_is_only_told() -> None:
    read = {"name": "t", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
    verdict = admit(Call("t", {"s": "\ud800", "n": 61, "rows": [{"\ud800": 1}][:0]}), Catalog.listed([read]))
    assert (verdict.action, verdict.call.arguments["n"]) == ("forward", 61)


def test_readable_arguments_are_not_copied() -> None:
    sent = {"s": "\u00e9", "rows": [{"a": "b"}]}
    assert make_encodable(sent) is sent
    assert make_encodable({"a": ["\ud800", 1]}) == {"a": ["\ufffd", 1]}
