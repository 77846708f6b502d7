"""One server's guidance from call to call, without a word about how messages travel.

A door brings a caller, a call and that caller's list; the desk judges, answers, counts what keeps failing,
labels tools and explains them. If the desk itself fails, the door is told to let the server's own reply
through; that is counted, and logged once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakSet

from fingerpost.engine import info_tool, prompts_resources
from fingerpost.engine.admit import explain_with, judge
from fingerpost.engine.annotations import Effects
from fingerpost.engine.case import Case
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.model import SILENCE, Call, Report, Verdict
from fingerpost.engine.policy import Policy
from fingerpost.engine.render.envelope import render
from fingerpost.engine.render.shapes import Shape
from fingerpost.engine.repeated_calls import RepeatedCalls, vary_answer
from fingerpost.engine.replies.enrich import (
    KEY,
    add_guidance,
    append_guidance,
    error_result,
    explain_exception,
    is_failure,
    is_plain_success,
)
from fingerpost.engine.rules import unknown_tool
from fingerpost.engine.safety.json_input import as_object

T = TypeVar("T")

_LOG = logging.getLogger("fingerpost")

INVALID_PARAMS = -32602
"""JSON-RPC's code for a request whose parameters are wrong, and MCP's for a tool that is not there."""


class Desk:
    """Policy and memory of one door."""

    def __init__(
        self, policy: Policy, shape: Shape, effects: Effects, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.policy = policy
        self.effects = effects
        self.failures = 0
        """How often guidance itself has failed, and the server's own reply went through."""
        self._shape: Shape = shape
        self._clock = clock
        self._repeats = RepeatedCalls()
        self._watches = bool(effects)
        self._info_tool = policy.info_tool
        self._with_info: WeakSet[Catalog] = WeakSet()

    def now(self) -> float:
        return self._clock()

    # lists

    def catalog(self, tools: list[Any]) -> Catalog:
        """The tools of one caller as calls are judged against them; a tool of the server's own by our name keeps it.

        Clients put the name that *they* gave a server in front of its tools, so the server's own is of no help.
        """
        theirs = [tool for tool in tools if not info_tool.is_ours(tool, KEY)]
        known = [self.effects.cautious(as_object(tool), KEY) for tool in theirs] if self.effects else theirs
        own = self.own_tools({str(as_object(tool).get("name")) for tool in theirs})
        catalog = Catalog.listed([*known, *own])
        if own:
            self._with_info.add(catalog)
        return catalog

    def own_tools(self, taken: Container[str]) -> list[dict[str, Any]]:
        """What we add to a server's list, where the name is not taken."""
        name = self.policy.info_tool
        return [info_tool.describe_info_tool(name, KEY)] if name is not None and name not in taken else []

    def labelled(self, tools: list[Any]) -> list[Any]:
        """A list as clients see it."""
        return [self.effects.annotate(as_object(tool), KEY) for tool in tools] if self.effects else tools

    # tools

    def lets_pass(self, name: str, arguments: Any, catalog: Catalog) -> bool:
        """The short cut for the many: a call that is plainly right, for the server, and of no effect to be noted."""
        if self._watches or name == self._info_tool or (tool := catalog.get(name)) is None:
            return False
        return tool.is_plainly_right(arguments)

    def has_nothing_to_say(self, caller: object, name: str, arguments: Any, reply: Any) -> bool:
        """Whether the reply to such a call can be left alone without looking any closer."""
        if not is_plain_success(reply):
            return False
        if caller in self._repeats.callers:
            self.succeeded(caller, Call(name, arguments))
        return True

    def succeeded(self, caller: object, call: Call) -> None:
        """A call that may have failed before is right now."""
        if caller in self._repeats.callers:
            self._repeats.forget(caller, call)

    def judge(self, call: Call, catalog: Catalog) -> Verdict:
        """What to do with a call."""
        return self.safely(lambda: judge(call, catalog, self.policy), Verdict("forward", call))

    def refused(self, caller: object, verdict: Verdict, catalog: Catalog) -> dict[str, Any]:
        """The reply to a call that is not sent on."""
        report = self._recounted(caller, verdict.report)
        is_unknown = verdict.report.diagnoses[0].code == unknown_tool.CODE
        if is_unknown and self.policy.unknown_tool == "protocol":
            return {"code": INVALID_PARAMS, "message": report.diagnoses[0].message, "data": self.data(report, None)}
        return error_result(report, catalog.get(verdict.call.tool), self.policy, self._shape)

    def remarked(self, verdict: Verdict, reply: Any) -> Any:
        """What a server says to a call of a tool that it does not list; a failure with what was probably meant."""
        report = replace(verdict.report, is_refusal=True)
        if verdict.action == "repair":  # which was not made: the server may have done something by now
            report = replace(report, corrections=(), corrected=verdict.call)
        return append_guidance(reply, report, self.policy)

    def explains(self, call: Call, catalog: Catalog) -> bool:
        """Whether a call is for our own tool that explains tools."""
        return call.tool == self.policy.info_tool and catalog in self._with_info

    def explained(self, caller: object, verdict: Verdict, catalog: Catalog) -> dict[str, Any]:
        """The reply to a call of the tool that explains tools, and to what was mended in it."""
        call, tool = verdict.call, catalog.get(verdict.call.tool)
        if (said := info_tool.answer(call, catalog)) is None:
            report = explain_with(info_tool.diagnose_unknown(call, catalog), Case(call, tool or Tool(call.tool)), None)
            return error_result(self._recounted(caller, report), tool, self.policy, self._shape)
        result = {"content": [{"type": "text", "text": said}], "isError": False}
        return add_guidance(call, result, catalog, self.policy, verdict)

    def answered(
        self,
        caller: object,
        call: Call,
        verdict: Verdict,
        catalog: Catalog,
        reply: Any,
        cause: BaseException | None = None,
    ) -> Any:
        """A server's reply, guided. `cause` is the exception behind a failure: its kind is used, and never its text."""
        facts = self._facts(call, cause) if cause else None

        def recount(report: Report) -> Report:
            return self._recounted(caller, report)

        said = self.safely(
            lambda: add_guidance(call, reply, catalog, self.policy, verdict, recount=recount, facts=facts), reply
        )
        if not is_failure(said):
            self.succeeded(caller, call)
        return said

    def raised(
        self, caller: object, verdict: Verdict, catalog: Catalog, exception: BaseException, *, is_masked: bool
    ) -> dict[str, Any] | None:
        """The reply that the author of a tool gives by an exception; nothing where it was not meant for callers."""

        def told() -> dict[str, Any] | None:
            report = explain_exception(exception, catalog, self.policy, verdict, is_masked=is_masked)
            if report is None:
                return None
            tool = catalog.get(verdict.call.tool)
            return error_result(self._recounted(caller, report), tool, self.policy, self._shape)

        return self.safely(told, None)

    def _facts(self, call: Call, exception: BaseException) -> FailureFacts | None:
        from fingerpost.engine.replies.exceptions import facts_of, root_cause

        return self.safely(lambda: facts_of(root_cause(exception), call), None)

    def _recounted(self, caller: object, report: Report) -> Report:
        return vary_answer(report, self._repeats.count_failure(caller, report.call, report, self._clock()))

    # prompts and resources

    def admitted(self, call: Call, prompts: Catalog) -> Verdict:
        """What to do with a request for a prompt."""
        return prompts_resources.admit_prompt(call, prompts, self.policy)

    def data(self, report: Report, given: Any) -> dict[str, Any] | None:
        """The `data` of a protocol error with guidance in it; nothing where there is none, or no room for it."""
        if not report.diagnoses or not isinstance(given, Mapping | None):
            return None
        envelope = render(replace(report, is_refusal=True), budget=self.policy.budget)
        return {**(given or {}), KEY: {**envelope.structured, "text": envelope.text}}

    def remarks(self, verdict: Verdict) -> dict[str, Any]:
        """What is said in `_meta` beside a prompt that was rendered after all."""
        report = SILENCE if verdict.report.is_refusal else verdict.report
        return render(report, budget=self.policy.budget).structured

    # everything else

    def about(self) -> dict[str, Any]:
        """What the extension says of itself where capabilities are advertised."""
        info_tool = {"infoTool": self.policy.info_tool} if self.policy.info_tool else {}
        return {"shape": self._shape, **info_tool}

    def safely(self, do: Callable[[], T], instead: T) -> T:
        """What `do` gives, or `instead` where guidance itself fails: never in the way of the server's own reply."""
        try:
            return do()
        except Exception as error:
            self.failed(error)
            return instead

    def failed(self, error: Exception) -> None:
        """Count a failure of ours; the first is logged, by its kind alone, for its text may hold anything."""
        self.failures += 1
        if self.failures == 1:
            _LOG.warning(
                "guidance failed (%s); the server's own reply went through. Further failures are counted, not logged.",
                type(error).__name__,
            )
