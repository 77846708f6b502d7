"""Change the answer when the same call fails again, because callers ignore a repeated text.

The first failure gets the whole answer, the second only what to do instead, and from the third on the answer is to
stop. Failures that pass by themselves (a rate limit, a timeout) are not counted. Memory is limited per caller and in
total, holds digests instead of arguments, and expires.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TypeAlias

from fingerpost.engine.failure_kinds import TRANSIENT_CATEGORIES
from fingerpost.engine.model import Applicability, Call, Diagnosis, Report, Severity
from fingerpost.engine.render.text import help_call

CODE = "REPEATED_CALL"

STOP = 3
"""The number of failures of the same call from which on the answer is to stop."""

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


def _stop_hint(report: Report) -> str:
    if report.corrected and report.applicability is Applicability.HAS_PLACEHOLDERS:
        return "Fill in what is missing, or ask the user for it; do not send the same call again"
    if report.corrected:
        return "Send the corrected call, or tell the user; do not send the same call again"
    if report.info_tool:
        return f"Read {help_call(report)}, use another tool, or tell the user; do not send the same call again"
    return "Use another tool or other arguments, or tell the user; do not send the same call again"


@dataclass
class RepeatedCalls:
    """Counts how often each caller's calls have failed recently."""

    most_callers: int = 1_024
    most_calls: int = 64
    seconds: float = 900.0

    def __post_init__(self) -> None:
        self.callers: OrderedDict[object, _Counts] = OrderedDict()
        """The failure counts of each caller, least recently used first."""

    def count_failure(self, caller: object, call: Call, report: Report, now: float) -> int:
        """Count one more failure; return how often this call has failed."""
        if report.diagnoses and report.diagnoses[0].category in TRANSIENT_CATEGORIES:
            return 1
        counts = self.callers.setdefault(caller, OrderedDict())
        self.callers.move_to_end(caller)
        key = _digest(call)
        count, last = counts.pop(key, (0, now))
        count = count + 1 if now - last <= self.seconds else 1
        counts[key] = count, now
        _evict(counts, self.most_calls)
        _evict(self.callers, self.most_callers)
        return count

    def forget(self, caller: object, call: Call) -> None:
        """Forget the failures of a call that has succeeded."""
        if counts := self.callers.get(caller):
            counts.pop(_digest(call), None)
            if not counts:
                del self.callers[caller]

    def __len__(self) -> int:
        return sum(map(len, self.callers.values()))


def _evict(memory: OrderedDict[object, object] | _Counts | OrderedDict[object, _Counts], most: int) -> None:
    while len(memory) > most:
        memory.popitem(last=False)


def _digest(call: Call) -> bytes:
    """Return a digest of the tool name and the arguments, in any order."""
    try:
        text = json.dumps([call.tool, call.arguments], sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(call)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
