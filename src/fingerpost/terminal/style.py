"""Colour for people, plain text for everyone else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Style:
    """How emphasis is written; on anything but a terminal it is not written at all."""

    is_coloured: bool

    @classmethod
    def of(cls, out: TextIO) -> Style:
        return cls(out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb")

    def good(self, text: str) -> str:
        return self._in("32", text)

    def notice(self, text: str) -> str:
        return self._in("33", text)

    def bad(self, text: str) -> str:
        return self._in("31", text)

    def strong(self, text: str) -> str:
        return self._in("1", text)

    def faint(self, text: str) -> str:
        return self._in("2", text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_coloured else text
