"""A wrong call with its reply, and what follows from comparing it with the replies to right calls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge import wording
from fingerpost.audit.judge.expected_reply import ExpectedReply, new_lines, new_text
from fingerpost.audit.judge.reply import Reply
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.tool import Tool


@dataclass(frozen=True)
class Trial:
    """A wrong call and everything its reply is judged by."""

    mistake: Mistake
    tool: Tool
    catalog: Catalog
    reply: Reply
    expected: ExpectedReply | None = None
    """The reply to the right call; none if that may not be sent."""
    without_culprit: ExpectedReply | None = None
    """The reply to the call without the culprit, if that is a right call too."""
    distinguishes_calls: bool = True
    """Whether the server answers a tool that it does not have with something else."""
    static_texts: frozenset[str] = frozenset()
    """Error texts that the tool gives to different mistakes."""

    @cached_property
    def text(self) -> str:
        """What the reply says about the call: all of an error, and what a success adds to the usual result."""
        return self.reply.text if self.reply.is_error else new_text(self.reply, self.expected, self.without_culprit)

    @property
    def guidance(self) -> Reply:
        """The reply without the usual result, whose text may contain anything."""
        content = [{"type": "text", "text": self.text}] if self.text else []
        return Reply({**self.reply.result, "content": content})

    @property
    def is_static(self) -> bool:
        return self.text in self.static_texts

    @cached_property
    def is_accepted(self) -> bool:
        """Whether the wrong call was answered like the right one: it was repaired, or understood.

        Only a server that distinguishes calls can show that. If the right call fails, the reply must also mention the
        mistake.
        """
        if self.expected is None or not self.distinguishes_calls or not self.expected.matches(self.reply.fingerprint):
            return False
        return not self.expected.is_error or self._mentions_mistake

    @cached_property
    def is_culprit_ignored(self) -> bool:
        """Whether the wrong call was answered as if the culprit had not been sent."""
        return self.is_accepted or (self.distinguishes_calls and self.is_like_without_culprit)

    @cached_property
    def is_like_without_culprit(self) -> bool:
        return self.without_culprit is not None and self.without_culprit.matches(self.reply.fingerprint)

    @property
    def is_inconclusive(self) -> bool:
        """Whether the reply proves nothing: the server asks back, or answers like a right call that fails too."""
        if self.reply.result.get("resultType", "complete") != "complete":
            return True
        if not self.distinguishes_calls or self.expected is None:
            return False
        if not self.reply.is_error:
            return not self.expected.is_comparable and not self.expected.is_error
        failures = [one for one in (self.expected, self.without_culprit) if one is not None and one.is_error]
        return any(one.matches(self.reply.fingerprint) for one in failures) and not self._mentions_mistake

    @cached_property
    def _mentions_mistake(self) -> bool:
        """Whether the reply names the mistake in lines that the right call does not get."""
        lines = new_lines(self.reply, self.expected, self.without_culprit)
        names = (self.mistake.culprit, self.unknown_name, self.mistake.call.tool, self.mistake.right.tool)
        return any(name and wording.mentions(lines, name) for name in names)

    @property
    def wrong_value(self) -> Any:
        """The value that was sent for the culprit."""
        return as_object(self.mistake.call.arguments).get(self.mistake.culprit)

    @property
    def unknown_name(self) -> str:
        """The argument that the tool does not declare; empty if there is none."""
        fields = as_object(self.mistake.call.arguments)
        return next((name for name in fields if name not in self.tool.params), "")
