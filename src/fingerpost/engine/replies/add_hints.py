"""Add the hints that an author or operator declares for known failures.

They come before all other advice, in the words in which they were written. Only what the caller can see of a failure
is compared, so a hint reveals nothing about text that a framework hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from fingerpost.engine.failure_kinds import CATEGORIES, category_of, is_retryable
from fingerpost.engine.model import Diagnosis, Report, Severity
from fingerpost.engine.overrides import Hint, Overrides
from fingerpost.engine.replies.classify import LONGEST_READ, text_of
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import scrub

_MOST_STRINGS = 256
_MOST_VALUES = 1_024
_DEEPEST = 8
_LONGEST_MESSAGE = 300


def visible_text(reply: Mapping[str, Any]) -> str:
    """Return the text of a failed reply: its text blocks, or the message of an error, and the strings in its data."""
    data = [reply.get("message"), reply.get("structuredContent"), reply.get("data")]
    strings = (text[:LONGEST_READ] for text in islice(_strings(data), _MOST_STRINGS))
    return "\n".join([text_of(reply), *strings])[: 2 * LONGEST_READ]


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings in the first values of a reply, in their order."""
    pending = [(0, value)]
    for _ in range(_MOST_VALUES):
        if not pending:
            return
        depth, node = pending.pop()
        if isinstance(node, str):
            yield node
        elif depth < _DEEPEST:
            items = [*islice(as_object(node).values(), _MOST_VALUES), *as_list(node)[:_MOST_VALUES]]
            pending += [(depth + 1, item) for item in reversed(items)]


def add_hints(report: Report, tool: str, text: str, overrides: Overrides) -> Report:
    """Return the report on a failure of a tool with the hints that were declared for it; `text` is what failed."""
    if not (hints := overrides.find_hints(tool, text)):
        return report
    first, *rest = report.diagnoses or [_describe_failure(text)]
    return replace(report, diagnoses=(_add_to(first, hints), *rest))


def _describe_failure(text: str) -> Diagnosis:
    return Diagnosis(
        code=CATEGORIES["internal"],
        message=scrub(text, _LONGEST_MESSAGE) or "The tool failed",
        severity=Severity.MEDIUM,
        category="internal",
        origin="server",
        retryable=False,
    )


def _add_to(diagnosis: Diagnosis, hints: Sequence[Hint]) -> Diagnosis:
    """Put declared hints first. They name the kind of failure too, unless the call itself is known to be wrong."""
    if diagnosis.origin != "call":
        diagnosis = _set_kind(diagnosis, hints)
    own, *more = [hint.text for hint in hints]
    others = [text for text in (*more, diagnosis.hint, *diagnosis.hints) if text]
    steps = {name: step for hint in reversed(hints) for name, step in hint.next_steps.items()}
    return replace(
        diagnosis,
        hint=own,
        hints=tuple(dict.fromkeys(text for text in others if text != own)),
        next_steps={**diagnosis.next_steps, **steps},
    )


def _set_kind(diagnosis: Diagnosis, hints: Sequence[Hint]) -> Diagnosis:
    declared = next((hint for hint in hints if hint.code or hint.category), None)
    if declared is None:
        return diagnosis
    category = declared.category or category_of(declared.code) or diagnosis.category
    code = declared.code or CATEGORIES[category]
    is_same = category == diagnosis.category
    retryable = diagnosis.retryable if is_same else is_retryable(category)
    return replace(diagnosis, code=code, category=category, retryable=retryable)
