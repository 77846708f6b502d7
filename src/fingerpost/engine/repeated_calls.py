"""The same failing call again: a counted warning in words is ignored, so the answer itself changes.

The first time the whole answer is given; the second time only the way out, which is shorter; from the third
time on a stop that names the way out. What passes by itself (a rate limit, a timeout) is no loop. Memory is
bounded for each caller and in all, holds digests and no arguments, and forgets after a while.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TypeAlias

from fingerpost.engine.failure_kinds import TRANSIENT
from fingerpost.engine.model import Applicability, Call, Diagnosis, Report, Severity
from fingerpost.engine.render.text import help_call

CODE = "REPEATED_CALL"

STOP = 3
"""From which failure of the very same call on the answer is to stop."""

_Counts: TypeAlias = "OrderedDict[bytes, tuple[int, float]]"


def vary_answer(report: Report, attempts: int) -> Report:
    """What is said when a call fails for the `attempts`-th time."""
    if attempts == 1 or any(one.severity is Severity.CRITICAL for one in report.diagnoses):
        return report  # an attack is answered alike each time
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
        hint=_way_out(report),
        next_steps={"ask": "Tell the user what was tried and what is missing"},
    )
    return replace(report, diagnoses=(stop,), unseen=0, server_text="")


def _way_out(report: Report) -> str:
    if report.corrected and report.applicability is Applicability.HAS_PLACEHOLDERS:
        return "Fill in what is missing, or ask the user for it; do not send the same call again"
    if report.corrected:
        return "Send the corrected call, or tell the user; do not send the same call again"
    if report.info_tool:
        return f"Read {help_call(report)}, use another tool, or tell the user; do not send the same call again"
    return "Use another tool or other arguments, or tell the user; do not send the same call again"


@dataclass
class RepeatedCalls:
    """How often each caller's calls have failed of late."""

    most_callers: int = 1_024
    most_calls: int = 64
    seconds: float = 900.0

    def __post_init__(self) -> None:
        self.callers: OrderedDict[object, _Counts] = OrderedDict()
        """Those of whom anything is remembered."""

    def count_failure(self, caller: object, call: Call, report: Report, now: float) -> int:
        """Count one more failure; the answer is how many there were of the very same call."""
        if report.diagnoses and report.diagnoses[0].category in TRANSIENT:
            return 1
        counts = self.callers.setdefault(caller, OrderedDict())
        self.callers.move_to_end(caller)
        key = _digest(call)
        count, last = counts.pop(key, (0, now))
        count = count + 1 if now - last <= self.seconds else 1
        counts[key] = count, now
        _bound(counts, self.most_calls)
        _bound(self.callers, self.most_callers)
        return count

    def forget(self, caller: object, call: Call) -> None:
        """Forget the failures of a call that is right now."""
        if counts := self.callers.get(caller):
            counts.pop(_digest(call), None)
            if not counts:
                del self.callers[caller]

    def __len__(self) -> int:
        return sum(map(len, self.callers.values()))


def _bound(memory: OrderedDict[object, object] | _Counts | OrderedDict[object, _Counts], most: int) -> None:
    while len(memory) > most:
        memory.popitem(last=False)


def _digest(call: Call) -> bytes:
    """A call by its name and arguments, whatever their order."""
    try:
        text = json.dumps([call.tool, call.arguments], sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(call)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
