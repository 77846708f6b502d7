"""Let the arguments decide between tools for the same thing, where the name alone points at one that they do not fit.

`get_logs(resource, uuid)` is not `application_logs(uuid)` if there is `logs(resource, uuid)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.matching.actions import Danger, read_action
from fingerpost.engine.matching.losses import loses_more
from fingerpost.engine.matching.replacing import is_no_harsher
from fingerpost.engine.model import Applicability, CallTool, Fix
from fingerpost.engine.rules.tool_arguments import Fitting
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.rules.tool_readers import lower
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.tool import Tool

_CONFIDENCE = 0.75


def give_way_to_fitting(
    asked: str, fixes: list[Fix], offered: Sequence[Tool], fitting: Sequence[Fitting], fits: Callable[[Tool], bool]
) -> list[Fix]:
    """Put the tools that take exactly the arguments before the offered ones, if those do not fit.

    The only one is offered, unless it destroys something or may do something else. Of several, none is.
    """
    rivals = _find_rivals(asked, offered, fitting)
    names = [one.tool.name for one in rivals]
    if not rivals or any(tool.name in names or fits(tool) for tool in offered):
        return fixes
    is_clear = len(rivals) == 1 and _may_be_offered(asked, rivals[0])
    found = [_fix(name, _CONFIDENCE if is_clear else OFFER_THRESHOLD) for name in names]
    return [*found, *[lower(fix) for fix in fixes if fix.value not in names]]


def _find_rivals(asked: str, offered: Sequence[Tool], fitting: Sequence[Fitting]) -> list[Fitting]:
    """Return the tools that may stand for the offered ones: they concern the same thing and do no more harm."""
    if not offered:
        return []
    danger = read_action(asked).danger
    limit = max(map(danger_of_tool, offered)) if danger is None else danger
    same = [one for one in fitting if one.has_noun or (one.has_verb and not read_action(one.tool.name).nouns)]
    return [one for one in same if one.danger <= limit and not one.is_opposite and not loses_more(one.tool.name, asked)]


def _may_be_offered(asked: str, rival: Fitting) -> bool:
    """Whether a tool may be the call to try: it reads as was asked, or changes something by no harsher verb.

    A tool for another thing takes the arguments too, if they say where that thing is: `columns_list(table)`.
    """
    if rival.has_other:
        return False
    ours, theirs = read_action(asked), read_action(rival.tool.name)
    if rival.danger is Danger.READS:
        return ours.danger in (None, Danger.READS) and (rival.has_verb or not rival.has_more)
    return rival.danger is Danger.WRITES and rival.has_verb and is_no_harsher(ours.verb, theirs.verb, rival.danger)


def _fix(name: str, confidence: float) -> Fix:
    return Fix(CallTool(name), Applicability.MAYBE_INCORRECT, confidence=confidence, value=name, label=clean(name))
