"""What a client is told when no reply will come, because the server ended or took too long.

The proxy never sends a request again: it does not know whether the call took effect, and says so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fingerpost.engine.catalog import Tool
from fingerpost.engine.model import Diagnosis, Severity

NOT_SENT = "; the request was not sent"


class LostReply(NamedTuple):
    """Why there is no reply."""

    why: str
    """A clause about the server: `was killed by signal 9`."""
    was_sent: bool = True
    """Whether the request had reached the server."""
    is_late: bool = False
    is_over: bool = False
    """Whether the server finished the request, but its reply cannot be used."""
    is_refused: bool = False
    """Whether the server said that it did not carry out the request."""

    def message(self) -> str:
        if not self.was_sent:
            return f"The server {self.why}{NOT_SENT}"
        return f"The server {self.why}{'' if self.is_late or self.is_over else ' before it answered'}"

    def diagnosis(self, tool: Tool | None) -> Diagnosis:
        """The diagnosis of a tool call without a reply, with a hint what to do."""
        is_harmless = not self.was_sent or self.is_refused or (tool is not None and tool.is_read_only)
        return Diagnosis(
            code="TIMEOUT" if self.is_late else "UPSTREAM_ERROR",
            message=self.message() if is_harmless else f"{self.message()}; the call may or may not have taken effect",
            severity=Severity.HIGH,
            category="timeout" if self.is_late else "upstream",
            origin="upstream",
            retryable=is_harmless,
            hint=_HINT_REFUSED if self.is_refused else _HINT_RETRY if is_harmless else _HINT_CHECK,
        )


_HINT_REFUSED = "Tell the user; the same call will be refused again"
_HINT_RETRY = "Send the call again; if that fails too, tell the user"
_HINT_CHECK = "Look whether it has taken effect before you send it again"


def no_reply_within(seconds: float) -> LostReply:
    return LostReply(f"did not answer within {seconds:g} s", is_late=True)


_TOLD = re.compile(
    rf"The server (?:.*(?: before it answered|{NOT_SENT})|did not answer within .* s|answered HTTP \d+"
    r"|sent a reply that .*)"
)


def told_in(text: str) -> str:
    """The clause about the server in a `LostReply` message; empty if the text is none."""
    found = _TOLD.match(text)
    return found[0].removeprefix("The server ") if found else ""
