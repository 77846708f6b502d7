"""Wrap or unwrap the servers of a config text, and report what happened to each."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fingerpost.client_config.editable import Editable
from fingerpost.client_config.formats import Format, find_editable
from fingerpost.client_config.jsonc import Edit, apply_edits
from fingerpost.client_config.servers import Server, SkipServer
from fingerpost.client_config.wrap_server import Proxy

State: TypeAlias = Literal["wrapped", "already wrapped", "unwrapped", "not wrapped", "skipped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one server; `remark` is the reason or a warning."""

    server: Server
    state: State
    remark: str = ""
    by_hand: tuple[str, ...] = ()
    """The lines to write by hand, if the server could not be changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """The new text of a config, and the outcome for each selected server."""

    text: str
    outcomes: tuple[Outcome, ...]


_ChangeServer: TypeAlias = Callable[[Editable], tuple[Outcome, list[Edit]]]


def wrap(text: str, proxy: Proxy, only: Collection[str] | None = None, form: Format = "json") -> Change:
    """Put servers behind the proxy: all of them, or `only` the named ones.

    Raises `ConfigSyntaxError` and `NoServersError`.
    """

    def change(one: Editable) -> tuple[Outcome, list[Edit]]:
        if one.is_wrapped:
            return Outcome(one.server, "already wrapped"), []
        edits = one.wrap(proxy.for_server(one.server.name))
        return Outcome(one.server, "wrapped", one.warning), edits

    return _change_servers(text, change, only, form)


def unwrap(text: str, only: Collection[str] | None = None, form: Format = "json") -> Change:
    """Restore servers as they were before `wrap`. Raises `ConfigSyntaxError` and `NoServersError`."""

    def change(one: Editable) -> tuple[Outcome, list[Edit]]:
        if not one.is_wrapped:
            return Outcome(one.server, "not wrapped"), []
        return Outcome(one.server, "unwrapped"), one.unwrap()

    return _change_servers(text, change, only, form)


def _change_servers(text: str, change: _ChangeServer, only: Collection[str] | None, form: Format) -> Change:
    outcomes: list[Outcome] = []
    edits: list[Edit] = []
    for one in find_editable(text, form):
        if only is None or one.server.name in only:
            outcome, server_edits = _change_or_skip(change, one)
            outcomes.append(outcome)
            edits += server_edits
    return Change(apply_edits(text, edits), tuple(outcomes))


def _change_or_skip(change: _ChangeServer, one: Editable) -> tuple[Outcome, list[Edit]]:
    try:
        return change(one)
    except SkipServer as skipped:
        return Outcome(one.server, "skipped", str(skipped), skipped.by_hand), []
