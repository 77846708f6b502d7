"""Right calls from examples and from schemas."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from fingerpost.audit.generate.right_calls import check_examples, read_examples, right_calls
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.engine.tool import Tool
from fingerpost.terminal.command_error import CommandError
from tests.support.audited_servers import FAR, NEAR, WORD
from tests.support.misbehaving import tool


def test_examples_are_read_in_every_supported_form() -> None:
    one, two = {"word": "a"}, {"word": "b"}
    for text in (
        {"look_up": [one, two]},
        [{"name": "look_up", "arguments": one}, {"name": "look_up", "arguments": two}],
    ):
        assert read_examples(json.dumps(text), "file") == {"look_up": [one, two]}
    assert read_examples('{"look_up": {"word": "a"}, "now": {}}', "file") == {"look_up": [one], "now": [{}]}
    assert read_examples('[{"name": "now"}]', "file") == {"now": [{}]}


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, "1", "{}", "[]", "[1]", '{"t": 1}', '{"t": ["x"]}', '[{"name": 1}]']
)
def test_a_file_without_examples_is_rejected(text: str) -> None:
    with pytest.raises(CommandError, match=r"file (is not JSON|holds no examples)"):
        read_examples(text, "file")


def test_an_example_must_be_a_right_call_of_an_existing_tool() -> None:
    catalog = Catalog.listed([NEAR, FAR])
    check_examples({"look_up": [{"word": "a"}]}, catalog)
    cases: list[tuple[Any, str, str]] = [
        ({"lookup": [{}]}, "an example for lookup, which is no tool", "Did you mean look_up?"),
        ({"xyzzy": [{}]}, "an example for xyzzy, which is no tool", ""),
        ({"look_up": [{"wrd": "a"}]}, "an example for look_up is not a right call", "word"),
    ]
    for examples, message, way_out in cases:
        with pytest.raises(CommandError, match=message) as caught:
            check_examples(examples, catalog)
        assert way_out in caught.value.way_out if way_out else not caught.value.way_out


def test_right_calls_use_values_other_than_the_default() -> None:
    properties: dict[str, Any] = {
        "on": {"type": "boolean", "default": True},
        "many": {"type": "integer", "default": 1, "maximum": 1},
        "size": {"enum": ["s", "m"], "default": "s"},
        "fixed": {"type": "integer", "default": 3, "minimum": 3, "maximum": 3},
        "never": {"type": "string", "not": {}},
    }
    made = right_calls(cast("Tool", Catalog.listed([tool("t", properties)]).get("t")))
    assert [call.arguments for call in made] == [{}, {"on": False}, {"many": 0}, {"size": "m"}, {"fixed": 3}]


def test_the_owners_examples_come_first_then_the_authors_then_generated_ones() -> None:
    listed = tool("t", WORD, ("word",))
    listed["inputSchema"]["examples"] = [{"word": 1}, {"word": "author's"}, "word"]
    chosen = cast("Tool", Catalog.listed([listed]).get("t"))
    assert right_calls(chosen) == [Call("t", {"word": "author's"})]
    owners = [{"word": "owner's"}, {"word": "other"}]
    assert right_calls(chosen, owners) == [Call("t", one) for one in owners]
    impossible = tool("t", {"word": {"type": "string", "not": {}}}, ("word",))
    assert right_calls(cast("Tool", Catalog.listed([impossible]).get("t"))) == []
