"""Values that mean "not given": `null`, `"None"`, `"N/A"`, `""`, an empty list or object.

They are left out if the argument is optional and the schema rejects them. A tool that may write can give `null` a
meaning (clear the field), so there it is only offered; and not even that if the tool may do more without the argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.actions import read_action
from fingerpost.engine.matching.lexicon import share_group
from fingerpost.engine.matching.qualifiers import is_restricting
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Grade
from fingerpost.engine.values.slot import Candidate, Instead, Slot, likely, lossless

_WORDS = frozenset({
    "", "null", "none", "nil", "undefined", "n/a", "-", "--", "\u2013", "\u2014", "<none>", "(none)", "<null>",
    "unspecified", "not specified", "not provided", "not given", "not applicable", "not set", "unset", "nothing",
})  # fmt: skip

_SELECTORS = frozenset({"audience", "cohort", "limit", "recipient", "scope", "segment", "selection", "target"})
WIDENS = lazy_pattern(
    r"(?i)\b(?:absent|blank|default|defaults|empty|if (?:not|none|no)|leave|left out|missing|no value|not (?:given|set)"
    r"|nothing|omit|omits|omitted|otherwise|unset|without)\b[^.;]{0,48}"
    r"\b(?:all|any|entire|every|everybody|everyone|everything|ever|forever|never|no limit|unlimited|whole)\b"
)
"""A description that says that without the argument, the tool works on everything or for ever."""
_DATES = ("date", "date-time")
_OFFERED = Candidate(Instead.LEAVE_OUT, Grade.OFFERED, 0.95, is_sure=True)


def is_absent_word(value: Any) -> bool:
    """Whether a text only says that there is no value."""
    return isinstance(value, str) and len(value) <= 16 and value.strip().lower() in _WORDS


def _may_widen(slot: Slot) -> bool:
    """Whether a tool that may write could do more without the argument: `filter`, `dry_run`, `ids`, `recipients`."""
    if slot.is_read_only:
        return False
    if is_restricting(slot.name) or WIDENS.search(slot.description):
        return True
    return slot.kinds != ("boolean",) and (slot.is_destructive or _selects(slot))


def _selects(slot: Slot) -> bool:
    """Whether an argument says on what, or on how many, a tool works."""
    words = [stem(word) for word in split_words(slot.name)]
    if not _SELECTORS.isdisjoint(words):
        return True
    return words[-1:] == ["id"] and "array" in slot.kinds and not _is_new_thing(slot.tool_name)


def _is_new_thing(tool_name: str) -> bool:
    """Whether a tool makes something, so that its arguments describe that thing."""
    verb = read_action(tool_name).verb
    return any(share_group("verbs", verb, other) for other in ("create", "add"))


def read_absence(slot: Slot) -> Iterator[Candidate]:
    """Yield "leave it out" for a value that means nothing."""
    may_leave_out = slot.is_optional and not _may_widen(slot)
    if slot.value is None:
        if may_leave_out:
            yield lossless(Instead.LEAVE_OUT) if slot.is_read_only else _OFFERED
    elif _means_nothing(slot.value):
        yield from _read_blank(slot, may_leave_out=may_leave_out)


def _means_nothing(value: Any) -> bool:
    is_blank = isinstance(value, str) and not value.strip()
    return is_blank or is_absent_word(value) or value in ([], {})


def _read_blank(slot: Slot, *, may_leave_out: bool) -> Iterator[Candidate]:
    """Yield what a blank stands for. To a tool that may write, null is a value: "clear this".

    A choice of that name is the better reading.
    """
    if any(isinstance(one, str) and one.lower() == str(slot.value).strip().lower() for one in slot.choices):
        return
    is_nullable = "null" in slot.kinds
    if may_leave_out and (slot.is_read_only or not is_nullable):
        yield likely(Instead.LEAVE_OUT)
    elif is_nullable and isinstance(slot.value, str) and slot.value.strip():
        yield likely(None)
    elif is_nullable and slot.form in _DATES and isinstance(slot.value, str):
        yield Candidate(None, confidence=0.85)  # a blank is no date, so null is all that it can say
