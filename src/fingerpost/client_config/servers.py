"""Find the MCP servers in a client's config, and recognize the ones that already run the proxy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fingerpost.client_config.jsonc import Element, Value
from fingerpost.engine.phrases import quote

SHAPES = (
    ("mcpServers",),
    ("projects", "*", "mcpServers"),
    ("servers",),
    ("mcp", "servers"),
    ("mcp.servers",),
)
"""The objects that contain servers, by the keys that lead to them; `*` is any key."""

_FINGERPOST = re.compile(r"fingerpost(\.(exe|cmd|bat))?", re.IGNORECASE)
_PYTHON = re.compile(r"(python[\d.]*|pypy[\d.]*|pyw?)(\.exe)?", re.IGNORECASE)


class SkipServer(Exception):
    """Leave this server unchanged; the message is the reason."""


class NoServersError(ValueError):
    """The document has no object of servers in any known shape."""


@dataclass(frozen=True, slots=True)
class Server:
    """One server of a client's config."""

    name: str
    project: str
    """The folder of the project, if the client has servers per project."""
    entry: Value


def find_servers(document: Value) -> list[Server]:
    """Return every server of a config, in the order of the text."""
    holders = [holder for shape in SHAPES for holder in _find_holders(document, shape)]
    if not holders:
        raise NoServersError
    servers = [Server(member.name, project, member.value) for project, holder in holders for member in holder.elements]
    return sorted(servers, key=lambda server: server.entry.start)


def _find_holders(value: Value, shape: tuple[str, ...], project: str = "") -> Iterator[tuple[str, Value]]:
    if value.kind == "object" and not shape:
        yield project, value
    elif value.kind == "object":
        for member in value.elements:
            if shape[0] in ("*", member.name):
                yield from _find_holders(member.value, shape[1:], member.name if shape[0] == "*" else project)


def members_by_name(entry: Value, unique: Iterable[str]) -> dict[str, Element]:
    """Return the members of an entry. Raises `SkipServer` if one of the `unique` names occurs twice."""
    names = [member.name for member in entry.elements]
    for name in unique:
        if names.count(name) > 1:
            raise SkipServer(f"{quote(name)} occurs twice")
    return {member.name: member for member in entry.elements}


def is_fingerpost(command: str) -> bool:
    """Whether a command runs Fingerpost, wherever it is installed."""
    return _FINGERPOST.fullmatch(_base_name(command)) is not None


def is_wrapped(entry: Value) -> bool:
    """Whether an entry runs `fingerpost proxy`."""
    return proxy_arguments_start(entry) > 0


def proxy_arguments_start(entry: Value) -> int:
    """The index in `args` of the first argument to `fingerpost proxy`; 0 if the entry does not run it."""
    members = {member.name: member.value for member in entry.elements}
    if "command" not in members or "args" not in members or members["args"].kind != "array":
        return 0
    command = members["command"].string
    first_args = [item.value.string for item in members["args"].elements[:3]]
    if is_fingerpost(command):
        return 1 if first_args[:1] == ["proxy"] else 0
    is_module = _PYTHON.fullmatch(_base_name(command)) and first_args == ["-m", "fingerpost", "proxy"]
    return 3 if is_module else 0


def _base_name(command: str) -> str:
    """The last part of a POSIX or Windows path: a config may be read on another system than it was written on."""
    return re.split(r"[/\\]", command)[-1]
