"""The progress line of an audit: one line on a terminal that is rewritten while the audit runs."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from typing import TextIO

from fingerpost.audit.events import AuditStarted, CallJudged, Event
from fingerpost.audit.reports.common import fit_encoding
from fingerpost.engine.safety.redact import clean

_BAR_WIDTH = 24
_SECONDS_BETWEEN_UPDATES = 0.1
_SECONDS_BETWEEN_START_UPDATES = 5.0


class Progress:
    """Shows nothing unless `out` is a terminal that can rewrite a line."""

    def __init__(self, out: TextIO, label: str = "", *, is_quiet: bool = False) -> None:
        self._out = out
        self._label, self._total, self._done, self._last = label, 0, 0, 0.0
        self._has_begun = False
        self._is_visible = not is_quiet and out.isatty() and os.environ.get("TERM") != "dumb"

    def take(self, event: Event) -> None:
        if isinstance(event, AuditStarted):
            self._has_begun, self._total = True, event.calls
        elif isinstance(event, CallJudged):
            self._done += 1
            now = time.monotonic()
            if now - self._last >= _SECONDS_BETWEEN_UPDATES:
                self._last = now
                self._show(self._bar(event.tool))

    async def show_start(self, limit: float) -> None:
        """Show how long the server has been starting, until the audit has begun."""
        self._show("starting the server …")
        start = time.monotonic()
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_START_UPDATES)
            if self._has_begun:
                return
            self._show(f"starting the server … {time.monotonic() - start:.0f} s of {limit:g}")

    def close(self) -> None:
        self._show("")

    def _show(self, line: str) -> None:
        if self._is_visible:
            text = fit_encoding(line, self._out)[: shutil.get_terminal_size().columns - 1]
            self._out.write(f"\r\x1b[K{text}")
            self._out.flush()

    def _bar(self, tool: str) -> str:
        share = min(1.0, self._done / max(1, self._total))
        bar = "█" * round(share * _BAR_WIDTH)
        return f"{self._label}{bar:░<{_BAR_WIDTH}} {share:4.0%}  {self._done}/{self._total}  {clean(tool, 40)}"
