"""The guidance of one server: its policy, the lists its callers were given, and which calls keep failing.

Nothing here knows how messages travel. If guidance itself fails, the failure is counted, reported once, and
the server's own reply goes through.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args

from fingerpost.engine import info_tool
from fingerpost.engine.annotations import Effects, Write
from fingerpost.engine.case import Case
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.judge import explain_with
from fingerpost.engine.matching import closest
from fingerpost.engine.model import EMPTY_REPORT, KEY, Call, Report, Verdict
from fingerpost.engine.overrides import Hint, Overrides
from fingerpost.engine.overrides.check import check_overrides
from fingerpost.engine.overrides.read import read_overrides
from fingerpost.engine.phrases import quote
from fingerpost.engine.policy import Policy
from fingerpost.engine.prompts_resources import Resources, admit_prompt, prompt_catalog
from fingerpost.engine.render.envelope import render
from fingerpost.engine.render.shapes import Shape
from fingerpost.engine.repeated_calls import RepeatedCalls, show_more_schema, vary_answer
from fingerpost.engine.replies.classify import is_plain_success, is_protocol_error, text_of
from fingerpost.engine.replies.enrich import add_to_success, error_result, hide_secrets_in_error, policy_tool
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.tool import Tool
from fingerpost.middleware.outcome import Outcome
from fingerpost.middleware.protocol import INVALID_PARAMS
from fingerpost.middleware.tool_list_cache import ToolListCache

T = TypeVar("T")


def _protocol_error(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return the code, message and data of a protocol error; empty if the reply is none."""
    if not is_protocol_error(reply):
        return {}
    return {name: reply[name] for name in ("code", "message", "data") if name in reply}


_MOST_SERVER_NAMES = 8


class ServerGuidance(ABC):
    """Unknown tools, wrong arguments, failures inside tools, tips, the `info` tool and annotations, in one line.

    `policy` decides what is done with calls; `shape` is the shape of errors in `structuredContent`; `write`
    declares which tools change anything: `{"edit": True, "sync": lambda arguments: …}`.

    For single tools: `tools` gives them their own policy (a `Policy`, or a mapping of the fields that differ),
    `aliases` declares other names of their parameters (`{"search": {"query": "pattern"}}`), and `hints` says what to
    do about known failures (`[{"tool": "read_file", "match": "Access denied", "hint": "…"}]`).
    """

    only_tips_go_to_successes = False
    """Whether the success of a right call is read for tips only, and not for failures that its payload reports."""

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        shape: Shape = "nested",
        write: Mapping[str, Write] | None = None,
        auto_approve: bool = False,
        tools: Mapping[str, Policy | Mapping[str, Any]] | None = None,
        aliases: Mapping[str, Mapping[str, str]] | None = None,
        hints: Sequence[Hint | Mapping[str, Any]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(policy, Policy | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"policy must be a Policy, got {policy!r}: Guidance(Policy(auto_correct='off'))")
        if shape not in get_args(Shape):
            raise ValueError(f"shape must be one of {', '.join(get_args(Shape))}, got {shape!r}")
        self.policy = policy or Policy()
        self.overrides: Overrides = read_overrides(self.policy, tools, aliases, hints)
        self.unknown_list = Catalog(is_complete=False, overrides=self.overrides)
        """Stands for a list that could not be read."""
        self._reported: set[str] = set()
        self.effects = Effects(write, auto_approve=auto_approve)
        self.tools: ToolListCache[Catalog] = ToolListCache(self.build_catalog)
        self.failures = 0
        """How often guidance itself has failed, so that the server's own reply went through."""
        self.now = clock
        self._watches_effects = bool(self.effects)
        self._has_checked_effects = not self.effects
        self._shape: Shape = shape
        self._prompts: ToolListCache[Catalog] = ToolListCache(prompt_catalog)
        self.repeated = RepeatedCalls()
        self._server_names: tuple[str, ...] = ()

    @property
    def auto_approve(self) -> bool:
        """Whether the annotations that clients show are suppressed."""
        return self.effects.auto_approve

    @auto_approve.setter
    def auto_approve(self, value: bool) -> None:
        self.effects.auto_approve = value

    # tool lists

    def build_catalog(self, tools: list[Any]) -> Catalog:
        """Build the catalog that one caller's calls are judged against; a server's own `info` tool keeps its name.

        Clients put a server's name in front of its tools: its own, or the one that they gave it.
        """
        tools = [tool for tool in tools if not info_tool.is_ours(tool, KEY)]
        known = [self.effects.mark_possible_writes(as_object(tool), KEY) for tool in tools] if self.effects else tools
        own = self.own_tools({str(as_object(tool).get("name")) for tool in tools})
        catalog = Catalog.listed([*known, *own], server=self._server_names, overrides=self.overrides)
        self._report_problems(catalog)
        return catalog

    def _report_problems(self, catalog: Catalog) -> None:
        """Report each declaration for a tool or parameter that is not in the list, once."""
        for place, problem in check_overrides(self.overrides, catalog).items():
            if place not in self._reported:
                self._reported.add(place)
                self.report_declaration(problem)

    def report_declaration(self, problem: str) -> None:
        """Report a declaration that has no effect."""
        self.warn(problem)

    def policy_for(self, tool: str) -> Policy:
        """Return the policy for calls of a tool."""
        return self.overrides.tools.get(tool, self.policy)

    def leaves_success_alone(self, tool: str) -> bool:
        """Whether nothing is ever added to the success of a right call of this tool."""
        return self.only_tips_go_to_successes and not self.policy_for(tool).tips

    def own_tools(self, taken: Container[str]) -> list[dict[str, Any]]:
        """Return what we add to a server's list, unless the name is taken."""
        name = self.policy.info_tool
        return [info_tool.describe_info_tool(name, KEY)] if name is not None and name not in taken else []

    def complete_page(self, page: dict[str, Any], taken: Container[str]) -> dict[str, Any]:
        """Annotate a page of the list the way clients see it; our own tool is on the last page."""
        tools = as_list(page["tools"])
        annotated = [self.effects.annotate(as_object(tool), KEY) for tool in tools] if self.effects else tools
        own = [] if page.get("nextCursor") else self.own_tools(taken)
        return page if annotated is tools and not own else {**page, "tools": [*annotated, *own]}

    def learn_server_name(self, name: Any) -> None:
        """Remember a name under which clients may know this server. Lists that are stored already do not have it.

        The first name stays the first, however many others follow: it is the client's own, if that is known.
        """
        if isinstance(name, str) and name and name not in self._server_names:
            others = self._server_names[1:][-_MOST_SERVER_NAMES + 2 :]
            self._server_names = (*self._server_names[:1], *others, name)

    def store_tools(self, caller: object, tools: list[Any], fresh_for: float = 0.0, server_name: str = "") -> Catalog:
        """Store the list that a caller was given just now, without the tool that we added at its end."""
        self.learn_server_name(server_name)
        if tools and info_tool.is_ours(tools[-1], KEY):
            tools = tools[:-1]
        catalog = self.tools.put(caller, tools, self.now() + fresh_for)
        if not self._has_checked_effects:
            self._has_checked_effects = True
            self.safely(lambda: self._check_effects(catalog), None)
        return catalog

    def _check_effects(self, catalog: Catalog) -> None:
        """Report the tools in `write` that the first list does not have: what they declare has no effect."""
        names = [tool.name for tool in catalog]
        for name in self.effects.find_unknown(set(names)):
            near = closest(name, names, "tool")
            hint = f"; did you mean {quote(near[0].name)}?" if near else ""
            self.warn(f"write declares {quote(name)}, which is not in the list of tools{hint}")

    # tool calls

    def lets_pass(self, caller: object, name: str, arguments: Any) -> bool:
        """Whether a call is clearly valid by the caller's last known list, so that it only has to be sent.

        This is the short cut for nearly all calls. Calls whose effect is watched never take it.
        """
        try:
            cached = self.tools.get(caller)
            if cached is None or self._watches_effects or name == self.policy.info_tool:
                return False
            tool = cached.value.get(name)
            return tool is not None and tool.is_clearly_valid(arguments)
        except Exception as error:
            self.count_own_failure(error)
            return False

    def leaves_unchanged(self, caller: object, name: str, arguments: Any, reply: Any) -> bool:
        """Whether the reply to such a call is plainly a success that gets no guidance."""
        if not is_plain_success(reply):
            return False
        if caller in self.repeated.callers:
            self.repeated.forget(caller, Call(name, arguments))
        return True

    def count_failure(self, caller: object, report: Report, catalog: Catalog) -> Report:
        """Count a failed call, and vary the answer if the same call, or another call of this tool, keeps failing."""
        attempts = self.repeated.count_failure(caller, report.call, report, self.now())
        tool = catalog.get(report.call.tool)
        if attempts == 1 and tool is not None and self.repeated.failures_of_tool(caller, report.call) > 1:
            return show_more_schema(report, tool)
        return vary_answer(report, attempts)

    def refuse(self, caller: object, verdict: Verdict, catalog: Catalog) -> dict[str, Any]:
        """Return the reply to a call that is not sent."""
        return self.error_result(self.count_failure(caller, verdict.report, catalog), catalog)

    def refuse_unknown(self, caller: object, verdict: Verdict, catalog: Catalog, outcome: Outcome) -> dict[str, Any]:
        """Return the reply to a call of a tool that the server does not know. What the server said is kept."""
        report = self.count_failure(caller, verdict.report, catalog)
        reply = hide_secrets_in_error(as_object(outcome.reply), self.policy)
        error, own = _protocol_error(reply), {} if outcome.is_raised else reply
        if self.policy.unknown_tool == "protocol":
            return self._unknown_as_error(report, error, own)
        if "content" in own:
            fact = verdict.report.diagnoses[0].message  # the server has said so in its words
            return self._add_to_result(replace(report, server_text=f"{text_of(own)}\n{fact}"), own, catalog)
        result = self.error_result(report, catalog)
        if error:
            result["_meta"] = {**result["_meta"], KEY: {**result["_meta"][KEY], "server_error": error}}
        return result

    def _unknown_as_error(self, report: Report, error: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
        """Return the protocol error for an unknown tool: the server's, with ours added, or ours with its result."""
        whole = {"code": INVALID_PARAMS, "message": report.diagnoses[0].message, **error}
        data = self.error_data(report, error.get("data"))
        if data is None:
            return whole
        if "content" in own:
            data[KEY]["server_result"] = {name: own[name] for name in ("content", "structuredContent") if name in own}
        return {**whole, "data": data}

    def _add_to_result(self, report: Report, own: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
        """Add guidance to the server's own result about an unknown tool; leave one that has guidance already."""
        meta, content = as_object(own.get("_meta")), own["content"]
        if KEY in meta:
            return own
        ours = self.error_result(report, catalog)
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
        added = [block for block in ours["content"] if block["text"]]
        whole = {**ours, **own, "content": [*blocks, *added], "isError": True}
        return {**whole, "_meta": {**meta, **ours["_meta"]}}

    def error_result(self, report: Report, catalog: Catalog) -> dict[str, Any]:
        """Return a failed tool result that consists of guidance only."""
        policy = self.policy_for(policy_tool(report))
        return error_result(report, catalog.get(report.call.tool), policy, self._shape)

    def is_own_info_tool(self, call: Call, catalog: Catalog) -> bool:
        """Whether a call of `info` is for the tool that we added to the list, and not for the server's own."""
        tool = catalog.get(call.tool)
        return tool is not None and info_tool.is_ours(tool.entry, KEY)

    def answer_info(self, caller: object, verdict: Verdict, catalog: Catalog) -> dict[str, Any]:
        """Answer a call of our `info` tool."""
        call = verdict.call
        if (text := info_tool.answer(call, catalog)) is None:
            tool = catalog.get(call.tool) or Tool(call.tool)
            report = explain_with(info_tool.diagnose_unknown(call, catalog), Case(call, tool), None)
            return self.error_result(self.count_failure(caller, report, catalog), catalog)
        result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
        return add_to_success(call, result, catalog, self.policy_for(call.tool), verdict)

    # prompts and resources

    async def judge_prompt(
        self, call: Call, caller: object, read_prompts: Callable[[], Awaitable[list[Any] | None]]
    ) -> Verdict:
        """Judge a request for a prompt; if that is impossible, forward it. Guidance comes from a fresh list only."""
        try:
            cached = self._prompts.get(caller)
            if cached and (verdict := admit_prompt(call, cached.value, self.policy)).report is EMPTY_REPORT:
                return verdict
            prompts = await read_prompts()
            if prompts is None:
                return Verdict("forward", call)
            return admit_prompt(call, self._prompts.put(caller, prompts), self.policy)
        except Exception as error:
            self.count_own_failure(error)
            return Verdict("forward", call)

    def explain_unknown_resource(self, uri: str, resources: list[Any] | None, templates: list[Any] | None) -> Report:
        """Explain that a resource does not exist; say nothing if no list of resources can be read."""
        if resources is None and templates is None:
            return EMPTY_REPORT
        return self.safely(lambda: Resources.from_lists(resources, templates).explain_unknown(uri), EMPTY_REPORT)

    def error_data(self, report: Report, data: Any) -> dict[str, Any] | None:
        """Return the `data` of a protocol error with guidance added; None if there is none, or no room for it."""
        if not report.diagnoses or not isinstance(data, Mapping | None):
            return None
        envelope = render(replace(report, is_refusal=True), budget=self.policy.budget)
        return {**(data or {}), KEY: {**envelope.structured, "text": envelope.text}}

    def prompt_notes(self, verdict: Verdict) -> dict[str, Any]:
        """Return what goes into `_meta` of a prompt that was rendered after all."""
        report = EMPTY_REPORT if verdict.report.is_refusal else verdict.report
        return render(report, budget=self.policy.budget).structured

    # everything else

    def describe_extension(self) -> dict[str, Any]:
        """Return what the extension advertises about itself among the server's capabilities."""
        return {"shape": self._shape, **({"infoTool": self.policy.info_tool} if self.policy.info_tool else {})}

    def safely(self, do: Callable[[], T], instead: T) -> T:
        """Return what `do` returns, or `instead` if guidance itself fails: it never stands in the server's way."""
        try:
            return do()
        except Exception as error:
            self.count_own_failure(error)
            return instead

    def count_own_failure(self, error: Exception) -> None:
        """Count a failure of guidance itself, and report the first, by its type only: its text may hold anything."""
        self.failures += 1
        if self.failures == 1:
            self.warn(
                f"guidance failed ({type(error).__name__}); the server's own reply went through. "
                "Further failures are counted, not logged."
            )

    @abstractmethod
    def warn(self, text: str) -> None:
        """Report a problem to the operator."""
