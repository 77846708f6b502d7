"""What is said for an answer that will not come: the server is gone, or it has taken too long.

What has become of the call is not known, and that is what is said. Nothing is sent a second time from here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fingerpost.engine.catalog import Tool
from fingerpost.engine.model import Diagnosis, Severity

NOT_SENT = "; the request was not sent"


class Loss(NamedTuple):
    """Why there is no answer."""

    why: str
    """A clause about the server: `was killed by signal 9`."""
    was_sent: bool = True
    """Whether the request had reached the server by then."""
    is_late: bool = False
    is_over: bool = False
    """Whether the server is done with it, and only its answer is of no use."""
    is_refused: bool = False
    """Whether the server has said that it did not carry it out."""

    def message(self) -> str:
        if not self.was_sent:
            return f"The server {self.why}{NOT_SENT}"
        return f"The server {self.why}{'' if self.is_late or self.is_over else ' before it answered'}"

    def diagnosis(self, tool: Tool | None) -> Diagnosis:
        """The same for a call of a tool, with what is to be done about it."""
        is_harmless = not self.was_sent or self.is_refused or (tool is not None and tool.is_read_only)
        return Diagnosis(
            code="TIMEOUT" if self.is_late else "UPSTREAM_ERROR",
            message=self.message() if is_harmless else f"{self.message()}; the call may or may not have taken effect",
            severity=Severity.HIGH,
            category="timeout" if self.is_late else "upstream",
            origin="upstream",
            retryable=is_harmless,
            hint=_ELSEWHERE if self.is_refused else _AGAIN if is_harmless else _LOOK,
        )


_TOLD = re.compile(
    rf"The server (?:.*(?: before it answered|{NOT_SENT})|did not answer within .* s|answered HTTP \d+"
    r"|sent a reply that .*)"
)


def told_in(text: str) -> str:
    """The clause about the server in a text that tells of a loss; empty where it does not."""
    found = _TOLD.match(text)
    return found[0].removeprefix("The server ") if found else ""


_ELSEWHERE = "Tell the user; the same call will be refused again"
_AGAIN = "Send the call again; if that fails too, tell the user"
_LOOK = "Look whether it has taken effect before you send it again"


def late(seconds: float) -> Loss:
    return Loss(f"did not answer within {seconds:g} s", is_late=True)
