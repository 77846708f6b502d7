"""The answers of SDKs and servers to a call of a tool that does not exist: tests/data/unknown_tool_replies.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fingerpost.engine.replies.unknown_tool_reply import (
    is_exactly_unknown_tool,
    is_unknown_tool,
    is_unknown_without_name,
)

FILE = Path(__file__).resolve().parents[2] / "data" / "unknown_tool_replies.txt"
NAMES = ("serach", "Fetch-Actr", "issues.lst", "a_b__c")


class Recorded(NamedTuple):
    """One answer, and whether it says that there is no such tool."""

    verdict: str
    shape: str
    text: str
    data: str

    def reply(self, name: str) -> dict[str, Any]:
        text = self.text.replace("NAME", name)
        if self.shape == "result":
            return {"content": [{"type": "text", "text": text}], "isError": True}
        return {"code": int(self.shape), "message": text} | (
            {"data": self.data.replace("NAME", name)} if self.data else {}
        )


def recorded(*verdicts: str) -> list[Recorded]:
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    answers = [Recorded(*line.split(" | ")[:4]) for line in lines]
    return [one._replace(data=one.data.strip()) for one in answers if one.verdict in verdicts]


def test_the_answers_of_every_sdk_are_recorded() -> None:
    text = FILE.read_text(encoding="utf-8")
    languages = ("TypeScript SDK 1", "TypeScript SDK 2", "Python SDK", "FastMCP 2", "FastMCP 4", "mark3labs/mcp-go")
    others = ("go-sdk", "rmcp", "Java SDK", "Kotlin SDK", "C# SDK", "PHP SDK", "Swift SDK", "Ruby SDK", "Dart")
    assert all(one in text for one in (*languages, *others))


@pytest.mark.parametrize("answer", recorded("exactly"), ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_answer_of_an_sdk_allows_another_call(answer: Recorded, name: str) -> None:
    assert is_exactly_unknown_tool(answer.reply(name), name)
    assert is_unknown_tool(answer.reply(name), name)


@pytest.mark.parametrize("answer", recorded("nameless"), ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_without_the_name_is_understood_but_is_not_exact(answer: Recorded, name: str) -> None:
    assert is_unknown_tool(answer.reply(name), name) and is_unknown_without_name(answer.reply(name))
    assert not is_exactly_unknown_tool(answer.reply(name), name)


@pytest.mark.parametrize("answer", recorded("says"), ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_in_other_words_is_understood_but_allows_no_other_call(answer: Recorded, name: str) -> None:
    assert is_unknown_tool(answer.reply(name), name) and not is_unknown_without_name(answer.reply(name))
    assert not is_exactly_unknown_tool(answer.reply(name), name)


@pytest.mark.parametrize("answer", recorded("not"), ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_about_something_else_is_not_mistaken(answer: Recorded, name: str) -> None:
    assert not is_unknown_tool(answer.reply(name), name)


def test_data_that_is_no_text_gives_no_reason() -> None:
    assert not is_unknown_tool({"code": -32602, "message": "Invalid params", "data": {"tool": "serach"}}, "serach")


def test_an_error_in_structured_content_only_is_understood() -> None:
    reply: dict[str, Any] = {"content": [], "structuredContent": {"error": "Unknown tool: serach"}, "isError": True}
    assert is_unknown_tool(reply, "serach") and not is_exactly_unknown_tool(reply, "serach")
    beside = {**reply, "content": [{"type": "text", "text": "Item added"}]}
    assert not is_unknown_tool(beside, "serach")
    image = {**reply, "content": [{"type": "image", "data": "", "mimeType": "image/png"}]}
    assert not is_unknown_tool(image, "serach")
