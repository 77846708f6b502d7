"""Find the MCP servers in a client's config, and recognize the ones that already run the proxy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fingerpost.client_config.jsonc import Element, Value
from fingerpost.engine.phrases import quote

SHAPES = (
    ("mcpServers",),
    ("projects", "*", "mcpServers"),
    ("servers",),
    ("context_servers",),
    ("mcp", "servers"),
    ("mcp.servers",),
    ("mcp",),
)
"""The objects that contain servers, by the keys that lead to them; `*` is any key."""

_MIXED = ("mcp",)
"""opencode 1 has its servers here, where other clients have settings."""

_FINGERPOST = re.compile(r"fingerpost(\.(exe|cmd|bat))?", re.IGNORECASE)
_PYTHON = re.compile(r"(python[\d.]*|pypy[\d.]*|pyw?)(\.exe)?", re.IGNORECASE)


class SkipServer(Exception):
    """Leave this server unchanged; the message is the reason, `by_hand` what the user can write instead."""

    def __init__(self, reason: str, by_hand: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.by_hand = tuple(by_hand)


class NoServersError(ValueError):
    """The document has no object of servers in any known shape."""


@dataclass(frozen=True, slots=True)
class Server:
    """One server of a client's config."""

    name: str
    project: str = ""
    """The folder of the project, if the client has servers per project."""


@dataclass(frozen=True, slots=True)
class JsonServer:
    """A server in a JSON config."""

    server: Server
    entry: Value
    is_opencode: bool
    """Whether the entry has the form of opencode."""


def find_servers(document: Value) -> list[JsonServer]:
    """Return every server of a config, in the order of the text."""
    holders = [(shape, *holder) for shape in SHAPES for holder in _find_holders(document, shape)]
    servers = [
        JsonServer(Server(member.name, project), member.value, shape[0] == "mcp" and has_command_array(member.value))
        for shape, project, holder in holders
        for member in holder.elements
        if shape != _MIXED or has_command_array(member.value)
    ]
    if not servers and all(shape == _MIXED for shape, *_ in holders):
        raise NoServersError
    return sorted(servers, key=lambda server: server.entry.start)


def has_command_array(entry: Value) -> bool:
    """Whether an entry has the form of opencode: the command is an array, a URL has the type `remote`."""
    members = {member.name: member.value for member in entry.elements}
    if "command" in members:
        return members["command"].kind == "array"
    return "type" in members and members["type"].string == "remote"


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
    return find_proxy(members["command"].string, [item.value.string for item in members["args"].elements])


def find_proxy(command: str, args: Sequence[str]) -> int:
    """The index in `args` of the first argument to `fingerpost proxy`; 0 if the command does not run it."""
    if is_fingerpost(command):
        return 1 if list(args[:1]) == ["proxy"] else 0
    is_module = _PYTHON.fullmatch(_base_name(command)) and list(args[:3]) == ["-m", "fingerpost", "proxy"]
    return 3 if is_module else 0


def _base_name(command: str) -> str:
    """The last part of a POSIX or Windows path: a config may be read on another system than it was written on."""
    return re.split(r"[/\\]", command)[-1]
