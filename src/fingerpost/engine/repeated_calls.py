"""Change the answer when the same call fails again, because callers ignore a repeated text.

The first failure gets the whole answer, the second only what to do instead, and from the third on the answer is to
stop. If another call of the same tool fails, the answer shows more of the schema: the part about the last mistake was
not enough. Failures that pass by themselves (a rate limit, a timeout, a job that still runs) are not counted, nor are
those for which the server's text gives a next step: a stop would compete with it. Memory is limited per caller and in
total, holds digests instead of arguments, and expires.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

from fingerpost.engine.digest import digest
from fingerpost.engine.failure_kinds import TRANSIENT_CATEGORIES
from fingerpost.engine.model import Applicability, Call, Diagnosis, Path, Report, Severity, value_at
from fingerpost.engine.phrases import parameter_label, sentence
from fingerpost.engine.render.text import help_call
from fingerpost.engine.replies.wording import invites_repeating
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema.excerpt import describe_schema, outline
from fingerpost.engine.schema.walk import find_required, properties, schema_at
from fingerpost.engine.tool import Tool

CODE = "REPEATED_CALL"

STOP = 3
"""The number of failures of the same call from which on the answer is to stop."""

_MOST_LINES = 8
_Counts: TypeAlias = "OrderedDict[bytes, tuple[int, float]]"


def vary_answer(report: Report, attempts: int) -> Report:
    """Return the report for a call that fails for the `attempts`-th time."""
    if attempts == 1 or any(one.severity is Severity.CRITICAL for one in report.diagnoses):
        return report  # an attack gets the same answer each time
    if attempts < STOP:
        return replace(report, attempts=attempts)
    first = next(iter(report.diagnoses), None)
    stop = Diagnosis(
        code=CODE,
        message=f"The same call has failed {attempts} times",
        category=first.category if first else "internal",
        origin=first.origin if first else "server",
        retryable=False,
        details={"attempts": attempts, **({"cause": first.code} if first else {})},
        hint=_stop_hint(report),
        next_steps={"ask": "Tell the user what was tried and what is missing"},
    )
    return replace(report, diagnoses=(stop,), more_problems=0, server_text="")


def show_more_schema(report: Report, tool: Tool) -> Report:
    """Add what the tool takes besides what was sent correctly, because the answers so far were not enough."""
    first = next(iter(report.diagnoses), None)
    if first is None or first.category != "validation" or first.severity is Severity.CRITICAL:
        return report
    if tool.accepts(report.call.arguments):
        return report  # the mistake is one that the schema does not show
    holder = first.at[:-1]
    lines = tuple(islice(_describe_fields(report, tool, holder), _MOST_LINES))
    whole = outline(tool.schema, schema_at(tool.schema, holder), "typed")
    wider = replace(first, schema_hint={**first.schema_hint, **({"parameters": whole} if whole else {})})
    return replace(report, diagnoses=(wider, *report.diagnoses[1:]), more_schema=lines)


def _describe_fields(report: Report, tool: Tool, holder: Path) -> Iterator[str]:
    """Yield a line for each field that is wrong or not given: wrong ones first, then required ones."""
    root, node = tool.schema, schema_at(tool.schema, holder)
    declared, required = properties(root, node), find_required(root, node)
    wrong = {one.at[-1] for one in report.diagnoses if one.at and one.at[:-1] == holder}
    given = _object_at(report.call.arguments, holder)
    names = [name for name in declared if name in wrong or name not in given]
    for name in sorted(names, key=lambda name: (name not in wrong, name not in required)):
        presence = "required" if name in required else "optional"
        words = describe_schema(root, declared[name], shows_fields=True)
        yield sentence(f"{parameter_label((*holder, name))}: {presence}, {words}")


def _object_at(arguments: Any, holder: Path) -> dict[str, Any]:
    try:
        return as_object(value_at(arguments, holder))
    except (LookupError, TypeError):
        return {}


def _stop_hint(report: Report) -> str:
    if report.corrected and report.applicability is Applicability.HAS_PLACEHOLDERS:
        return "Fill in what is missing, or ask the user for it; do not send the same call again"
    if report.corrected:
        return "Send the corrected call, or tell the user; do not send the same call again"
    if report.info_tool:
        return f"Read {help_call(report)}, use another tool, or tell the user; do not send the same call again"
    return "Use another tool or other arguments, or tell the user; do not send the same call again"


@dataclass(slots=True)
class CallerFailures:
    """The recent failures of one caller, least recently used first."""

    calls: _Counts = field(default_factory=OrderedDict[bytes, "tuple[int, float]"])
    """How often each call has failed, by its digest."""
    tools: _Counts = field(default_factory=OrderedDict[bytes, "tuple[int, float]"])
    """How often in a row each tool has failed, by the digest of its name."""


@dataclass
class RepeatedCalls:
    """Counts how often each caller's calls have failed recently."""

    most_callers: int = 1_024
    most_calls: int = 64
    seconds: float = 900.0

    def __post_init__(self) -> None:
        self.callers: OrderedDict[object, CallerFailures] = OrderedDict()
        """The failures of each caller, least recently used first."""

    def count_failure(self, caller: object, call: Call, report: Report, now: float) -> int:
        """Count one more failure; return how often this call has failed."""
        if _may_pass(report):
            return 1
        failures = self.callers.setdefault(caller, CallerFailures())
        self.callers.move_to_end(caller)
        self._count(failures.tools, _digest_name(call), now)
        count = self._count(failures.calls, _digest(call), now)
        _evict(self.callers, self.most_callers)
        return count

    def failures_of_tool(self, caller: object, call: Call) -> int:
        """Return how often in a row the tool of a call has failed, with any arguments."""
        failures = self.callers.get(caller)
        return failures.tools.get(_digest_name(call), (0, 0.0))[0] if failures else 0

    def forget(self, caller: object, call: Call) -> None:
        """Forget the failures of a call that has succeeded, and that its tool has failed."""
        if failures := self.callers.get(caller):
            failures.calls.pop(_digest(call), None)
            failures.tools.pop(_digest_name(call), None)
            if not failures.calls:
                del self.callers[caller]

    def _count(self, counts: _Counts, key: bytes, now: float) -> int:
        count, last = counts.pop(key, (0, now))
        count = count + 1 if now - last <= self.seconds else 1
        counts[key] = count, now
        _evict(counts, self.most_calls)
        return count

    def __len__(self) -> int:
        return sum(len(failures.calls) for failures in self.callers.values())


def _may_pass(report: Report) -> bool:
    """Whether the same call may succeed later: the failure passes by itself, or once the server's text is followed."""
    first = next(iter(report.diagnoses), None)
    if first is None or first.category in TRANSIENT_CATEGORIES:
        return first is not None
    if report.corrected or any(one.origin == "call" or one.category == "validation" for one in report.diagnoses):
        return False  # the call is wrong
    return invites_repeating(report.server_text.strip() or first.message)


def _evict(memory: _Counts | OrderedDict[object, CallerFailures], most: int) -> None:
    while len(memory) > most:
        memory.popitem(last=False)


def _digest(call: Call) -> bytes:
    """Return a digest of the tool name and the arguments, in any order."""
    try:
        text = json.dumps([call.tool, call.arguments], sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(call)
    return digest(text)


def _digest_name(call: Call) -> bytes:
    return digest(call.tool)
