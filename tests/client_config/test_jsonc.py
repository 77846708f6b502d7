"""JSON with comments: values, their positions, and syntax errors."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.client_config.jsonc import JsonSyntaxError, Value, parse
from tests.support.client_configs import (
    plain,
)


@given(st.text(st.sampled_from('{}[]",:/*\\ \n\r\tu0a1-.etrufalsn\ufeff\x00'), max_size=30))
def test_any_text_is_parsed_or_refused_as_json_with_comments_is(text: str) -> None:
    try:
        parse(text)
    except JsonSyntaxError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        with pytest.raises(ValueError):
            json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    else:
        plain(text)


def _refuse(word: str) -> Any:
    raise ValueError(word)


@given(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists))
def test_a_position_covers_the_source_of_its_value(value: Any) -> None:
    text = json.dumps([value], indent=1)
    (item,) = parse(text).elements
    assert json.loads(item.value.source(text)) == value
    if isinstance(value, list):
        source = [part.value.source(text) for part in item.value.elements]
        assert [json.loads(one) for one in source] == cast("list[Any]", value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: expected a value"),
        ("\ufeff{", "line 1, column 2: expected a key in double quotes"),
        ("{\n  a: 1}", "line 2, column 3: expected a key in double quotes"),
        ('{"a" 1}', "line 1, column 6: expected ':'"),
        ('{"a": 1 "b": 2}', "line 1, column 9: expected ',' or '}'"),
        ("[1 2]", "line 1, column 4: expected ',' or ']'"),
        ("[1", "line 1, column 3: expected ',' or ']'"),
        ("[,]", "line 1, column 2: expected a value"),
        ("[1,,]", "line 1, column 4: expected a value"),
        ("[NaN]", "line 1, column 2: expected a value"),
        ("{} {}", "line 1, column 4: expected the end of the document"),
        ("{} /* x", "line 1, column 4: this comment is not closed"),
        ('["a', "line 1, column 4: this string is not closed"),
        ('["a\n"]', "line 1, column 4: this string is not closed"),
        ('["a\\x"]', "line 1, column 4: JSON has no such escape"),
        ('["\t"]', "line 1, column 3: a control character in a string must be escaped"),
        ("[" * 1000, "line 1, column 202: nested more than 200 deep"),
    ],
)
def test_a_syntax_error_is_reported_with_its_position(text: str, message: str) -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_a_value_has_its_kind() -> None:
    kinds = [part.value.kind for part in parse('[{}, [], "", 1, null]').elements]
    assert kinds == ["object", "array", "string", "other", "other"]
    assert isinstance(parse("1"), Value)
