"""An entry of the YAML configs of Continue and Goose, and the names that each client gives to its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fingerpost.client_config.by_hand import command_words, headers_without_values, url_word
from fingerpost.client_config.jsonc import Edit
from fingerpost.client_config.servers import find_proxy
from fingerpost.client_config.wrap_server import HEADERS_VARIABLE, Proxy
from fingerpost.client_config.yaml_text import Field, to_single_quoted, to_yaml

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


class CannotRestore(Exception):
    """`unwrap` could not restore the entry; the message is the reason."""


def replace_value(field: Field, source: str) -> Edit:
    return Edit(field.value.start, field.value.end, source)


def lines_by_hand(client: Client, proxy: Proxy, fields: Mapping[str, Field] | None = None) -> tuple[str, ...]:
    """The lines that the user can write instead of an entry, of which only some fields may be known."""
    known = fields or {}
    is_url_entry = client.url in known
    target = [url_word(_string_of(known, client.url))] if is_url_entry else _command_words(client, known)
    lines = [
        "type: stdio",
        f"{client.command}: {to_yaml(proxy.command)}",
        "args:",
        *(f"  - {to_yaml(word)}" for word in ("proxy", *proxy.options, *target)),
    ]
    if is_url_entry and client.headers[0] in known:
        headers = headers_without_values(_header_names(client, known[client.headers[0]]))
        lines += [f"{client.env}:", f"  {HEADERS_VARIABLE}: {to_single_quoted(headers)}"]
    return tuple(lines)


def _string_of(fields: Mapping[str, Field], key: str) -> str | None:
    field = fields.get(key)
    return field.value.string if field and field.kind == "scalar" else None


def _command_words(client: Client, fields: Mapping[str, Field]) -> list[str]:
    args = fields.get("args")
    is_known = args is None or args.kind in ("list", "flow list", "empty list")
    words = [item.string for item in args.items] if args else []
    return command_words(_string_of(fields, client.command), words if is_known else None)


def _header_names(client: Client, holder: Field) -> list[str]:
    for key in client.headers[1:]:
        holder = next((field for field in holder.fields if field.key == key), holder)
    return [field.key for field in holder.fields]
