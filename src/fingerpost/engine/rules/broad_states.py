"""Words for a state that other states fall under: an `open` report may be new or triaged.

Such a word stands for one of several choices only if no other choice falls under it, too. `done` covers what failed as
well as what succeeded, and `closed` also what was rejected. A choice that is in no list may be another such state.
"""

from __future__ import annotations

from collections.abc import Sequence

from fingerpost.engine.matching.spelling import split_words

_WAITING = frozenset({
    "awaiting", "backlog", "created", "draft", "new", "pending", "planned", "proposed", "queued", "ready", "received",
    "requested", "scheduled", "submitted", "todo", "unassigned", "unread", "unstarted", "upcoming", "waiting",
})  # fmt: skip
_WORKING = frozenset({
    "accepted", "acknowledged", "active", "assigned", "blocked", "confirmed", "current", "doing", "enabled", "hold",
    "investigating", "live", "ongoing", "online", "open", "opened", "paused", "processing", "progress", "reopened",
    "review", "running", "started", "testing", "triage", "triaged", "working",
})  # fmt: skip
_COMPLETED = frozenset({
    "approved", "closed", "complete", "completed", "delivered", "deployed", "done", "error", "failed", "failure",
    "finished", "fixed", "merged", "paid", "passed", "published", "resolved", "shipped", "solved", "success",
    "succeeded", "successful",
})  # fmt: skip
_ABANDONED = frozenset({
    "abandoned", "aborted", "archived", "canceled", "cancelled", "declined", "deleted", "disabled", "dismissed",
    "duplicate", "expired", "inactive", "invalid", "offline", "rejected", "spam", "stopped", "suspended", "terminated",
    "withdrawn", "wontfix",
})  # fmt: skip
_NO_STATES = frozenset({"all", "any", "none", "unknown", "other"})
_BROAD = {
    **dict.fromkeys(("open", "unresolved", "outstanding", "incomplete", "unfinished"), _WAITING | _WORKING),
    **dict.fromkeys(("active", "live"), _WORKING),
    "pending": _WAITING | {"blocked", "hold", "review"},
    **dict.fromkeys(("done", "complete", "completed", "finished"), _COMPLETED),
    **dict.fromkeys(("closed", "ended"), _COMPLETED | _ABANDONED),
    "resolved": _COMPLETED | {"dismissed", "duplicate", "rejected", "wontfix"},
    "inactive": _ABANDONED | {"closed", "paused"},
}
_STATES = _WAITING | _WORKING | _COMPLETED | _ABANDONED | _NO_STATES


def covers_another(value: str, choice: str, choices: Sequence[str]) -> bool:
    """Whether a word for a state covers another choice besides this one, or may."""
    covered = _BROAD.get(value.strip().lower())
    if covered is None or _BROAD.get(choice.lower()) == covered:
        return False  # `completed` for `finished`: both are equally broad
    others = [_words_of(other) for other in choices if other != choice]
    is_unsure = len(others) > 1 and any(words.isdisjoint(_STATES) for words in others)
    return is_unsure or any(not words.isdisjoint(covered) for words in others)


def _words_of(choice: str) -> set[str]:
    """Return the words of a choice, also joined (`to_do`)."""
    words = [*map(str.lower, split_words(choice))]
    return {*words, "".join(words)}
