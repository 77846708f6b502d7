"""What a client is told when no reply will come, because the server ended or took too long.

The proxy never sends a request again: it does not know whether the call took effect, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from fingerpost.engine.model import Diagnosis, Severity
from fingerpost.engine.phrases import count_noun, encode_json
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.tool import Tool

_KEY = "dev.fingerpost/lost"


class LostReply(NamedTuple):
    """Why there is no reply."""

    why: str
    """A clause about the server: `was killed by signal 9`."""
    was_sent: bool = True
    """Whether the request had reached the server."""
    is_late: bool = False
    is_over: bool = False
    """Whether the server has answered, but its reply cannot be used."""
    is_refused: bool = False
    """Whether the server said that it did not carry out the request."""
    code: str = "UPSTREAM_ERROR"
    category: str = "upstream"
    hint: str = ""
    """What to do, if that is known better than from the fields above."""
    is_transient: bool = False
    """Whether a request that was refused may succeed later."""
    wait: int = 0
    """How many seconds the server asks to wait before the next request."""
    excerpt: str = ""
    """What the server says about it, cleaned."""

    def message(self) -> str:
        return f"The server {self.clause()}"

    def message_with_hint(self) -> str:
        """The message for a request that gets no diagnosis."""
        message = f"{self.message()}{self._quote()}"
        return f"{message}. {self.hint}." if self.hint else message

    def clause(self) -> str:
        """What the server did: `was killed by signal 9 before it answered`."""
        if not self.was_sent:
            return f"{self.why}; the request was not sent"
        return self.why if self.is_late or self.is_over else f"{self.why} before it answered"

    def as_meta(self) -> dict[str, Any]:
        """The same as fields, for the audit, which reads them with `read_mark`."""
        return {_KEY: {"why": self.why, "clause": self.clause(), "wasSent": self.was_sent}}

    def diagnosis(self, tool: Tool | None) -> Diagnosis:
        """The diagnosis of a tool call without a reply, with a hint what to do."""
        is_harmless = not self.was_sent or self.is_refused or (tool is not None and tool.is_read_only)
        return Diagnosis(
            code="TIMEOUT" if self.is_late else self.code,
            message=f"{self.message()}{self._effect(is_harmless=is_harmless)}{self._quote()}",
            severity=Severity.HIGH,
            category="timeout" if self.is_late else self.category,
            origin="upstream",
            retryable=self.is_transient if self.is_refused else is_harmless,
            hint=self._advise(is_harmless=is_harmless),
        )

    def _advise(self, *, is_harmless: bool) -> str:
        may_repeat = self.is_transient if self.is_refused else is_harmless
        if self.wait and may_repeat:
            return f"Wait {count_noun(self.wait, 'second')}, then call again"
        if self.hint or self.is_refused:
            return self.hint or (_HINT_RETRY if may_repeat else _HINT_REFUSED)
        if may_repeat:
            return _HINT_RETRY
        return f"Wait {count_noun(self.wait, 'second')}. {_HINT_CHECK}" if self.wait else _HINT_CHECK

    def _quote(self) -> str:
        """What the server says, as a sentence after another."""
        return f". It says {encode_json(self.excerpt)}" if self.excerpt else ""

    def _effect(self, *, is_harmless: bool) -> str:
        """What is known about the effect of the call, as the end of a sentence."""
        if self.is_refused:
            return "; the call was not carried out"
        return "" if is_harmless else "; the call may or may not have taken effect"


_HINT_REFUSED = "Tell the user"
_HINT_RETRY = "Send the call again; if that fails too, tell the user"
_HINT_CHECK = "Look whether it has taken effect before you send it again"


def no_reply_within(seconds: float) -> LostReply:
    return LostReply(f"did not answer within {seconds:g} s", is_late=True)


class LostMark(NamedTuple):
    """What `LostReply.as_meta` wrote."""

    why: str
    clause: str
    was_sent: bool


def read_mark(fields: Mapping[str, Any]) -> LostMark | None:
    """Read what `LostReply.as_meta` wrote into the `_meta` of a result or the `data` of an error."""
    mark = as_object(fields.get(_KEY))
    return LostMark(str(mark.get("why")), str(mark.get("clause")), mark.get("wasSent") is True) if mark else None
