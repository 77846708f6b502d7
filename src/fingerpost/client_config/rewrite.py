"""Wrap or unwrap the servers of a config text, and report what happened to each."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fingerpost.client_config.jsonc import Edit, apply_edits, parse
from fingerpost.client_config.servers import Server, SkipServer, find_servers, is_wrapped
from fingerpost.client_config.unwrap_server import unwrap_server
from fingerpost.client_config.wrap_server import Proxy, warn_about, wrap_server

State: TypeAlias = Literal["wrapped", "already wrapped", "unwrapped", "not wrapped", "skipped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one server; `remark` is the reason or a warning."""

    server: Server
    state: State
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """The new text of a config, and the outcome for each selected server."""

    text: str
    outcomes: tuple[Outcome, ...]


_ChangeServer: TypeAlias = Callable[[Server], tuple[Outcome, list[Edit]]]


def wrap(text: str, proxy: Proxy, only: Collection[str] | None = None) -> Change:
    """Put servers behind the proxy: all of them, or `only` the named ones.

    Raises `JsonSyntaxError` and `NoServersError`.
    """

    def change(server: Server) -> tuple[Outcome, list[Edit]]:
        if is_wrapped(server.entry):
            return Outcome(server, "already wrapped"), []
        edits = wrap_server(text, server.entry, proxy.for_server(server.name))
        return Outcome(server, "wrapped", warn_about(server.entry)), edits

    return _change_servers(text, change, only)


def unwrap(text: str, only: Collection[str] | None = None) -> Change:
    """Restore servers as they were before `wrap`. Raises `JsonSyntaxError` and `NoServersError`."""

    def change(server: Server) -> tuple[Outcome, list[Edit]]:
        if not is_wrapped(server.entry):
            return Outcome(server, "not wrapped"), []
        return Outcome(server, "unwrapped"), unwrap_server(text, server.entry)

    return _change_servers(text, change, only)


def _change_servers(text: str, change: _ChangeServer, only: Collection[str] | None) -> Change:
    outcomes: list[Outcome] = []
    edits: list[Edit] = []
    for server in find_servers(parse(text)):
        if only is None or server.name in only:
            outcome, server_edits = _change_or_skip(change, server)
            outcomes.append(outcome)
            edits += server_edits
    return Change(apply_edits(text, edits), tuple(outcomes))


def _change_or_skip(change: _ChangeServer, server: Server) -> tuple[Outcome, list[Edit]]:
    try:
        return change(server)
    except SkipServer as reason:
        return Outcome(server, "skipped", str(reason)), []
