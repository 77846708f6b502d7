"""What the wording of a failure rules out: advice that contradicts it, or that is about something else.

A text may say itself what became of the call, or that the work goes on. It may also be the report of a test or a
program that the tool ran: then the failure in it is what the caller asked to see, and not the failure of the call.
"""

from __future__ import annotations

import re

from fingerpost.engine.failure_kinds import FailureKind
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.model import Call
from fingerpost.engine.replies.claims import gives_next_step, strings_of
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import is_secret
from fingerpost.engine.safety.secrets import has_secret
from fingerpost.engine.tool import Tool

_LONGEST_READ = 4096
_DONE = (
    r"(?:submitted|sent|created|saved|placed|written|applied|executed|performed|completed|committed|rolled back"
    r"|reverted|deleted|removed|charged|queued|accepted|stored|recorded|delivered|updated|started|inserted|published)"
)
_OUTCOME = lazy_pattern(
    rf"\b(?:was|were|is|are|has been|have been|had been)(?: \w+){{0,2}} {_DONE}\b|\bnot (?:been )?{_DONE}\b"
    rf"|\bno changes?\b|\bnothing (?:was|has been)\b|\brolled back\b|\bafter (?:the )?{_DONE}\b|\bsaved as\b",
    re.IGNORECASE,
)
_IN_PROGRESS = lazy_pattern(
    r"\bnot (?:\w+ ){0,2}yet\b|\bnot ready\b|\bstill (?:being )?\w{2,20}ing\b|\bstill queued\b|\bin progress\b"
    r"|\bpending\b|\b(?:is|are) (?:still |currently |already )?(?:running|starting|queued|processing)\b"
    r"|\b(?:is|are) (?:still |currently )?being \w{3,20}\b|\bwarming up\b|\balready running\b",
    re.IGNORECASE,
)
_REPORT = lazy_pattern(
    r"\bassertion ?(?:error|failed)|\bexpected\b[^\n]{1,80}\b(?:got|received|actual)\b|\btests? failed\b"
    r"|\b\d{1,6} (?:tests? )?(?:failed|failing)\b|\b(?:build|compilation|linting) failed\b|\bnpm err!",
    re.IGNORECASE,
)
_PARENT = lazy_pattern(r"\bparent (?:dir(?:ectory)?|folder|path)\b", re.IGNORECASE)
_NOT_CREDENTIALS = frozenset({"page", "next", "max", "min", "limit", "continuation", "cursor", "sync"})
"""Words of parameters such as `page_token` and `max_tokens`."""


def is_in_progress(text: str) -> bool:
    """Whether a text says that the work goes on, so that the same call may succeed later."""
    return _IN_PROGRESS.search(text[:_LONGEST_READ]) is not None


def invites_repeating(text: str) -> bool:
    """Whether the same call may be right after all: once what the text asks for is done, or the work has ended."""
    return is_in_progress(text) or gives_next_step(text[:_LONGEST_READ])


def is_report(text: str) -> bool:
    """Whether a text is the report of a test or a program that the tool ran."""
    return _REPORT.search(text) is not None


def forbids_advice(kind: FailureKind, text: str, call: Call, tool: Tool) -> bool:
    """Whether the usual advice for a kind of failure would be wrong or would contradict the text."""
    if kind is FailureKind.AUTH_REQUIRED and _takes_credentials(call, tool):
        return True
    if kind in (FailureKind.TIMEOUT, FailureKind.INTERRUPTED) and _OUTCOME.search(text):
        return True
    if kind in (FailureKind.NOT_FOUND, FailureKind.FILE_NOT_FOUND) and not tool.is_read_only and _PARENT.search(text):
        return True  # what is missing may have to be created, not looked for
    return kind is not FailureKind.RATE_LIMITED and is_in_progress(text)


def _takes_credentials(call: Call, tool: Tool) -> bool:
    """Whether credentials are in the call, or belong there: then they are not only set where the server runs."""
    names = {*tool.params, *map(str, as_object(call.arguments))}
    return any(map(_names_credentials, names)) or any(has_secret(value) for value in strings_of(call))


def _names_credentials(name: str) -> bool:
    return is_secret(name) and _NOT_CREDENTIALS.isdisjoint(split_words(name))
