"""What the proxy says of itself: nothing by default, a line for each guided call when asked, never a value."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from typing import TextIO, cast

from fingerpost.engine.phrases import quote
from fingerpost.engine.safety.redact import clean


class Journal:
    """Lines on standard error, for people or for machines."""

    def __init__(self, *, is_verbose: bool = False, is_json: bool = False, out: TextIO | None = None) -> None:
        self._is_verbose, self._is_json = is_verbose or is_json, is_json
        self._out: TextIO | None = out or cast("TextIO | None", sys.stderr)  # there may be none

    def say(self, text: str) -> None:
        """What the user has to know."""
        self._write(text, {"event": "notice", "text": text})

    def note(self, text: str) -> None:
        """What only those want to know who look closely."""
        if self._is_verbose:
            self._write(text, {"event": "note", "text": text})

    def guided(self, action: str, tool: str, code: str) -> None:
        """A call that guidance has had to do with."""
        if self._is_verbose:
            told = f"{action} {quote(tool)}{f': {code}' if code else ''}"
            self._write(told, {"event": action, "tool": clean(tool), "code": code})

    def _write(self, text: str, fields: dict[str, str]) -> None:
        line = json.dumps({"time": round(time.time(), 3), **fields}) if self._is_json else f"fingerpost: {text}"
        if self._out is not None:
            with suppress(OSError):  # nobody reads it; that is no reason to end
                print(line, file=self._out, flush=True)
