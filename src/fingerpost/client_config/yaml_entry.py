"""An entry of the YAML configs of Continue and Goose, and the names that each client gives to its fields."""

from __future__ import annotations

from dataclasses import dataclass

from fingerpost.client_config.jsonc import Edit
from fingerpost.client_config.servers import find_proxy
from fingerpost.client_config.wrap_server import HEADERS_VARIABLE, Proxy
from fingerpost.client_config.yaml_text import Field, to_yaml

ADDED = "# added by fingerpost"
"""Marks keys that were absent before."""


@dataclass(frozen=True, slots=True)
class Client:
    """The names that a client gives to the fields of an entry."""

    section: str
    command: str
    url: str
    env: str
    headers: tuple[str, ...]
    """The keys that lead to the headers."""
    http: str
    """The type of a server with a URL."""
    is_list: bool
    unsupported: tuple[str, ...]


CONTINUE = Client(
    section="mcpServers",
    command="command",
    url="url",
    env="env",
    headers=("requestOptions", "headers"),
    http="streamable-http",
    is_list=True,
    unsupported=("apiKey", "args", "env", "uses"),
)
GOOSE = Client(
    section="extensions",
    command="cmd",
    url="uri",
    env="envs",
    headers=("headers",),
    http="streamable_http",
    is_list=False,
    unsupported=("args", "socket"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A server in a config; `text` is the whole config, into which the positions of the fields point."""

    text: str
    client: Client
    name: str
    fields: dict[str, Field]

    def string(self, key: str) -> str:
        """The text of a scalar; empty if it is absent or something else."""
        return self.fields[key].value.string if key in self.fields else ""

    @property
    def proxy_start(self) -> int:
        """The index of the first argument after `proxy`; 0 if the entry does not run the proxy."""
        args = self.fields.get("args")
        return find_proxy(self.string(self.client.command), [item.string for item in args.items]) if args else 0


def replace_value(field: Field, source: str) -> Edit:
    return Edit(field.value.start, field.value.end, source)


def lines_by_hand(client: Client, proxy: Proxy, *, is_url_entry: bool = False) -> tuple[str, ...]:
    """The lines that the user can write instead. Values that may be secret are left out."""
    target = ("the URL",) if is_url_entry else ("--", "the command", "and each of its arguments")
    lines = [
        "type: stdio",
        f"{client.command}: {to_yaml(proxy.command)}",
        "args:",
        *(f"  - {to_yaml(word)}" for word in ("proxy", *proxy.options, *target)),
    ]
    if is_url_entry:
        lines += [f"{client.env}:", f"""  {HEADERS_VARIABLE}: '{{"the header": "its value"}}'"""]
    return tuple(lines)
