"""Send one wrong call with the calls it is compared with, and judge its reply."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fingerpost.audit.events import CallJudged, Note, Outcome
from fingerpost.audit.execute.blame import CallSender, Losses, Unanswered
from fingerpost.audit.execute.event_queue import EventQueue
from fingerpost.audit.execute.reference_replies import ReferenceReplies
from fingerpost.audit.judge.checklist import Check
from fingerpost.audit.judge.judge_reply import Judgement, judge_reply
from fingerpost.audit.judge.trial import Trial
from fingerpost.audit.redact import redact_call
from fingerpost.engine.phrases import encode_json
from fingerpost.engine.safety.redact import clean

if TYPE_CHECKING:
    from fingerpost.audit.generate.plan import Plan, PlannedCall


class CallJudge:
    """Judge wrong calls, one at a time or several at once."""

    def __init__(self, plan: Plan, sender: CallSender, losses: Losses, events: EventQueue) -> None:
        self._plan, self._sender, self._losses, self._events = plan, sender, losses, events
        self._references = ReferenceReplies(plan, sender, losses, events)
        self._has_seen_unsafe_execution = False

    @property
    def has_seen_unsafe_execution(self) -> bool:
        """Whether a tool that may write executed a call that every server should refuse."""
        return self._has_seen_unsafe_execution

    async def judge(self, planned: PlannedCall) -> CallJudged:
        """Send the call; raises `UnclearBlame` if another call may be to blame for a missing answer."""
        mistake, tool = planned.mistake, planned.tool
        expected, without_culprit, distinguishes_calls, static_texts = await self._references.references_for(planned)
        try:
            reply = self._references.take_early_reply(mistake) or await self._sender.send(mistake.call)
        except Unanswered as unanswered:
            return self._losses.judge_loss(planned, str(unanswered))
        if expected is not None and (expected.is_error or not tool.is_read_only):
            expected, reply = await self._references.refresh(mistake, expected, reply)
        trial = Trial(
            mistake, tool, self._plan.catalog, reply, expected, without_culprit, distinguishes_calls, static_texts
        )
        self._watch_for_unsafe_execution(trial)
        checks, is_repaired = self._judge_reply(trial)
        if planned.is_repeated:
            checks = (*checks, await self._judge_repetition(trial, checks))
        return CallJudged(planned.number, tool.name, mistake, Outcome(reply.result), checks, is_repaired)

    def _judge_reply(self, trial: Trial) -> Judgement:
        """Judge the reply; if our own code fails on it, note that and go on."""
        try:
            return judge_reply(trial)
        except Exception as error:
            text = f"a reply could not be judged ({type(error).__name__})"
            self._events.emit_first_note(Note(trial.tool.name, text))
            return Judgement((Check("alive", True),), None)

    def _watch_for_unsafe_execution(self, trial: Trial) -> None:
        is_executed = not trial.reply.is_error and not trial.reply.sounds_like_failure
        if is_executed and trial.mistake.kind != "tool.invented" and not self._plan.may_execute(trial.tool):
            self._has_seen_unsafe_execution = True
            text = f"EXECUTED a call that it should have refused: {encode_json(redact_call(trial.mistake.call))}"
            self._events.emit(Note(clean(trial.tool.name, 200), text, is_urgent=True))

    async def _judge_repetition(self, trial: Trial, before: tuple[Check, ...]) -> Check:
        """Send the same call again: every item that it met has to be met again."""
        try:
            again = await self._sender.send(trial.mistake.call)
        except Unanswered as unanswered:
            return Check("stable", False, f"the second time {unanswered}")
        met = {check.item for check in before if check.passed}
        checks = self._judge_reply(replace(trial, reply=again)).checks
        worse = [check for check in checks if not check.passed and check.item in met]
        return Check("stable", not worse, f"the second time {worse[0].why}" if worse else "")
