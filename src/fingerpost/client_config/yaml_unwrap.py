"""Unwrap an entry of the YAML configs of Continue and Goose."""

from __future__ import annotations

import json

from fingerpost.client_config.jsonc import Edit
from fingerpost.client_config.servers import SkipServer
from fingerpost.client_config.toml_text import line_break, line_break_before
from fingerpost.client_config.wrap_server import HEADERS_VARIABLE, TEMPLATES_VARIABLE, is_json_object, is_url
from fingerpost.client_config.yaml_entry import ADDED, Entry, replace_value
from fingerpost.client_config.yaml_text import Field, to_double_quoted, to_yaml
from fingerpost.engine.phrases import quote


def unwrap(entry: Entry) -> list[Edit]:
    """Return the edits that restore a wrapped server. Raises `SkipServer`."""
    args = entry.fields["args"]
    words = [item.string for item in args.items]
    command = entry.fields[entry.client.command]
    if "--" in words:
        return _restore_command(entry, command, args, words.index("--") + 1)
    urls = [item for item in args.items[entry.proxy_start :] if is_url(item.string)]
    if not urls:
        raise SkipServer("there is neither a command nor a URL after 'proxy'")
    _require_own_line(entry, args)
    kind = [replace_value(entry.fields["type"], entry.client.http)] if "type" in entry.fields else []
    return [
        Edit(command.start, command.key_end, entry.client.url),
        replace_value(command, entry.text[urls[-1].start : urls[-1].end]),
        Edit(line_break_before(entry.text, args.start), args.end),
        *kind,
        *_restore_headers(entry),
    ]


def _require_own_line(entry: Entry, field: Field) -> None:
    """Skip a field that shares its line with the dash of the entry: the line cannot be removed."""
    if entry.text[entry.text.rindex("\n", 0, field.start) + 1 : field.start].strip():
        raise SkipServer(f"{quote(field.key)} is the first key of the entry; write it after the others")


def _restore_command(entry: Entry, command: Field, args: Field, index: int) -> list[Edit]:
    text = entry.text
    if index == len(args.items):
        raise SkipServer("there is no command after '--'")
    source = args.items[index]
    edits = [replace_value(command, text[source.start : source.end])]
    if args.kind == "flow list":
        following = args.items[index + 1 : index + 2]
        return [*edits, Edit(args.items[0].start, following[0].start if following else source.end)]
    first = text.rindex("-", 0, args.items[0].start)
    if index + 1 < len(args.items):
        return [*edits, Edit(first, text.rindex("-", 0, args.items[index + 1].start))]
    if text[args.key_end + 1 : args.line_end].strip() == ADDED:
        return [*edits, Edit(line_break_before(text, args.start), args.end)]
    return [*edits, Edit(args.key_end + 1, args.key_end + 1, " []"), Edit(args.line_end, args.end)]


def _restore_headers(entry: Entry) -> list[Edit]:
    client = entry.client
    env = entry.fields.get(client.env)
    variables = [field for field in env.fields if field.key in (HEADERS_VARIABLE, TEMPLATES_VARIABLE)] if env else []
    if env is None or not variables:
        return []
    if len(variables) > 1 or not is_json_object(variables[0].value.string):
        raise SkipServer(f"{variables[0].key} is not a JSON object, or there are two of them")
    values = {name: str(value) for name, value in json.loads(variables[0].value.string).items()}
    is_quoted = entry.text[variables[0].value.start] == '"'
    indent = env.indent + 2 * len(client.headers)
    lines = "".join(
        f"{line_break(entry.text)}{' ' * indent}{to_yaml(name)}: "
        f"{to_double_quoted(value) if is_quoted else to_yaml(value)}"
        for name, value in values.items()
    )
    if client.is_list:
        return _restore_request_options(entry, env, lines)
    return [*_remove_variable(entry, env, variables[0]), *_fill_headers(entry, env, lines)]


def _restore_request_options(entry: Entry, env: Field, lines: str) -> list[Edit]:
    if len(env.fields) > 1:
        raise SkipServer("its 'env' has variables that an entry with a URL cannot have")
    outer, inner = entry.client.headers
    block = f"{outer}:{line_break(entry.text)}{' ' * (env.indent + 2)}{inner}:{lines}"
    return [Edit(env.start, env.end, block)]


def _remove_variable(entry: Entry, env: Field, variable: Field) -> list[Edit]:
    text = entry.text
    if len(env.fields) > 1:
        following = env.fields[env.fields.index(variable) + 1 :]
        if following:
            return [Edit(variable.start, following[0].start)]
        return [Edit(line_break_before(text, variable.start), variable.end)]
    if text[env.key_end + 1 : env.line_end].strip() == ADDED:
        return [Edit(line_break_before(text, env.start), env.end)]
    return [Edit(env.key_end + 1, env.key_end + 1, " {}"), Edit(env.line_end, env.end)]


def _fill_headers(entry: Entry, env: Field, lines: str) -> list[Edit]:
    """Put headers where they were; Goose may have dropped their key."""
    holder = entry.fields.get(entry.client.headers[0])
    if holder is None:
        return [Edit(env.end, env.end, f"{line_break(entry.text)}{' ' * env.indent}{entry.client.headers[0]}:{lines}")]
    return [Edit(holder.key_end + 1, holder.end, lines)]
