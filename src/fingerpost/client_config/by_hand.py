"""What a user can write by hand into a config that cannot be edited exactly: the real values, without the secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from fingerpost.client_config.url_secrets import find_url_secret
from fingerpost.engine.safety.command_words import hide_in_command

_ALL_ARGUMENTS = "and each of its arguments"


def command_words(command: str | None, args: Sequence[str] | None) -> list[str]:
    """The last arguments of the proxy in front of a command. None stands for what could not be read."""
    if not command:
        return ["--", "the command", _ALL_ARGUMENTS]
    words = list(hide_in_command([command, *(args or ())]))
    return ["--", *words] if args is not None else ["--", *words, _ALL_ARGUMENTS]


def url_word(url: str | None) -> str:
    """The last argument of the proxy in front of a URL."""
    return "the URL" if not url or find_url_secret(url) else url


def headers_without_values(names: Iterable[str]) -> str:
    """The headers for the proxy, as JSON."""
    return json.dumps(dict.fromkeys(names, "its value") or {"the header": "its value"}, ensure_ascii=False)
