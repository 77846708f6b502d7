"""An audit as it happens: calls go out, several at a time, and every verdict is an event.

A server may end, hang or flood at any of them. Then whatever was under way is tried again, one call at a time, so that
the blame falls on the call that earns it; a tool that earns it too often is left alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from fingerpost.audit.checklist import Check
from fingerpost.audit.events import Began, Ended, Event, Noted, Outcome, Skipped, Tried
from fingerpost.audit.judge import Trial, judged, lost
from fingerpost.audit.line import Gone
from fingerpost.audit.mistakes import Mistake
from fingerpost.audit.plan import Plan
from fingerpost.audit.sameness import Expected, Print
from fingerpost.audit.server import Server
from fingerpost.audit.shown import reply_shown
from fingerpost.catalog import Tool
from fingerpost.diagnosis import Call
from fingerpost.redact import clean
from fingerpost.trouble import Trouble
from fingerpost.untrusted import as_object
from fingerpost.voice import counted

IN_FLIGHT = 4
_MOST_LOST = 3
"""How often a tool may leave a call unanswered before it is left alone."""
_MOST_STARTS = 40
RIGHT_FAILS = "a right call fails"
"""How a note begins that more examples would make superfluous."""


@dataclass(frozen=True, slots=True)
class Task:
    """One wrong call that is to be tried."""

    number: int
    tool: Tool
    mistake: Mistake
    is_repeated: bool
    """Whether the same call is sent again, to see whether it is answered as well."""


class Audit:
    """One run over one server. `events` is all that there is to it."""

    def __init__(self, server: Server, plan: Plan, *, in_flight: int = IN_FLIGHT) -> None:
        self._server, self._plan, self._in_flight = server, plan, in_flight
        self._turns = _Turns()
        self._expected: dict[str, Expected] = {}
        self._asking = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._lost, self._left = Counter[str](), Counter[str]()
        self._noted = set[str]()
        self._events = asyncio.Queue[Event | None]()

    async def events(self) -> AsyncIterator[Event]:
        """Whatever happens, in the order it happens; `Ended` is the last."""
        total = sum(len(self._plan.calls(tool)) for tool in self._plan.tools)
        yield Began(self._server.subject(sum(1 for _ in self._plan.catalog)), self._plan.seed, total)
        for skipped in self._plan.skipped():
            yield skipped
        running = asyncio.ensure_future(self._run())
        running.add_done_callback(lambda _: self._events.put_nowait(None))
        try:
            while (event := await self._events.get()) is not None:
                yield event
            await running
        finally:
            running.cancel()
            await asyncio.wait((running,))

    async def _run(self) -> None:
        tasks, why = self._tasks(), ""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._in_flight):
                    group.create_task(self._work(tasks))
        except* Trouble as troubles:
            why = str(troubles.exceptions[0])
        for tool, count in self._left.items():
            self._say(Skipped(tool, counted(count, "call"), f"it had left {counted(_MOST_LOST, 'call')} unanswered"))
        self._say(Ended(why))

    def _tasks(self) -> Iterator[Task]:
        number = 0
        for tool in self._plan.tools:
            for place, mistake in enumerate(self._plan.calls(tool)):
                number += 1
                yield Task(number, tool, mistake, is_repeated=place == 0)

    async def _work(self, tasks: Iterator[Task]) -> None:
        for task in tasks:
            if self._lost[task.tool.name] >= _MOST_LOST:
                self._left[task.tool.name] += 1
            else:
                self._say(await self.tried(task))

    def _say(self, event: Event) -> None:
        self._events.put_nowait(event)

    # one call

    async def tried(self, task: Task) -> Tried:
        """Try a call beside others; where the server does not survive that, alone."""
        with suppress(Gone):
            async with self._turns.with_others():
                return await self._judged(task)
        async with self._turns.alone():
            try:
                return await self._judged(task)
            except Gone as gone:
                return self._unanswered(task, str(gone))

    async def _judged(self, task: Task) -> Tried:
        if self._server.starts > _MOST_STARTS:
            raise Trouble(f"the server had to be started {_MOST_STARTS} times")
        mistake = task.mistake
        expected, without = await self._expectations(task)
        outcome = await self._server.call(mistake.call)
        if outcome.reply is None:
            return self._unanswered(task, outcome.lost)
        if expected is not None and not expected.is_met_by(outcome.reply):
            may_differ_by_now = expected.is_error or not task.tool.is_read_only
            expected = (await self._once_more(mistake.right) if may_differ_by_now else None) or expected
        trial = Trial(mistake, task.tool, self._plan.catalog, outcome.reply, expected, without)
        checks, is_repaired = judged(trial)
        if task.is_repeated:
            checks = (*checks, await self._again(trial, checks))
        return Tried(task.number, task.tool.name, mistake, outcome, checks, is_repaired)

    async def _once_more(self, right: Call) -> Expected | None:
        """What a right call is answered with by now: other calls may have changed something since.

        One that fails is not answered alike each time either, for good servers do not say the same again and again.
        """
        reply = (await self._server.call(right)).reply
        return Expected(Print.of(reply), Print.of(reply)) if reply is not None else None

    async def _again(self, trial: Trial, before: tuple[Check, ...]) -> Check:
        """Send the same call again; whatever was there has to be there still."""
        again = await self._server.call(trial.mistake.call)
        if again.reply is None:
            return Check("stable", False, f"the second time {again.lost}")
        met = {check.item for check in before if check.passed}
        worse = [one for one in judged(replace(trial, reply=again.reply))[0] if not one.passed and one.item in met]
        return Check("stable", not worse, f"the second time {worse[0].why}" if worse else "")

    def _unanswered(self, task: Task, why: str) -> Tried:
        self._lost[task.tool.name] += 1
        checks, is_repaired = lost(task.mistake, why)
        return Tried(task.number, task.tool.name, task.mistake, Outcome(None, why), checks, is_repaired)

    # what right calls are answered with

    async def _expectations(self, task: Task) -> tuple[Expected | None, Expected | None]:
        """The reply to the right call, and to the one without the culprit, where these may be sent."""
        mistake, tool = task.mistake, task.tool
        if not self._plan.may_execute(tool) or not tool.accepts(mistake.right.arguments):
            return None, None
        without = None
        if mistake.kind.startswith("parameter.") and mistake.culprit not in tool.required:
            rest = {key: one for key, one in as_object(mistake.right.arguments).items() if key != mistake.culprit}
            without = await self._expect(tool, Call(tool.name, rest)) if tool.accepts(rest) else None
        return await self._expect(tool, mistake.right), without

    async def _expect(self, tool: Tool, right: Call) -> Expected | None:
        key = repr(right)
        async with self._asking[tool.name]:
            if key not in self._expected and self._lost[tool.name] < _MOST_LOST:
                await self._learn(tool, right, key)
            return self._expected.get(key)

    async def _learn(self, tool: Tool, right: Call, key: str) -> None:
        first = await self._server.call(right)
        again = await self._server.call(right) if first.reply is not None else first
        if first.reply is None or again.reply is None:
            self._lost[tool.name] += 1
            self._note(tool.name, f"a right call {first.lost or again.lost}")
            return
        self._expected[key] = Expected(Print.of(first.reply), Print.of(again.reply))
        if self._expected[key].is_error:
            self._note(tool.name, f"{RIGHT_FAILS}: {clean(reply_shown(first.reply, 200), 160)}")

    def _note(self, tool: str, text: str) -> None:
        if tool not in self._noted:
            self._noted.add(tool)
            self._say(Noted(tool, text))


class _Turns:
    """Several calls at a time, or one alone."""

    def __init__(self) -> None:
        self._free = asyncio.Condition()
        self._several = 0
        self._is_one_alone = False

    @asynccontextmanager
    async def with_others(self) -> AsyncGenerator[None]:
        async with self._free:
            await self._free.wait_for(lambda: not self._is_one_alone)
            self._several += 1
        try:
            yield
        finally:
            async with self._free:
                self._several -= 1
                self._free.notify_all()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        async with self._free:
            await self._free.wait_for(lambda: not self._is_one_alone)
            self._is_one_alone = True
            await self._free.wait_for(lambda: not self._several)
        try:
            yield
        finally:
            async with self._free:
                self._is_one_alone = False
                self._free.notify_all()
