"""Objects and lists in text."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.engine.model import Grade
from fingerpost.engine.values.containers import parse_decorated
from tests.engine.values.readings import STRINGS, lossless, offered, readings
from tests.support.strategies import examples

OBJECT = {"type": "object"}
ARRAY = {"type": "array"}


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("{'a': 1, 'b': True, 'c': None}", {"a": 1, "b": True, "c": None}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("~~~\n{'a': 1}\n~~~", {"a": 1}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"a": 1 // one\n}', {"a": 1}),
        ('{/* one */ "a": 1} # end', {"a": 1}),
        ("""{'a': "it's"}""", {"a": "it's"}),
        ("{'a': (1, 2), 'b': (), 'c': ('x',)}", {"a": [1, 2], "b": [], "c": ["x"]}),
        ("{'a': 'x\\n\\'y\\x41\\u00e9'}", {"a": "x\n'yA\u00e9"}),
        ('{"a": "\\u00e9",}', {"a": "\u00e9"}),
        ("{'a': '// no comment'}", {"a": "// no comment"}),
        ("{'a': -1.5e3}", {"a": -1500.0}),
    ],
)
def test_decoration_and_python_literals_are_read(sent: str, value: Any) -> None:
    assert readings(sent, OBJECT) == lossless(value)


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("{a: 1}", {"a": 1}),
        ("{\u201ca\u201d: \u2018b\u2019}", {"a": "b"}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
    ],
)
def test_looser_text_is_offered(sent: str, value: Any) -> None:
    assert readings(sent, OBJECT) == offered(value)


@pytest.mark.parametrize(
    "sent",
    [
        '{"a": 1', '{"a": "x', "{'a': [1, 2}", '{"a": 1, "a": 2}', "{'a': 1, 'a': 2}", "{'a': 'it's'}", "{a b: 1}",
        "{'a': 'C:\\dir'}", '{"a": undefined}', '{"a": NaN}', '{"a": 1}{"b": 2}', "{True: 1}", "{1: 2}", "{'a': ('x')}",
        "{'a': 0x10}", "{'a': 1_000}", "{,}", "{'a': 1,,}", "```json\n{'a': 1}", "Result: {'a': 1}", "{'a': b'x'}",
        "{'a': 12345678901234567890.5}", "{'a' 'b': 1}", "{'a': datetime(2024)}", ")", "{'a': 1}]", "{'a': 1} /* ",
    ],
)  # fmt: skip
def test_text_without_exactly_one_reading_is_left_alone(sent: str) -> None:
    assert readings(sent, OBJECT) == []


@pytest.mark.parametrize(
    "sent", ["[" * 100_000, "{'a':" * 5_000, "{'" + "a" * 1_000_000, "{/*" * 300_000, "```" * 9_999]
)
def test_large_and_deep_text_is_left_alone(sent: str) -> None:
    assert readings(sent, OBJECT) == []


def test_a_list_for_an_object_is_left_alone() -> None:
    assert readings("[1, 2,]", OBJECT) == []


LEAVES = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=6)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner), max_leaves=5
)


@examples(60)
@given(st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4))
def test_what_python_writes_is_read_as_python_reads_it(value: dict[str, Any]) -> None:
    found = parse_decorated(repr(value))
    assert found is None or (found.value, found.grade) == (ast.literal_eval(repr(value)), Grade.LOSSLESS)
    if all(word.isascii() and word.isprintable() for word in [repr(value)]) and "\\" not in repr(value):
        assert found


@examples(40)
@given(st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4), st.data())
def test_a_prefix_of_an_object_is_never_completed(value: dict[str, Any], data: st.DataObject) -> None:
    whole = json.dumps(value)
    assert parse_decorated(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None


@pytest.mark.parametrize(
    ("sent", "items"),
    [
        ("a, b", ["a", "b"]), ("a;b", ["a", "b"]), ("a\nb c\n", ["a", "b c"]), ("x.py, y.py,", ["x.py", "y.py"]),
        ("https://a.com, https://b.com", ["https://a.com", "https://b.com"]), ('"a", "b, c"', ["a", "b, c"]),
        ("https://a.com/x\nhttps://b.com", ["https://a.com/x", "https://b.com"]),
    ],
)  # fmt: skip
def test_several_items_in_a_text_are_offered_as_a_list(sent: str, items: list[str]) -> None:
    assert readings(sent, STRINGS)[:1] == offered(items)


@pytest.mark.parametrize(
    "sent",
    [
        "f(a, b)", "'a, b', c", "a and b", "read & write", "a or b", "Hello, this is a long sentence",
        "apples, pears and plums", "Fix it, then deploy.", "<a,b>", "`a, b`", "{a, b", "[a, b", "- a\n- b", "a, https://b.com",
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_split_safely_is_no_list_and_no_item(sent: str) -> None:
    assert readings(sent, STRINGS) == []


def test_the_separators_of_one_url_belong_to_it() -> None:
    assert readings("https://a.com/x,y", STRINGS) == offered(["https://a.com/x,y"])


@pytest.mark.parametrize(
    ("sent", "items"),
    [({"0": "a", "1": "b"}, ["a", "b"]), ({"2": "b", "1": "a"}, ["a", "b"]), ({"0": "a"}, ["a"])],
)
def test_an_object_of_indexes_is_the_list_of_its_values(sent: dict[str, str], items: list[str]) -> None:
    assert readings(sent, STRINGS) == offered(items)
    rows = {name: {"v": value} for name, value in sent.items()}
    assert readings(rows, {"type": "array", "items": {"type": "object"}}) == offered([{"v": item} for item in items])


def test_numbers_with_gaps_may_be_ids_so_the_object_is_left_alone() -> None:
    assert readings({"17": {}, "23": {}}, {"type": "array", "items": {"type": "object"}}) == []


@pytest.mark.parametrize("sent", ["a,b;c", "a,,b", ",", "[a", "x," * 5000])
def test_an_unclear_list_is_left_alone(sent: str) -> None:
    assert readings(sent, STRINGS) == []


@pytest.mark.parametrize(
    ("sent", "kind", "items"),
    [("1, 2", "integer", [1, 2]), ("true,false", "boolean", [True, False]), ("1.5;2", "number", [1.5, 2])],
)
def test_items_have_the_type_that_the_list_wants(sent: str, kind: str, items: list[Any]) -> None:
    assert readings(sent, {"type": "array", "items": {"type": kind}}) == offered(items)


@pytest.mark.parametrize("sent", ["1, x", "1,000"])
def test_a_part_of_another_type_is_no_item(sent: str) -> None:
    assert [
        value for value, _ in readings(sent, {"type": "array", "items": {"type": "integer"}}) if len(value) > 1
    ] == []


@pytest.mark.parametrize("name", ["command", "args", "argv", "cmd", "container_args", "entrypoint"])
@pytest.mark.parametrize("sent", ["ls -la /tmp", "ls -la, x", "a b; c d"])
def test_a_command_line_is_neither_one_word_nor_split(name: str, sent: str) -> None:
    assert readings(sent, STRINGS, name=name) == []
    assert readings("ls", STRINGS, name=name) == lossless(["ls"])


def test_one_of_several_command_lines_is_one_item() -> None:
    assert readings("ls -la /tmp", STRINGS, name="commands") == offered(["ls -la /tmp"])


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "array", "items": {}}])
def test_an_object_for_a_list_of_anything_is_not_surely_one_item(schema: dict[str, Any]) -> None:
    assert readings({"id": 1}, schema, name="params", read_only=True) == offered([{"id": 1}])
    assert readings({"id": 1}, {"type": "array", "items": {"type": "object"}}) == lossless([{"id": 1}])


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "array", "items": {}}])
@pytest.mark.parametrize("value", ["1", 1, "bug"])
def test_an_item_of_unknown_type_is_only_offered_on_a_tool_that_may_write(schema: dict[str, Any], value: Any) -> None:
    assert readings(value, schema, name="params") == offered([value])
    assert readings(value, schema, name="params", read_only=True) == lossless([value])
    choices = {"type": "array", "items": {"enum": [value, "other"]}}
    assert readings(value, choices, name="params") == lossless([value])


def test_one_item_is_wrapped_in_the_list() -> None:
    assert readings("bug", STRINGS) == lossless(["bug"])
    assert readings("two words", STRINGS) == offered(["two words"])
    assert readings("7", {"type": "array", "items": {"type": "integer"}}) == lossless([7])
    assert readings("yes", {"type": "array", "items": {"type": "boolean"}}) == [([True], Grade.LIKELY)]
    assert readings({"a": "x"}, {"type": "array", "items": OBJECT}) == lossless([{"a": "x"}])
    assert readings(["only"], {"type": "string"}) == offered("only")
    assert readings("x", {"anyOf": [STRINGS, {"type": "integer"}]}) == []
    assert readings("none", STRINGS, required=True) == []
    assert readings('["a"]', STRINGS) == lossless(["a"])
