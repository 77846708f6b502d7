"""The error that ends a command, and the parser of HOST:PORT that commands share."""

from __future__ import annotations


class CommandError(Exception):
    """The command cannot run: the message says why, `way_out` says what to do instead."""

    def __init__(self, message: str, way_out: str = "") -> None:
        super().__init__(message)
        self.way_out = way_out


def parse_address(text: str, option: str) -> tuple[str, int]:
    """Parse the HOST:PORT that was given to an option."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal()) or int(port) > 65_535:
        raise CommandError(f"{text} is not an address to listen on", f"For example {option} 127.0.0.1:8080")
    return host.strip("[]") or "127.0.0.1", int(port)
