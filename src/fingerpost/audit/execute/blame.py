"""Decide which call is to blame when the server does not answer.

A call that goes unanswered beside others is sent again alone, so that the right call gets the blame. A tool that
leaves too many calls unanswered gets no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fingerpost.audit.events import CallJudged, CallsSkipped, Outcome
from fingerpost.audit.execute.connection import NoAnswer
from fingerpost.audit.execute.server import Server
from fingerpost.audit.execute.shared_lock import SharedLock
from fingerpost.audit.judge.checklist import Check
from fingerpost.audit.judge.judge_reply import judge_no_reply
from fingerpost.audit.judge.reply import Reply
from fingerpost.engine.model import Call
from fingerpost.engine.phrases import count_noun, join_names
from fingerpost.engine.safety.redact import clean

if TYPE_CHECKING:
    from fingerpost.audit.generate.plan import PlannedCall

_MAX_LOSSES = 3
"""How many calls a tool may leave unanswered before it gets no more."""
_GIVEN_UP = f"it had left {count_noun(_MAX_LOSSES, 'call')} unanswered"


class Unanswered(Exception):
    """A call has no answer and is to blame for that; the message is a clause about the server."""


class UnclearBlame(Exception):
    """A call has no answer, and another call may be to blame."""


class CallSender:
    """Send calls and turn a missing answer into `Unanswered` or `UnclearBlame`."""

    def __init__(self, server: Server, lock: SharedLock) -> None:
        self._server, self._lock = server, lock

    @property
    def is_alone(self) -> bool:
        """Whether no other call is in flight."""
        return self._lock.is_exclusive

    async def send(self, call: Call) -> Reply:
        try:
            return Reply(await self._server.call(call))
        except NoAnswer as error:
            if error.was_overtaken or self.is_alone:
                raise Unanswered(str(error)) from error
            raise UnclearBlame(str(error)) from error

    async def send_or_none(self, call: Call) -> Reply | None:
        """Send a call whose own answer does not matter; return none if it is unanswered."""
        try:
            return await self.send(call)
        except Unanswered:
            return None


class Losses:
    """Count the calls that went unanswered, by tool."""

    def __init__(self) -> None:
        self._losses, self._withheld, self._suspects = Counter[str](), Counter[str](), Counter[str]()
        self._shared_losses: dict[int, tuple[PlannedCall, str]] = {}
        """Calls that had no answer beside others, and why."""

    def add(self, tool: str) -> None:
        self._losses[tool] += 1

    def is_given_up(self, tool: str) -> bool:
        """Whether a tool has left so many calls unanswered that it gets no more."""
        return self._losses[tool] >= _MAX_LOSSES

    def judge_loss(self, planned: PlannedCall, why: str) -> CallJudged:
        """Count an unanswered call against its tool."""
        self.add(planned.tool.name)
        checks, is_repaired = judge_no_reply(planned.mistake, why)
        return CallJudged(planned.number, planned.tool.name, planned.mistake, Outcome(None, why), checks, is_repaired)

    def judge_withheld(self, planned: PlannedCall) -> CallJudged:
        """Judge a call that is not sent because its tool is given up."""
        self._withheld[planned.tool.name] += 1
        return self.judge_loss(planned, f"was not sent: {_GIVEN_UP}")

    def skip_events(self) -> Iterator[CallsSkipped]:
        for tool, count in self._withheld.items():
            yield CallsSkipped(tool, count_noun(count, "call"), _GIVEN_UP)

    @contextmanager
    def suspect(self, tool: str) -> Generator[None]:
        """Count a tool as a suspect while its call is sent alone, and for good if that ends the audit."""
        self._suspects[tool] += 1
        yield  # without try/finally on purpose
        self._suspects[tool] -= 1

    @property
    def suspects(self) -> str:
        """The tools that may have ended the server, as a clause; empty if there are none."""
        names = [clean(tool, 60) for tool, count in self._suspects.items() if count > 0]
        return f"; the last calls were of {join_names(names)}" if names else ""

    def add_shared(self, planned: PlannedCall, why: str) -> None:
        """Record a call that had no answer beside others; it is sent again alone."""
        self._shared_losses[planned.number] = (planned, why)

    def judge_shared(self) -> CallJudged | None:
        """Fail `alive` once if calls are only unanswered beside others, since then no single call is to blame."""
        if not self._shared_losses or self._losses:
            return None
        planned, why = self._shared_losses[min(self._shared_losses)]
        check = Check("alive", False, f"{why} beside other calls, but answered when the call was sent alone")
        return CallJudged(planned.number, planned.tool.name, planned.mistake, Outcome(None, why), (check,), None)
