"""Schedule the calls of an audit: several at a time, or one alone after the server ended, hung or flooded."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fingerpost.audit.events import AuditEnded, AuditStarted, CallJudged, CallsSkipped, Event, Note
from fingerpost.audit.execute.blame import CallSender, Losses, UnclearBlame
from fingerpost.audit.execute.event_queue import EventQueue
from fingerpost.audit.execute.judge_call import CallJudge
from fingerpost.audit.execute.server import Server
from fingerpost.audit.execute.shared_lock import SharedLock
from fingerpost.engine.phrases import count_noun
from fingerpost.terminal.command_error import CommandError

if TYPE_CHECKING:
    from fingerpost.audit.generate.plan import Plan, PlannedCall

IN_FLIGHT = 4
_TOOLS_CHANGED = "the server changed its list of tools during the audit; the audit used the first list"
_UNSAFE = "this server executes calls that it should refuse"


class Audit:
    """One run of a plan against one server; `events` runs it."""

    def __init__(self, server: Server, plan: Plan, *, in_flight: int = IN_FLIGHT) -> None:
        self._server, self._plan, self._in_flight = server, plan, in_flight
        self._events, self._losses = EventQueue(), Losses()
        self._lock, self._writer_lock = SharedLock(), asyncio.Lock()
        self._judge = CallJudge(plan, CallSender(server, self._lock), self._losses, self._events)
        self._withheld = Counter[str]()
        """Calls of tools that may write, not sent after an unsafe execution."""

    async def events(self) -> AsyncIterator[Event]:
        """Run the audit and yield its events as they happen; `AuditEnded` is the last."""
        total = sum(len(self._plan.calls(tool)) for tool in self._plan.tools)
        yield AuditStarted(self._server.subject(sum(1 for _ in self._plan.catalog)), self._plan.seed, total)
        for skipped in self._plan.skip_events():
            yield skipped
        running = asyncio.ensure_future(self._run())
        running.add_done_callback(lambda _: self._events.close())
        try:
            async for event in self._events.read():
                yield event
            await running
        finally:
            running.cancel()
            await asyncio.wait((running,))

    async def judge_alone(self, planned: PlannedCall) -> CallJudged:
        """Send one call with no other in flight."""
        async with self._lock.exclusive():
            return await self._judge.judge(planned)

    async def _run(self) -> None:
        calls, why = self._plan.enumerate_calls(), ""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._in_flight):
                    group.create_task(self._work_through(calls))
        except* CommandError as errors:
            why = f"{errors.exceptions[0]}{self._losses.suspects}"
        for event in self._closing_events():
            self._events.emit(event)
        self._events.emit(AuditEnded(why))

    def _closing_events(self) -> Iterator[Event]:
        if (shared := self._losses.judge_shared()) is not None:
            yield shared
        if self._server.has_changed_tools:
            yield Note("", _TOOLS_CHANGED)
        yield from self._losses.skip_events()
        for tool, count in self._withheld.items():
            yield CallsSkipped(tool, count_noun(count, "call"), _UNSAFE)

    async def _work_through(self, calls: Iterator[PlannedCall]) -> None:
        for planned in calls:
            if planned.tool.is_read_only:
                await self._process(planned)
                continue
            async with self._writer_lock:  # one at a time, so that no write changes what another is compared with
                if self._plan.may_execute(planned.tool):
                    await self._process(planned)
                elif not self._judge.has_seen_unsafe_execution:
                    await self._process(replace(planned, is_repeated=False))
                else:
                    self._withheld[planned.tool.name] += 1

    async def _process(self, planned: PlannedCall) -> None:
        judged = None if self._losses.is_given_up(planned.tool.name) else await self._judge_beside_others(planned)
        self._events.emit(judged or self._losses.judge_withheld(planned))

    async def _judge_beside_others(self, planned: PlannedCall) -> CallJudged | None:
        """Send a call beside others, and again alone if it is unanswered; none if its tool is given up by then."""
        if self._in_flight > 1:
            try:
                async with self._lock.share():
                    return await self._judge.judge(planned)
            except UnclearBlame as unclear:
                if str(unclear):
                    self._losses.add_shared(planned, str(unclear))
        with self._losses.suspect(planned.tool.name):
            async with self._lock.exclusive():
                is_given_up = self._losses.is_given_up(planned.tool.name)
                return None if is_given_up else await self._judge.judge(planned)
