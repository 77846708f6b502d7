"""Judge one reply against the checklist."""

from __future__ import annotations

from typing import NamedTuple

from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge.checklist import Check
from fingerpost.audit.judge.checks import ALWAYS, CHECKS
from fingerpost.audit.judge.trial import Trial

_MAIN_ITEMS = {
    "tool": "unknown_tool", "parameter": "unknown_param", "required": "missing_required", "type": "wrong_type",
    "format": "wrong_type", "null": "wrong_type", "empty": "wrong_type", "range": "out_of_range",
    "length": "out_of_range", "choice": "choices",
}  # fmt: skip
"""The item that a group of mistakes tests in the first place."""


class Judgement(NamedTuple):
    """The checks of one reply."""

    checks: tuple[Check, ...]
    is_repaired: bool | None
    """Whether the reply leads to the right call; none if only the caller could know the right call."""


def judge_reply(trial: Trial) -> Judgement:
    """Check the reply for every item that the mistake tests."""
    checks: list[Check] = []
    for item, check in (ALWAYS if trial.is_inconclusive else CHECKS).items():
        if (why := check(trial)) is not None:
            checks.append(Check(item, not why, why))
    is_repaired = next((check.passed for check in checks if check.item == "auto_correction"), None)
    return Judgement(tuple(checks), is_repaired)


def judge_no_reply(mistake: Mistake, why: str) -> Judgement:
    """Fail every item that the missing reply should have met."""
    items = ["alive", *filter(None, [_MAIN_ITEMS.get(mistake.group)])]
    items += ["auto_correction"] if mistake.is_repairable else []
    return Judgement(tuple(Check(item, False, why) for item in items), False if mistake.is_repairable else None)
