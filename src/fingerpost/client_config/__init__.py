"""Every MCP server of a client's config put behind `fingerpost proxy`, and exactly back.

A config is edited by spans of its text, never written anew, so comments, order and layout stay as they are. Inside an
entry the least is changed, and changed so that the wrapped text itself says what was there:

- A command's own spelling moves into `args`, behind `--`. A URL's spelling moves there too, `"command"` takes the place
  of its key, `"stdio"` the place of its type, and `env` the place of its headers, whose text becomes the value of
  `FINGERPOST_HEADERS`, out of sight of process lists. The white space and the comments around them never move.
- What cannot be told from that is kept in one member more, `fingerpost`, and only where it is needed: `args` that were
  not there; a key for the URL other than `url`; a type other than `http`; the text of headers with comments, which the
  proxy could not read; and that headers stood here, where the entry has had an `env` of its own.

A copy of the whole entry would be simpler and worse: secrets would stand in the file twice, and undoing would take back
what the user has changed since. As it is, any other field may be edited in between, and so may the arguments, the URL
and the headers: they go back as they are now. A client that writes its whole config anew does no harm either, because
nothing depends on layout. The member is no environment variable, because servers would inherit it. Clients ignore
members that they do not know; should one drop it, what comes back means the same, but for an unusual key or type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fingerpost.client_config.jsonc import Edit, Malformed, edited, scanned
from fingerpost.client_config.servers import SHAPES, LeftAlone, NoServers, Server, is_proxy, proxied_from, servers_in
from fingerpost.client_config.unwrap_server import taken_from_behind
from fingerpost.client_config.wrap_server import Proxy, placed_behind, remark_on

__all__ = [
    "SHAPES",
    "Malformed",
    "NoServers",
    "Outcome",
    "Proxy",
    "Rewritten",
    "Server",
    "is_proxy",
    "unwrapped",
    "wrapped",
]

State: TypeAlias = Literal["wrapped", "already wrapped", "unwrapped", "not wrapped", "left alone"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one server, and why or at which price."""

    server: Server
    state: State
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A config's new text, and what became of each server that was asked for."""

    text: str
    outcomes: tuple[Outcome, ...]


def wrapped(text: str, proxy: Proxy, only: Collection[str] | None = None) -> Rewritten:
    """The config with its servers behind the proxy. Raises `Malformed` and `NoServers`."""

    def wrap(server: Server) -> tuple[Outcome, list[Edit]]:
        if proxied_from(server.entry):
            return Outcome(server, "already wrapped"), []
        edits = placed_behind(text, server.entry, proxy)
        return Outcome(server, "wrapped", remark_on(server.entry)), edits

    return _rewritten(text, wrap, only)


def unwrapped(text: str, only: Collection[str] | None = None) -> Rewritten:
    """The config with its servers as they were before they were wrapped. Raises `Malformed` and `NoServers`."""

    def unwrap(server: Server) -> tuple[Outcome, list[Edit]]:
        if not proxied_from(server.entry):
            return Outcome(server, "not wrapped"), []
        return Outcome(server, "unwrapped"), taken_from_behind(text, server.entry)

    return _rewritten(text, unwrap, only)


def _rewritten(
    text: str, change: Callable[[Server], tuple[Outcome, list[Edit]]], only: Collection[str] | None
) -> Rewritten:
    outcomes: list[Outcome] = []
    edits: list[Edit] = []
    for server in servers_in(scanned(text)):
        if only is None or server.name in only:
            outcome, made = _carried_out(change, server)
            outcomes.append(outcome)
            edits += made
    return Rewritten(edited(text, edits), tuple(outcomes))


def _carried_out(change: Callable[[Server], tuple[Outcome, list[Edit]]], server: Server) -> tuple[Outcome, list[Edit]]:
    try:
        return change(server)
    except LeftAlone as reason:
        return Outcome(server, "left alone", str(reason)), []
