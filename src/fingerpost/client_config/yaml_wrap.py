"""Wrap an entry of the YAML configs of Continue and Goose."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from fingerpost.client_config.jsonc import Edit
from fingerpost.client_config.servers import SkipServer
from fingerpost.client_config.toml_text import line_break, line_break_before
from fingerpost.client_config.wrap_server import (
    HEADERS_VARIABLE,
    TEMPLATES_VARIABLE,
    Proxy,
    require_no_sse_url,
    require_plain_url,
    require_strings,
)
from fingerpost.client_config.yaml_entry import ADDED, CannotRestore, Entry, replace_value
from fingerpost.client_config.yaml_flow import is_flow_item
from fingerpost.client_config.yaml_text import Field, to_double_quoted, to_single_quoted, to_yaml
from fingerpost.engine.phrases import quote

_TEMPLATE = re.compile(r"\$\{[A-Za-z_]\w*\}", re.ASCII)


def wrap(entry: Entry, proxy: Proxy) -> list[Edit]:
    """Return the edits that put the proxy in front of a server. Raises `SkipServer`."""
    client = entry.client
    keys = [key for key in (client.command, client.url) if key in entry.fields]
    _require_type(entry, is_url_entry=keys == [client.url])
    if len(keys) != 1:
        raise SkipServer(
            f"it has both {quote(client.command)} and {quote(client.url)}" if keys else "it has no command"
        )
    target = entry.fields[keys[0]]
    if target.kind != "scalar" or not target.value.string:
        raise SkipServer(f"{quote(target.key)} must be a text that is not empty")
    source = entry.text[target.value.start : target.value.end]
    front = ("proxy", *proxy.options)
    if target.key == client.command:
        return [replace_value(target, to_yaml(proxy.command)), *_add_args(entry, target, (*front, "--"), source)]
    return [*_wrap_url(entry, target), *_replace_field(entry, target, proxy, [*map(to_yaml, front), source])]


def _require_type(entry: Entry, *, is_url_entry: bool) -> None:
    kind = entry.string("type")
    if kind == "sse":
        raise SkipServer("the proxy does not support 'sse', the old transport")
    if "type" in entry.fields and kind != (entry.client.http if is_url_entry else "stdio"):
        raise SkipServer(f"its type is {quote(kind)}")
    if "type" not in entry.fields and not entry.client.is_list:
        raise SkipServer("it has no type")


def _add_args(entry: Entry, command: Field, front: Sequence[str], command_source: str) -> list[Edit]:
    """Put the arguments of the proxy and the command before the other arguments."""
    args = entry.fields.get("args")
    if args and args.kind == "flow list":
        return [_add_to_flow_list(args, front, command_source)]
    sources = [*map(to_yaml, front), command_source]
    if args is None:
        block = _list_block(entry, "args", command.indent, sources, f" {ADDED}")
        return [Edit(command.end, command.end, block)]
    if args.kind == "empty list":
        items = _item_lines(entry, args.indent + 2, sources)
        return [Edit(args.key_end + 1, args.value.end), Edit(args.line_end, args.line_end, items)]
    if args.kind != "list":
        raise CannotRestore("'args' is not a list of texts")
    first = entry.text.rindex("-", 0, args.items[0].start)
    indent = first - entry.text.rindex("\n", 0, first) - 1
    lines = "".join(f"- {source}{line_break(entry.text)}{' ' * indent}" for source in sources)
    return [Edit(first, first, lines)]


def _add_to_flow_list(args: Field, front: Sequence[str], command_source: str) -> Edit:
    command = command_source if is_flow_item(command_source) else to_double_quoted(command_source)
    items = ", ".join([*map(to_double_quoted, front), command])
    if args.items:
        return Edit(args.items[0].start, args.items[0].start, f"{items}, ")
    return Edit(args.value.start + 1, args.value.start + 1, items)


def _list_block(entry: Entry, key: str, indent: int, sources: Sequence[str], comment: str = "") -> str:
    return f"{line_break(entry.text)}{' ' * indent}{key}:{comment}{_item_lines(entry, indent + 2, sources)}"


def _item_lines(entry: Entry, indent: int, sources: Sequence[str]) -> str:
    return "".join(f"{line_break(entry.text)}{' ' * indent}- {source}" for source in sources)


def _replace_field(entry: Entry, url: Field, proxy: Proxy, sources: Sequence[str]) -> list[Edit]:
    """Replace a URL by a command and its arguments."""
    return [
        Edit(url.start, url.key_end, entry.client.command),
        replace_value(url, to_yaml(proxy.command)),
        Edit(url.end, url.end, _list_block(entry, "args", url.indent, sources)),
    ]


def _wrap_url(entry: Entry, url: Field) -> list[Edit]:
    for name in entry.client.unsupported:
        if name in entry.fields:
            raise SkipServer(f"the proxy does not support its {quote(name)}")
    require_plain_url(url.key, url.value.string)
    if "type" in entry.fields:
        return [replace_value(entry.fields["type"], "stdio"), *_move_headers(entry)]
    require_no_sse_url(url.value.string, f"; if it is not, set 'type: {entry.client.http}'")
    return _move_headers(entry)


def _move_headers(entry: Entry) -> list[Edit]:
    """Return the edits that turn headers into a variable."""
    client = entry.client
    holder = entry.fields.get(client.headers[0])
    if holder is None or holder.kind in ("empty map", "null"):
        return []
    if holder.kind != "map":
        raise CannotRestore(f"{quote(holder.key)} is not a mapping in block style")
    path = [holder]
    for key in client.headers[1:]:
        if [field.key for field in path[-1].fields] != [key]:
            raise SkipServer(f"the proxy does not support its {quote(holder.key)}")
        path.append(path[-1].fields[0])
    headers = path[-1].fields
    if any(field.kind != "scalar" for field in headers) or not headers:
        raise CannotRestore("its headers are not texts of one line")
    values = {field.key: field.value.string for field in headers}
    require_strings("headers", values)
    variable = _variable_for(entry, values)
    is_quoted = entry.text[headers[0].value.start] == '"'
    encoded = json.dumps(values, ensure_ascii=False)
    line = f"{variable}: {to_double_quoted(encoded) if is_quoted else to_single_quoted(encoded)}"
    return _put_variable(entry, holder, line)


def _variable_for(entry: Entry, headers: dict[str, str]) -> str:
    """The variable for the headers: Goose fills in `${NAME}`, so the proxy has to do it in its place."""
    if entry.client.is_list or not any("$" in value for value in headers.values()):
        return HEADERS_VARIABLE
    if any("$" in _TEMPLATE.sub("", value) for value in headers.values()):
        raise SkipServer("a header contains '$'; only ${NAME} is supported there")
    return TEMPLATES_VARIABLE


def _put_variable(entry: Entry, holder: Field, line: str) -> list[Edit]:
    br, client = line_break(entry.text), entry.client
    pad = " " * holder.indent
    if client.is_list:
        return [Edit(holder.start, holder.end, f"{client.env}:{br}{pad}  {line}")]
    emptied = Edit(holder.key_end + 1, holder.end, " {}")
    env = entry.fields.get(client.env)
    if env is None:
        start = line_break_before(entry.text, holder.start)
        return [emptied, Edit(start, start, f"{br}{pad}{client.env}: {ADDED}{br}{pad}  {line}")]
    if env.kind == "empty map":
        return [emptied, Edit(env.key_end + 1, env.value.end), Edit(env.line_end, env.line_end, f"{br}{pad}  {line}")]
    if env.kind != "map":
        raise CannotRestore(f"{quote(client.env)} is not a mapping in block style")
    first = env.fields[0]
    return [emptied, Edit(first.start, first.start, f"{line}{br}{' ' * first.indent}")]
