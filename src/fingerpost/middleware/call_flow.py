"""One `tools/call` from start to end: judge it, send it, add guidance to its reply.

A call that is right by the last known tool list is sent at once. Before guidance is given, the list is read again
unless it is fresh, so that nobody learns of a tool that is hidden from them by now. Whatever fails here, the call
is sent once and the server's own reply comes back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.judge import judge
from fingerpost.engine.model import EMPTY_REPORT, Call, Report, Verdict
from fingerpost.engine.replies.classify import is_failure
from fingerpost.engine.replies.enrich import add_to_success, append_report, explain_exception, explain_failure
from fingerpost.engine.replies.unknown_tool_reply import (
    is_exactly_unknown_tool,
    is_unknown_tool,
    is_unknown_without_name,
)
from fingerpost.engine.rules import unknown_tool
from fingerpost.middleware.guidance import ServerGuidance
from fingerpost.middleware.outcome import Answer, Outcome


class Upstream(Protocol):
    """What a call flow needs from an integration."""

    async def send(self, call: Call) -> Outcome:
        """Send a call to the server and return what it answers; never raises."""
        ...

    async def list_tools(self) -> Catalog | None:
        """Read the caller's own list from the server and store it in the cache; None if it cannot be read."""
        ...

    async def announce_change(self) -> None:
        """Tell clients that the tool list has changed."""
        ...


class CallFlow:
    """The order of steps for one call of one caller."""

    __slots__ = ("_catalog", "_counts_as", "_guidance", "_is_fresh", "_upstream", "call", "caller")

    def __init__(
        self, guidance: ServerGuidance, upstream: Upstream, caller: object, call: Call, *, counts_as: object = None
    ) -> None:
        self._guidance, self._upstream, self.caller, self.call = guidance, upstream, caller, call
        self._counts_as = caller if counts_as is None else counts_as
        """Whose failures are counted together; several callers may share one list."""
        cached = guidance.tools.get(caller)
        self._catalog = cached.value if cached else guidance.unknown_list
        self._is_fresh = cached is not None and guidance.now() < cached.fresh_until
        """Whether guidance may be given from this list; otherwise it is read again before."""

    async def run(self) -> Answer:
        """Judge the call, send it unless it is refused, and add guidance to the reply."""
        forward = Verdict("forward", self.call)
        try:
            verdict = await self._judge()
            is_unlisted = self._is_unlisted(verdict)
            if not is_unlisted:
                if verdict.action in ("refuse", "ask"):
                    return Answer(self._guidance.refuse(self._counts_as, verdict, self._catalog), None)
                await self._observe_effect(verdict.call)
        except Exception as error:
            self._guidance.count_own_failure(error)
            verdict, is_unlisted = forward, False
        if is_unlisted:
            return await self._send_unlisted(verdict)
        return await self._complete(verdict, await self._upstream.send(verdict.call))

    async def complete(self, outcome: Outcome) -> Answer:
        """Add guidance to what the server answered to a call that took the short cut."""
        return await self._complete(Verdict("forward", self.call), outcome)

    async def _judge(self) -> Verdict:
        if self._catalog is self._guidance.unknown_list:
            await self._refresh()
        verdict = judge(self.call, self._catalog, self._guidance.policy)
        if (verdict.action == "forward" and verdict.report is EMPTY_REPORT) or not await self._refresh():
            return verdict
        return judge(self.call, self._catalog, self._guidance.policy)

    def _is_unlisted(self, verdict: Verdict) -> bool:
        """Whether a call is for a tool that the server does not list, or for our `info` tool."""
        found = verdict.report.diagnoses
        if found and found[0].code == unknown_tool.CODE:
            return True
        return self._is_info(verdict.call)

    def _is_info(self, call: Call) -> bool:
        is_named_info = call.tool == self._guidance.policy.info_tool
        return is_named_info and self._guidance.is_own_info_tool(call, self._catalog)

    async def _send_unlisted(self, verdict: Verdict) -> Answer:
        """Ask the server first, with the call as it was sent: some servers list only what a search brought up.

        If the server does not know the tool, nothing has happened yet. A tool that answers exists, whatever it answers.
        """
        outcome = await self._upstream.send(self.call)
        try:
            if self._is_info(verdict.call):
                return await self._answer_info(verdict, outcome)
            if not is_unknown_tool(outcome.reply, self.call.tool):
                return await self._complete_unlisted(outcome)
            if not self._may_send_again(verdict, outcome):
                return self._answer_unknown(verdict, outcome)
        except Exception as error:
            self._guidance.count_own_failure(error)
            return Answer(outcome.reply, outcome)
        await self._observe_effect(verdict.call)
        return await self._complete(verdict, await self._upstream.send(verdict.call))

    async def _answer_info(self, verdict: Verdict, outcome: Outcome) -> Answer:
        """Answer a call of our `info` tool, unless the server has one that it does not list."""
        if not is_failure(outcome.reply):
            return Answer(outcome.reply, outcome)
        if verdict.action in ("refuse", "ask"):
            return Answer(self._guidance.refuse(self._counts_as, verdict, self._catalog), None)
        await self._refresh()
        return Answer(self._guidance.answer_info(self._counts_as, verdict, self._catalog), None)

    async def _complete_unlisted(self, outcome: Outcome) -> Answer:
        """Answer for a tool that is not listed and is there all the same; nothing is known about its arguments."""
        if not is_failure(outcome.reply):
            return Answer(outcome.reply, outcome)
        return await self._complete(Verdict("forward", self.call), outcome)

    def _may_send_again(self, verdict: Verdict, outcome: Outcome) -> bool:
        """Whether the call may be sent under its repaired name: it has certainly not been carried out.

        A server that does not say which name it does not know may mean something else, so only a tool that changes
        nothing is called then.
        """
        if verdict.action != "repair" or outcome.has_worked:
            return False
        if is_exactly_unknown_tool(outcome.reply, self.call.tool):
            return True
        tool = self._catalog.get(verdict.call.tool)
        return tool is not None and tool.is_read_only and is_unknown_without_name(outcome.reply)

    def _answer_unknown(self, verdict: Verdict, outcome: Outcome) -> Answer:
        """Add what was probably intended to the reply of a server that does not know the tool."""
        report = replace(verdict.report, is_refusal=True)
        if verdict.action == "repair":
            report = replace(report, corrections=(), corrected=verdict.call)
        refusal = Verdict("refuse", self.call, report)
        reply = self._guidance.refuse_unknown(self._counts_as, refusal, self._catalog, outcome)
        is_kept = "content" in reply and "content" in outcome.reply and not outcome.is_raised
        return Answer(reply, outcome if is_kept else None)

    async def _observe_effect(self, call: Call) -> None:
        """Record what a call is about to do, as far as that is declared, and announce it if it is news."""
        try:
            if self._guidance.effects and self._guidance.effects.observe(call.tool, call.arguments):
                await self._upstream.announce_change()
        except Exception as error:  # a changed annotation is no reason to hold up a call
            self._guidance.count_own_failure(error)

    async def _complete(self, verdict: Verdict, outcome: Outcome) -> Answer:
        """Add guidance to what the server answered. Tips may name other tools, so they too come from a fresh list."""
        guidance, reply = self._guidance, outcome.reply
        try:
            if outcome.exception is not None or is_failure(reply):
                return Answer(await self._add_to_failure(verdict, outcome), outcome)
            if self._counts_as in guidance.repeated.callers:
                guidance.repeated.forget(self._counts_as, self.call)
            policy = self._catalog.policy_for(verdict.call.tool, guidance.policy)
            guided = add_to_success(self.call, reply, self._catalog, policy, verdict)
            if guided is not reply and not self._is_fresh and await self._refresh():
                guided = add_to_success(self.call, reply, self._catalog, policy, verdict)
            return Answer(guided, outcome)
        except Exception as error:
            guidance.count_own_failure(error)
            return Answer(reply, outcome)

    async def _add_to_failure(self, verdict: Verdict, outcome: Outcome) -> Any:
        guidance = self._guidance
        if await self._refresh() and verdict.action == "forward":
            verdict = judge(self.call, self._catalog, guidance.policy)
        if (report := self._explain_exception(verdict, outcome)) is not None:
            return guidance.error_result(guidance.count_failure(self._counts_as, report, self._catalog), self._catalog)
        facts = self._failure_facts(outcome)
        policy = guidance.policy_for(verdict.call.tool)
        report = explain_failure(self.call, outcome.reply, self._catalog, policy, verdict, facts=facts)
        if report is None:
            return outcome.reply
        if self._catalog.get(verdict.call.tool) is None:
            report = replace(report, info_tool=None)  # which knows only tools that are listed
        return append_report(outcome.reply, guidance.count_failure(self._counts_as, report, self._catalog), policy)

    def _explain_exception(self, verdict: Verdict, outcome: Outcome) -> Report | None:
        if outcome.exception is None:
            return None
        policy = self._guidance.policy_for(verdict.call.tool)
        return explain_exception(outcome.exception, self._catalog, policy, verdict, is_masked=outcome.is_masked)

    def _failure_facts(self, outcome: Outcome) -> FailureFacts | None:
        if outcome.exception is None:
            return outcome.facts
        from fingerpost.engine.replies.exceptions import facts_of, root_cause

        return facts_of(root_cause(outcome.exception), self.call)

    async def _refresh(self) -> bool:
        """Read the list unless it is known to be fresh; true if that gave another catalog than before."""
        if self._is_fresh:
            return False
        before = self._catalog
        self._catalog = await self._upstream.list_tools() or self._guidance.unknown_list
        self._is_fresh = True
        return self._catalog is not before
