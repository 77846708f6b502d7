"""Colour on terminals, plain text everywhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Style:
    """Emphasis by ANSI escape codes. Files, pipes and dumb terminals get plain text."""

    is_coloured: bool

    @classmethod
    def of(cls, out: TextIO) -> Style:
        return cls(out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb")

    def good(self, text: str) -> str:
        return self._paint("32", text)

    def notice(self, text: str) -> str:
        return self._paint("33", text)

    def bad(self, text: str) -> str:
        return self._paint("31", text)

    def strong(self, text: str) -> str:
        return self._paint("1", text)

    def faint(self, text: str) -> str:
        return self._paint("2", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_coloured else text
