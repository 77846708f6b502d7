"""Where clients keep their MCP servers, and how an entry that runs the proxy is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fingerpost.client_config.jsonc import Part, Value
from fingerpost.engine.phrases import quote

SHAPES = (
    ("mcpServers",),
    ("projects", "*", "mcpServers"),
    ("servers",),
    ("mcp", "servers"),
    ("mcp.servers",),
)
"""The objects that hold servers, by the keys that lead to them; `*` is any key."""

_PROXY = re.compile(r"fingerpost(\.(exe|cmd|bat))?", re.IGNORECASE)
_PYTHON = re.compile(r"(python[\d.]*|pypy[\d.]*|pyw?)(\.exe)?", re.IGNORECASE)


class LeftAlone(Exception):
    """The entry stays as it is; the message says why."""


class NoServers(ValueError):
    """The document holds no object of servers in any of the shapes that are known."""


@dataclass(frozen=True, slots=True)
class Server:
    """One server of a client's config."""

    name: str
    project: str
    """The folder it belongs to, where the client keeps servers per project."""
    entry: Value


def servers_in(document: Value) -> list[Server]:
    """Every server of a config, in the order of the text."""
    holders = [found for shape in SHAPES for found in _holders(document, shape)]
    if not holders:
        raise NoServers
    found = [Server(part.name, project, part.value) for project, holder in holders for part in holder.parts]
    return sorted(found, key=lambda server: server.entry.start)


def _holders(value: Value, shape: tuple[str, ...], project: str = "") -> Iterator[tuple[str, Value]]:
    if value.kind == "object" and not shape:
        yield project, value
    elif value.kind == "object":
        for part in value.parts:
            if shape[0] in ("*", part.name):
                yield from _holders(part.value, shape[1:], part.name if shape[0] == "*" else project)


def members_of(entry: Value, known: Iterable[str]) -> dict[str, Part]:
    """The members of an entry by name. One that stands twice has two readings, so the entry is left alone."""
    names = [part.name for part in entry.parts]
    for name in known:
        if names.count(name) > 1:
            raise LeftAlone(f"{quote(name)} stands twice")
    return {part.name: part for part in entry.parts}


def is_proxy(command: str) -> bool:
    """Whether a command runs Fingerpost, wherever it is installed."""
    return _PROXY.fullmatch(_base_name(command)) is not None


def proxied_from(entry: Value) -> int:
    """The index in `args` of the first argument to `fingerpost proxy`; 0 where the entry does not run it."""
    members = {part.name: part.value for part in entry.parts}
    if "command" not in members or "args" not in members or members["args"].kind != "array":
        return 0
    command = members["command"].string
    said = [part.value.string for part in members["args"].parts[:3]]
    if is_proxy(command):
        return 1 if said[:1] == ["proxy"] else 0
    is_module = _PYTHON.fullmatch(_base_name(command)) and said == ["-m", "fingerpost", "proxy"]
    return 3 if is_module else 0


def _base_name(command: str) -> str:
    """The last step of a path of any system: a config may be read on another one than it was written on."""
    return re.split(r"[/\\]", command)[-1]
