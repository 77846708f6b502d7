"""The interface of a report format: events and the finished report in, text out. The command writes the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fingerpost.audit.events import Event
from fingerpost.audit.report import Report


@dataclass(frozen=True, slots=True)
class Context:
    """Facts about the audit that its events do not carry."""

    target: Sequence[str] | str
    """The server's command or URL, without secrets."""
    allow_writes: bool = False


class ReportFormat(Protocol):
    """A format of the report. Each module of a format has one subclass, named `Format`."""

    is_live: bool = False
    """Whether it writes while the audit runs. Its file is then opened before the first call."""

    @property
    def encoding(self) -> str:
        return "utf-8"

    def on_event(self, event: Event, *, is_behind: bool) -> str:
        """Return the text to write for an event; `is_behind` means that Fingerpost was in front of the server."""
        return ""

    def on_end(self, report: Report, context: Context) -> str:
        """Return the text to write when the audit is over."""
        return ""
