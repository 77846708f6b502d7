"""What came back for a call, and what the caller gets."""

from __future__ import annotations

from typing import Any, NamedTuple

from fingerpost.engine.failure_kinds import FailureFacts


class Outcome(NamedTuple):
    """What came back for a call that was sent."""

    reply: Any
    """A tool result or a protocol error, as JSON."""
    exception: BaseException | None = None
    """The exception behind a failure, if it can be seen."""
    is_raised: bool = False
    """Whether the server answered by that exception; `reply` is then only what the framework would make of it."""
    is_masked: bool = False
    """Whether the framework hides that exception's text from the caller."""
    facts: FailureFacts | None = None
    """What else is known about a failure, if there is no exception."""
    has_worked: bool = False
    """Whether the server sent something else for the call before its reply, such as progress."""


class Answer(NamedTuple):
    """The reply to a call, and the outcome it was made from; no outcome if the reply is entirely ours."""

    reply: Any
    outcome: Outcome | None

    @property
    def is_unchanged(self) -> bool:
        """Whether the server's own reply goes back as it is."""
        return self.outcome is not None and self.reply is self.outcome.reply
