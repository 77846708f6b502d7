"""The proxy's log on standard error: notices always, one line per guided call on request, never a value."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from typing import TextIO, cast

from fingerpost.engine.phrases import quote, show_name


class Log:
    """Writes lines to standard error, as text or as JSON."""

    def __init__(self, *, is_verbose: bool = False, is_json: bool = False, out: TextIO | None = None) -> None:
        self._is_verbose, self._is_json = is_verbose or is_json, is_json
        self._noticed: set[str] = set()
        self._out: TextIO | None = out or cast("TextIO | None", sys.stderr)  # None if standard error is closed

    def notice(self, text: str) -> None:
        """Log what every user needs to know."""
        self._write(text, {"event": "notice", "text": text})

    def notice_once(self, text: str) -> None:
        """Log what every user needs to know, unless it was logged before: several sessions may find the same."""
        if text not in self._noticed:
            self._noticed.add(text)
            self.notice(text)

    def note(self, text: str) -> None:
        """Log a detail, if the log is verbose."""
        if self._is_verbose:
            self._write(text, {"event": "note", "text": text})

    def record_call(self, action: str, tool: str, code: str) -> None:
        """Log what guidance did with a call, if the log is verbose."""
        if self._is_verbose:
            text = f"{action} {quote(tool)}{f': {code}' if code else ''}"
            self._write(text, {"event": action, "tool": show_name(tool), "code": code})

    def _write(self, text: str, fields: dict[str, str]) -> None:
        line = json.dumps({"time": round(time.time(), 3), **fields}) if self._is_json else f"fingerpost: {text}"
        if self._out is not None:
            with suppress(OSError):  # the reader is gone, which must not end the proxy
                print(line, file=self._out, flush=True)
