"""An audit as it happens: calls go out, several at a time, and every verdict is an event.

A server may end, hang or flood at any of them. Then whatever was under way is tried again, one call at a time, so that
the blame falls on the call that earns it; a tool that earns it too often is left alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from fingerpost.audit.events import Began, Ended, Event, Noted, Outcome, Skipped, Tried
from fingerpost.audit.execute.connection import Lost
from fingerpost.audit.execute.server import Server
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.generate.plan import Plan
from fingerpost.audit.judge.checklist import Check
from fingerpost.audit.judge.judge_reply import Trial, judged
from fingerpost.audit.judge.judge_reply import lost as judged_lost
from fingerpost.audit.judge.same_reply import Expected, Print
from fingerpost.audit.redact import redact_call, redact_reply, texts
from fingerpost.engine.catalog import Tool
from fingerpost.engine.model import Call
from fingerpost.engine.phrases import count_noun, encode_json, join_names
from fingerpost.engine.replies.enrich import sounds_like_failure
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.command_error import CommandError

IN_FLIGHT = 4
_STRANGER = "zzqxwvkjh"
"""A tool that no server has."""
_MOST_LOST = 3
"""How often a tool may leave a call unanswered before it is left alone."""
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


class _Stranger(NamedTuple):
    """What a tool that no server has is answered with."""

    is_failure: bool
    said: Print


class _Unsure(Exception):
    """A call has no answer, and another one may be to blame."""


class _Unanswered(Exception):
    """A call has no answer, and is to blame for that; the message is a clause about the server."""


class Audit:
    """One run over one server. `events` is all that there is to it."""

    def __init__(self, server: Server, plan: Plan, *, in_flight: int = IN_FLIGHT) -> None:
        self._server, self._plan, self._in_flight = server, plan, in_flight
        self._turns, self._careful = _Turns(), asyncio.Lock()
        self._expected: dict[str, Expected | None] = {}
        self._asked = set[str]()
        self._asking = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._lost, self._left, self._held_back = Counter[str](), Counter[str](), Counter[str]()
        self._noted = set[str]()
        self._static: dict[str, frozenset[str]] = {}
        self._opened: dict[str, Mapping[str, Any]] = {}
        """Replies to calls that were sent before their turn, to get to know the tool."""
        self._stranger: _Stranger | None = None
        self._is_loose = False
        """Whether a call was carried out that any server should have refused: then none like it is sent any more."""
        self._suspects = Counter[str]()
        self._in_company: dict[int, tuple[Task, str]] = {}
        """Calls that had no answer beside others, and why."""
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
        except* CommandError as troubles:
            why = f"{troubles.exceptions[0]}{self._suspicion()}"
        if self._in_company and not self._lost:
            self._say(self._of_company())
        if self._server.has_changed:
            self._say(Noted("", "the server changed its list of tools meanwhile; it was held against the first one"))
        for tool, count in self._left.items():
            self._say(
                Skipped(tool, count_noun(count, "call"), f"it had left {count_noun(_MOST_LOST, 'call')} unanswered")
            )
        for tool, count in self._held_back.items():
            self._say(Skipped(tool, count_noun(count, "call"), "this server carries out what it should refuse"))
        self._say(Ended(why))

    def _of_company(self) -> Tried:
        """No call is to blame by itself, but a server that bears no company is not to be praised either."""
        task, why = self._in_company[min(self._in_company)]
        check = Check("alive", False, f"{why} beside other calls, and did when it was asked again alone")
        return Tried(task.number, task.tool.name, task.mistake, Outcome(None, why), (check,), None)

    def _suspicion(self) -> str:
        names = [clean(tool, 60) for tool, count in self._suspects.items() if count > 0]
        return f"; the last calls were of {join_names(names)}" if names else ""

    def _tasks(self) -> Iterator[Task]:
        number = 0
        for tool in self._plan.tools:
            for place, mistake in enumerate(self._plan.calls(tool)):
                number += 1
                yield Task(number, tool, mistake, is_repeated=place == 0)

    async def _work(self, tasks: Iterator[Task]) -> None:
        for task in tasks:
            if task.tool.is_read_only:
                await self._do(task)
                continue
            async with self._careful:  # one at a time: none is to change what another is compared by
                if self._plan.may_execute(task.tool):
                    await self._do(task)
                elif not self._is_loose:
                    await self._do(replace(task, is_repeated=False))
                else:
                    self._held_back[task.tool.name] += 1

    async def _do(self, task: Task) -> None:
        tried = None if self._is_given_up(task.tool) else await self._tried(task)
        if tried is None:
            self._left[task.tool.name] += 1
            tried = self._unanswered(task, f"was not asked: it had left {count_noun(_MOST_LOST, 'call')} unanswered")
        self._say(tried)

    def _is_given_up(self, tool: Tool) -> bool:
        return self._lost[tool.name] >= _MOST_LOST

    def _say(self, event: Event) -> None:
        self._events.put_nowait(event)

    # one call

    async def _tried(self, task: Task) -> Tried | None:
        """Try a call beside others; where it has no answer then, alone. None where its tool is given up by then."""
        if self._in_flight > 1:
            try:
                async with self._turns.with_others():
                    return await self._judged(task)
            except _Unsure as unsure:
                if str(unsure):
                    self._in_company[task.number] = (task, str(unsure))
        self._suspects[task.tool.name] += 1
        async with self._turns.alone():
            tried = None if self._is_given_up(task.tool) else await self._judged(task)
        self._suspects[task.tool.name] -= 1
        return tried

    async def tried_alone(self, task: Task) -> Tried:
        async with self._turns.alone():
            return await self._judged(task)

    async def _judged(self, task: Task) -> Tried:
        mistake = task.mistake
        expected, without = await self._expectations(task)
        is_discerning, static = await self._habits(task, expected)
        try:
            reply = self._opened.pop(repr(mistake), None) or await self._reply(mistake.call)
        except _Unanswered as unanswered:
            return self._unanswered(task, str(unanswered))
        if expected is not None and not (task.tool.is_read_only and not expected.is_error):
            expected, reply = await self._by_now(mistake, expected, reply)
        trial = Trial(mistake, task.tool, self._plan.catalog, reply, expected, without, is_discerning, static)
        self._look_after(trial)
        checks, is_repaired = self._verdicts(trial)
        if task.is_repeated:
            checks = (*checks, await self._again(trial, checks))
        return Tried(task.number, task.tool.name, mistake, Outcome(reply), checks, is_repaired)

    def _verdicts(self, trial: Trial) -> tuple[tuple[Check, ...], bool | None]:
        """What the reply is worth. A reply that we fail on ourselves is worth a note, and the audit goes on."""
        try:
            return judged(trial)
        except Exception as error:
            self._note(trial.tool.name, f"a reply could not be judged ({type(error).__name__})")
            return (Check("alive", True),), None

    def _look_after(self, trial: Trial) -> None:
        """Stop where a tool that may write has carried out what could only be refused."""
        is_done = not trial.is_error and not sounds_like_failure("\n".join(texts(trial.reply)))
        if is_done and trial.mistake.kind != "tool.invented" and not self._plan.may_execute(trial.tool):
            self._is_loose = True
            said = encode_json(redact_call(trial.mistake.call))
            self._say(
                Noted(clean(trial.tool.name, 200), f"CARRIED OUT a call that it should have refused: {said}", True)
            )

    async def _reply(self, call: Call) -> Mapping[str, Any]:
        try:
            return await self._server.call(call)
        except Lost as lost:
            if lost.was_passed or self._turns.is_one_alone:
                raise _Unanswered(str(lost)) from lost
            raise _Unsure(str(lost)) from lost

    async def _by_now(
        self, mistake: Mistake, expected: Expected, reply: Mapping[str, Any]
    ) -> tuple[Expected, Mapping[str, Any]]:
        """What both calls are answered with by now, where that is not alike: others may have changed something since.

        One that fails is not answered alike each time either, for good servers do not say the same again and again.
        """
        if expected.is_met_by(reply):
            return expected, reply
        with suppress(_Unanswered):
            said = Print.of(await self._reply(mistake.right))
            expected = Expected(said, Print.of(await self._reply(mistake.right)) if said.is_error else said)
            if said.is_error and reply.get("isError") is True and not expected.is_met_by(reply):
                again = await self._reply(mistake.call)
                reply = again if expected.is_met_by(again) else reply
        return expected, reply

    async def _again(self, trial: Trial, before: tuple[Check, ...]) -> Check:
        """Send the same call again; whatever was there has to be there still."""
        try:
            again = await self._reply(trial.mistake.call)
        except _Unanswered as unanswered:
            return Check("stable", False, f"the second time {unanswered}")
        met = {check.item for check in before if check.passed}
        worse = [one for one in self._verdicts(replace(trial, reply=again))[0] if not one.passed and one.item in met]
        return Check("stable", not worse, f"the second time {worse[0].why}" if worse else "")

    def _unanswered(self, task: Task, why: str) -> Tried:
        self._lost[task.tool.name] += 1
        checks, is_repaired = judged_lost(task.mistake, why)
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
            if key not in self._expected:
                if key in self._asked and not self._turns.is_one_alone:  # and it had no answer
                    raise _Unsure
                self._asked.add(key)
                self._expected[key] = await self._learnt(tool, right)
            return self._expected[key]

    async def _learnt(self, tool: Tool, right: Call) -> Expected | None:
        try:
            first, again = await self._reply(right), await self._reply(right)
        except _Unanswered as unanswered:
            self._lost[tool.name] += 1
            self._note(tool.name, f"a right call {unanswered}")
            return None
        learnt = Expected(Print.of(first), Print.of(again))
        if learnt.is_error:
            self._note(tool.name, f"{RIGHT_FAILS}: {clean(redact_reply(first, 200), 160)}")
        return learnt

    # what is answered to anything

    async def _habits(self, task: Task, expected: Expected | None) -> tuple[bool, frozenset[str]]:
        """Whether the server tells calls apart at all, and what it says to different mistakes alike.

        A tool that may write is not asked more than it has to be.
        """
        if not self._plan.may_execute(task.tool):
            return True, frozenset()
        stranger, static = await self._said_to_a_stranger(task), await self._said_by_heart(task.tool)
        is_alike = expected is not None and Expected(expected.first, expected.first).is_said_in(stranger.said)
        return stranger.is_failure and not is_alike, static

    async def _said_to_a_stranger(self, task: Task) -> _Stranger:
        """What is answered to a tool that no server has."""
        async with self._asking[""]:
            if self._stranger is None:
                reply = await self._said(Call(_STRANGER, task.mistake.right.arguments)) or {}
                is_failure = reply.get("isError") is True or sounds_like_failure("\n".join(texts(reply)))
                self._stranger = _Stranger(is_failure, Print.of(reply))
            return self._stranger

    async def _said_by_heart(self, tool: Tool) -> frozenset[str]:
        async with self._asking[tool.name]:
            if tool.name not in self._static:
                self._static[tool.name] = await self._learnt_by_heart(tool)
            return self._static[tool.name]

    async def _learnt_by_heart(self, tool: Tool) -> frozenset[str]:
        """The text of an error that mistakes of different kinds are answered with. These calls are not sent again."""
        kinds = {one.kind.partition(".")[0]: one for one in reversed(self._plan.calls(tool))}
        heard = list[str]()
        for mistake in (kinds[kind] for kind in ("required", "parameter", "type") if kind in kinds):
            reply = await self._said(mistake.call)
            if reply is not None:
                self._opened[repr(mistake)] = reply
                heard += ["\n".join(texts(reply))] if reply.get("isError") is True else []
        return frozenset(text for text in heard if text and heard.count(text) > 1)

    async def _said(self, call: Call) -> Mapping[str, Any] | None:
        try:
            return await self._reply(call)
        except _Unanswered:
            return None

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

    @property
    def is_one_alone(self) -> bool:
        """For whoever has the turn: whether no other has."""
        return self._is_one_alone and not self._several

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
