"""Choose the editor for a config by the name of its file: JSON with comments, TOML, or YAML."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal, TypeAlias

from fingerpost.client_config import codex, opencode, yaml_servers
from fingerpost.client_config.editable import ConfigSyntaxError, Editable
from fingerpost.client_config.jsonc import JsonSyntaxError, parse
from fingerpost.client_config.servers import JsonServer, find_servers, is_wrapped
from fingerpost.client_config.unwrap_server import unwrap_server
from fingerpost.client_config.wrap_server import warn_about, wrap_server

Format: TypeAlias = Literal["json", "gemini", "toml", "yaml"]
"""Gemini CLI has JSON too. It reads the same names in another way."""

_GEMINI = re.compile(r"(^|[/\\])\.gemini[/\\]settings\.json$", re.IGNORECASE)


def format_of(path: str) -> Format:
    """Return the format of a config by its path."""
    if _GEMINI.search(path):
        return "gemini"
    suffix = path.lower().rpartition(".")[2]
    return "toml" if suffix == "toml" else "yaml" if suffix in ("yaml", "yml") else "json"


def find_editable(text: str, form: Format) -> list[Editable]:
    """Return the servers of a config, in the order of the text. Raises `ConfigSyntaxError` and `NoServersError`."""
    if form == "toml":
        return codex.find_servers(text)
    if form == "yaml":
        return yaml_servers.find_servers(text)
    try:
        document = parse(text)
    except JsonSyntaxError as error:
        raise ConfigSyntaxError(f"is not JSON: {error}") from error
    return [_json_editable(text, server, is_gemini=form == "gemini") for server in find_servers(document)]


def _json_editable(text: str, server: JsonServer, *, is_gemini: bool) -> Editable:
    entry = server.entry
    if server.is_opencode:
        return Editable(
            server.server,
            opencode.is_wrapped(entry),
            warn_about(entry),
            partial(opencode.wrap_entry, text, entry),
            partial(opencode.unwrap_entry, text, entry),
        )
    return Editable(
        server.server,
        is_wrapped(entry),
        warn_about(entry),
        partial(wrap_server, text, entry, is_gemini=is_gemini),
        partial(unwrap_server, text, entry, is_gemini=is_gemini),
    )
