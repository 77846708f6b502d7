"""The replies that wrong calls are compared with: to right calls, to a made-up tool, and to different mistakes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from fingerpost.audit.events import Note
from fingerpost.audit.execute.blame import CallSender, Losses, Unanswered, UnclearBlame
from fingerpost.audit.execute.event_queue import EventQueue
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge.expected_reply import ExpectedReply
from fingerpost.audit.judge.fingerprint import Fingerprint
from fingerpost.audit.judge.reply import Reply
from fingerpost.audit.redact import redact_reply
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.tool import Tool

if TYPE_CHECKING:
    from fingerpost.audit.generate.plan import Plan, PlannedCall

_MADE_UP_TOOL = "zzqxwvkjh"
"""A tool that no server has."""


class References(NamedTuple):
    """What the reply to one wrong call is compared with."""

    expected: ExpectedReply | None
    without_culprit: ExpectedReply | None
    distinguishes_calls: bool
    static_texts: frozenset[str]


class _MadeUpReply(NamedTuple):
    """The reply to a tool that no server has."""

    is_failure: bool
    fingerprint: Fingerprint


class ReferenceReplies:
    """Send the calls that replies are compared with, each only once."""

    def __init__(self, plan: Plan, sender: CallSender, losses: Losses, events: EventQueue) -> None:
        self._plan, self._sender, self._losses, self._events = plan, sender, losses, events
        self._locks = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._expected: dict[str, ExpectedReply | None] = {}
        self._tried = set[str]()
        self._made_up: _MadeUpReply | None = None
        self._static_texts: dict[str, frozenset[str]] = {}
        self._early_replies: dict[str, Reply] = {}
        """Replies to wrong calls that were sent early, to find static texts."""

    async def references_for(self, planned: PlannedCall) -> References:
        expected, without_culprit = await self._replies_to_right_calls(planned)
        if not self._plan.may_execute(planned.tool):  # such a tool gets no more calls than it has to
            return References(expected, without_culprit, True, frozenset())
        made_up = await self._reply_to_made_up_tool(planned)
        static_texts = await self._static_texts_of(planned.tool)
        is_same = expected is not None and ExpectedReply(expected.first, expected.first).matches(made_up.fingerprint)
        return References(expected, without_culprit, made_up.is_failure and not is_same, static_texts)

    def take_early_reply(self, mistake: Mistake) -> Reply | None:
        """Take the reply to a wrong call that was sent early."""
        return self._early_replies.pop(repr(mistake), None)

    async def refresh(self, mistake: Mistake, expected: ExpectedReply, reply: Reply) -> tuple[ExpectedReply, Reply]:
        """Send the right call again if the replies differ, since other calls may have changed something in between.

        A failing right call is sent twice, and the wrong one again: good servers vary the text of a repeated error.
        """
        if expected.matches(reply.fingerprint):
            return expected, reply
        with suppress(Unanswered):
            right = await self._sender.send(mistake.right)
            second = await self._sender.send(mistake.right) if right.is_error else right
            expected = ExpectedReply(right.fingerprint, second.fingerprint)
            if right.is_error and reply.is_error and not expected.matches(reply.fingerprint):
                again = await self._sender.send(mistake.call)
                reply = again if expected.matches(again.fingerprint) else reply
        return expected, reply

    # right calls

    async def _replies_to_right_calls(self, planned: PlannedCall) -> tuple[ExpectedReply | None, ExpectedReply | None]:
        """The replies to the right call and to the call without the culprit, as far as they may be sent."""
        mistake, tool = planned.mistake, planned.tool
        if not self._plan.may_execute(tool) or not tool.accepts(mistake.right.arguments):
            return None, None
        without_culprit = None
        if mistake.group == "parameter" and mistake.culprit not in tool.required:
            rest = {key: value for key, value in as_object(mistake.right.arguments).items() if key != mistake.culprit}
            without_culprit = (
                await self._reply_to_right_call(tool, Call(tool.name, rest)) if tool.accepts(rest) else None
            )
        return await self._reply_to_right_call(tool, mistake.right), without_culprit

    async def _reply_to_right_call(self, tool: Tool, right: Call) -> ExpectedReply | None:
        key = repr(right)
        async with self._locks[tool.name]:
            if key not in self._expected:
                if key in self._tried and not self._sender.is_alone:  # and it had no answer
                    raise UnclearBlame
                self._tried.add(key)
                self._expected[key] = await self._send_right_call(tool, right)
            return self._expected[key]

    async def _send_right_call(self, tool: Tool, right: Call) -> ExpectedReply | None:
        try:
            first, second = await self._sender.send(right), await self._sender.send(right)
        except Unanswered as unanswered:
            self._losses.add(tool.name)
            self._events.emit_first_note(Note(tool.name, f"a right call {unanswered}"))
            return None
        expected = ExpectedReply(first.fingerprint, second.fingerprint)
        if expected.is_error:
            text = f"a right call fails: {clean(redact_reply(first.result, 200), 160)}"
            self._events.emit_first_note(Note(tool.name, text, needs_examples=True))
        return expected

    # replies that are the same for anything

    async def _reply_to_made_up_tool(self, planned: PlannedCall) -> _MadeUpReply:
        async with self._locks[""]:
            if self._made_up is None:
                call = Call(_MADE_UP_TOOL, planned.mistake.right.arguments)
                reply = await self._sender.send_or_none(call) or Reply({})
                self._made_up = _MadeUpReply(reply.is_error or reply.sounds_like_failure, reply.fingerprint)
            return self._made_up

    async def _static_texts_of(self, tool: Tool) -> frozenset[str]:
        async with self._locks[tool.name]:
            if tool.name not in self._static_texts:
                self._static_texts[tool.name] = await self._find_static_texts(tool)
            return self._static_texts[tool.name]

    async def _find_static_texts(self, tool: Tool) -> frozenset[str]:
        """Find error texts that mistakes of different groups get. These calls are not sent a second time."""
        groups = {mistake.group: mistake for mistake in reversed(self._plan.calls(tool))}
        texts = list[str]()
        for mistake in (groups[group] for group in ("required", "parameter", "type") if group in groups):
            reply = await self._sender.send_or_none(mistake.call)
            if reply is not None:
                self._early_replies[repr(mistake)] = reply
                texts += [reply.text] if reply.is_error else []
        return frozenset(text for text in texts if text and texts.count(text) > 1)
