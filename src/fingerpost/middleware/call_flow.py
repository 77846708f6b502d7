"""One `tools/call` at a door: judged, sent on, and its reply guided, from lists that are the caller's own.

A call that is right by the last known list goes on at once. Before anything is said, the list is read anew
unless it is fresh, so nobody is told of a tool that is hidden from them by now. Whatever fails here, the call
is sent on once and the server's own reply comes back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import EMPTY_REPORT, Call, Verdict
from fingerpost.engine.replies.enrich import is_failure, is_unknown_tool
from fingerpost.engine.rules import unknown_tool
from fingerpost.middleware.desk import Desk
from fingerpost.middleware.tool_list_cache import ToolListCache

_UNKNOWN = Catalog(is_complete=False)


class Outcome(NamedTuple):
    """What came back for a call that was sent on."""

    reply: Any
    """A tool result or a protocol error, as JSON."""
    cause: BaseException | None = None
    """The exception behind a failure, where it can be seen."""
    is_raised: bool = False
    """Whether the server answered by that exception, and `reply` is only what would be made of it."""
    is_masked: bool = False
    """Whether the framework keeps that exception's text from the caller."""


class Exchange(ABC):
    """One call of one caller. A door says how it is sent on, how lists are read, and how changes are announced."""

    __slots__ = ("_catalog", "_is_fresh", "call", "caller", "desk", "shelf", "speaker")

    def __init__(self, desk: Desk, shelf: ToolListCache[Catalog], caller: object, call: Call) -> None:
        self.desk, self.shelf, self.caller, self.call = desk, shelf, caller, call
        self.speaker = caller
        """Whose calls are counted together; several may share the lists of one caller."""
        self._catalog: Catalog | None = None
        self._is_fresh = False

    @abstractmethod
    async def send(self, call: Call) -> Outcome:
        """What the server answers to a call; total."""

    @abstractmethod
    async def read(self) -> Catalog | None:
        """The caller's list from the server, put on the shelf; none where it cannot be read."""

    @abstractmethod
    async def announce(self) -> None:
        """Tell clients that the list of tools has changed."""

    async def run(self, outcome: Outcome | None = None) -> tuple[Any, Outcome | None]:
        """The reply, and what the server answered where the call was sent on, as it came (`outcome`) or now."""
        if outcome is not None:
            self._catalog = self.shelf.any(self.caller)
            return await self._finished(Verdict("forward", self.call), outcome), outcome
        verdict, reply = Verdict("forward", self.call), None
        try:
            verdict = await self._admitted()
            reply = await self._own_reply(verdict)
        except Exception as error:
            self.desk.failed(error)
            verdict = Verdict("forward", self.call)
        if reply is not None:
            return reply, None
        outcome = await self.send(self.call if self._is_unlisted(verdict) else verdict.call)
        if self._is_unlisted(verdict):
            return await self._asked_first(verdict, outcome)
        return await self._finished(verdict, outcome), outcome

    def _is_unlisted(self, verdict: Verdict) -> bool:
        """Whether a call is for a tool that the server does not list, or for ours.

        It may be there all the same: some servers list only what a search brought up. Whether it is, only the
        server knows, so it is asked first, with the call as it came.
        """
        found = verdict.report.diagnoses
        return bool(found and found[0].code == unknown_tool.CODE) or self.desk.explains(verdict.call, self._known)

    async def _asked_first(self, verdict: Verdict, outcome: Outcome) -> tuple[Any, Outcome | None]:
        """What to do once the server was asked: if it does not know the tool, nothing has happened yet."""
        try:
            explains = self.desk.explains(verdict.call, self._known)
            if not (is_failure(outcome.reply) if explains else is_unknown_tool(outcome.reply, self.call.tool)):
                return outcome.reply if explains else self.desk.remarked(verdict, outcome.reply), outcome
            if verdict.action in ("refuse", "ask"):
                return self.desk.refused(self.speaker, verdict, self._known), None
            if explains:
                await self._refresh()
                return self.desk.explained(self.speaker, verdict, self._known), None
        except Exception as error:
            self.desk.failed(error)
            return outcome.reply, outcome
        await self._noted(verdict.call)
        outcome = await self.send(verdict.call)
        return await self._finished(verdict, outcome), outcome

    async def _finished(self, verdict: Verdict, outcome: Outcome) -> Any:
        try:
            return await self._answered(verdict, outcome)
        except Exception as error:
            self.desk.failed(error)
            return outcome.reply

    async def _own_reply(self, verdict: Verdict) -> Any:
        """The reply to a call that is refused; what is sent on is noted for what it does."""
        if self._is_unlisted(verdict):
            return None
        if verdict.action in ("refuse", "ask"):
            return self.desk.refused(self.speaker, verdict, self._known)
        await self._noted(verdict.call)
        return None

    async def _noted(self, call: Call) -> None:
        """What a call is about to do, as far as that is declared, and the news of it."""
        try:
            if self.desk.effects and self.desk.effects.observe(call.tool, call.arguments):
                await self.announce()
        except Exception as error:  # that a label has changed is no reason to hold up a call
            self.desk.failed(error)

    @property
    def _known(self) -> Catalog:
        return self._catalog or _UNKNOWN

    async def _admitted(self) -> Verdict:
        self._catalog = self.shelf.any(self.caller)
        if self._catalog is None:
            await self._refresh()
        verdict = self.desk.judge(self.call, self._known)
        if _is_silent(verdict) or self._is_fresh:
            return verdict
        return self.desk.judge(self.call, self._known) if await self._refresh() else verdict

    async def _answered(self, verdict: Verdict, outcome: Outcome) -> Any:
        if outcome.cause is None and not is_failure(outcome.reply):
            return await self._guided(verdict, outcome)
        if await self._refresh() and verdict.action == "forward":
            verdict = self.desk.judge(self.call, self._known)
        if outcome.cause is not None:
            told = self.desk.raised(self.speaker, verdict, self._known, outcome.cause, is_masked=outcome.is_masked)
            if told is not None:
                return told
        return self.desk.answered(self.speaker, self.call, verdict, self._known, outcome.reply, outcome.cause)

    async def _guided(self, verdict: Verdict, outcome: Outcome) -> Any:
        """A success. What is said beside it may name other tools, so that too comes from a fresh list."""
        said = self.desk.answered(self.speaker, self.call, verdict, self._known, outcome.reply)
        if said is outcome.reply or not await self._refresh():
            return said
        return self.desk.answered(self.speaker, self.call, verdict, self._known, outcome.reply)

    async def _refresh(self) -> bool:
        """Read the list unless it is known to hold; true when another one than before came of it."""
        if self._is_fresh:
            return False
        before = self._catalog
        self._catalog = self.shelf.fresh(self.caller, self.desk.now()) or await self.read()
        self._is_fresh = True
        return self._catalog is not before


def _is_silent(verdict: Verdict) -> bool:
    return verdict.action == "forward" and verdict.report is EMPTY_REPORT
