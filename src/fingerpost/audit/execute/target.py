"""The server to audit: a command or a URL, with or without Fingerpost in front."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from fingerpost.engine.safety.command_words import hide_in_command, hide_in_word
from fingerpost.engine.safety.public_urls import hide_in_url
from fingerpost.engine.safety.redact import clean
from fingerpost.proxy.http.environment import headers_from_environment
from fingerpost.proxy.http.sendable import is_url
from fingerpost.terminal.command_error import CommandError

_PROXY = (sys.executable, "-P", "-m", "fingerpost", "proxy", "--mark-lost")
"""`-P`, because the folder that the audit runs in may have modules of any name."""


@dataclass(frozen=True, slots=True)
class Target:
    """A command or a URL to audit, bare or behind Fingerpost.

    A URL is always reached through our own proxy: with guidance off it passes every message on byte for byte.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    is_guided: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        if self.url:
            return (*_PROXY, "--guidance", "on" if self.is_guided else "off", self.url)
        return (*_PROXY, "--", *self.command) if self.is_guided else self.command

    @property
    def is_proxied(self) -> bool:
        return bool(self.url) or self.is_guided

    @property
    def without_secrets(self) -> tuple[str, ...] | str:
        """The command or the URL without secrets."""
        return hide_in_word(self.url) if self.url else tuple(hide_in_command(self.command))

    @property
    def label(self) -> str:
        """The command or the URL in one line, for reports."""
        return clean(
            self.without_secrets if isinstance(self.without_secrets, str) else " ".join(self.without_secrets), 300
        )


def parse_target(command: Sequence[str], url: str | None) -> Target:
    """Make a target from the command line; raises `CommandError` unless there is exactly one."""
    if bool(command) == bool(url):
        raise CommandError(
            "give either a command or a URL", "fingerpost audit -- python server.py, or fingerpost audit URL"
        )
    if url:
        if not is_url(url):
            raise CommandError(
                f"{hide_in_url(url)} is not a URL",
                "For a command, put -- before it: fingerpost audit -- python server.py",
            )
        headers_from_environment()  # reports invalid headers before anything is started
    return Target(command=tuple(command), url=url or "")
