"""One wrong call: what was sent, what reached the server, what the server said, and what the client got."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bench.forms.judge import is_same_call
from fingerpost import KEY
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object

_UNKNOWN = frozenset({"unknown", "not", "no", "invalid"})
_SAID_WITH_UNKNOWN = frozenset({
    "a", "call", "calling", "could", "does", "error", "exist", "find", "for", "found", "is", "mcp", "method", "name",
    "params", "registered", "such", "the", "tool", "was", "with",
})  # fmt: skip
_DESTRUCTIVE = frozenset({"delete", "remove", "drop", "destroy", "erase", "purge", "wipe", "truncate"})


class Outcome(StrEnum):
    """What became of a wrong call."""

    REPAIRED = "repaired"
    """The proxy changed it, and it reached the server."""
    CORRECTED = "corrected call"
    """The client got the call to send instead."""
    EXPLAINED = "explained"
    """The client got what is wrong, and what it has to fill in or to choose."""
    FAILED = "server's error"
    """The server refused it in its own words, which the client got."""
    ACCEPTED = "accepted"
    """The server carried it out as it was sent."""


@dataclass(frozen=True)
class Passed:
    """A call that reached the server, and the server's reply."""

    call: Call
    reply: Mapping[str, Any]


@dataclass(frozen=True)
class Exchange:
    """A call of the client, the reply to it, and what passed between the proxy and the server."""

    sent: Call
    reply: Mapping[str, Any]
    passed: tuple[Passed, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether the proxy answered in place of the server."""
        return not self.passed


@dataclass(frozen=True)
class Case:
    """A mistake, and all that it led to."""

    mistake: Mistake
    server: str
    tools: Sequence[dict[str, Any]]
    first: Exchange
    resent: Exchange | None = None
    """The corrected call, filled in and sent."""

    @property
    def guidance(self) -> dict[str, Any]:
        """What the proxy says to programs."""
        meta = as_object(self.result.get("_meta")).get(KEY)
        data = as_object(as_object(self.first.reply.get("error")).get("data")).get(KEY)
        return as_object(meta) or as_object(data)

    @property
    def error(self) -> dict[str, Any]:
        return as_object(self.guidance.get("error"))

    @property
    def result(self) -> dict[str, Any]:
        return as_object(self.first.reply.get("result"))

    @property
    def last(self) -> Passed | None:
        """The last call that reached the server."""
        return self.first.passed[-1] if self.first.passed else None

    @property
    def changed(self) -> Call | None:
        """The call that reached the server, if the proxy changed it."""
        return self.last.call if self.last and not is_same_call(self.last.call, self.first.sent) else None

    @property
    def added_text(self) -> str:
        """What the proxy says to the model: every block that is not the server's."""
        own = [] if self.last is None else as_list(as_object(self.last.reply.get("result")).get("content"))
        blocks = as_list(self.result.get("content"))
        added = blocks[len(own) :] if blocks[: len(own)] == own else blocks
        return "\n".join(str(as_object(block).get("text", "")) for block in added)

    @property
    def outcome(self) -> Outcome:
        if self.changed:
            return Outcome.REPAIRED
        if self.last and not is_failure(self.last.reply) and not says_unknown(self.last):
            return Outcome.ACCEPTED
        corrected = as_object(self.error.get("corrected_call"))
        if corrected and corrected.get("when_filled", corrected.get("applicability")) != "has_placeholders":
            return Outcome.CORRECTED
        return Outcome.FAILED if self.last else Outcome.EXPLAINED

    def tool(self, name: str) -> dict[str, Any] | None:
        """The entry of a tool in the server's own list."""
        return next((one for one in self.tools if one.get("name") == name), None)

    def describe(self) -> str:
        """The call and the reply, for the report."""
        sent = f"{self.first.sent.tool}({json.dumps(self.first.sent.arguments, ensure_ascii=False)[:240]})"
        reply = json.dumps(self.first.reply, ensure_ascii=False)[:500]
        return f"{self.mistake.kind}: {sent} -> {reply}"


def is_failure(reply: Mapping[str, Any]) -> bool:
    return "error" in reply or as_object(reply.get("result")).get("isError") is True


def says_unknown(passed: Passed) -> bool:
    """Whether a reply, an error or a result, says that there is no such tool, and nothing else."""
    rest = set(re.findall(r"[a-z]+", _text_of(passed.reply).replace(passed.call.tool, " ").lower()))
    return bool(rest & _UNKNOWN) and rest <= _UNKNOWN | _SAID_WITH_UNKNOWN


def mentions_unknown(passed: Passed) -> bool:
    """Whether a reply says that there is no such tool, in whatever words around it."""
    text = _text_of(passed.reply)
    is_named = passed.call.tool in text and re.search("unknown|not found|no such|not exist|invalid tool", text, re.I)
    return says_unknown(passed) or bool(is_named)


def _text_of(reply: Mapping[str, Any]) -> str:
    result, error = (as_object(reply.get(part)) for part in ("result", "error"))
    texts = [str(as_object(block).get("text")) for block in as_list(result.get("content"))]
    return " ".join([*texts, str(error.get("message", "")), str(error.get("data", ""))])


def may_write(tool: Mapping[str, Any]) -> bool:
    return as_object(tool.get("annotations")).get("readOnlyHint") is not True


def is_destructive(tool: Mapping[str, Any]) -> bool:
    """Whether a tool says that it destroys, or has no annotations and a name that says so."""
    annotations = as_object(tool.get("annotations"))
    if annotations:
        return annotations.get("destructiveHint") is True and may_write(tool)
    return bool(_DESTRUCTIVE & set(words(str(tool.get("name")))))


def words(name: str) -> list[str]:
    """Split a name into words in lower case."""
    spaced = "".join(f" {one.lower()}" if one.isupper() else one if one.isalnum() else " " for one in name)
    return spaced.split()
