"""Tags of the call at the end of a short text."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Verdict
from tests.engine.values.readings import judge_value

TEXT = {"type": "string"}


def tag(word: str) -> str:
    return f"</{word}>"


def judge(value: str, schema: dict[str, Any] = TEXT, *, name: str = "listing_id") -> Verdict:
    return judge_value(value, schema, name=name, required=True)


@pytest.mark.parametrize(
    "end",
    [
        tag("parameter"), f"{tag('parameter')}\n{tag('invoke')}", f"\n{tag('tool_call')}\n", tag("arg_value"),
        f"{tag('function')}{tag('tool_call')}", f"{tag('ns:parameter')}\n{tag('ns:invoke')}", "<|im_end|>",
        "<|eot_id|>\n", "<\uff5ctool\u2581call\u2581end\uff5c>", "<end_of_turn>",
        f"{tag('listing_id')}\n{tag('invoke')}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", ["l1", "/srv/a b.txt", "Ada Lovelace"])
def test_the_tags_at_the_end_are_offered_away(value: str, end: str) -> None:
    verdict = judge(value + end)
    assert verdict.action == "refuse"
    assert verdict.report.corrected == Call("t", {"listing_id": value})


@pytest.mark.parametrize("name", ["city", "title", "search_path", "status", "due"])
def test_any_text_that_is_neither_long_nor_searched_for_is_looked_at(name: str) -> None:
    assert judge(f"x{tag('parameter')}", name=name).report.corrected == Call("t", {name: "x"})


@pytest.mark.parametrize("name", ["content", "html", "query", "pattern", "code", "message", "search", "value", "body"])
def test_a_text_that_may_contain_tags_is_left_alone(name: str) -> None:
    assert judge(f"x{tag('parameter')}\n{tag('invoke')}", name=name).action == "forward"


@pytest.mark.parametrize(
    "value",
    [
        tag("parameter"), f"a <b> {tag('b')}x{tag('parameter')}", f"unmatched {tag('parameter')}", f"a{tag('b')}",
        f"a{tag('listing_id')}",
        f"{tag('parameter')} is a tag", f"two\nlines{tag('parameter')}", "x" * 400 + tag("parameter"), "a < b", "x |>",
        "<|im_end|>",
    ],
)  # fmt: skip
def test_a_tag_that_belongs_to_the_text_is_left_alone(value: str) -> None:
    assert judge(value).action == "forward"


def test_what_is_left_is_corrected_too() -> None:
    assert judge(f"10{tag('parameter')}", {"type": "integer"}).report.corrected == Call("t", {"listing_id": 10})
    choices = {"enum": ["open", "closed"]}
    assert judge(f"Open{tag('invoke')}", choices).report.corrected == Call("t", {"listing_id": "open"})
