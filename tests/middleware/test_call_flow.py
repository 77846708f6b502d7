"""The order of steps for one call, on an upstream whose answers are written down here."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fingerpost import Call, Catalog
from fingerpost.engine.tool import Tool
from fingerpost.middleware.call_flow import CallFlow
from fingerpost.middleware.guidance import ServerGuidance
from fingerpost.middleware.outcome import Answer, Outcome

SEARCH = {
    "name": "search",
    "inputSchema": {"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]},
}


class QuietGuidance(ServerGuidance):
    def warn(self, text: str) -> None:
        """Say nothing."""


class RecordedUpstream:
    """Answers every call with the same reply, and remembers the calls."""

    def __init__(self, guidance: ServerGuidance, reply: dict[str, Any]) -> None:
        self._guidance, self._reply = guidance, reply
        self.calls: list[Call] = []

    async def send(self, call: Call) -> Outcome:
        self.calls.append(call)
        return Outcome(self._reply)

    async def list_tools(self) -> Catalog | None:
        return self._guidance.store_tools("caller", [SEARCH])

    async def announce_change(self) -> None:
        """Nobody listens."""


def run(guidance: ServerGuidance, call: Call, reply: dict[str, Any]) -> tuple[Answer, list[Call]]:
    upstream = RecordedUpstream(guidance, reply)
    return asyncio.run(CallFlow(guidance, upstream, "caller", call).run()), upstream.calls


def test_a_refused_call_is_not_sent() -> None:
    answer, calls = run(QuietGuidance(), Call("search", {}), {"content": []})
    assert answer.reply["isError"] is True and answer.outcome is None
    assert calls == []


def test_a_failed_reply_that_asks_something_back_is_left_alone() -> None:
    reply: dict[str, Any] = {"resultType": "input_required", "isError": True, "content": []}
    answer, calls = run(QuietGuidance(), Call("search", {"pattern": "x"}), reply)
    assert answer.is_unchanged and answer.reply is reply
    assert len(calls) == 1


def test_if_the_short_cut_fails_the_call_takes_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> bool:
        raise RuntimeError("ours")

    guidance = QuietGuidance()
    guidance.store_tools("caller", [SEARCH])
    monkeypatch.setattr(Tool, "is_clearly_valid", property(lambda _: fail))
    assert guidance.lets_pass("caller", "search", {"pattern": "x"}) is False
    assert guidance.failures == 1


def test_the_clients_name_of_the_server_stays_the_first() -> None:
    guidance = QuietGuidance()
    for number in range(20):
        guidance.learn_server_name(f"server {number}")
    names = guidance.store_tools("caller", [SEARCH]).server_names
    assert (names[0], names[-1], len(names)) == ("server 0", "server 19", 8)
