"""What a command says when it cannot be carried out."""

from __future__ import annotations


class Trouble(Exception):
    """The command cannot be carried out; the message says why, `way_out` says what to do instead."""

    def __init__(self, message: str, way_out: str = "") -> None:
        super().__init__(message)
        self.way_out = way_out
